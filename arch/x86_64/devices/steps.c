// SPDX-License-Identifier: BSD-2-Clause
/*
 * The execution of lists of steps, and of the handler in an NMI.
 *
 * A step runs the same instructions of the kernel each time, but for a fault, for WAIT, which spins, and for HALT:
 * what a counter of ring 0 shows for a list is so much for the list's operations, and on top of it the work, whose
 * instructions are counted by hand (steps_work.S).
 *
 * The registers may lie. So each access to one may fault, each wait has an end, and NMIs without an end find the
 * records full: then the handler, which may be what lets them come, does not run, and the entry of the local APIC
 * stays masked.
 *
 * An NMI touches only its CPU's struct steps_cpu, of which it alone changes `recorded`, `lost`, and the record at
 * `recorded`. No lock.
 */
#include "steps.h"

#include <string.h>

#include <arch/pmu.h>
#include <arch/task.h>
#include <kernel/base/cpu.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <machine/apic.h>
#include <machine/cpu.h>
#include <machine/init_check.h>
#include <machine/msr.h>
#include <machine/task.h>
#include <machine/trap.h>
#include <uapi/linux/errno.h>

#include "../pmu/counters.h"

/* User code may execute RDPMC. SDM vol. 3A 2.5. */
#define CR4_PCE	     (1ull << 8)

/* An NMI that was sent has come after so many PAUSEs. */
#define DRAIN_PAUSES 64

struct active {
	struct steps_cpu *_Atomic cpu; /* NULL: no file is open. Changes on its CPU, interrupts off */
} CACHE_ALIGNED;

static PERCPU(struct active, active);

/* In steps_work.S. */
void steps_work_loop(uint64_t passes);
void steps_work_cpuid(uint64_t passes);
void steps_work_string(uint64_t bytes, void *buffer);
void steps_work_not_taken(uint64_t passes);
void steps_work_interrupt(uint64_t passes, volatile uint32_t *apic);

static const uint64_t init_effects[] = {
	[INIT_NOT_TRIED] = PMU_INIT_NOT_TRIED,
	[INIT_LEAVES_COUNTER] = PMU_INIT_LEAVES,
	[INIT_CHANGES_COUNTER] = PMU_INIT_CHANGES,
};

/* --- steps --- */

/* Sets CR4.PCE and returns what it was. */
static uint64_t set_user_reads(uint64_t allowed)
{
	uint64_t cr4 = cr4_read();

	cr4_write(allowed ? cr4 | CR4_PCE : cr4 & ~CR4_PCE);
	return !!(cr4 & CR4_PCE);
}

static uint64_t work(struct steps_cpu *cpu, uint32_t kind, uint64_t passes)
{
	_Atomic uint32_t *interrupts = &this_cpu(interrupt_counts).of[VECTOR_PMU_WORK];
	uint32_t before = atomic_load(interrupts);

	switch (kind) {
	case PMU_WORK_LOOP:
		steps_work_loop(passes);
		break;
	case PMU_WORK_CPUID:
		steps_work_cpuid(passes);
		break;
	case PMU_WORK_STRING:
		steps_work_string(passes, cpu->string);
		break;
	case PMU_WORK_NOT_TAKEN:
		steps_work_not_taken(passes);
		break;
	case PMU_WORK_INTERRUPT:
		steps_work_interrupt(passes, apic_page);
		return atomic_load(interrupts) - before;
	default:
		break;
	}
	return 0;
}

static void wake(struct timer *timer)
{
	(void)timer;
}

static void halt(struct steps_cpu *cpu, uint64_t ns)
{
	uint64_t deadline_ns = clock_deadline(ns);
	uint32_t before = atomic_load(&cpu->nmis);

	timer_arm(&cpu->wake, deadline_ns);
	while (atomic_load(&cpu->nmis) == before && clock_ns() < deadline_ns)
		arch_cpu_idle();
	timer_cancel(&cpu->wake);
}

static uint64_t wait(struct steps_cpu *cpu, uint32_t nmis, uint64_t ns)
{
	uint64_t deadline_ns = clock_deadline(ns);

	while (atomic_load(&cpu->nmis) < nmis && clock_ns() < deadline_ns)
		arch_cpu_relax();
	return atomic_load(&cpu->nmis);
}

/* Carries out STEP; returns false if it faulted. *VALUE, its value before, becomes its result. */
static bool execute(struct steps_cpu *cpu, const struct pmu_step *step, uint64_t *value)
{
	switch (step->operation) {
	case PMU_STEP_RDMSR:
		return msr_read_try(step->index, value);
	case PMU_STEP_WRMSR:
		return msr_write_try(step->index, *value);
	case PMU_STEP_RDPMC:
		return pmc_read_try(step->index, value);
	case PMU_STEP_TSC:
		*value = tsc_read();
		return true;
	case PMU_STEP_LVT:
		*value = apic_pmi_entry();
		return true;
	case PMU_STEP_SET_LVT:
		apic_pmi_set_masked(*value & PMU_LVT_MASKED);
		return true;
	case PMU_STEP_PCE:
		*value = set_user_reads(*value);
		return true;
	case PMU_STEP_WORK:
		*value = work(cpu, step->index, *value);
		return true;
	case PMU_STEP_HALT:
		halt(cpu, *value);
		return true;
	case PMU_STEP_WAIT:
		*value = wait(cpu, step->index, *value);
		return true;
	case PMU_STEP_EXTENDED_LVT:
		*value = step->index < apic_extended_entries() ? apic_extended_entry(step->index) :
								 UINT64_MAX;
		return true;
	case PMU_STEP_SET_EXTENDED_LVT:
		if (step->index < apic_extended_entries())
			apic_extended_set_masked(step->index, *value & PMU_LVT_MASKED);
		return true;
	case PMU_STEP_INIT:
		*value = init_effects[init_check_effect(cpu_id())];
		return true;
	default:
		return false;
	}
}

/* Masks all entries by which a step may let NMIs in. */
static void mask_entries(void)
{
	unsigned int extended = apic_extended_entries();

	apic_pmi_set_masked(true);
	for (unsigned int i = 0; i < extended && i < PMU_EXTENDED_LVT_MAX; i++)
		apic_extended_set_masked(i, true);
}

/* --- what is put back --- */

static bool is_written(const struct steps_cpu *cpu, uint32_t number)
{
	for (uint32_t i = 0; i < cpu->written_count; i++)
		if (cpu->written[i].number == number)
			return true;
	return false;
}

/* Remembers the values of the MSRs that the steps will write. 0, or -ENOSPC: none is remembered, since none will be
 * written. */
static int remember_written(struct steps_cpu *cpu, const struct pmu_step *steps, uint32_t count)
{
	const uint32_t before = cpu->written_count;

	for (uint32_t i = 0; i < count; i++) {
		struct steps_written *written = &cpu->written[cpu->written_count];

		if (steps[i].operation != PMU_STEP_WRMSR || is_written(cpu, steps[i].index))
			continue;
		if (cpu->written_count == PMU_WRITTEN_MAX) {
			cpu->written_count = before;
			return -ENOSPC;
		}
		written->number = steps[i].index;
		written->readable = msr_read_try(written->number, &written->value);
		cpu->written_count++;
	}
	return 0;
}

/* Twice: what is written before the counters stop may not last. */
static void restore_written(struct steps_cpu *cpu)
{
	for (unsigned int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < cpu->written_count; i++)
			if (cpu->written[i].readable)
				msr_write_try(cpu->written[i].number, cpu->written[i].value);
	cpu->written_count = 0;
}

/* --- lists --- */

void steps_begin(struct steps_cpu *cpu)
{
	atomic_store(&cpu->step, PMU_NO_STEP);
	timer_init(&cpu->wake, wake);
	atomic_store(&this_cpu(active).cpu, cpu);
}

int steps_run(struct steps_cpu *cpu, struct pmu_step *steps, uint32_t count)
{
	int error = remember_written(cpu, steps, count);

	if (error)
		return error;
	atomic_store(&cpu->nmis, 0);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t value = steps[i].value;

		atomic_store_explicit(&cpu->step, i, memory_order_relaxed);
		bool faults = !execute(cpu, &steps[i], &value);

		steps[i].fault = faults ? 1 + cpu_locals[cpu_id()].fixup_vector : 0;
		steps[i].value = faults ? 0 : value;
		steps[i].nmis = atomic_load_explicit(&cpu->nmis, memory_order_relaxed);
	}
	atomic_store(&cpu->step, PMU_NO_STEP);
	return 0;
}

int steps_set_handler(struct steps_cpu *cpu, const struct pmu_step *steps, uint32_t count)
{
	int error = remember_written(cpu, steps, count);

	if (error)
		return error;
	atomic_store(&cpu->handler_count, 0);
	memcpy(cpu->handler, steps, count * sizeof(*steps));
	atomic_store(&cpu->handler_count, count);
	return 0;
}

void steps_end(struct steps_cpu *cpu)
{
	atomic_store(&cpu->handler_count, 0);
	mask_entries();
	restore_written(cpu);
	counters_restart_cpu();
	arch_pmu_user_access_update(task_current()->space);
	for (unsigned int i = 0; i < DRAIN_PAUSES; i++)
		arch_cpu_relax();
	atomic_store(&this_cpu(active).cpu, NULL);
}

/* --- NMIs --- */

static void run_handler(struct steps_cpu *cpu, struct pmu_nmi *record)
{
	uint32_t count = atomic_load(&cpu->handler_count);
	/* The NMI may have come between a fault of a step and the look at its vector. */
	uint32_t vector = cpu_locals[cpu_id()].fixup_vector;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t value = cpu->handler[i].value;

		record->values[i] = execute(cpu, &cpu->handler[i], &value) ? value : ~0ull;
	}
	cpu_locals[cpu_id()].fixup_vector = vector;
}

bool steps_handle_nmi(struct trap_frame *frame)
{
	struct steps_cpu *cpu = atomic_load(&this_cpu(active).cpu);

	if (!cpu)
		return false;
	atomic_fetch_add(&cpu->nmis, 1);

	uint32_t number = atomic_load(&cpu->recorded);
	struct pmu_nmi *record = &cpu->records[number % PMU_NMIS_MAX];

	if (number - atomic_load(&cpu->taken) == PMU_NMIS_MAX) {
		atomic_fetch_add(&cpu->lost, 1);
		mask_entries();
		return true;
	}
	*record = (struct pmu_nmi){ .ip = arch_frame_ip(frame),
				    .tsc = tsc_read(),
				    .user = arch_frame_is_user(frame),
				    .step = atomic_load(&cpu->step) };
	run_handler(cpu, record);
	atomic_store(&cpu->recorded, number + 1);
	return true;
}

long steps_take_nmis(struct steps_cpu *cpu, struct pmu_nmi *user_records, uint32_t count)
{
	uint32_t taken = atomic_load(&cpu->taken);
	uint32_t there = atomic_load(&cpu->recorded) - taken;

	if (count > there)
		count = there;
	for (uint32_t i = 0; i < count; i++)
		if (copy_to_user(&user_records[i], &cpu->records[(taken + i) % PMU_NMIS_MAX],
				 sizeof(*user_records)))
			return -EFAULT;
	atomic_store(&cpu->taken, taken + count);
	return count;
}
