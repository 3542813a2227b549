/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time: one monotonic clock and per-CPU timers.
 *
 * clock_ns() starts near 0 at boot and is the same on every processor. A timer belongs to the
 * processor that armed it and fires there, in interrupt context. There is no periodic tick: the
 * processor's timer interrupt is set to the nearest deadline, so an idle machine sleeps.
 */
#ifndef KERNEL_TIME_H
#define KERNEL_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <kernel/tree.h>
#include <uapi/asm/param.h>
#include <uapi/linux/time.h>

#define NSEC_PER_SEC  1000000000ull
#define NSEC_PER_MSEC 1000000ull
#define NSEC_PER_USEC 1000ull

/* Nanoseconds since boot, monotonic. Any context, NMI included. */
uint64_t clock_ns(void);

/* Conversion that user space may do by itself: ns = offset + ((cycles * mult) >> shift), as in
 * perf_event_mmap_page's time_mult, time_shift, time_offset (clock_ns() as a function of the
 * time-stamp counter). False: not possible. Any context. */
struct clock_conversion {
	uint32_t mult;
	uint16_t shift;
	uint64_t offset_ns;
};
bool clock_user_conversion(struct clock_conversion *conversion);

/* Nanoseconds since 1970 at clock_ns() == 0. Any context. */
uint64_t clock_epoch_ns(void);
/* The real-time clocks say NOW_NS from now on. Task context. */
void clock_set_epoch_ns(uint64_t now_ns);

/* clock_ns() in TIMEOUT_NS from now, or UINT64_MAX when that is too far off. Any context. */
static inline uint64_t clock_deadline(uint64_t timeout_ns)
{
	uint64_t now = clock_ns();

	return timeout_ns < UINT64_MAX - now ? now + timeout_ns : UINT64_MAX;
}

/* Times as programs give them: whether TIME is one at all (Linux: timespec64_valid); in ns, at
 * most UINT64_MAX; and back. */
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

/* Whole ticks of NS, as programs count times: HZ of <uapi/asm/param.h> in a second. */
static inline uint64_t ticks_from_ns(uint64_t ns)
{
	/* 1024 and a second have this in common, 100 is in a second. */
	const uint64_t common = HZ % 512 ? HZ : 512;

	return ns * (HZ / common) / (NSEC_PER_SEC / common);
}

/* The time at USER_TIME, in ns, at most UINT64_MAX. Task context. 0, -EFAULT; -EINVAL: it is none. */
int timespec_from_user(unsigned long user_time, uint64_t *ns);

/* When the time-out at USER_TIMEOUT is over, in clock_ns(); UINT64_MAX, never, if there is none (NULL). Task context.
 * 0, -EFAULT, -EINVAL. */
int timespec_deadline_from_user(unsigned long user_timeout, uint64_t *deadline_ns);

/* A one-shot timer. Zeroed memory plus timer_init is an idle timer. */
struct timer {
	RB_ENTRY(timer) node; /* P: in its processor's tree, ordered by deadline */
	uint64_t deadline_ns; /* P */
	_Atomic int cpu;      /* written under P: where it is armed, -1: idle */
	/* On how many processors its function is about to run or runs: more than one when it was
	 * armed again meanwhile, elsewhere. */
	_Atomic int firing;
	/* Interrupt context, interrupts off; the timer is idle already and may be armed again. */
	void (*fire)(struct timer *timer);
}; /* P: the timer queue lock of that processor */

/* Makes TIMER idle, to call FIRE. */
void timer_init(struct timer *timer, void (*fire)(struct timer *timer));

/* Arms TIMER on this processor for DEADLINE_NS of clock_ns() (past: fires at once); re-arms
 * when already armed here; elsewhere it must not be armed. Task or interrupt context,
 * interrupts off. */
void timer_arm(struct timer *timer, uint64_t deadline_ns);

/* Disarms TIMER wherever it is armed; on return its function does not run (task context), or
 * may just be running on another processor (interrupts off). Returns whether it was armed. */
bool timer_cancel(struct timer *timer);

/* When TIMER fires, UINT64_MAX if it is not armed. Interrupts off; for a timer that this processor alone
 * arms and cancels. */
static inline uint64_t timer_deadline_ns(const struct timer *timer)
{
	return timer->cpu >= 0 ? timer->deadline_ns : UINT64_MAX;
}

#endif
