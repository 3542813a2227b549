// SPDX-License-Identifier: BSD-2-Clause
/*
 * Simulated CPUs: which one runs, its interrupt flag, cross calls, deferred work, NMIs.
 *
 * Interrupts are taken where a real CPU would take them, at the moment they become enabled;
 * what is pending then is deferred work and due timers. An NMI ignores the flag.
 */
#include <kernel/base/assert.h>
#include <kernel/base/smp.h>

#include <stdio.h>
#include <string.h>

#include <arch/pmu.h>
#include <arch/smp.h>

#include "internal.h"

_Thread_local unsigned int sim_cpu_number;
struct sim_cpu sim_cpus[CPUS_MAX];

static unsigned int cpus;
shared_cpumask_t cpus_offline;

#define NMI_HANDLERS_MAX 4
static bool (*nmi_handlers[NMI_HANDLERS_MAX])(struct trap_frame *frame);
static unsigned int nmi_handler_count;

void sim_start(unsigned int count)
{
	ASSERT(count >= 1 && count <= CPUS_MAX);
	cpus = count;
	memset(&cpus_offline, 0, sizeof(cpus_offline));
	nmi_handler_count = 0;
	memset(sim_cpus, 0, sizeof(sim_cpus));
	sim_cpu_number = 0;
	sim_memory_start();
	sim_time_start();
	sim_files_start();
	sim_tasks_start(count);
}

unsigned int sim_end(void)
{
	unsigned int left = 0;

	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		sim_cpu_number = cpu;
		if (sim_cpus[cpu].irqs_disabled) {
			printf("# left behind: interrupts disabled on CPU %u\n", cpu);
			left++;
		}
		if (sim_cpus[cpu].deferred) {
			printf("# left behind: deferred work on CPU %u\n", cpu);
			left++;
		}
	}
	sim_cpu_number = 0;
	left += sim_files_end();
	left += sim_tasks_end();
	left += sim_time_end();
	left += sim_memory_end();
	return left;
}

unsigned int cpu_count(void)
{
	return cpus;
}

void deferred_work_interrupt(void)
{
	struct sim_cpu *cpu = sim_this_cpu();
	struct deferred_work *work = cpu->deferred;

	cpu->deferred = NULL;
	while (work) {
		struct deferred_work *next = atomic_load(&work->next);
		atomic_store(&work->pending, false);
		work->run(work);
		work = next;
	}
}

void sim_interrupts_take(void)
{
	struct sim_cpu *cpu = sim_this_cpu();

	if (cpu->irqs_disabled || cpu->nmi_depth)
		return;
	cpu->irqs_disabled = true;
	do {
		while (cpu->deferred)
			deferred_work_interrupt();
		sim_timers_fire();
	} while (sim_parallel && sim_letters_open());
	cpu->irqs_disabled = false;
}

void sim_cpu_set(unsigned int cpu)
{
	ASSERT(cpu < cpus && sim_this_cpu()->nmi_depth == 0);
	sim_cpu_number = cpu;
	sim_interrupts_take();
}

void sim_cpu_enter_thread(unsigned int cpu)
{
	ASSERT(cpu < cpus);
	sim_cpu_number = cpu;
}

void sim_frame_set(uint64_t ip, bool user)
{
	sim_this_cpu()->frame = (struct trap_frame){ .ip = ip, .sp = 0x7fff0000, .user = user };
}

struct trap_frame *sim_frame(void)
{
	return &sim_this_cpu()->frame;
}

struct task *arch_current(void)
{
	return sim_this_cpu()->current;
}

/* --- the interrupt flag --- */

bool arch_irqs_enabled(void)
{
	return !sim_this_cpu()->irqs_disabled;
}

void arch_irq_disable(void)
{
	sim_this_cpu()->irqs_disabled = true;
}

void arch_irq_enable(void)
{
	sim_this_cpu()->irqs_disabled = false;
	sim_interrupts_take();
}

unsigned long arch_irq_save(void)
{
	unsigned long enabled = arch_irqs_enabled();

	arch_irq_disable();
	return enabled;
}

void arch_irq_restore(unsigned long enabled)
{
	if (enabled)
		arch_irq_enable();
}

/* --- NMIs --- */

bool arch_in_nmi(void)
{
	return sim_this_cpu()->nmi_depth != 0;
}

void sim_nmi(void (*handler)(void *arg), void *arg)
{
	struct sim_cpu *cpu = sim_this_cpu();
	bool irqs_disabled = cpu->irqs_disabled;

	/* A CPU takes no NMI inside another. */
	ASSERT(cpu->nmi_depth == 0);
	cpu->irqs_disabled = true;
	cpu->nmi_depth++;
	handler(arg);
	cpu->nmi_depth--;
	cpu->irqs_disabled = irqs_disabled;
	sim_interrupts_take();
}

void arch_nmi_register(bool (*handler)(struct trap_frame *frame))
{
	ASSERT(nmi_handler_count < NMI_HANDLERS_MAX);
	nmi_handlers[nmi_handler_count++] = handler;
}

void arch_nmi_replace(bool (*present)(struct trap_frame *frame),
		      bool (*next)(struct trap_frame *frame))
{
	for (unsigned int i = 0; i < nmi_handler_count; i++)
		if (nmi_handlers[i] == present)
			__atomic_store_n(&nmi_handlers[i], next, __ATOMIC_RELEASE);
}

static void dispatch(void *arg)
{
	bool *handled = arg;

	for (unsigned int i = 0; i < nmi_handler_count; i++)
		*handled |= nmi_handlers[i](sim_frame());
}

bool sim_nmi_dispatch(void)
{
	struct sim_cpu *cpu = sim_this_cpu();
	bool all_handled = true;

	/* A CPU takes no NMI inside another, but remembers one. */
	if (cpu->nmi_depth) {
		cpu->nmi_latched = true;
		return true;
	}
	do {
		bool handled = false;

		cpu->nmi_latched = false;
		sim_nmi(dispatch, &handled);
		all_handled &= handled;
	} while (cpu->nmi_latched);
	return all_handled;
}

/* --- cross calls --- */

void smp_call(unsigned int cpu, void (*function)(void *arg), void *arg)
{
	unsigned int from = cpu_id();

	ASSERT(cpu < cpus);
	ASSERT(arch_irqs_enabled() && !arch_in_nmi());
	if (!cpu_is_online(cpu))
		return;
	if (sim_parallel && cpu != from) {
		sim_letter_send(cpu, function, arg);
		return;
	}
	sim_cpu_number = cpu;
	/* The called CPU takes the interrupt between two instructions of whatever it does. */
	ASSERT(arch_irqs_enabled());
	arch_irq_disable();
	function(arg);
	arch_irq_enable();
	sim_cpu_number = from;
}

void smp_call_mask(const cpumask_t *mask, void (*function)(void *arg), void *arg)
{
	for (unsigned int cpu = 0; cpu < cpus; cpu++)
		if (cpumask_has(mask, cpu))
			smp_call(cpu, function, arg);
}

void smp_call_all(void (*function)(void *arg), void *arg)
{
	const cpumask_t all = cpus_all();

	smp_call_mask(&all, function, arg);
}

static void start_here(void *pmu)
{
	((struct pmu *)pmu)->start_cpu();
}

void sim_start_pmu(struct pmu *pmu)
{
	if (pmu->start_cpu)
		smp_call_all(start_here, pmu);
}

/* --- deferred work --- */

bool deferred_work_queue(struct deferred_work *work)
{
	struct sim_cpu *cpu = sim_this_cpu();

	if (atomic_exchange(&work->pending, true))
		return false;
	atomic_store(&work->next, cpu->deferred);
	cpu->deferred = work;
	sim_interrupts_take();
	return true;
}

static void pass_by(void *arg)
{
}

/* Letters are opened when no work runs: an answer from everywhere means that it has ended. */
static void sync_in_parallel(struct deferred_work *work)
{
	while (atomic_load(&work->pending))
		sim_wait();
	smp_call_all(pass_by, NULL);
}

void deferred_work_sync(struct deferred_work *work)
{
	ASSERT(arch_irqs_enabled());
	if (sim_parallel) {
		sync_in_parallel(work);
		return;
	}
	for (unsigned int cpu = 0; atomic_load(&work->pending) && cpu < cpus; cpu++) {
		unsigned int from = cpu_id();
		sim_cpu_number = cpu;
		sim_interrupts_take();
		sim_cpu_number = from;
	}
	ASSERT(!atomic_load(&work->pending));
}
