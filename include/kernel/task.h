/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks: what the scheduler runs. A process (<kernel/process.h>) is a set of tasks with the same
 * tgid that share an address space and descriptors; a kernel task belongs to none.
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
#include <kernel/cpu_time.h>
#include <kernel/ptrace.h>
#include <kernel/rseq.h>
#include <kernel/sched.h>
#include <kernel/signal.h>
#include <kernel/wait.h>

struct credentials;
struct vm_space;
struct file_table;
struct path_view;
struct perf_task;
struct process;

#define TASK_COMM_SIZE	       16
/* How late a timer may be on Linux unless a task says something else. */
#define TIMER_SLACK_DEFAULT_NS 50000

enum task_state {
	TASK_RUNNABLE, /* on a run queue or running */
	TASK_SLEEPING, /* until woken */
	TASK_NEW,      /* in the table, perhaps signalled, but not started: nothing wakes it */
	TASK_TRACED,   /* until its tracer lets it go on: see <kernel/ptrace.h> */
	TASK_ZOMBIE    /* ended; lives until the last reference is dropped */
};

struct task {
	struct arch_task arch; /* kernel stack pointer, user registers, FPU state */
	pid_t tid;	       /* this thread; 0: kernel task */
	pid_t tgid;	       /* its process: tid of the first thread */
	char comm[TASK_COMM_SIZE];
	_Atomic unsigned int references;

	/* scheduling: see <kernel/sched.h> */
	_Atomic int state;	      /* enum task_state */
	struct sched_entity sched;    /* R */
	_Atomic int cpu;	      /* where it runs or last ran; written under R */
	_Atomic bool running;	      /* on a processor right now; written under R */
	_Atomic bool woken;	      /* a wait queue woke it, see kernel/sched/wait.c */
	cpumask_t affinity;	      /* R */
	_Atomic uint16_t io_priority; /* class << 13 | level: ioprio_set(2) */
	uint64_t started_ns;	      /* of clock_ns() */
	uint64_t switches_voluntary, switches_forced, migrations; /* R */
	struct cpu_ticks ticks;					  /* written where it runs */
	struct cpu_times last_times;				  /* T: as they were told last */
	_Atomic uint64_t faults_minor, faults_major;		  /* page faults of this task */

	struct vm_space *space; /* NULL: kernel task. Changed by the task itself, interrupts off */
	struct file_table *files; /* NULL: kernel task */
	struct path_view *paths;  /* tree_mutex: NULL: kernel task, or one that has ended */
	/* Files of sockets that it is dropping, see kernel/net/unix_packet.c; NULL: it is not. */
	struct unix_drop *unix_drop;

	/* NULL while the task has no events: all that a context switch tests. Set under perf's
	 * own rules. */
	struct perf_task *_Atomic perf;

	/* Never NULL; T, but the task itself reads it without: see <kernel/credentials.h> */
	const struct credentials *credentials;
	const struct credentials *access_credentials; /* its own; NULL: not in access(2) */
	bool exceeds_tasks; /* became a user with more tasks than allowed: see credentials.h */
	bool no_new_privs;  /* the task's own: execve gives no privileges, for good */

	struct process *process;       /* NULL: kernel task */
	LIST_ENTRY(task) thread;       /* T: of its process */
	RB_ENTRY(task) by_tid;	       /* T */
	struct signal_state signals;   /* see <kernel/signal.h> */
	struct ptrace_state ptrace;    /* see <kernel/ptrace.h> */
	uintptr_t clear_child_tid;     /* user address set to 0 and woken at the end; 0: none */
	uintptr_t robust_list;	       /* user address of the list of locks it holds; 0: none */
	bool ended;		       /* T: it is no part of its process any more */
	uint64_t timer_slack_ns;       /* the task's own: what PR_SET_TIMERSLACK said */
	uint64_t first_timer_slack_ns; /* the task's own: what it had first, its maker's */
	int parent_death_signal;       /* T: sent when the thread that made it ends, 0: none */
	struct rseq_state rseq;	       /* see <kernel/rseq.h> */
	struct task_completion *vfork; /* told when the space is given up */
	LIST_ENTRY(task) dead;	       /* on the list of tasks to free */
#ifdef TALLY_LOCK_ORDER
	struct lock_order_task lock_order; /* the task's own */
#endif
}; /* R: the run queue's lock; T: task_table_lock */

/* The running task. Any context, NMI included (there: what was interrupted). */
static inline struct task *task_current(void)
{
	return arch_current();
}

/* The task with this tid, ended and not yet waited for ones included, and a new reference, or NULL.
 * Task context. */
struct task *task_find(pid_t tid);
/* One more reference. Any context in which the caller has one already or runs in TASK. */
void task_get(struct task *task);
/* Drops a reference; the last one frees. Task and interrupt context. */
void task_put(struct task *task);

/* Frees the tasks whose last reference is gone, if this processor dropped one. Task context, interrupts on,
 * no lock held: the return to user mode and the idle loop call it. */
void task_reap(void);

/* The pid of the process that waits for TASK's, 0: none. Any context. */
pid_t task_parent_pid(struct task *task);

/* Whether the running task may observe TASK's events: CAP_PERFMON, or as <kernel/credentials.h> says of
 * ptrace. SIGNALS: the events send TASK signals, and CAP_PERFMON needs CAP_KILL beside it. Task context. */
bool task_may_observe(struct task *task, bool signals);

/* A kernel task that runs FUNCTION(ARG), not started, with one reference; or NULL. Task context. */
struct task *task_create_kernel(const char *name, void (*function)(void *arg), void *arg);

/* Ends the running task. STATUS as wait4 reports it. Task context, interrupts on, no lock held. */
_Noreturn void task_exit(int status);

#endif
