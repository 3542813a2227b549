/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of the tracepoints of timers. See <kernel/trace/timer.h> for their places.
 */
#include <kernel/trace/timer.h>

#include <kernel/time/time.h>
#include <kernel/trace/emit.h>

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

static void emit_expiry(const struct timer *timer)
{
	TRACE_RECORD(trace_hrtimer_expire_entry, 0)
	room = { .record = { .hrtimer = pointer_to(timer),
			     .now = (int64_t)clock_ns(),
			     .function = function_of(timer) } };

	trace_emit(TRACE_hrtimer_expire_entry, &room, sizeof(room.record), 1);
}

static void emit_init(const struct timer *timer)
{
	TRACE_RECORD(trace_hrtimer_init, 0)
	room = { .record = { .hrtimer = pointer_to(timer),
			     .clockid = CLOCK_MONOTONIC,
			     .mode = MODE_ABSOLUTE } };

	trace_emit(TRACE_hrtimer_init, &room, sizeof(room.record), 1);
}

void trace_timer_slow(unsigned int event, const struct timer *timer)
{
	/* The other two events have the same field. */
	TRACE_RECORD(trace_hrtimer_cancel, 0) room = { .record = { .hrtimer = pointer_to(timer) } };

	if (event == TRACE_hrtimer_expire_entry)
		emit_expiry(timer);
	else if (event == TRACE_hrtimer_init)
		emit_init(timer);
	else
		trace_emit(event, &room, sizeof(room.record), 1);
}

void trace_timer_start_slow(const struct timer *timer, uint64_t deadline_ns, bool was_armed)
{
	TRACE_RECORD(trace_hrtimer_start, 0)
	room = { .record = { .hrtimer = pointer_to(timer),
			     .function = function_of(timer),
			     .expires = (int64_t)deadline_ns,
			     .softexpires = (int64_t)deadline_ns,
			     .mode = MODE_ABSOLUTE,
			     .was_armed = was_armed } };

	trace_emit(TRACE_hrtimer_start, &room, sizeof(room.record), 1);
}

void trace_itimer_set_slow(int which, uint64_t expires_ns, uint64_t value_ns, uint64_t interval_ns)
{
	TRACE_RECORD(trace_itimer_state, 0)
	room = { .record = { .which = which,
			     .expires = expires_ns,
			     .value_sec = (long)(value_ns / NSEC_PER_SEC),
			     .value_nsec = (long)(value_ns % NSEC_PER_SEC),
			     .interval_sec = (long)(interval_ns / NSEC_PER_SEC),
			     .interval_nsec = (long)(interval_ns % NSEC_PER_SEC) } };

	trace_emit(TRACE_itimer_state, &room, sizeof(room.record), 1);
}

void trace_itimer_expire_slow(int which, pid_t pid, uint64_t now_ns)
{
	TRACE_RECORD(trace_itimer_expire, 0)
	room = { .record = { .which = which, .pid = pid, .now = now_ns } };

	trace_emit(TRACE_itimer_expire, &room, sizeof(room.record), 1);
}
