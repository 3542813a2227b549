/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time: the time of day, times of programs, and per-CPU timers on the monotonic clock.
 *
 * A timer belongs to the CPU that armed it and fires there, in interrupt context. There is no periodic tick:
 * the CPU's timer interrupt is set to the nearest deadline, so an idle machine sleeps.
 */
#ifndef KERNEL_TIME_H
#define KERNEL_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/base/clock.h>
#include <kernel/base/tree.h>
#include <uapi/asm/param.h>
#include <uapi/linux/time.h>

/* Returns the nanoseconds since 1970 at clock_ns() == 0. Any context. */
uint64_t clock_epoch_ns(void);
/* Sets the real-time clocks to NOW_NS. Task context. */
void clock_set_epoch_ns(uint64_t now_ns);

/* Returns clock_ns() in TIMEOUT_NS from now, or UINT64_MAX if that overflows. Any context. */
static inline uint64_t clock_deadline(uint64_t timeout_ns)
{
	uint64_t now = clock_ns();

	return timeout_ns < UINT64_MAX - now ? now + timeout_ns : UINT64_MAX;
}

/* Times of programs: check TIME (Linux: timespec64_valid); convert it to ns, at most UINT64_MAX; and
 * back. */
static inline bool timespec_is_valid(const struct kernel_timespec *time)
{
	return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < (int64_t)NSEC_PER_SEC;
}

static inline uint64_t timespec_to_ns(const struct kernel_timespec *time)
{
	if ((uint64_t)time->tv_sec >= UINT64_MAX / NSEC_PER_SEC)
		return UINT64_MAX;
	return (uint64_t)time->tv_sec * NSEC_PER_SEC + (uint64_t)time->tv_nsec;
}

static inline struct kernel_timespec timespec_from_ns(uint64_t ns)
{
	return (struct kernel_timespec){ (int64_t)(ns / NSEC_PER_SEC),
					 (int64_t)(ns % NSEC_PER_SEC) };
}

/* Returns the whole ticks of NS, a program's unit of time: HZ of <uapi/asm/param.h> in a second. */
static inline uint64_t ticks_from_ns(uint64_t ns)
{
	/* The greatest power of two in a second is 512, which divides 1024, too; 100 divides a second. */
	const uint64_t common = HZ % 512 ? HZ : 512;

	return ns * (HZ / common) / (NSEC_PER_SEC / common);
}

/* Reads the time at USER_TIME, in ns, at most UINT64_MAX. Task context. 0, -EFAULT; -EINVAL: it is
 * invalid. */
int timespec_from_user(unsigned long user_time, uint64_t *ns);

/* Reads the time-out at USER_TIMEOUT as a deadline in clock_ns(); UINT64_MAX, never, for NULL. Task context.
 * 0, -EFAULT, -EINVAL. */
int timespec_deadline_from_user(unsigned long user_timeout, uint64_t *deadline_ns);

/* A one-shot timer. Zeroed memory plus timer_init is an idle timer. */
struct timer {
	RB_ENTRY(timer) node; /* P: in its CPU's tree, ordered by deadline */
	uint64_t deadline_ns; /* P */
	_Atomic int cpu;      /* written under P: the CPU where it is armed, -1: idle */
	/* The number of CPUs where its function is about to run or runs: more than one when it was armed
	 * again meanwhile, elsewhere. */
	_Atomic int firing;
	/* Interrupt context, interrupts off; the timer is idle already and may be armed again. */
	void (*fire)(struct timer *timer);
}; /* P: the timer queue's lock of that CPU */

/* Makes TIMER idle, with the function FIRE. */
void timer_init(struct timer *timer, void (*fire)(struct timer *timer));

/* Arms TIMER on this CPU for DEADLINE_NS of clock_ns() (past: fires at once); re-arms
 * when already armed here; elsewhere it must not be armed. Task or interrupt context,
 * interrupts off. */
void timer_arm(struct timer *timer, uint64_t deadline_ns);

/* Disarms TIMER wherever it is armed; on return its function does not run (task context), or
 * may still run on another CPU (interrupts off). Returns whether it was armed. */
bool timer_cancel(struct timer *timer);

/* Moves the timers of this CPU, which goes off line, to CPU TO, which has to call timer_receive then, for its
 * timer interrupt. Both: interrupts off. */
void timer_give_away(unsigned int to);
void timer_receive(void);

/* Returns when TIMER fires, UINT64_MAX: it is not armed. Interrupts off; for a timer that only this CPU arms
 * and cancels. */
static inline uint64_t timer_deadline_ns(const struct timer *timer)
{
	return timer->cpu >= 0 ? timer->deadline_ns : UINT64_MAX;
}

#endif
