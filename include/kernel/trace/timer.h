/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of timers: kernel/trace/timer.c. Tally's timers are Linux's hrtimers on CLOCK_MONOTONIC with
 * absolute times; there are no others.
 */
#ifndef KERNEL_TRACE_TIMER_H
#define KERNEL_TRACE_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/trace/emit.h>
#include <kernel/trace/event.h>
#include <uapi/linux/time.h>

struct timer;

void trace_timer_slow(unsigned int event, const struct timer *timer);
void trace_timer_start_slow(const struct timer *timer, uint64_t deadline_ns, bool was_armed);
void trace_itimer_set_slow(int which, uint64_t expires_ns, uint64_t value_ns, uint64_t interval_ns);
void trace_itimer_expire_slow(int which, pid_t pid, uint64_t now_ns);

/* TIMER is initialised; armed for DEADLINE_NS (again, if WAS_ARMED); cancelled; its function begins, and
 * has returned. Any context but NMI, the timer queue's lock may be held. */
static inline void trace_timer_init(const struct timer *timer)
{
	if (trace_is_on(TRACE_hrtimer_init))
		trace_timer_slow(TRACE_hrtimer_init, timer);
}

static inline void trace_timer_start(const struct timer *timer, uint64_t deadline_ns,
				     bool was_armed)
{
	if (trace_is_on(TRACE_hrtimer_start))
		trace_timer_start_slow(timer, deadline_ns, was_armed);
}

static inline void trace_timer_cancel(const struct timer *timer)
{
	if (trace_is_on(TRACE_hrtimer_cancel))
		trace_timer_slow(TRACE_hrtimer_cancel, timer);
}

static inline void trace_timer_expire(const struct timer *timer)
{
	if (trace_is_on(TRACE_hrtimer_expire_entry))
		trace_timer_slow(TRACE_hrtimer_expire_entry, timer);
}

static inline void trace_timer_expired(const struct timer *timer)
{
	if (trace_is_on(TRACE_hrtimer_expire_exit))
		trace_timer_slow(TRACE_hrtimer_expire_exit, timer);
}

/* The running task has set its process's interval timer WHICH (ITIMER_*) to VALUE_NS and INTERVAL_NS; it
 * expires at EXPIRES_NS of its CPU time (ITIMER_REAL: 0). The timer of process PID expires, at NOW_NS of
 * the same time. */
static inline void trace_itimer_set(int which, uint64_t expires_ns, uint64_t value_ns,
				    uint64_t interval_ns)
{
	if (trace_is_on(TRACE_itimer_state))
		trace_itimer_set_slow(which, expires_ns, value_ns, interval_ns);
}

static inline void trace_itimer_expire(int which, pid_t pid, uint64_t now_ns)
{
	if (trace_is_on(TRACE_itimer_expire))
		trace_itimer_expire_slow(which, pid, now_ns);
}

#endif
