/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling by frequency (attr.freq): the period follows the rate at which events come.
 */
#ifndef KERNEL_PERF_FREQUENCY_H
#define KERNEL_PERF_FREQUENCY_H

#include <stdint.h>

struct perf_event;

/* EVENT took a sample at NOW_NS: its next period is nearer to the wanted one. NMI or interrupt context. */
void perf_frequency_sampled(struct perf_event *event, uint64_t now_ns);

/* The tick's part, EVENT halted and its count updated: adapts the period by what was counted since the last tick.
 * Interrupts off, context's lock held, PMU disabled. */
void perf_frequency_tick(struct perf_event *event);

/* EVENT, stopped, has the count COUNT: its present period ends, without a sample, and the next one
 * begins. Context's lock held. */
void perf_event_restart_period(struct perf_event *event, uint64_t count);

#endif
