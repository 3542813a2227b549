/* SPDX-License-Identifier: BSD-2-Clause */
/* Interval timers, see <kernel/interval.h>. */
#include <kernel/interval.h>

#include <kernel/clock.h>
#include <kernel/process.h>
#include <kernel/task.h>

/* How often a clock that does not move by itself is looked at, at most. */
#define LOOK_NS NSEC_PER_MSEC

uint64_t interval_now(const struct interval *interval)
{
	if (interval->clock == INTERVAL_WALL)
		return clock_ns();
	return clock_processor_ns(interval->task, interval->clock == INTERVAL_PROCESS);
}

/* When to look at INTERVAL, which has LEFT_NS of its clock to go. */
static uint64_t next_look(const struct interval *interval, uint64_t left_ns)
{
	uint64_t threads = 1;

	if (interval->clock == INTERVAL_WALL)
		return interval->expires_ns;
	if (interval->clock == INTERVAL_PROCESS && interval->task->process->live_threads)
		threads = interval->task->process->live_threads;
	uint64_t soonest = left_ns / threads;

	return clock_deadline(soonest > LOOK_NS ? soonest : LOOK_NS);
}

/* I held, NOW_NS of its clock. */
static void arm(struct interval *interval, uint64_t now_ns)
{
	uint64_t left = interval->expires_ns > now_ns ? interval->expires_ns - now_ns : 0;

	timer_cancel(&interval->timer);
	interval->waiting = false;
	timer_arm(&interval->timer, next_look(interval, left));
}

static void fire(struct timer *timer)
{
	struct interval *interval = __containerof(timer, struct interval, timer);
	uint64_t now = interval_now(interval);
	bool due = false;

	spin_lock(&interval->lock);
	if (interval->expires_ns && !interval->waiting) {
		due = interval->expires_ns <= now;
		if (!due)
			arm(interval, now);
		else if (interval->interval_ns)
			interval->waiting = true;
		else
			interval->expires_ns = 0;
	}
	spin_unlock(&interval->lock);
	if (due)
		interval->expired(interval);
}

void interval_init(struct interval *interval, enum interval_clock clock, struct task *task,
		   void (*expired)(struct interval *interval))
{
	spin_init(&interval->lock);
	timer_init(&interval->timer, fire);
	interval->clock = clock;
	interval->task = task;
	interval->expired = expired;
}

void interval_set(struct interval *interval, uint64_t expires_ns, uint64_t interval_ns)
{
	uint64_t now = interval_now(interval);
	unsigned long state = spin_lock_irqsave(&interval->lock);

	interval->expires_ns = expires_ns;
	interval->interval_ns = interval_ns;
	interval->waiting = false;
	if (expires_ns)
		arm(interval, now);
	else
		timer_cancel(&interval->timer);
	spin_unlock_irqrestore(&interval->lock, state);
}

/* How many whole intervals, at least one, bring one that waits behind NOW_NS. I held. */
static uint64_t intervals_to(const struct interval *interval, uint64_t now_ns)
{
	if (interval->expires_ns > now_ns)
		return 1;
	return (now_ns - interval->expires_ns) / interval->interval_ns + 1;
}

void interval_get(struct interval *interval, uint64_t *left_ns, uint64_t *interval_ns)
{
	uint64_t now = interval_now(interval);
	unsigned long state = spin_lock_irqsave(&interval->lock);
	uint64_t expires = interval->expires_ns;

	*interval_ns = interval->interval_ns;
	if (expires && interval->waiting)
		expires += intervals_to(interval, now) * interval->interval_ns;
	spin_unlock_irqrestore(&interval->lock, state);
	/* What is set and due has not gone off yet: never 0. */
	*left_ns = !expires ? 0 : expires > now ? expires - now : 1;
}

uint64_t interval_restart(struct interval *interval)
{
	uint64_t now = interval_now(interval), missed = 0;
	unsigned long state = spin_lock_irqsave(&interval->lock);

	if (interval->expires_ns && interval->waiting) {
		uint64_t count = intervals_to(interval, now);

		interval->expires_ns += count * interval->interval_ns;
		missed = count - 1;
		arm(interval, now);
	}
	spin_unlock_irqrestore(&interval->lock, state);
	return missed;
}

void interval_restart_later(struct interval *interval)
{
	uint64_t now = interval_now(interval);
	unsigned long state = spin_lock_irqsave(&interval->lock);

	if (interval->expires_ns && interval->waiting) {
		interval->expires_ns +=
			intervals_to(interval, now + LOOK_NS) * interval->interval_ns;
		arm(interval, now);
	}
	spin_unlock_irqrestore(&interval->lock, state);
}

void interval_end(struct interval *interval)
{
	unsigned long state = spin_lock_irqsave(&interval->lock);

	interval->expires_ns = 0;
	spin_unlock_irqrestore(&interval->lock, state);
	timer_cancel(&interval->timer);
}
