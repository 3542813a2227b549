/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inheritance: the family of an event is the event and its children. The first comment of
 * kernel/perf/inherit.c has the details.
 */
#ifndef KERNEL_PERF_INHERIT_H
#define KERNEL_PERF_INHERIT_H

#include <stdbool.h>

struct perf_context;
struct perf_event;
struct task;

/* Once, by perf_init. */
void perf_inherit_init(void);

/* Gives CHILD, new and not running, the events that it inherits from the task of FROM, whose mutex is held.
 * HOW: enum perf_fork. 0 or -ENOMEM; perf_task_free frees what was made. Task context. */
int perf_context_inherit(struct perf_context *from, struct task *child, unsigned int how);

/* Lock and unlock the family of EVENT: the list of its children stays as it is, and no child exits without
 * its counts being added to EVENT's. Nothing happens if EVENT is not inherited. Task context; a context's
 * mutex and output_mutex may be held. */
void perf_family_lock(const struct perf_event *event);
void perf_family_unlock(const struct perf_event *event);
/* Whether the running task has locked the family of EVENT; true if EVENT is not inherited. Task context. */
bool perf_family_is_locked(const struct perf_event *event);

/* Whether the tasks of EVENT and of its children have exited: it counts and records nothing more. Task
 * context; output_mutex may be held. */
bool perf_event_is_over(struct perf_event *event);

/* Adds the counts of CHILD, detached, to its parent's and drops the list's reference to CHILD. Its context's
 * mutex held. Task context. */
void perf_event_end_child(struct perf_event *child);

/* Detaches and ends all children of PARENT, which is being closed. Task context. */
void perf_event_end_children(struct perf_event *parent);

#endif
