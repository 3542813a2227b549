/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inheritance: the family of an event, which is the event and its children. The story is in the first comment of
 * kernel/perf/inherit.c.
 */
#ifndef KERNEL_PERF_INHERIT_H
#define KERNEL_PERF_INHERIT_H

#include <stdbool.h>

struct perf_context;
struct perf_event;
struct task;

/* Once, by perf_init. */
void perf_inherit_init(void);

/* Gives CHILD, new and not running, what it inherits from the task of FROM, whose mutex is held. HOW:
 * enum perf_fork. 0 or -ENOMEM; what was made goes with perf_task_free. Task context. */
int perf_context_inherit(struct perf_context *from, struct task *child, unsigned int how);

/* Between these two the children of EVENT stay what they are, and none of them ends without its
 * counts being EVENT's. Nothing, if EVENT is not inherited. Task context; a context's and
 * output.c's mutex may be held. */
void perf_family_lock(const struct perf_event *event);
void perf_family_unlock(const struct perf_event *event);

/* Whether the task of EVENT has ended, and with it those of its children: nothing more is counted or
 * recorded for it. Task context; output.c's mutex may be held. */
bool perf_event_is_over(struct perf_event *event);

/* CHILD, detached, is over: its parent gets its counts. Its context's mutex held. Task context. */
void perf_event_end_child(struct perf_event *child);

/* All children of PARENT, which is being closed, are detached and over. Task context. */
void perf_event_end_children(struct perf_event *parent);

#endif
