/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The overflow of an event.
 */
#ifndef KERNEL_PERF_OVERFLOW_H
#define KERNEL_PERF_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>

struct deferred_work;
struct perf_event;
struct trap_frame;

/* Handles an overflow: writes the sample, counts the interrupt, applies refresh limits. A driver's interrupt
 * handler calls it for each event whose counter overflowed, after it has updated the counter and set up the
 * next period (pmu_event_set_period). FRAME: the interrupted registers. True: the driver must stop the event,
 * which is throttled or has reached its limit. NMI or interrupt context. */
bool perf_event_overflow(struct perf_event *event, struct trap_frame *frame);

/* Does the same for events that know a data ADDRESS, and for those that do not stop when there are too many
 * samples (THROTTLED false). */
bool perf_event_overflow_at(struct perf_event *event, struct trap_frame *frame, uint64_t address,
			    bool throttled);

/* Runs the deferred work of an event. Interrupt context, interrupts off. */
void perf_event_pending_run(struct deferred_work *work);

#endif
