/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Throttling: limits on the samples of an event and on the time that interrupts take of a CPU.
 */
#ifndef KERNEL_PERF_THROTTLE_H
#define KERNEL_PERF_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event;

/* Accounts the time of an interrupt that began at START_NS of clock_ns(); a driver's interrupt handler calls
 * it last. When interrupts take too much of a CPU's time, events that sample are throttled. NMI or interrupt
 * context. */
void perf_interrupt_took(uint64_t start_ns);

/* Accounts one more sample of EVENT at NOW_NS. Returns whether EVENT has to stop: it is throttled from now
 * on, or was before. An event with THROTTLED false cannot be stopped and is never throttled. NMI or interrupt
 * context. */
bool perf_throttle_account(struct perf_event *event, bool throttled, uint64_t now_ns);

/* Unthrottles EVENT, active here, if it is throttled, and starts it; with RESTART false the caller starts it.
 * Interrupts off, context locked. */
void perf_event_unthrottle(struct perf_event *event, bool restart);

/* Runs the tick of an active event: unthrottles it and adapts the period to attr.sample_freq. Returns whether
 * the event needs the next tick, too. As above, PMU disabled. */
bool perf_event_tick(struct perf_event *event, uint64_t now_ns);

#endif
