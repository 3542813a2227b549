/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of timers, at their hooks in <kernel/base/hooks.h>. Tally's timers are Linux's hrtimers on
 * CLOCK_MONOTONIC with absolute times; there are no others.
 */
#include <kernel/base/hooks.h>
#include <kernel/time/time.h>
#include <kernel/trace/emit.h>
#include <uapi/linux/time.h>

/* Numbers of Linux's enum hrtimer_mode. */
#define MODE_ABSOLUTE 0

static void *pointer_to(const struct timer *timer)
{
	return (void *)(uintptr_t)timer;
}

static void *function_of(const struct timer *timer)
{
	return (void *)(uintptr_t)timer->fire;
}

HOOK_LISTENER(timer_made, 1, (const struct timer *timer))
{
	TRACE_RECORD(trace_hrtimer_init, 0)
	room = { .record = { .hrtimer = pointer_to(timer),
			     .clockid = CLOCK_MONOTONIC,
			     .mode = MODE_ABSOLUTE } };

	if (trace_is_on(TRACE_hrtimer_init))
		trace_emit(TRACE_hrtimer_init, &room, sizeof(room.record), 1);
}

HOOK_LISTENER(timer_armed, 1, (const struct timer *timer, uint64_t deadline_ns, bool was_armed))
{
	TRACE_RECORD(trace_hrtimer_start, 0)
	room = { .record = { .hrtimer = pointer_to(timer),
			     .function = function_of(timer),
			     .expires = (int64_t)deadline_ns,
			     .softexpires = (int64_t)deadline_ns,
			     .mode = MODE_ABSOLUTE,
			     .was_armed = was_armed } };

	if (trace_is_on(TRACE_hrtimer_start))
		trace_emit(TRACE_hrtimer_start, &room, sizeof(room.record), 1);
}

HOOK_LISTENER(timer_cancelled, 1, (const struct timer *timer))
{
	TRACE_RECORD(trace_hrtimer_cancel, 0) room = { .record = { .hrtimer = pointer_to(timer) } };

	if (trace_is_on(TRACE_hrtimer_cancel))
		trace_emit(TRACE_hrtimer_cancel, &room, sizeof(room.record), 1);
}

HOOK_LISTENER(timer_fires, 1, (const struct timer *timer))
{
	TRACE_RECORD(trace_hrtimer_expire_entry, 0)
	room = { .record = { .hrtimer = pointer_to(timer), .function = function_of(timer) } };

	if (!trace_is_on(TRACE_hrtimer_expire_entry))
		return;
	room.record.now = (int64_t)clock_ns();
	trace_emit(TRACE_hrtimer_expire_entry, &room, sizeof(room.record), 1);
}

HOOK_LISTENER(timer_fired, 1, (const struct timer *timer))
{
	TRACE_RECORD(trace_hrtimer_expire_exit, 0)
	room = { .record = { .hrtimer = pointer_to(timer) } };

	if (trace_is_on(TRACE_hrtimer_expire_exit))
		trace_emit(TRACE_hrtimer_expire_exit, &room, sizeof(room.record), 1);
}

HOOK_LISTENER(itimer_set, 1,
	      (int which, uint64_t expires_ns, uint64_t value_ns, uint64_t interval_ns))
{
	TRACE_RECORD(trace_itimer_state, 0)
	room = { .record = { .which = which,
			     .expires = expires_ns,
			     .value_sec = (long)(value_ns / NSEC_PER_SEC),
			     .value_nsec = (long)(value_ns % NSEC_PER_SEC),
			     .interval_sec = (long)(interval_ns / NSEC_PER_SEC),
			     .interval_nsec = (long)(interval_ns % NSEC_PER_SEC) } };

	if (trace_is_on(TRACE_itimer_state))
		trace_emit(TRACE_itimer_state, &room, sizeof(room.record), 1);
}

HOOK_LISTENER(itimer_expired, 1, (int which, pid_t pid, uint64_t now_ns))
{
	TRACE_RECORD(trace_itimer_expire, 0)
	room = { .record = { .which = which, .pid = pid, .now = now_ns } };

	if (trace_is_on(TRACE_itimer_expire))
		trace_emit(TRACE_itimer_expire, &room, sizeof(room.record), 1);
}
