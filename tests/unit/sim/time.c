// SPDX-License-Identifier: BSD-2-Clause
/*
 * Simulated time: a number that only sim_clock_advance changes, and each CPU's timers.
 *
 * Timers are kept in one list; advancing goes from deadline to deadline, so a timer that is armed
 * by another one's function fires in its order too.
 */
#include <kernel/base/assert.h>
#include <kernel/time/time.h>

#include <stdatomic.h>
#include <stdio.h>

#include <arch/clock.h>

#include "internal.h"

#define TIMERS_MAX 256
#define START_NS   NSEC_PER_SEC

static _Atomic uint64_t now_ns;
static struct timer *timers[TIMERS_MAX];
static unsigned int timer_count;
static struct clock_conversion conversion;
static bool conversion_set;

void sim_time_start(void)
{
	now_ns = START_NS;
	timer_count = 0;
	conversion_set = false;
}

unsigned int sim_time_end(void)
{
	if (timer_count)
		printf("# left behind: %u armed timers\n", timer_count);
	return timer_count;
}

uint64_t clock_ns(void)
{
	return sim_parallel ? atomic_fetch_add(&now_ns, PARALLEL_TICK_NS) : now_ns;
}

void sim_clock_conversion_set(const struct clock_conversion *new)
{
	conversion_set = new;
	if (new)
		conversion = *new;
}

bool clock_user_conversion(struct clock_conversion *answer)
{
	if (conversion_set)
		*answer = conversion;
	return conversion_set;
}

void timer_init(struct timer *timer, void (*fire)(struct timer *timer))
{
	timer->cpu = -1;
	timer->fire = fire;
}

void timer_arm(struct timer *timer, uint64_t deadline_ns)
{
	ASSERT(!arch_irqs_enabled());
	sim_lock();
	if (timer->cpu < 0) {
		ASSERT(timer_count < TIMERS_MAX);
		timers[timer_count++] = timer;
	}
	timer->cpu = (int)cpu_id();
	timer->deadline_ns = deadline_ns;
	sim_unlock();
}

/* Removes TIMER from the machine's list; sim_lock held. */
static bool unlist(struct timer *timer)
{
	if (timer->cpu < 0)
		return false;
	for (unsigned int i = 0; i < timer_count; i++) {
		if (timers[i] != timer)
			continue;
		timers[i] = timers[--timer_count];
		timer->cpu = -1;
		return true;
	}
	panic("an armed timer is on no CPU's list");
}

bool timer_cancel(struct timer *timer)
{
	sim_lock();
	bool cancelled = unlist(timer);
	sim_unlock();
	return cancelled;
}

/* The timer that is due first among those of CPU CPU (-1: any) with a deadline of at most
 * LIMIT_NS. */
static struct timer *first_due(int cpu, uint64_t limit_ns)
{
	struct timer *first = NULL;

	for (unsigned int i = 0; i < timer_count; i++)
		if ((cpu < 0 || timers[i]->cpu == cpu) && timers[i]->deadline_ns <= limit_ns &&
		    (!first || timers[i]->deadline_ns < first->deadline_ns))
			first = timers[i];
	return first;
}

/* The timer of this CPU that is due, not armed any more; or NULL. */
static struct timer *take_due(void)
{
	sim_lock();
	struct timer *timer = first_due((int)cpu_id(), now_ns);
	if (timer)
		unlist(timer);
	sim_unlock();
	return timer;
}

void sim_timers_fire(void)
{
	struct timer *timer;

	while ((timer = take_due()))
		timer->fire(timer);
}

void sim_clock_advance(uint64_t ns)
{
	unsigned int from = cpu_id();
	uint64_t end_ns = now_ns + ns;
	struct timer *timer;

	ASSERT(!sim_parallel);
	while ((timer = first_due(-1, end_ns))) {
		if (timer->deadline_ns > now_ns)
			now_ns = timer->deadline_ns;
		sim_cpu_number = (unsigned int)timer->cpu;
		/* A timer of a CPU that has interrupts off would stay due. */
		ASSERT(arch_irqs_enabled());
		sim_interrupts_take();
		sim_cpu_number = from;
	}
	now_ns = end_ns;
}
