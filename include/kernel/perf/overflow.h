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

/* What a driver's interrupt handler calls for each event whose counter overflowed, after it has
 * updated the counter and set up the next period (pmu_event_set_period): writes the sample,
 * counts the interrupt, applies refresh limits. True: throttled or limit reached, the driver
 * must stop the event. FRAME: what was interrupted. NMI or interrupt context. */
bool perf_event_overflow(struct perf_event *event, struct trap_frame *frame);

/* As perf_event_overflow, for events that know a data address, and those that do not
 * stop when samples are too many (THROTTLED false). */
bool perf_event_overflow_at(struct perf_event *event, struct trap_frame *frame, uint64_t address,
			    bool throttled);

/* The deferred work of an event. Interrupt context, interrupts off. */
void perf_event_pending_run(struct deferred_work *work);

#endif
