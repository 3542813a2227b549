/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interval timers, see <kernel/task/interval.h>.
 *
 * Intervals armed for a time of the real-time clock are on a list, for when that clock is set.
 */
#include <kernel/task/interval.h>

#include <kernel/sched/cpu_time.h>
#include <kernel/sched/task.h>
#include <kernel/task/clock.h>
#include <kernel/task/process.h>

/* The shortest time between two polls of a clock of CPU time. */
#define LOOK_NS	   NSEC_PER_MSEC
/* The shortest time between two expiries of an ignored timer: Linux's tick. */
#define IGNORED_NS CPU_TICK_NS
/* Most intervals rearmed with interrupts off when the clock is set. */
#define BATCH	   64

static struct spinlock real_lock = SPINLOCK_INITIALIZER;
/* R: real_lock. Intervals that the last setting of the clock has not reached yet come first. */
static TAILQ_HEAD(, interval) real_intervals = TAILQ_HEAD_INITIALIZER(real_intervals);
static uint64_t settings; /* R: the number of settings of the clock */

static bool is_of_process(enum interval_clock clock)
{
	return clock == INTERVAL_PROCESS || clock == INTERVAL_PROCESS_USER;
}

uint64_t interval_now(const struct interval *interval)
{
	if (interval->clock == INTERVAL_WALL)
		return clock_ns();
	if (interval->clock == INTERVAL_REAL)
		return clock_epoch_ns() + clock_ns();
	return clock_cpu_ns(interval->task, is_of_process(interval->clock),
			    interval->clock == INTERVAL_PROCESS_USER ||
				    interval->clock == INTERVAL_THREAD_USER);
}

/* Returns the time of the next check of INTERVAL, which has LEFT_NS of its clock to go. */
static uint64_t next_look(const struct interval *interval, uint64_t left_ns)
{
	uint64_t threads = 1;

	if (interval->clock == INTERVAL_WALL)
		return interval->expires_ns;
	if (interval->clock == INTERVAL_REAL)
		return interval->expires_ns > clock_epoch_ns() ?
			       interval->expires_ns - clock_epoch_ns() :
			       0;
	if (is_of_process(interval->clock) && interval->task->process->live_threads)
		threads = interval->task->process->live_threads;
	uint64_t soonest = left_ns / threads;

	return clock_deadline(soonest > LOOK_NS ? soonest : LOOK_NS);
}

/* R held. */
static void unlink_real(struct interval *interval)
{
	if (interval->is_real)
		TAILQ_REMOVE(&real_intervals, interval, real);
	interval->is_real = false;
}

/* Links INTERVAL, not linked now. R held. */
static void link_real(struct interval *interval)
{
	TAILQ_INSERT_TAIL(&real_intervals, interval, real);
	interval->setting = settings;
	interval->is_real = true;
}

/* Arms INTERVAL at NOW_NS of its clock. I held. */
static void arm(struct interval *interval, uint64_t now_ns)
{
	uint64_t left = interval->expires_ns > now_ns ? interval->expires_ns - now_ns : 0;

	interval->waiting = false;
	spin_lock(&real_lock);
	unlink_real(interval);
	timer_cancel(&interval->timer);
	if (interval->clock == INTERVAL_REAL)
		link_real(interval);
	timer_arm(&interval->timer, next_look(interval, left));
	spin_unlock(&real_lock);
}

/* I held. */
static void disarm(struct interval *interval)
{
	spin_lock(&real_lock);
	unlink_real(interval);
	timer_cancel(&interval->timer);
	spin_unlock(&real_lock);
}

/* Rearms the next BATCH intervals; returns whether these were all. Task context. */
static bool follow_setting(void)
{
	struct interval *interval;
	unsigned long state = spin_lock_irqsave(&real_lock);
	unsigned int left = BATCH;

	while ((interval = TAILQ_FIRST(&real_intervals)) && interval->setting != settings &&
	       left--) {
		unlink_real(interval);
		link_real(interval);
		timer_cancel(&interval->timer);
		timer_arm(&interval->timer, next_look(interval, 0));
	}
	bool all = !interval || interval->setting == settings;

	spin_unlock_irqrestore(&real_lock, state);
	return all;
}

void interval_clock_was_set(void)
{
	unsigned long state = spin_lock_irqsave(&real_lock);

	settings++;
	spin_unlock_irqrestore(&real_lock, state);
	while (!follow_setting())
		continue;
}

static void fire(struct timer *timer)
{
	struct interval *interval = __containerof(timer, struct interval, timer);
	uint64_t now = interval_now(interval);
	bool due = false;

	spin_lock(&interval->lock);
	if (interval->expires_ns && !interval->waiting) {
		due = interval->expires_ns <= now;
		if (due)
			disarm(interval);
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

/* Sets INTERVAL at NOW of its clock. I held. */
static void set(struct interval *interval, uint64_t now, uint64_t expires_ns, uint64_t interval_ns)
{
	interval->expires_ns = expires_ns;
	interval->interval_ns = interval_ns;
	interval->waiting = false;
	if (expires_ns)
		arm(interval, now);
	else
		disarm(interval);
}

void interval_set(struct interval *interval, uint64_t expires_ns, uint64_t interval_ns)
{
	uint64_t now = interval_now(interval);
	unsigned long state = spin_lock_irqsave(&interval->lock);

	set(interval, now, expires_ns, interval_ns);
	spin_unlock_irqrestore(&interval->lock, state);
}

void interval_set_on(struct interval *interval, enum interval_clock clock, uint64_t expires_ns,
		     uint64_t interval_ns)
{
	unsigned long state = spin_lock_irqsave(&interval->lock);

	interval->clock = clock;
	set(interval, interval_now(interval), expires_ns, interval_ns);
	spin_unlock_irqrestore(&interval->lock, state);
}

/* Returns the time when INTERVAL, which waits, expires after COUNT more intervals; at most UINT64_MAX. I
 * held. */
static uint64_t after(const struct interval *interval, uint64_t count)
{
	uint64_t ns;

	if (__builtin_mul_overflow(count, interval->interval_ns, &ns) ||
	    __builtin_add_overflow(ns, interval->expires_ns, &ns))
		return UINT64_MAX;
	return ns;
}

/* Returns how many whole intervals, at least one, move INTERVAL, which waits, past NOW_NS. I held. */
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
		expires = after(interval, intervals_to(interval, now));
	spin_unlock_irqrestore(&interval->lock, state);
	/* A set interval that is due has not expired yet: never 0. */
	*left_ns = !expires ? 0 : expires > now ? expires - now : 1;
}

uint64_t interval_restart(struct interval *interval)
{
	uint64_t now = interval_now(interval), missed = 0;
	unsigned long state = spin_lock_irqsave(&interval->lock);

	if (interval->expires_ns && interval->waiting) {
		uint64_t count = intervals_to(interval, now);

		interval->expires_ns = after(interval, count);
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
		interval->expires_ns = after(interval, intervals_to(interval, now + IGNORED_NS));
		arm(interval, now);
	}
	spin_unlock_irqrestore(&interval->lock, state);
}

void interval_end(struct interval *interval)
{
	unsigned long state = spin_lock_irqsave(&interval->lock);

	interval->expires_ns = 0;
	disarm(interval);
	spin_unlock_irqrestore(&interval->lock, state);
	/* Wait for its function. */
	timer_cancel(&interval->timer);
}
