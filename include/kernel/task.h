/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks: what the scheduler runs. A process is a task group (same tgid) that shares an address space and
 * descriptors; a kernel task has neither.
 */
#ifndef KERNEL_TASK_H
#define KERNEL_TASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include <arch/task.h>
#include <kernel/cpu.h>
#include <kernel/sched.h>
#include <kernel/wait.h>

struct vm_space;
struct file_table;
struct perf_task;

#define TASK_COMM_SIZE 16

enum task_state {
	TASK_RUNNABLE, /* on a run queue or running */
	TASK_SLEEPING, /* until woken */
	TASK_ZOMBIE,   /* ended, waiting to be collected */
	TASK_DEAD      /* collected; lives until the last reference is dropped */
};

struct task {
	struct arch_task arch; /* kernel stack pointer, user registers, FPU state */
	pid_t tid;	       /* this thread */
	pid_t tgid;	       /* its process: tid of the first thread */
	char comm[TASK_COMM_SIZE];
	_Atomic unsigned int references;

	/* scheduling: see <kernel/sched.h> */
	_Atomic int state;     /* enum task_state */
	struct sched_entity sched;
	_Atomic int cpu;       /* where it runs or last ran */
	_Atomic bool running;  /* on a processor right now */
	cpumask_t affinity;    /* R */
	uint64_t switches_voluntary, switches_forced, migrations; /* R */

	struct vm_space *space;	  /* NULL: kernel task */
	struct file_table *files; /* NULL: kernel task */

	/* NULL while the task has no events: all that a context switch tests. Set under perf's own rules. */
	struct perf_task *_Atomic perf;

	struct task *parent; /* T */
	LIST_HEAD(, task) children; /* T */
	LIST_ENTRY(task) sibling;   /* T */
	LIST_ENTRY(task) all;	    /* T: every task */
	int exit_status;     /* as wait4 reports it */
	struct wait_queue child_exit;
	_Atomic uint64_t signals_pending; /* bit n - 1: signal n */
	void *process;	     /* kernel/task/'s own: signal actions, clear_child_tid … */
}; /* R: the run queue's lock; T: the task table's lock */

/* The running task. Any context, NMI included (there: what was interrupted). */
static inline struct task *task_current(void)
{
	return arch_current();
}

/* The task with this tid and a new reference, or NULL. Task context. */
struct task *task_find(pid_t tid);
void task_get(struct task *task);
/* Drops a reference; the last one frees. Task and interrupt context. */
void task_put(struct task *task);

/* Whether the running task may observe TASK's events (Linux: ptrace access, PTRACE_MODE_READ). Everything runs as root: always, until there are credentials. */
bool task_may_observe(struct task *task);

/* Ends the running task. STATUS as wait4 reports it. */
_Noreturn void task_exit(int status);

/* Sends SIGNAL (1 … 64) to TASK: the default action is taken when it next returns to user mode. Task and interrupt context. */
void task_signal(struct task *task, int signal);

#endif
