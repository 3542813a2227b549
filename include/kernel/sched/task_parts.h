/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of struct task that belong to higher layers: signals, ptrace, restartable sequences. The scheduler
 * does not look into them, but for one question: whether a signal ends a sleep. Their functions are in
 * <kernel/task/signal.h>, <kernel/task/ptrace.h> and <kernel/task/rseq.h>.
 *
 * Locks: S process->signal_lock; T task_table_lock.
 */
#ifndef KERNEL_TASK_PARTS_H
#define KERNEL_TASK_PARTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include <uapi/linux/signal.h>

struct signal_entry;
struct task;

/* Signals sent to one task or one process. */
struct signal_queue {
	uint64_t pending; /* S: bit n - 1: signal n */
	TAILQ_HEAD(, signal_entry)
	entries; /* S: in the order sent; a pending signal may lack one (no memory) */
};

/* A task's signals. */
struct signal_state {
	struct signal_queue queue; /* S */
	uint64_t mask;		   /* S: blocked signals */
	uint64_t saved_mask;	   /* the task's own: restored after rt_sigsuspend, ppoll */
	bool restore_mask;	   /* the task's own */
	struct kernel_sigaltstack alternate; /* the task's own: handler stack */
	/* Work to do on the exit path to user mode. RETURN_WORK reads all of it at once: each system call
	 * tests only that. */
	union {
		struct {
			/* some unblocked signal is pending, or the process is stopped */
			_Atomic bool attention;
			_Atomic bool fatal; /* this task must exit: nothing else matters */
			/* preempted or migrated: see <kernel/task/rseq.h> */
			_Atomic bool sequence;
			/* the task's own: enum call_restart of its interrupted call */
			uint8_t restart;
		};
		_Atomic uint32_t return_work;
	};
	uint64_t call_deadline_ns; /* the task's own: that call's deadline; 0: unknown */
	bool deadline_kept;	   /* the task's own: the call runs again, with the same deadline */
};

/* A task as tracer and tracee. T, unless noted. */
struct ptrace_state {
	/* enum ptrace_calls. An untraced system call tests only this. Written while the task is
	 * stopped, or at the end of tracing. */
	_Atomic unsigned int calls;
	struct task *tracer; /* NULL: not traced. A tracer detaches before it exits */
	pid_t tracer_tid;    /* its tid; of the last one, if no longer traced */
	LIST_ENTRY(task) tracee;
	LIST_HEAD(, task) tracees; /* traced by this task */
	unsigned int options;	   /* PTRACE_O_* */
	unsigned int traps;	   /* enum ptrace_traps */
	bool seized;
	bool trusted;	 /* began with CAP_SYS_PTRACE */
	bool listening;	 /* PTRACE_LISTEN: stopped, but the tracer may not access it */
	bool frozen;	 /* the tracer accesses it */
	bool exit_event; /* stopped while it exits: its fatal signal was handled already */
	bool stop_seen;	 /* its tracer knows of its process's stop and decides */
	bool kept;	 /* a thread, not a leader, that exited and was not waited for */
	bool has_info;	 /* info belongs to the current stop */
	bool has_signal; /* the current stop is before a signal's delivery */
	/* Stopped: the status for wait4, 0 once reported; then the signal to resume with. Kept: the
	 * exit status. */
	int code;
	unsigned long message; /* PTRACE_GETEVENTMSG */
	struct kernel_siginfo info;
};

/* A task's restartable sequence: its own. signals.sequence marks a task that was preempted or migrated since it
 * last left the kernel; other tasks set it, too, to restart the sequence. */
struct rseq_state {
	uintptr_t address; /* of the area in user memory; 0: none is registered */
	uint32_t size, signature;
	int cpu; /* as in the area */
};

#endif
