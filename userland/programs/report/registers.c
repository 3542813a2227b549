// SPDX-License-Identifier: BSD-2-Clause
/*
 * registers.c - which registers exist and fault. Where an announced register is missing, its rule is broken, and
 * the report goes on with what is there: struct shape is corrected, so that one lie breaks one rule.
 *
 * contents.c has the rules about what the registers keep.
 */
#include "registers.h"

#include "measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SDM_REGISTERS "Intel SDM vol. 3B, 20.2"
#define APM_REGISTERS "AMD APM vol. 2, 13.2"

/* Intel's numbers are looked at below the next register with another meaning (0xCD, 0x198, 0x4D0). */
#define INTEL_TRIED   10
#define AMD_TRIED     15
#define FIXED_TRIED   7

struct start_values start_values;

static bool exists(uint32_t msr)
{
	uint64_t value;

	return machine_read_msr(msr, &value);
}

/* Exists, and takes its own value. */
static bool can_be_written(uint32_t msr)
{
	uint64_t value;

	return machine_read_msr(msr, &value) && machine_write_msr(msr, value);
}

void registers_note_start(void)
{
	struct start_values *s = &start_values;
	uint64_t value;

	s->general_bits = shape_general_bits();
	for (unsigned int i = 0; i < shape.counters && i < COUNTERS_MAX; i++) {
		if (machine_read_msr(shape_select_msr(i), &value) && value) {
			s->select = s->selects ? s->select : value;
			s->selects |= UINT64_C(1) << i;
		}
		if (machine_read_msr(shape_counter_msr(i), &value) && value) {
			s->counter = s->counters ? s->counter : value;
			s->counters |= UINT64_C(1) << i;
		}
	}
	if (shape.fixed)
		machine_read_msr(MSR_FIXED_CTR_CTRL, &s->fixed_control);
	if (shape.has_global) {
		machine_read_msr(shape.global_ctrl, &s->global_ctrl);
		machine_read_msr(shape.global_status, &s->global_status);
	}
}

/* Intel's register without full width, so that the existence does not depend on it. */
static uint32_t plain_counter_msr(unsigned int i)
{
	return shape.vendor == VENDOR_INTEL ? MSR_PMC + i : shape_counter_msr(i);
}

static void first_counter_exists(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (!can_be_written(shape_select_msr(0)))
		find_broken(finding,
			    "expected the selection of counter 0, register 0x%" PRIx32
			    ", got a fault",
			    shape_select_msr(0));
	else if (!can_be_written(plain_counter_msr(0)))
		find_broken(finding, "expected counter 0, register 0x%" PRIx32 ", got a fault",
			    plain_counter_msr(0));
}

static void every_counter_exists(struct finding *finding, unsigned int argument)
{
	unsigned int announced = shape.counters;

	(void)argument;
	for (unsigned int i = 0; i < announced; i++) {
		if (i < COUNTERS_MAX && can_be_written(shape_select_msr(i)) &&
		    can_be_written(plain_counter_msr(i)))
			continue;
		find_broken(
			finding,
			"expected %u general counters, got a fault of counter %u (registers 0x%" PRIx32
			", 0x%" PRIx32 ")",
			announced, i, shape_select_msr(i), plain_counter_msr(i));
		shape.counters = i;
		return;
	}
}

static void full_width_can_be_written(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (unsigned int i = 0; i < shape.counters; i++) {
		if (exists(MSR_A_PMC + i) && machine_write_msr(MSR_A_PMC + i, 0))
			continue;
		find_broken(finding, "expected a write of register 0x%x to succeed, got a fault",
			    MSR_A_PMC + i);
		shape.full_width = false;
		return;
	}
}

static void full_width_names_the_counters(struct finding *finding, unsigned int argument)
{
	uint64_t value;

	(void)argument;
	measure_clear();
	for (unsigned int i = 0; i < shape.counters; i++) {
		machine_write_msr(MSR_PMC + i, 0x1234500 + 64 * i);
		if (machine_read_msr(MSR_A_PMC + i, &value) && value == 0x1234500 + 64 * i)
			continue;
		find_broken(finding, "expected 0x%x in register 0x%x, got 0x%" PRIx64,
			    0x1234500 + 64 * i, MSR_A_PMC + i, value);
		return;
	}
}

/* Both registers of an absent counter; for Intel its full-width name, too. */
static void absent_counters_fault(struct finding *finding, unsigned int argument)
{
	bool is_intel = shape.vendor == VENDOR_INTEL;
	unsigned int tried = is_intel ? INTEL_TRIED : AMD_TRIED, first = shape.counters;

	(void)argument;
	if (!is_intel && shape.version == AMD_K7)
		first = 0;
	for (unsigned int i = first; i < tried; i++) {
		uint32_t select = is_intel ? MSR_PERFEVTSEL + i : MSR_AMD_CORE_CTL + 2 * i;
		uint32_t counter = is_intel ? MSR_PMC + i : select + 1;

		if (exists(select) || exists(counter) || (is_intel && exists(MSR_A_PMC + i))) {
			find_broken(finding,
				    "expected a fault of counter %u, which is not announced, got "
				    "register 0x%" PRIx32 " or 0x%" PRIx32,
				    i, select, counter);
			return;
		}
	}
}

static void fixed_control_exists(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (can_be_written(MSR_FIXED_CTR_CTRL))
		return;
	find_broken(finding, "expected register 0x%x, got a fault", MSR_FIXED_CTR_CTRL);
	shape.fixed = 0;
}

static void fixed_counters_exist(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (unsigned int i = 0; i < 32; i++) {
		if (!(shape.fixed & 1u << i) || can_be_written(MSR_FIXED_CTR + i))
			continue;
		find_broken(finding, "expected fixed counter %u, register 0x%x, got a fault", i,
			    MSR_FIXED_CTR + i);
		shape.fixed &= (1u << i) - 1;
		return;
	}
}

static void absent_fixed_counters_fault(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (unsigned int i = 0; i < FIXED_TRIED; i++) {
		if (!(shape.fixed & 1u << i) && exists(MSR_FIXED_CTR + i)) {
			find_broken(finding,
				    "expected a fault of fixed counter %u, which is not announced, "
				    "got a value from register 0x%x",
				    i, MSR_FIXED_CTR + i);
			return;
		}
	}
}

enum global_register { GLOBAL_CTRL, GLOBAL_STATUS, GLOBAL_CLEAR, GLOBAL_SET };

static void global_register_exists(struct finding *finding, unsigned int argument)
{
	const uint32_t msrs[] = { shape.global_ctrl, shape.global_status, shape.global_clear,
				  shape.global_set };
	bool is_there = argument == GLOBAL_STATUS ? exists(msrs[argument]) :
			argument == GLOBAL_CTRL	  ? can_be_written(msrs[argument]) :
						    machine_write_msr(msrs[argument], 0);

	if (is_there)
		return;
	find_broken(finding, "expected register 0x%" PRIx32 ", got a fault", msrs[argument]);
	if (argument != GLOBAL_SET) {
		shape.has_global = false;
		return;
	}
	/* The bit of the freeze came with this register. */
	shape.has_status_set = false;
	shape.frozen = 0;
}

static void register_exists(struct finding *finding, unsigned int argument)
{
	if (!exists(argument))
		find_broken(finding, "expected register 0x%x, got a fault", argument);
}

static void capabilities_exist(struct finding *finding, unsigned int argument)
{
	register_exists(finding, argument);
}

static void inuse_exists(struct finding *finding, unsigned int argument)
{
	if (shape.version < 4)
		find_absent(finding, "announced from version 4 on");
	else
		register_exists(finding, argument);
}

/* Registers of a generation that is not announced. Version 1 has none of those from the fixed counters' control on. */
static void later_registers_fault(struct finding *finding, unsigned int argument)
{
	bool is_intel = shape.vendor == VENDOR_INTEL;
	uint32_t first = !is_intel	    ? MSR_AMD_GLOBAL_STATUS :
			 shape.version == 1 ? MSR_FIXED_CTR_CTRL :
					      MSR_GLOBAL_STATUS_SET;
	unsigned int count = is_intel ? MSR_GLOBAL_INUSE + 1 - first : 4;

	(void)argument;
	if (is_intel ? shape.version >= 4 : shape.version >= AMD_PERFMON_V2) {
		find_absent(finding, "the generation with these registers is announced");
		return;
	}
	for (unsigned int i = 0; i < count; i++) {
		if (exists(first + i)) {
			find_broken(finding,
				    "expected a fault of register 0x%" PRIx32
				    ", which this version "
				    "has not, got a value",
				    first + i);
			return;
		}
	}
}

static void is_read_only(struct finding *finding, unsigned int argument)
{
	uint64_t value;

	if (argument == MSR_GLOBAL_INUSE && shape.version < 4) {
		find_absent(finding, "announced from version 4 on");
		return;
	}
	if (machine_read_msr(argument, &value) && machine_write_msr(argument, value))
		find_broken(finding, "expected a fault of a write of register 0x%x, got none",
			    argument);
}

static void amd_register_exists(struct finding *finding, unsigned int argument)
{
	uint32_t msr = argument ? 0xc0000000 | argument : MSR_AMD_HWCR;

	if (!exists(msr))
		find_broken(finding, "expected register 0x%" PRIx32 ", got a fault", msr);
}

static void aperf_names_exist(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (!shape.has_aperf_read)
		find_absent(finding, "the read-only names are not announced");
	else if (!exists(MSR_AMD_MPERF_READ) || !exists(MSR_AMD_APERF_READ))
		find_broken(finding, "expected registers 0xC00000E7 and 0xC00000E8, got a fault");
	else if (machine_write_msr(MSR_AMD_MPERF_READ, 0))
		find_broken(finding,
			    "expected a fault of a write of register 0xC00000E7, got none");
}

#define FIRST "registers.first_counter_exists"

static const struct rule rules[] = {
	{ "first_counter_exists", 0, NULL, first_counter_exists, 0,
	  SDM_REGISTERS "; " APM_REGISTERS,
	  "no counter can be used: drivers fail at their first access, some with a panic" },
	{ "every_announced_counter_exists", 0, FIRST, every_counter_exists, 0,
	  SDM_REGISTERS "; AMD APM vol. 3, CPUID Fn8000_0022",
	  "a driver that uses all announced counters gets a general protection fault" },
	{ "absent_counters_fault", 0, FIRST, absent_counters_fault, 0,
	  SDM_REGISTERS "; " APM_REGISTERS,
	  "software that tries for counters believes in some that do not count" },
	{ "capabilities_exist", NEED_INTEL | NEED_CAPABILITIES, NULL, capabilities_exist,
	  MSR_PERF_CAPABILITIES, "Intel SDM vol. 4, IA32_PERF_CAPABILITIES",
	  "a driver reads it at start and gets a general protection fault" },
	{ "capabilities_are_read_only", NEED_INTEL | NEED_CAPABILITIES,
	  "registers.capabilities_exist", is_read_only, MSR_PERF_CAPABILITIES,
	  "Intel SDM vol. 4, IA32_PERF_CAPABILITIES",
	  "a guest can announce to itself what the machine has not" },
	{ "full_width_registers_can_be_written", NEED_INTEL | NEED_FULL_WIDTH, FIRST,
	  full_width_can_be_written, 0, "Intel SDM vol. 3B, 20.2.6",
	  "a driver that writes counters by their full-width names gets a general protection fault" },
	{ "full_width_registers_are_the_counters", NEED_INTEL | NEED_FULL_WIDTH, FIRST,
	  full_width_names_the_counters, 0, "Intel SDM vol. 3B, 20.2.6",
	  "counts that are written by one name are not those that are read by the other" },
	{ "fixed_control_exists", NEED_FIXED, NULL, fixed_control_exists, 0,
	  "Intel SDM vol. 3B, 20.2.2",
	  "a driver that uses fixed counters gets a general protection fault" },
	{ "fixed_counters_exist", NEED_FIXED, "registers.fixed_control_exists",
	  fixed_counters_exist, 0, "Intel SDM vol. 3B, 20.2.2",
	  "a driver that uses fixed counters gets a general protection fault" },
	{ "absent_fixed_counters_fault", NEED_INTEL, "registers.first_counter_exists",
	  absent_fixed_counters_fault, 0, "Intel SDM vol. 3B, 20.2.2",
	  "software that tries for counters believes in some that do not count" },
	{ "global_ctrl_exists", NEED_GLOBAL, FIRST, global_register_exists, GLOBAL_CTRL,
	  "Intel SDM vol. 3B, 20.2.2; AMD APM vol. 2, 13.2.1",
	  "a driver that starts counters gets a general protection fault" },
	{ "global_status_exists", NEED_GLOBAL, "registers.global_ctrl_exists",
	  global_register_exists, GLOBAL_STATUS,
	  "Intel SDM vol. 3B, 20.2.2; AMD APM vol. 2, 13.2.1",
	  "an interrupt's handler gets a general protection fault" },
	{ "global_clear_exists", NEED_GLOBAL, "registers.global_status_exists",
	  global_register_exists, GLOBAL_CLEAR, "Intel SDM vol. 3B, 20.2.2; AMD APM vol. 2, 13.2.1",
	  "an interrupt's handler gets a general protection fault" },
	{ "status_set_exists", NEED_STATUS_SET | NEED_GLOBAL, "registers.global_clear_exists",
	  global_register_exists, GLOBAL_SET, "Intel SDM vol. 3B, 20.2.4; AMD APM vol. 2, 13.2.1",
	  "a hypervisor that restores the status gets a general protection fault" },
	{ "inuse_exists", NEED_VERSION_2, "registers.status_set_exists", inuse_exists,
	  MSR_GLOBAL_INUSE, "Intel SDM vol. 3B, 20.2.4",
	  "software that asks which counters are taken faults" },
	{ "later_registers_fault", NEED_PMU, NULL, later_registers_fault, 0,
	  "Intel SDM vol. 3B, 20.2.4; AMD APM vol. 2, 13.2.1",
	  "software that tries for registers believes in some that do nothing" },
	{ "debugctl_exists", NEED_VERSION_2, NULL, register_exists, MSR_DEBUGCTL,
	  "Intel SDM vol. 3B, 18.4.1",
	  "a driver that freezes counters gets a general protection fault" },
	{ "status_is_read_only", NEED_VERSION_2 | NEED_GLOBAL, "registers.global_status_exists",
	  is_read_only, MSR_GLOBAL_STATUS, "Intel SDM vol. 4, IA32_PERF_GLOBAL_STATUS",
	  "software that writes the wrong register is not warned" },
	{ "inuse_is_read_only", NEED_VERSION_2, "registers.inuse_exists", is_read_only,
	  MSR_GLOBAL_INUSE, "Intel SDM vol. 4, IA32_PERF_GLOBAL_INUSE",
	  "software that writes the wrong register is not warned" },
	{ "hwcr_exists", NEED_AMD, NULL, amd_register_exists, 0, "AMD APM vol. 2, 3.2.10",
	  "a driver that enables IRPERF gets a general protection fault" },
	{ "aperf_exists", NEED_AMD | NEED_APERF, NULL, register_exists, MSR_APERF,
	  "AMD APM vol. 2, 17.3", "tools that show frequencies get a general protection fault" },
	{ "mperf_exists", NEED_AMD | NEED_APERF, NULL, register_exists, MSR_MPERF,
	  "AMD APM vol. 2, 17.3", "tools that show frequencies get a general protection fault" },
	{ "aperf_read_only_names_exist", NEED_AMD | NEED_APERF, NULL, aperf_names_exist, 0,
	  "AMD APM vol. 2, 17.3", "tools that show frequencies get a general protection fault" },
	{ "irperf_exists", NEED_AMD | NEED_IRPERF, NULL, amd_register_exists, 0xe9,
	  "AMD APM vol. 2, 13.2.1", "tools that read IRPERF get a general protection fault" },
};

const struct group registers_group = { "registers", NEED_PMU | NEED_ACCESS, NULL, rules,
				       sizeof(rules) / sizeof(rules[0]) };
