/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a task that forks, executes another program, or exits. <kernel/perf/context.h> has its
 * context switches.
 */
#ifndef KERNEL_PERF_TASK_H
#define KERNEL_PERF_TASK_H

struct task;

enum perf_fork {
	PERF_FORK_THREAD = 1,	      /* child and parent are of one process */
	PERF_FORK_CLEARS_HANDLERS = 2 /* CLONE_CLEAR_SIGHAND */
};

/* Gives CHILD the events that it inherits from PARENT, the current task, which forks. CHILD does not run yet
 * and cannot be found (so it has no context). HOW: enum perf_fork. 0 or -ENOMEM (perf_task_free cleans up).
 * Task context. */
int perf_task_fork(struct task *parent, struct task *child, unsigned int how);
/* Enables and removes events of the current task, which executes another program. Task context. */
void perf_task_exec(struct task *task);
/* Ends the events on the current task as its exit does, and disowns those that it opened. Its program is
 * about to become one that the tasks which opened these events may not observe. Task context. */
void perf_task_end_events(struct task *task);
/* Schedules out and detaches the events of the current task, which exits. Task context, before its memory is
 * freed. */
void perf_task_exit(struct task *task);
/* Frees what TASK has here; its last reference is dropped. */
void perf_task_free(struct task *task);

#endif
