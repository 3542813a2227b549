/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations of users on events.
 */
#ifndef KERNEL_PERF_CONTROL_H
#define KERNEL_PERF_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

struct perf_cpu;
struct perf_event;

/* Do what the ioctls of the same name do, for EVENT or, with GROUP, for its whole group at one moment (the
 * caller does not hold the context's mutex then). Task context, interrupts on. refresh: -EINVAL for events
 * that do not sample or are inherited. change_period: PERIOD is a frequency for events with attr.freq;
 * -EINVAL when it is out of range. */
void perf_event_enable(struct perf_event *event, bool group);
void perf_event_disable(struct perf_event *event, bool group);
void perf_event_reset(struct perf_event *event, bool group);
int perf_event_refresh(struct perf_event *event, int overflows);
int perf_event_change_period(struct perf_event *event, uint64_t period);

/* Enable and disable EVENT at NOW_NS, inside a call (call.h) with CPU as there. */
void perf_event_enable_locked(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns);
void perf_event_disable_locked(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns);

#endif
