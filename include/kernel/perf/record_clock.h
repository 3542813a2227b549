/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock of an event's records.
 */
#ifndef KERNEL_PERF_RECORD_CLOCK_H
#define KERNEL_PERF_RECORD_CLOCK_H

#include <stdint.h>

#include <kernel/perf/event.h>
#include <kernel/time/time.h>

/* Returns a time stamp for the records of EVENT, ns of the clock that attr.clockid names. Any context. */
static inline uint64_t perf_event_clock_ns(const struct perf_event *event)
{
	return clock_ns() + event->clock_offset_ns;
}

/* Sets the clock of the records by attr.clockid. -EINVAL: the clock is unknown, or a PMI cannot read it. Task
 * context, before the event is installed. */
int perf_event_set_clock(struct perf_event *event);

#endif
