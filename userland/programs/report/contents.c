// SPDX-License-Identifier: BSD-2-Clause
/*
 * contents.c - what the registers hold: at the start, and after a write.
 */
#include "measure.h"
#include "registers.h"

#include <inttypes.h>
#include <string.h>

#define SDM_SELECT	  "Intel SDM vol. 3B, 20.2.1; AMD APM vol. 2, 13.2.1"
#define SDM_RESET	  "Intel SDM vol. 3A, table 10-1; AMD APM vol. 2, table 14-1"

/* Bits of a selection that exist in every version. PIN CONTROL (bit 19) is reserved on AMD. */
#define SELECT_BITS_INTEL UINT64_C(0xffdfffff)
#define SELECT_BITS_AMD	  UINT64_C(0x30fffd7ffff)
/* HostOnly and GuestOnly. */
#define SELECT_BITS_SVM	  UINT64_C(0x30000000000)

static struct list list;

/* Writes each bit of MASK alone; returns the bits that fault or are not read back. */
static uint64_t bits_not_kept(uint32_t msr, uint64_t mask)
{
	uint64_t wrong = 0;

	for (unsigned int bit = 0; bit < 64; bit++) {
		uint64_t one = UINT64_C(1) << bit, value;

		if (mask & one && (!machine_write_msr(msr, one) || !machine_read_msr(msr, &value) ||
				   value != one))
			wrong |= one;
	}
	machine_write_msr(msr, 0);
	return wrong;
}

/* The bits of every CPU, or (SIDES) those that came with SVM. */
static void selects_keep_bits(struct finding *finding, unsigned int sides)
{
	uint64_t mask = sides			   ? SELECT_BITS_SVM :
			shape.vendor == VENDOR_AMD ? SELECT_BITS_AMD & ~SELECT_BITS_SVM :
						     SELECT_BITS_INTEL;

	if (sides && !shape.has_svm) {
		find_absent(finding, "SVM is not announced");
		return;
	}
	for (unsigned int i = 0; i < shape.counters; i++) {
		uint64_t wrong = bits_not_kept(shape_select_msr(i), mask);

		/* Without the two sides every count of the machine itself is right. */
		if (wrong && sides) {
			find_inexact(finding,
				     "expected the bits 0x%" PRIx64
				     " of selection %u to be kept, got 0x%" PRIx64
				     " lost: counts are right for a machine that runs no guests",
				     mask, i, wrong);
			return;
		}
		if (wrong) {
			find_broken(finding,
				    "expected the bits 0x%" PRIx64
				    " of selection %u to be kept, got "
				    "0x%" PRIx64 " lost",
				    mask, i, wrong);
			return;
		}
	}
}

static void counters_keep_bits(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (unsigned int i = 0; i < shape.counters; i++) {
		uint64_t wrong = bits_not_kept(shape_counter_msr(i), shape_mask(31));

		if (wrong) {
			find_broken(finding,
				    "expected bits 0 to 30 of counter %u to be kept, got 0x%" PRIx64
				    " lost",
				    i, wrong);
			return;
		}
	}
}

static void fixed_counters_keep_bits(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (unsigned int i = 0; i < 32; i++) {
		uint64_t wrong = shape.fixed & 1u << i ?
					 bits_not_kept(MSR_FIXED_CTR + i, shape_mask(31)) :
					 0;

		if (wrong) {
			find_broken(
				finding,
				"expected bits 0 to 30 of fixed counter %u to be kept, got 0x%" PRIx64
				" lost",
				i, wrong);
			return;
		}
	}
}

static void fixed_control_keeps_bits(struct finding *finding, unsigned int argument)
{
	uint64_t mask = 0, wrong;

	(void)argument;
	for (unsigned int i = 0; i < 16; i++) {
		if (shape.fixed & 1u << i)
			mask |= UINT64_C(0xb) << (4 * i);
	}
	wrong = bits_not_kept(MSR_FIXED_CTR_CTRL, mask);
	if (wrong)
		find_broken(finding,
			    "expected the bits 0x%" PRIx64 " to be kept, got 0x%" PRIx64 " lost",
			    mask, wrong);
}

/*
 * Each counter gets a selection and a value of its own; then all are read. A counter that has another's value is the
 * other one: the report goes on with those before it.
 */
static void counters_are_separate(struct finding *finding, unsigned int argument)
{
	unsigned int separate = shape.counters;
	uint64_t value;

	(void)argument;
	for (unsigned int i = 0; i < shape.counters; i++)
		machine_write_msr(shape_select_msr(i), i + 1);
	for (unsigned int i = 0; i < shape.counters; i++)
		machine_write_msr(shape_counter_msr(i), 0x10000 * (i + 1));
	for (unsigned int i = 0; i < shape.counters; i++) {
		if (!machine_read_msr(shape_counter_msr(i), &value) || value == 0x10000 * (i + 1))
			continue;
		find_broken(finding,
			    "expected 0x%x in counter %u, got 0x%" PRIx64 ", which counter %" PRIu64
			    " was given",
			    0x10000 * (i + 1), i, value, value / 0x10000 - 1);
		if (value / 0x10000 - 1 > i && value / 0x10000 - 1 < separate)
			separate = (unsigned int)(value / 0x10000 - 1);
	}
	measure_clear();
	shape.counters = separate;
}

static void select_leaves_counter(struct finding *finding, unsigned int argument)
{
	uint64_t value;

	(void)argument;
	for (unsigned int i = 0; i < shape.counters; i++) {
		machine_write_msr(shape_counter_msr(i), 0x40000);
		machine_write_msr(shape_select_msr(i), 0xc0);
		if (!machine_read_msr(shape_counter_msr(i), &value) || value != 0x40000) {
			find_broken(
				finding,
				"expected 0x40000 in counter %u after a write of its selection, got "
				"0x%" PRIx64,
				i, value);
			break;
		}
	}
	measure_clear();
}

/* A counter of ring 3 runs while this program writes it. */
static void running_takes_value(struct finding *finding, unsigned int argument)
{
	const uint64_t large = UINT64_C(1) << 30;
	uint64_t value, selection;

	(void)argument;
	shape_event(EVENT_INSTRUCTIONS, &selection);
	list_clear(&list);
	list_write(&list, shape_counter_msr(0), large);
	list_write(&list, shape_select_msr(0), selection | SELECT_USER | SELECT_ENABLE);
	if (shape.has_global)
		list_write(&list, shape.global_ctrl, 1);
	list_write(&list, shape_counter_msr(0), 1024);
	unsigned int at = list_read(&list, shape_counter_msr(0));

	if (machine_run(&list) && !list_has_fault(&list)) {
		value = list.steps[at].value;
		if (value < 1024 || value >= large)
			find_broken(
				finding,
				"expected 1024 after a write of a counter that runs, got %" PRIu64,
				value);
	}
	measure_clear();
}

static void reserved_bits_fault(struct finding *finding, unsigned int argument)
{
	const uint64_t counters = UINT64_C(0x3f) << 40; /* fixed counters 8 to 13 */
	const struct {
		const char *name;
		uint32_t msr;
		uint64_t bits;
		bool exists;
	} registers[] = {
		{ "IA32_PERFEVTSEL0", MSR_PERFEVTSEL,
		  UINT64_C(0x3f) << 48 | (shape.any_thread ? 0 : SELECT_ANY_THREAD), true },
		{ "IA32_FIXED_CTR_CTRL", MSR_FIXED_CTR_CTRL, UINT64_C(0x3f) << 48,
		  shape.fixed != 0 },
		{ "IA32_PERF_GLOBAL_CTRL", shape.global_ctrl, counters, shape.has_global },
	};

	(void)argument;
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
		for (unsigned int bit = 0; registers[i].exists && bit < 64; bit++) {
			uint64_t one = UINT64_C(1) << bit;

			if (!(registers[i].bits & one) || !machine_write_msr(registers[i].msr, one))
				continue;
			find_broken(finding,
				    "expected a fault of a write of bit %u of %s, got none", bit,
				    registers[i].name);
			machine_write_msr(registers[i].msr, 0);
		}
	}
}

static void reserved_bits_are_ignored(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (unsigned int bit = 0; bit < 64; bit++) {
		uint64_t one = UINT64_C(1) << bit;

		if (SELECT_BITS_AMD & one || machine_write_msr(shape_select_msr(0), one))
			continue;
		find_broken(finding, "expected bit %u of a selection to be ignored, got a fault",
			    bit);
	}
	machine_write_msr(shape_select_msr(0), 0);
}

/* The registers of K7 name the first four counters of the core performance extensions. */
static void legacy_names_first_four(struct finding *finding, unsigned int argument)
{
	uint64_t value = 0;

	(void)argument;
	for (unsigned int i = 0; i < 4; i++) {
		machine_write_msr(MSR_AMD_EVTSEL + i, 0xd1 + i);
		machine_write_msr(MSR_AMD_CORE_CTL + 2 * i + 1, 0x10000 * (i + 1));
		if (!machine_read_msr(MSR_AMD_CORE_CTL + 2 * i, &value) || value != 0xd1 + i)
			find_broken(finding,
				    "expected 0x%x in register 0x%" PRIx32
				    " after a write of 0x%" PRIx32 ", got 0x%" PRIx64,
				    0xd1 + i, MSR_AMD_CORE_CTL + 2 * i, MSR_AMD_EVTSEL + i, value);
		if (!machine_read_msr(MSR_AMD_CTR + i, &value) || value != 0x10000 * (i + 1))
			find_broken(finding,
				    "expected 0x%x in register 0x%" PRIx32 ", got 0x%" PRIx64,
				    0x10000 * (i + 1), MSR_AMD_CTR + i, value);
	}
	measure_clear();
}

static void selects_are_zero_at_start(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (start_values.selects)
		find_broken(finding,
			    "expected zero in every selection, got 0x%" PRIx64 " in counter %d",
			    start_values.select, __builtin_ctzll(start_values.selects));
}

static void counters_are_zero_at_start(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (start_values.counters)
		find_broken(finding,
			    "expected zero in every counter, got 0x%" PRIx64 " in counter %d",
			    start_values.counter, __builtin_ctzll(start_values.counters));
}

static void fixed_control_is_zero_at_start(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (start_values.fixed_control)
		find_broken(finding, "expected zero in IA32_FIXED_CTR_CTRL, got 0x%" PRIx64,
			    start_values.fixed_control);
}

#define COUNTERS "registers.first_counter_exists"

static const struct rule rules[] = {
	{ "selects_are_zero_at_start", NEED_UNTOUCHED, NULL, selects_are_zero_at_start, 0,
	  SDM_RESET,
	  "Linux reports that the firmware has corrupted the PMU, and leaves counters unused" },
	{ "counters_are_zero_at_start", NEED_UNTOUCHED, "contents.selects_are_zero_at_start",
	  counters_are_zero_at_start, 0, SDM_RESET,
	  "counts of software that does not clear a counter begin too high" },
	{ "fixed_control_is_zero_at_start", NEED_UNTOUCHED | NEED_FIXED, NULL,
	  fixed_control_is_zero_at_start, 0, SDM_RESET,
	  "Linux reports that the firmware has corrupted the PMU, and leaves counters unused" },
	{ "selects_keep_bits", 0, NULL, selects_keep_bits, 0, SDM_SELECT,
	  "Linux's check of the hardware fails, and it uses no PMU" },
	{ "selects_keep_host_and_guest_only", NEED_AMD, NULL, selects_keep_bits, true,
	  "AMD APM vol. 2, 13.2.1",
	  "a hypervisor inside the machine cannot count its guests apart from itself" },
	{ "counters_keep_bits", 0, NULL, counters_keep_bits, 0, SDM_SELECT,
	  "a sampling period is longer or shorter than asked for" },
	{ "counters_are_separate", 0, "contents.counters_keep_bits", counters_are_separate, 0,
	  SDM_SELECT, "two events share a counter, and both counts are wrong" },
	{ "select_leaves_counter", 0, "contents.counters_keep_bits", select_leaves_counter, 0,
	  SDM_SELECT, "a period that is written before the selection is lost" },
	{ "running_counter_takes_value", 0, "contents.counters_keep_bits", running_takes_value, 0,
	  SDM_SELECT, "the next period of a sampled event is wrong" },
	{ "fixed_control_keeps_bits", NEED_FIXED, "registers.fixed_control_exists",
	  fixed_control_keeps_bits, 0, "Intel SDM vol. 3B, 20.2.2",
	  "fixed counters count in the wrong ring, or without their interrupt" },
	{ "fixed_counters_keep_bits", NEED_FIXED, "registers.fixed_counters_exist",
	  fixed_counters_keep_bits, 0, "Intel SDM vol. 3B, 20.2.2",
	  "a sampling period of a fixed counter is not the one asked for" },
	{ "reserved_bits_fault", NEED_INTEL, NULL, reserved_bits_fault, 0,
	  "Intel SDM vol. 3B, 20.2",
	  "software that tries for features believes in some that do nothing" },
	{ "reserved_bits_are_ignored", NEED_AMD, NULL, reserved_bits_are_ignored, 0,
	  "AMD APM vol. 2, 13.2.1",
	  "a driver that writes a newer selection gets a general protection fault" },
	{ "legacy_registers_are_the_first_four", NEED_AMD | NEED_CORE, NULL,
	  legacy_names_first_four, 0, "AMD APM vol. 2, 13.2.1",
	  "software that knows K7's registers only counts nothing" },
};

const struct group contents_group = { "contents", NEED_PMU | NEED_ACCESS, COUNTERS, rules,
				      sizeof(rules) / sizeof(rules[0]) };
