/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks, the units that the scheduler runs. A process (<kernel/task/process.h>) is a set of tasks with the
 * same tgid that share an address space and descriptors; a kernel task belongs to none.
 */
#ifndef KERNEL_TASK_H
#define KERNEL_TASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include <arch/task.h>
#include <kernel/base/cpu.h>
#include <kernel/sched/cpu_time.h>
#include <kernel/sched/pi.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task_parts.h>
#include <kernel/sched/wait.h>

struct credentials;
struct vm_space;
struct file_table;
struct path_view;
struct perf_task;
struct process;
struct vperfctr;

#define TASK_COMM_SIZE	       16
/* Default slack of a task's timers, as in Linux. */
#define TIMER_SLACK_DEFAULT_NS 50000

enum task_state {
	TASK_RUNNABLE, /* on a run queue or running */
	TASK_SLEEPING, /* until a wake-up */
	TASK_NEW,      /* in the table, perhaps signalled, but not started: nothing wakes it */
	TASK_TRACED,   /* until its tracer resumes it: see <kernel/task/ptrace.h> */
	TASK_ZOMBIE    /* exited; freed with the last reference */
};

struct task {
	struct arch_task arch; /* kernel stack pointer, user registers, FPU state */
	pid_t tid;	       /* this thread; 0: kernel task */
	pid_t tgid;	       /* its process: tid of the first thread */
	char comm[TASK_COMM_SIZE];
	_Atomic unsigned int references;

	/* scheduling: see <kernel/sched/sched.h> */
	_Atomic int state;	      /* enum task_state */
	struct sched_entity sched;    /* R */
	_Atomic int cpu;	      /* where it runs or last ran; written under R */
	_Atomic bool running;	      /* on a CPU right now; written under R */
	_Atomic bool woken;	      /* a wait queue woke it, see kernel/sched/wait.c */
	cpumask_t affinity;	      /* R */
	_Atomic uint16_t io_priority; /* class << 13 | level: ioprio_set(2) */
	uint64_t started_ns;	      /* of clock_ns() */
	uint64_t switches_voluntary, switches_forced; /* R */
	struct cpu_ticks ticks;			      /* written where it runs */
	struct cpu_times last_times;		      /* T: as last reported */
	_Atomic uint64_t faults_minor, faults_major;  /* page faults of this task */

	struct vm_space *space; /* NULL: kernel task. Changed by the task itself, interrupts off */
	struct file_table *files; /* NULL: kernel task */
	struct path_view *paths;  /* tree_mutex. NULL: kernel task, or one that has exited */
	/* Files of sockets that the task is dropping, see kernel/net/unix_packet.c; NULL: none. */
	struct unix_drop *unix_drop;

	/* NULL while the task has no events: a context switch tests it (hook_switch_is_on). perf's own rules
	 * guard it. */
	struct perf_task *_Atomic perf;
	/* The task's own: its set of perfctr's counters, see kernel/perfctr/vperfctr.c; NULL: none. */
	struct vperfctr *_Atomic perfctr;

	/* Never NULL. T; the task itself reads it without a lock: see <kernel/task/credentials.h> */
	const struct credentials *credentials;
	/* The task's own. Instead of `credentials` for files: in access(2), and while the kernel makes files; NULL:
	 * neither. */
	const struct credentials *file_credentials;
	bool exceeds_tasks; /* switched to a user above RLIMIT_NPROC: see credentials.h */
	bool no_new_privs;  /* the task's own: execve never gives privileges */

	struct process *process;     /* NULL: kernel task */
	LIST_ENTRY(task) thread;     /* T: of its process */
	RB_ENTRY(task) by_tid;	     /* T */
	struct signal_state signals; /* see <kernel/task/signal.h> */
	struct ptrace_state ptrace;  /* see <kernel/task/ptrace.h> */
	uintptr_t clear_child_tid; /* user address set to 0, and futex wake-up, at exit; 0: none */
	struct pi_task pi;	   /* see <kernel/sched/pi.h> */
	uintptr_t robust_list;	   /* user address of the list of locks that it holds; 0: none */
	bool ended;		   /* T: no longer a part of its process */
	uint64_t timer_slack_ns;   /* the task's own: PR_SET_TIMERSLACK */
	uint64_t first_timer_slack_ns; /* the task's own: its first slack, its creator's */
	int parent_death_signal;       /* T: sent when the thread that created it exits, 0: none */
	struct rseq_state rseq;	       /* see <kernel/task/rseq.h> */
	struct task_completion *vfork; /* completed when the space is given up */
	LIST_ENTRY(task) dead;	       /* on the list of tasks to free */
#ifdef TALLY_LOCK_ORDER
	struct lock_order_task lock_order; /* the task's own */
#endif
}; /* R: the run queue's lock; T: task_table_lock */

/* Returns the current task. Any context, NMI included (there: the interrupted task). */
static inline struct task *task_current(void)
{
	return arch_current();
}

/* Returns the task with this tid, exited tasks that were not waited for included, and a new reference; or
 * NULL. Task context. */
struct task *task_find(pid_t tid);
/* Takes a reference. Any context in which the caller has one already or runs in TASK. */
void task_get(struct task *task);
/* Drops a reference; the last one frees. Task and interrupt context. */
void task_put(struct task *task);

/* Frees the tasks whose last reference this CPU dropped. Task context, interrupts on, no lock held: the
 * return to user mode and the idle loop call it. */
void task_reap(void);

/* Return whether a signal, or a fatal signal, is pending for TASK. Any context. */
bool signal_is_pending(struct task *task);
bool signal_is_fatal_pending(struct task *task);

/* Returns whether a return to user mode must go through user_return (<kernel/base/entry.h>). Interrupts off. */
static inline bool user_return_is_due(void)
{
	return atomic_load_explicit(&this_cpu(sched_requests).any, memory_order_relaxed) ||
	       atomic_load_explicit(&task_current()->signals.return_work, memory_order_relaxed);
}

/* Returns the pid of the parent of TASK's process, 0: none. Any context. */
pid_t task_parent_pid(struct task *task);

/* Creates a kernel task that runs FUNCTION(ARG), not started, with one reference; NULL: no memory. Task
 * context. */
struct task *task_create_kernel(const char *name, void (*function)(void *arg), void *arg);

/* Exits the current task. STATUS as wait4 reports it. Task context, interrupts on, no lock held. */
_Noreturn void task_exit(int status);

#endif
