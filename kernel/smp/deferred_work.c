/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Deferred work: NMIs leave it for a context that may take locks.
 *
 * Each CPU has a list, newest first. Only the CPU itself adds to it (task, interrupt or NMI, one
 * interrupting the other), by compare and exchange, and takes it whole. An interrupt to itself runs the
 * list as soon as interrupts are on.
 *
 * A work is `pending` from queueing until just before it runs, so it can be queued again while it runs.
 * `running` is set before `pending` is cleared: a waiter sees at least one of them.
 */
#include <kernel/base/smp.h>

#include <arch/smp.h>
#include <kernel/base/assert.h>

struct work_list {
	struct deferred_work *_Atomic newest;
	struct deferred_work *_Atomic running;
} CACHE_ALIGNED;

static PERCPU(struct work_list, lists);

bool deferred_work_queue(struct deferred_work *work)
{
	if (atomic_exchange_explicit(&work->pending, true, memory_order_acq_rel))
		return false;

	/* An NMI may come at any point here and queue its own work; but the task must not migrate. */
	unsigned long state = arch_irq_save();
	struct work_list *list = &this_cpu(lists);
	struct deferred_work *newest = atomic_load_explicit(&list->newest, memory_order_relaxed);

	do
		atomic_store_explicit(&work->next, newest, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&list->newest, &newest, work,
						      memory_order_release, memory_order_relaxed));
	arch_ipi_send(cpu_id(), IPI_DEFERRED);
	arch_irq_restore(state);
	return true;
}

void deferred_work_interrupt(void)
{
	struct work_list *list = &this_cpu(lists);
	struct deferred_work *work =
		atomic_exchange_explicit(&list->newest, NULL, memory_order_acquire);
	struct deferred_work *oldest = NULL;

	/* Run them in the order of queueing. */
	while (work) {
		struct deferred_work *next =
			atomic_load_explicit(&work->next, memory_order_relaxed);

		atomic_store_explicit(&work->next, oldest, memory_order_relaxed);
		oldest = work;
		work = next;
	}
	while (oldest) {
		work = oldest;
		/* Once it is no longer pending, its owner or an NMI may queue it again: so read the link
		 * first. */
		oldest = atomic_load_explicit(&work->next, memory_order_relaxed);
		atomic_store(&list->running, work);
		atomic_store(&work->pending, false);
		work->run(work);
		/* The work may be freed from here on. */
		atomic_store(&list->running, NULL);
	}
}

static bool runs_somewhere(const struct deferred_work *work)
{
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		if (atomic_load(&lists[cpu].running) == work)
			return true;
	return false;
}

void deferred_work_sync(struct deferred_work *work)
{
	ASSERT(arch_irqs_enabled());
	while (atomic_load(&work->pending) || runs_somewhere(work))
		arch_cpu_relax();
}
