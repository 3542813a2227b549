/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ptrace: one task, the tracer, sees and directs what another, its tracee, does. Behaviour: Linux's
 * ptrace(2).
 *
 * A tracee stops by itself (kernel/task/ptrace_stop.c): before a signal is delivered, at a system
 * call's start and end, at the events that the options name, with its process. While it is stopped
 * it is TASK_TRACED, which no ordinary wake-up ends; its tracer reads and writes its registers and
 * memory (kernel/task/ptrace.c) and lets it go on.
 *
 * Lock: task_table_lock (T). A task that is frozen stays stopped whatever happens, so that the
 * tracer can look at it with no lock held.
 */
#ifndef KERNEL_PTRACE_H
#define KERNEL_PTRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include <uapi/linux/signal.h>

struct task;
struct process;

/* What a tracee does at system calls: ptrace_state.calls. */
enum ptrace_calls {
	PTRACE_CALLS_STOP = 1,	  /* stops before and after each */
	PTRACE_CALLS_EMULATE = 2, /* stops before each, which then does nothing */
	PTRACE_CALLS_STEP = 4,	  /* a call is one instruction: SIGTRAP after it */
};

/* Why a seized tracee is to stop soon: ptrace_state.traps. */
enum ptrace_traps {
	PTRACE_TRAP_STOP = 1,	/* PTRACE_INTERRUPT, or it is new: any stop will do */
	PTRACE_TRAP_NOTIFY = 2, /* its process was continued */
};

/* A task's part. T, except where something else is said. */
struct ptrace_state {
	/* enum ptrace_calls. All that an untraced system call tests. Written while the task is
	 * stopped, or by the end of tracing. */
	_Atomic unsigned int calls;
	struct task *tracer; /* NULL: not traced. The tracer lets go before it ends */
	pid_t tracer_tid;    /* its number; of the last one, if not traced any more */
	LIST_ENTRY(task) tracee;
	LIST_HEAD(, task) tracees; /* whom this task traces */
	unsigned int options;	   /* PTRACE_O_* */
	unsigned int traps;	   /* enum ptrace_traps */
	bool seized;
	bool trusted;	 /* CAP_SYS_PTRACE was there when it began */
	bool listening;	 /* PTRACE_LISTEN: stopped, but not for the tracer to look at */
	bool frozen;	 /* the tracer looks at it */
	bool exit_event; /* stopped on its way out: what kills it has been obeyed already */
	bool stop_seen;	 /* its tracer has been told of its process's stop and decides */
	bool kept;	 /* a thread, not a leader, that has ended and is not waited for */
	bool has_info;	 /* info is that of the present stop */
	bool has_signal; /* the present stop is before a signal's delivery */
	/* Stopped: what wait4 reports, 0 when it has; then the signal to go on with. Kept: the
	 * status. */
	int code;
	unsigned long message; /* PTRACE_GETEVENTMSG */
	struct kernel_siginfo info;
};

/* --- the tracee's side: what the running task does. Task context, no lock held. --- */

/* Whether the running task is traced. A snapshot. */
bool ptrace_is_traced(const struct task *task);
/* Whether the running task may gain privileges by execve although it is traced, if it is: whoever began
 * that (itself, by PTRACE_TRACEME) had CAP_SYS_PTRACE. */
bool ptrace_is_trusted(void);
/* At a system call's start and end, when `calls` is not 0. enter: true: the call is to be left out.
 * May change the user registers. */
bool ptrace_call_enter(void);
void ptrace_call_exit(void);
/* SIGNAL with *INFO is about to be delivered: the tracer may take it away (0), or put another in its
 * place, with its *INFO. Returns the signal to deliver. */
int ptrace_signal(int signal, struct kernel_siginfo *info);
/* Stops with the process, or because of a trap, if the task is traced. */
void ptrace_trap(void);
/* Event EVENT (PTRACE_EVENT_*) with MESSAGE: stops if the options ask for it. */
void ptrace_event(unsigned int event, unsigned long message);
/* execve has succeeded; FORMER_TID was the task's before. */
void ptrace_exec(pid_t former_tid);
/* A signal handler is about to be entered; true: by a task that is stepped, and stops at it; then, entered. */
bool ptrace_handler_begin(void);
void ptrace_handler_entered(void);
/* The event that a clone with these FLAGS and EXIT_SIGNAL by the running task is, or 0: nobody wants
 * to know. */
unsigned int ptrace_clone_event(uint64_t flags, int exit_signal);

/* --- links. T held. --- */

/* CHILD, new and not started, is traced by the running task's tracer. */
void ptrace_attach_child(struct task *child);
/* TRACER traces TRACEE, because the running task wants it. */
void ptrace_link(struct task *tracee, struct task *tracer, bool seized, unsigned int options);
/* It does no longer; TRACEE goes on, and what its tracer kept is given up. */
void ptrace_unlink(struct task *tracee);
/* TASK ends: its tracees are let go, or killed if that is wanted. */
void ptrace_exit_tracer(struct task *task);
/* THREAD, not a leader, has ended with STATUS. True: its tracer waits for it, it stays in the
 * table. */
bool ptrace_keep_thread(struct task *thread, int status);
/* PROCESS, a zombie, has ended: true: somebody else than its parent traces it and is told first. */
bool ptrace_keep_process(struct process *process);
/* Whether a tracer is to wait for something first before PROCESS's parent hears of its end. */
bool ptrace_hides_end(const struct process *process);
/* Whether CHILD's parent traces it, and so sees its stops as a tracer. */
bool ptrace_by_parent(const struct process *child);

/* TASK, stopped, goes on. */
void ptrace_wake(struct task *task);
/* TASK has been made to end. */
void ptrace_wake_fatal(struct task *task);
/* TASK's process was sent SIGCONT. S held too. */
void ptrace_continued(struct task *task);

/* --- waiting. T held. --- */

/* The tracee after PREVIOUS (NULL: the first) of any task of PROCESS, or of ONLY if that is not
 * NULL; NULL: no more. */
struct task *ptrace_next_tracee(struct process *process, struct task *only, struct task *previous);
/* Whether TRACEE has something for a wait with OPTIONS (WEXITED, WNOWAIT; stops always count):
 * *STATUS as wait4 has it. One that has ended may be gone afterwards. */
bool ptrace_take_report(struct task *tracee, unsigned int options, int *status);

#endif
