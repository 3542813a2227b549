/* SPDX-License-Identifier: BSD-2-Clause */
/* Exec as one transaction, and waiting for it: see kernel/task/exec_guard.c. */
#ifndef KERNEL_EXEC_GUARD_H
#define KERNEL_EXEC_GUARD_H

#include <stdbool.h>

#include <kernel/sched/wait.h>
#include <kernel/task/credentials.h>

struct process;
struct task;
struct vm_space;

/* A process's part. T: task_table_lock. */
struct exec_guard {
	struct task *holder;	 /* T: the thread in execve; NULL: none */
	bool shared;		 /* T: a task of another process shares the holder's directories */
	struct wait_queue given; /* woken when the holder gives the guard back */
	struct mutex update;
};

/* Makes GUARD free, before it is shared. */
void exec_guard_init(struct exec_guard *guard);

/* --- the guard --- */

/* Takes the guard of the current process. 0, or -EINTR: a fatal signal is pending. Task context, no lock
 * held. */
int exec_guard_take(void);
/* Returns whether no tracer of the current task, which holds the guard, and no task that shares its
 * directories can abuse the privileges that a program gains. Task context. */
bool exec_guard_is_safe(void);
/* Gives the guard back. Task context. */
void exec_guard_give(void);
/* Waits until no task holds the guard of TASK's process. T is held, with *STATE from spin_lock_irqsave,
 * released to wait and held again afterwards. 0, or -EINTR: a signal came. Task context, no other lock
 * held. */
int exec_guard_wait(struct task *task, unsigned long *state);

/* --- the update --- */

/* Begins an access to TASK, if the current task has the right (credentials_may_ptrace): until
 * exec_update_end, TASK's program, memory, descriptors and credentials belong together. 0 or -EPERM. Task
 * context, no mutex held. */
int exec_update_begin(struct task *task, enum ptrace_identity identity);
/* The same for an observer of TASK's events: CAP_PERFMON suffices, with CAP_KILL if the events send TASK
 * SIGNALS. */
int exec_update_begin_observing(struct task *task, bool signals);
/* The same for an access to TASK's memory: a task that shares the memory has the right, too. */
int exec_update_begin_memory(struct task *task, enum ptrace_identity identity);
/* The same for public data. */
void exec_update_begin_public(struct task *task);
void exec_update_end(struct task *task);

/* Returns TASK's memory in *SPACE, with a reference, as exec_update_begin_memory decides. 0, -EPERM, or
 * -ESRCH: it has none any more. Task context, no mutex held. */
int exec_get_space(struct task *task, enum ptrace_identity identity, struct vm_space **space);

#endif
