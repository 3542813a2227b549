/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for an event's records, and wake-ups from an NMI.
 */
#ifndef KERNEL_PERF_WAKEUP_H
#define KERNEL_PERF_WAKEUP_H

struct perf_event;

/* Returns the POLL* bits of EVENT and takes the POLLIN of a wake-up. Task context. */
unsigned int perf_output_poll(struct perf_event *event);

/* Wakes, as soon as the CPU can, all pollers of EVENT and of the events that share its ring: an NMI or a
 * holder of locks may call it. Any context, on the CPU where EVENT is active. */
void perf_event_request_wakeup(struct perf_event *event);

/* Wakes them, from the deferred work. Interrupt context. */
void perf_output_wake(struct perf_event *event);

#endif
