/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals: sending them, and a task's state of them.
 *
 * A signal is pending for a task or for its process. A task of the process delivers it when it
 * returns to user mode (signal_deliver): default action, or a handler on the user's stack.
 *
 * Lock: process->signal_lock (S), irqsave; the scheduler's run-queue lock is taken inside.
 */
#ifndef KERNEL_SIGNAL_H
#define KERNEL_SIGNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/base/spinlock.h>
#include <kernel/sched/task_parts.h>
#include <uapi/linux/signal.h>

struct task;
struct process;
struct trap_frame;

/* Signals that no mask blocks and no call waits for. */
#define SIGNALS_UNBLOCKABLE ((uint64_t)1 << (SIGKILL - 1) | (uint64_t)1 << (SIGSTOP - 1))

/* One signal sent and not yet delivered. */
struct signal_entry {
	TAILQ_ENTRY(signal_entry) link; /* S */
	struct user_account *account;	/* charged, referenced; NULL: its timer is charged */
	struct kernel_siginfo info;
};

/* The result of a system call that a signal interrupted (-EINTR), as signal(7) lists them. */
enum call_restart {
	CALL_ENDS,		 /* always returns -EINTR */
	CALL_RESTARTS,		 /* starts again unless a handler without SA_RESTART ran */
	CALL_RESTARTS_UNHANDLED, /* starts again unless a handler ran */
	CALL_RESTARTS_ALWAYS,	 /* starts again */
};

/* The actions for all signals: see kernel/task/handlers.c. */
struct signal_handlers {
	_Atomic unsigned int references;
	struct spinlock lock;			      /* H; irqsave */
	struct kernel_sigaction actions[SIGNALS_MAX]; /* H: of signal n at n - 1 */
};

_Static_assert(CALL_ENDS == 0, "return_work: a call that ends is no work");

/* Sends SIGNAL (1 … 64) to TASK for an action of its own (SIGPIPE), as from itself. Task and interrupt
 * context. */
void task_signal(struct task *task, int signal);

/* Sends INFO->si_signo to TASK alone, or to TASK's process as a whole. -EAGAIN: a real-time
 * signal, and no memory for its entry. Task and interrupt context. */
int signal_send(struct task *task, const struct kernel_siginfo *info);
int signal_send_process(struct process *process, const struct kernel_siginfo *info);

/* Charges one more signal that may become pending to TASK's user: returns the account, referenced, or NULL:
 * RLIMIT_SIGPENDING is reached. And uncharges it. Task context; uncharge: any that allows kfree. */
struct user_account *signal_charge(const struct task *task);
void signal_uncharge(struct user_account *account);
/* The timer with the number ID, which notified TASK or its process, was deleted: uncharges ACCOUNT now, or
 * when the signal that is still pending is delivered. Task context. */
void signal_timer_ended(struct task *task, int id, struct user_account *account);

/* Takes a signal of SET that is pending for the current task or its process: returns its number, 0: there is
 * none. Task context. */
int signal_take(uint64_t set, struct kernel_siginfo *info);
/* Returns whether such a signal is pending. Any context. */
bool signal_any_of(uint64_t set);
/* Returns whether SIGNAL, sent to TASK, would be queued: it is blocked, or not ignored. Task and interrupt
 * context. */
bool signal_is_noticed(struct task *task, int signal);

/* Returns the deadline of the current system call: DEADLINE_NS, counted from now; but for a call that runs
 * again after a signal without a handler interrupted it, the first deadline. Every call that uses this passes
 * its result to signal_call_ended. Task context. */
uint64_t signal_call_deadline(uint64_t deadline_ns);
/* Returns RESULT of that call and forgets its deadline, unless a signal interrupted the call. */
long signal_call_ended(long result);

/* Delivers the pending signals of the current task, which is about to return to user mode through FRAME:
 * may push a handler's frame, or exit. Interrupts on. */
void signal_deliver(struct trap_frame *frame);

#endif
