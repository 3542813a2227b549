/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling by frequency (attr.freq): the period follows the rate at which events come.
 */
#ifndef KERNEL_PERF_FREQUENCY_H
#define KERNEL_PERF_FREQUENCY_H

#include <stdint.h>

struct perf_event;

/* Moves the period of EVENT, which took a sample at NOW_NS, towards the requested frequency. NMI or interrupt
 * context. */
void perf_frequency_sampled(struct perf_event *event, uint64_t now_ns);

/* Adapts the period of EVENT, stopped and its count updated, by what it counted since the last tick.
 * Interrupts off, context locked, PMU disabled. */
void perf_frequency_tick(struct perf_event *event);

/* Ends the current period of EVENT, stopped at COUNT, without a sample, and begins the next period. Context
 * locked. */
void perf_event_restart_period(struct perf_event *event, uint64_t count);

#endif
