/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timers: one red-black tree of deadlines for each CPU, and the CPU's timer interrupt set to the first of
 * them.
 *
 * A timer that expires leaves the tree before its function runs, with the queue unlocked, so the function
 * may arm it again or take other locks.
 *
 * One interrupt calls at most BATCH functions. When more are due, the next interrupt comes after a respite as
 * long as they took, whatever is armed meanwhile: so tasks get half of the CPU, however many timers there
 * are. Linux: the hang detection of hrtimer_interrupt.
 *
 * The timers of a CPU that goes off line move to another CPU; a file whose timers belong to their CPU cancels
 * them before.
 *
 * Lock: timer_queue->lock, irqsave; innermost but for the ISA's timer registers. Two: by the CPUs' numbers.
 */
#include <stddef.h>

#include <arch/clock.h>
#include <kernel/base/assert.h>
#include <kernel/base/cpu.h>
#include <kernel/base/debug.h>
#include <kernel/base/hooks.h>
#include <kernel/base/spinlock.h>
#include <kernel/base/tree.h>
#include <kernel/time/time.h>

/* Most functions that one interrupt calls. */
#define BATCH 64

RB_HEAD(timer_tree, timer);

struct timer_queue {
	struct spinlock lock;
	struct timer_tree timers; /* Q */
	uint64_t respite_ns;	  /* Q: no interrupt before this moment */
} CACHE_ALIGNED;		  /* Q: lock */

static PERCPU(struct timer_queue, timer_queues);

/* Orders by deadline; equal ones by address, since a tree's keys must differ. */
static int compare_timers(struct timer *a, struct timer *b)
{
	if (a->deadline_ns != b->deadline_ns)
		return a->deadline_ns < b->deadline_ns ? -1 : 1;
	return a == b ? 0 : a < b ? -1 : 1;
}

RB_GENERATE_STATIC(timer_tree, timer, node, compare_timers)

void timer_init(struct timer *timer, void (*fire)(struct timer *timer))
{
	*timer = (struct timer){ .cpu = -1, .fire = fire };
	hook_timer_made(timer);
}

/* Sets this CPU's interrupt for its QUEUE. Q held. */
static void set_interrupt(struct timer_queue *queue)
{
	const struct timer *first = RB_MIN(timer_tree, &queue->timers);
	uint64_t due_ns = first ? first->deadline_ns : UINT64_MAX;

	if (due_ns < queue->respite_ns)
		due_ns = queue->respite_ns;
	debug_timer_set(due_ns);
	arch_timer_set(due_ns);
}

void timer_arm(struct timer *timer, uint64_t deadline_ns)
{
	struct timer_queue *queue = &this_cpu(timer_queues);

	spin_lock(&queue->lock);
	struct timer *first = RB_MIN(timer_tree, &queue->timers);

	hook_timer_armed(timer, deadline_ns, timer->cpu >= 0);
	if (timer->cpu >= 0) {
		ASSERT(timer->cpu == (int)cpu_id());
		RB_REMOVE(timer_tree, &queue->timers, timer);
	}
	timer->deadline_ns = deadline_ns;
	timer->cpu = (int)cpu_id();
	RB_INSERT(timer_tree, &queue->timers, timer);
	struct timer *now_first = RB_MIN(timer_tree, &queue->timers);

	if (first != now_first || first == timer)
		set_interrupt(queue);
	spin_unlock(&queue->lock);
}

/* Takes TIMER out of its queue; returns whether it was in one. Interrupts off. */
static bool disarm(struct timer *timer)
{
	for (;;) {
		int cpu = timer->cpu;

		if (cpu < 0)
			return false;
		struct timer_queue *queue = &timer_queues[cpu];

		spin_lock(&queue->lock);
		if (timer->cpu == cpu) {
			/* An interrupt that was set for it does nothing. */
			RB_REMOVE(timer_tree, &queue->timers, timer);
			timer->cpu = -1;
			hook_timer_cancelled(timer);
			spin_unlock(&queue->lock);
			return true;
		}
		spin_unlock(&queue->lock);
	}
}

bool timer_cancel(struct timer *timer)
{
	bool may_wait = arch_irqs_enabled();
	unsigned long state = arch_irq_save();
	bool armed = disarm(timer);

	arch_irq_restore(state);
	if (!may_wait)
		return armed;
	while (timer->firing)
		arch_cpu_relax();
	/* The function may have armed it again meanwhile. */
	state = arch_irq_save();
	armed |= disarm(timer);
	arch_irq_restore(state);
	return armed;
}

void timer_give_away(unsigned int to)
{
	unsigned int here = cpu_id();
	struct timer_queue *source = &timer_queues[here], *queue = &timer_queues[to];
	struct timer *timer;

	ASSERT(here != to && !arch_irqs_enabled());
	spin_lock(here < to ? &source->lock : &queue->lock);
	spin_lock(here < to ? &queue->lock : &source->lock);
	while ((timer = RB_MIN(timer_tree, &source->timers))) {
		RB_REMOVE(timer_tree, &source->timers, timer);
		timer->cpu = (int)to;
		RB_INSERT(timer_tree, &queue->timers, timer);
	}
	set_interrupt(source);
	spin_unlock(&source->lock);
	spin_unlock(&queue->lock);
}

void timer_receive(void)
{
	struct timer_queue *queue = &this_cpu(timer_queues);

	spin_lock(&queue->lock);
	set_interrupt(queue);
	spin_unlock(&queue->lock);
}

void timer_interrupt(void)
{
	struct timer_queue *queue = &this_cpu(timer_queues);
	uint64_t began_ns = clock_ns();

	debug_timer_interrupt();
	spin_lock(&queue->lock);
	queue->respite_ns = 0;
	for (unsigned int called = 0;; called++) {
		struct timer *first = RB_MIN(timer_tree, &queue->timers);
		uint64_t now_ns = clock_ns();

		if (!first || first->deadline_ns > now_ns)
			break;
		if (called == BATCH) {
			queue->respite_ns = now_ns + (now_ns - began_ns);
			break;
		}
		RB_REMOVE(timer_tree, &queue->timers, first);
		/* In this order: timer_cancel must never see both idle while the function has yet
		 * to run. */
		first->firing++;
		first->cpu = -1;
		spin_unlock(&queue->lock);
		hook_timer_fires(first);
		first->fire(first);
		hook_timer_fired(first);
		spin_lock(&queue->lock);
		first->firing--;
	}
	set_interrupt(queue);
	spin_unlock(&queue->lock);
}
