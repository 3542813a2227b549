/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening an event: perf_event_open(2).
 */
#ifndef KERNEL_PERF_OPEN_H
#define KERNEL_PERF_OPEN_H

struct perf_event;
struct task;

/* Once, by perf_init. */
void perf_open_init(void);

/* Removes EVENT from the events that its owner opened. Task context. */
void perf_event_disown(struct perf_event *event);
/* Does the same for all events that TASK opened. Task context. */
void perf_events_disown(const struct task *task);

#endif
