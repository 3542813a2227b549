/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ptrace: one task, the tracer, observes and controls another, its tracee. Behaviour: Linux's ptrace(2).
 *
 * A tracee stops by itself (kernel/task/ptrace_stop.c): before a signal is delivered, at a system
 * call's start and end, at the events that the options name, with its process. While it is stopped
 * it is TASK_TRACED, which no ordinary wake-up ends; its tracer reads and writes its registers and
 * memory (kernel/task/ptrace.c) and resumes it.
 *
 * Lock: task_table_lock (T). A frozen task stays stopped whatever happens, so that the tracer can access
 * it with no lock held.
 */
#ifndef KERNEL_PTRACE_H
#define KERNEL_PTRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include <kernel/sched/task_parts.h>
#include <uapi/linux/signal.h>

struct task;
struct process;

/* A tracee's stops at system calls: ptrace_state.calls. */
enum ptrace_calls {
	PTRACE_CALLS_STOP = 1,	  /* stops before and after each */
	PTRACE_CALLS_EMULATE = 2, /* stops before each, which then does nothing */
	PTRACE_CALLS_STEP = 4,	  /* a call counts as one instruction: SIGTRAP after it */
};

/* Reasons for a seized tracee to stop soon: ptrace_state.traps. */
enum ptrace_traps {
	PTRACE_TRAP_STOP = 1,	/* PTRACE_INTERRUPT, or it is new: any stop satisfies it */
	PTRACE_TRAP_NOTIFY = 2, /* its process was continued */
};

/* --- the tracee's side: calls of the current task. Task context, no lock held. --- */

/* Returns whether TASK is traced. A snapshot. */
bool ptrace_is_traced(const struct task *task);
/* Returns whether the current task may gain privileges by execve, traced or not: the task that began the
 * tracing (itself, by PTRACE_TRACEME) had CAP_SYS_PTRACE. */
bool ptrace_is_trusted(void);
/* At a system call's start and end, when `calls` is not 0. enter: true: the call must be skipped. May
 * change the user registers. */
bool ptrace_call_enter(void);
void ptrace_call_exit(void);
/* Stops before delivery of SIGNAL with *INFO: the tracer may discard it (0), or replace it and *INFO.
 * Returns the signal to deliver. */
int ptrace_signal(int signal, struct kernel_siginfo *info);
/* Stops with the process, or because of a trap, if the task is traced. */
void ptrace_trap(void);
/* Reports event EVENT (PTRACE_EVENT_*) with MESSAGE: stops if the options request it. */
void ptrace_event(unsigned int event, unsigned long message);
/* Reports a successful execve; FORMER_TID was the task's before. */
void ptrace_exec(pid_t former_tid);
/* Before a signal handler is entered; true: the task is stepped, and stops at it; and after. */
bool ptrace_handler_begin(void);
void ptrace_handler_entered(void);
/* Returns the event of a clone with these FLAGS and EXIT_SIGNAL by the current task, or 0: no tracer requests
 * it. */
unsigned int ptrace_clone_event(uint64_t flags, int exit_signal);

/* --- links. T held. --- */

/* Makes the current task's tracer trace CHILD, new and not started. */
void ptrace_attach_child(struct task *child);
/* Makes TRACER trace TRACEE, on the current task's request. */
void ptrace_link(struct task *tracee, struct task *tracer, bool seized, unsigned int options);
/* Ends the tracing of TRACEE: resumes it, and gives up state that was kept for the tracer. */
void ptrace_unlink(struct task *tracee);
/* TASK exits: detaches its tracees, or kills them with PTRACE_O_EXITKILL. */
void ptrace_exit_tracer(struct task *task);
/* THREAD, not a leader, has exited with STATUS. True: its tracer will wait for it, it stays in the
 * table. */
bool ptrace_keep_thread(struct task *thread, int status);
/* PROCESS, a zombie, has exited: true: a tracer other than its parent is notified first. */
bool ptrace_keep_process(struct process *process);
/* Returns whether a tracer must wait first before PROCESS's parent is notified of its exit. */
bool ptrace_hides_end(const struct process *process);
/* Returns whether CHILD's parent traces it, and so sees its stops as a tracer. */
bool ptrace_by_parent(const struct process *child);

/* Resumes TASK, stopped. */
void ptrace_wake(struct task *task);
/* Wakes TASK, which must exit, from its stop. */
void ptrace_wake_fatal(struct task *task);
/* Handles a SIGCONT sent to TASK's process. S held too. */
void ptrace_continued(struct task *task);

/* --- waiting. T held. --- */

/* Returns the tracee after PREVIOUS (NULL: the first) of any task of PROCESS, or of ONLY if that is not
 * NULL; NULL: no more. */
struct task *ptrace_next_tracee(struct process *process, struct task *only, struct task *previous);
/* Returns whether TRACEE has a report for a wait with OPTIONS (WEXITED, WNOWAIT; stops always count):
 * *STATUS as wait4 has it. A tracee that has exited may be freed afterwards. */
bool ptrace_take_report(struct task *tracee, unsigned int options, int *status);

#endif
