/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for an event's records, and waking those who wait from an NMI.
 */
#ifndef KERNEL_PERF_WAKEUP_H
#define KERNEL_PERF_WAKEUP_H

struct perf_event;

/* The POLL* bits of EVENT now; a wake-up's POLLIN is taken. Task context. */
unsigned int perf_output_poll(struct perf_event *event);

/* Wakes everybody who polls EVENT or an event that shares its ring, once the CPU can: what
 * an NMI or a holder of locks may call. Any context, on the CPU where EVENT is active. */
void perf_event_request_wakeup(struct perf_event *event);

/* The second half, from the deferred work. Interrupt context. */
void perf_output_wake(struct perf_event *event);

#endif
