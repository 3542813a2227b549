/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The owners of events.
 */
#ifndef KERNEL_PERF_OWNERSHIP_H
#define KERNEL_PERF_OWNERSHIP_H

#include <stdbool.h>

struct perf_event;
struct task;

/* Once, by perf_init. */
void perf_ownership_init(void);

/* Makes the current task the owner of EVENT, which it has opened. Task context. */
void perf_event_own(struct perf_event *event);
/* Removes EVENT from the events that its owner opened. Task context. */
void perf_event_disown(struct perf_event *event);
/* Does the same for all events that TASK opened. Task context. */
void perf_events_disown(const struct task *task);

/* prctl(PR_TASK_PERF_EVENTS_ENABLE / DISABLE) for the current task: always 0. Task context. */
long perf_task_events_set(bool enable);

#endif
