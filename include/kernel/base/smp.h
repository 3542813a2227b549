/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work across CPUs: cross calls, and work deferred out of an NMI.
 */
#ifndef KERNEL_SMP_H
#define KERNEL_SMP_H

#include <stdatomic.h>
#include <stdbool.h>

#include <kernel/base/cpu.h>

/* Runs FUNCTION(ARG) on CPU in interrupt context with interrupts off and waits for it. On the calling CPU it
 * is a plain call with interrupts off. Nothing runs if CPU is off line. Caller: task context with interrupts
 * enabled, no spin lock held (otherwise two CPUs calling each other would deadlock). */
void smp_call(unsigned int cpu, void (*function)(void *arg), void *arg);

/* Runs FUNCTION(ARG) on every CPU of MASK, all of which have started, that is on line, this one included if it is in MASK, and waits for
 * all. A CPU that comes on line meanwhile either runs FUNCTION, or sees on its arrival what the caller wrote
 * before the call. */
void smp_call_mask(const cpumask_t *mask, void (*function)(void *arg), void *arg);

/* The same with every CPU. */
void smp_call_all(void (*function)(void *arg), void *arg);

/*
 * Deferred work: an NMI queues it, lock-free, on its CPU, for a context that may take locks: a
 * self-interrupt runs it as soon as interrupts are enabled there.
 */
struct deferred_work {
	struct deferred_work *_Atomic next;
	atomic_bool pending;
	void (*run)(struct deferred_work *work); /* interrupt context, interrupts off */
};

/* Queues WORK on this CPU; false when it is pending already (it will still run after this
 * call). Any context, NMI included. */
bool deferred_work_queue(struct deferred_work *work);

/* Waits until WORK is neither pending nor running. Task context, interrupts enabled. */
void deferred_work_sync(struct deferred_work *work);

#endif
