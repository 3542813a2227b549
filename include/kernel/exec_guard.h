/* SPDX-License-Identifier: BSD-2-Clause */
/* Exec as one transaction, and who waits for it: see kernel/task/exec_guard.c. */
#ifndef KERNEL_EXEC_GUARD_H
#define KERNEL_EXEC_GUARD_H

#include <stdbool.h>

#include <kernel/credentials.h>
#include <kernel/wait.h>

struct process;
struct task;
struct vm_space;

/* What a process has of it. T: task_table_lock. */
struct exec_guard {
	struct task *holder; /* T: the thread that executes a program; NULL: none */
	bool shared;	     /* T: the holder's: a task of another process has its directories */
	struct wait_queue given; /* woken when the holder gives the guard back */
	struct mutex update;
};

/* GUARD is free. Before anyone else can see it. */
void exec_guard_init(struct exec_guard *guard);

/* --- the guard --- */

/* The running task takes its process's guard. 0, or -EINTR: it is to end. Task context, no lock held. */
int exec_guard_take(void);
/* Whether what a program gains is safe from whoever traces the running task, which has the guard, or shares its
 * directories. Task context. */
bool exec_guard_is_safe(void);
/* Gives the guard back. Task context. */
void exec_guard_give(void);
/* Waits until nobody has the guard of TASK's process. T is held, with *STATE from spin_lock_irqsave, given back to
 * wait and held again afterwards. 0, or -EINTR: a signal came. Task context, no other lock held. */
int exec_guard_wait(struct task *task, unsigned long *state);

/* --- the update --- */

/* Begins to look into TASK, if the running task may (credentials_may_ptrace): until exec_update_end TASK's program,
 * memory, descriptors and credentials belong together. 0 or -EPERM. Task context, no mutex held. */
int exec_update_begin(struct task *task, enum ptrace_identity identity);
/* The same for who observes TASK's events: CAP_PERFMON does too, and CAP_KILL beside it if the events send TASK SIGNALS. */
int exec_update_begin_observing(struct task *task, bool signals);
/* The same for who looks at TASK's memory: who has the same memory may, too. */
int exec_update_begin_memory(struct task *task, enum ptrace_identity identity);
/* The same for what everybody may see. */
void exec_update_begin_public(struct task *task);
void exec_update_end(struct task *task);

/* TASK's memory in *SPACE, with a reference, as exec_update_begin_memory judges. 0, -EPERM, or -ESRCH: there is none any
 * more. Task context, no mutex held. */
int exec_get_space(struct task *task, enum ptrace_identity identity, struct vm_space **space);

#endif
