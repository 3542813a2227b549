/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Throttling: limits on the samples of an event and on the time that interrupts take of a CPU.
 */
#ifndef KERNEL_PERF_THROTTLE_H
#define KERNEL_PERF_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event;

/* What a driver's interrupt handler calls last: it began at START_NS of clock_ns(). When
 * interrupts take too much of a CPU's time, events that sample are throttled. NMI or
 * interrupt context. */
void perf_interrupt_took(uint64_t start_ns);

/* EVENT takes one more sample at NOW_NS. Returns whether it has to stop: it is throttled from now on, or was before. One with
 * THROTTLED false, which cannot be stopped, never is. NMI or interrupt context. */
bool perf_throttle_account(struct perf_event *event, bool throttled, uint64_t now_ns);

/* Starts EVENT again if it is throttled. Interrupts off, active here, its context's lock held. With
 * RESTART false only the mark goes (the caller starts it). */
void perf_event_unthrottle(struct perf_event *event, bool restart);

/* The tick of an active event: unthrottles it and adapts the period to attr.sample_freq. Returns
 * whether the event needs the next tick too. As above, PMU disabled. */
bool perf_event_tick(struct perf_event *event, uint64_t now_ns);

#endif
