// SPDX-License-Identifier: BSD-2-Clause
/*
 * Whether the registers that CPUID announces are there. A hypervisor may announce a PMU and refuse its registers: each
 * access of counters.c would then be an exception. So each register is tried once, on each CPU, before the first use.
 *
 * The trial stops all counting, and clears the counters and what firmware left in the status.
 */
#include "counters_probe.h"

#include <stdatomic.h>
#include <stddef.h>

#include <kernel/base/cpu.h>
#include <kernel/base/log.h>
#include <kernel/base/smp.h>
#include <machine/msr.h>

#include "counters.h"
#include "intel_registers.h"

/* The number of RDPMC among the registers here: no MSR has it. */
#define NUMBER_RDPMC 0xffffffff

struct trial {
	const struct counter_registers *registers;
	_Atomic uint32_t faulting; /* the first register that faulted, 0: none */
	_Atomic uint32_t cpu;
};

static const struct {
	uint32_t number;
	const char *name;
} names[] = {
	{ MSR_IA32_FIXED_CTR_CTRL, "IA32_FIXED_CTR_CTRL" },
	{ MSR_IA32_PERF_GLOBAL_STATUS, "IA32_PERF_GLOBAL_STATUS" },
	{ MSR_IA32_PERF_GLOBAL_CTRL, "IA32_PERF_GLOBAL_CTRL" },
	{ MSR_IA32_PERF_GLOBAL_OVF_CTRL, "IA32_PERF_GLOBAL_OVF_CTRL" },
	{ NUMBER_RDPMC, "RDPMC" },
};

static void print_name(uint32_t number, char *name, size_t size)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].number == number) {
			format_string(name, size, "%s", names[i].name);
			return;
		}
	format_string(name, size, "MSR 0x%x", number);
}

/* Returns the register of general counter INDEX that faults, or 0. */
static uint32_t try_general(const struct counter_registers *registers, unsigned int index)
{
	uint32_t select = registers->select + (index << registers->general_shift);
	uint32_t counter = registers->general + (index << registers->general_shift);
	uint64_t value;

	if (!msr_write_try(select, 0))
		return select;
	if (!msr_read_try(counter, &value) || !msr_write_try(counter, 0))
		return counter;
	return pmc_read_try(index, &value) ? 0 : NUMBER_RDPMC;
}

static uint32_t try_fixed(const struct counter_registers *registers, unsigned int index)
{
	uint64_t value;

	if (!msr_read_try(registers->fixed + index, &value) ||
	    !msr_write_try(registers->fixed + index, 0))
		return registers->fixed + index;
	return pmc_read_try(RDPMC_FIXED | index, &value) ? 0 : NUMBER_RDPMC;
}

static uint32_t try_global(const struct counter_registers *registers)
{
	uint64_t value;

	if (!registers->global_control)
		return 0;
	if (!msr_write_try(registers->global_control, 0))
		return registers->global_control;
	if (!msr_read_try(registers->global_status, &value))
		return registers->global_status;
	return msr_write_try(registers->global_clear, registers->counters) ?
		       0 :
		       registers->global_clear;
}

/* Tries all registers of this CPU; returns the first that faults, or 0. */
static uint32_t try_all(const struct counter_registers *registers)
{
	uint32_t faulting = try_global(registers);

	if (!faulting && registers->fixed_width_bits && !msr_write_try(registers->fixed_control, 0))
		faulting = registers->fixed_control;
	for (uint64_t rest = registers->counters; rest && !faulting; rest &= rest - 1) {
		unsigned int index = (unsigned int)__builtin_ctzll(rest);

		faulting = index < FIXED_INDEX ? try_general(registers, index) :
						 try_fixed(registers, index - FIXED_INDEX);
	}
	return faulting;
}

static void try_here(void *argument)
{
	struct trial *trial = argument;
	uint32_t faulting = try_all(trial->registers), none = 0;

	if (faulting && atomic_compare_exchange_strong(&trial->faulting, &none, faulting))
		atomic_store(&trial->cpu, cpu_id());
}

bool counters_are_there(const struct counter_registers *registers)
{
	struct trial trial = { .registers = registers };
	char name[32];

	smp_call_all(try_here, &trial);
	if (!trial.faulting)
		return true;
	print_name(trial.faulting, name, sizeof(name));
	log_warning(
		"PMU: CPUID announces %s, but it faults on CPU %u: the CPUs' counters are not used",
		name, trial.cpu);
	return false;
}
