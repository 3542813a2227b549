/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals: sending them, and what a task keeps of them.
 *
 * A signal is pending for a task or for its process. It is acted on when a task of the process
 * returns to user mode (signal_deliver): default action, or a handler on the user's stack.
 *
 * Lock: the process's signal lock (S), irqsave; the scheduler's run-queue lock is taken inside.
 */
#ifndef KERNEL_SIGNAL_H
#define KERNEL_SIGNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/spinlock.h>
#include <uapi/linux/signal.h>

struct task;
struct process;
struct trap_frame;

/* What no mask blocks and nobody waits for. */
#define SIGNALS_UNBLOCKABLE ((uint64_t)1 << (SIGKILL - 1) | (uint64_t)1 << (SIGSTOP - 1))

/* One signal sent and not yet acted on. */
struct signal_entry {
	TAILQ_ENTRY(signal_entry) link; /* S */
	struct user_account *account;	/* in which it counts, referenced; NULL: its timer does */
	struct kernel_siginfo info;
};

/* Signals sent to one task or one process. */
struct signal_queue {
	uint64_t pending; /* S: bit n - 1: signal n */
	TAILQ_HEAD(, signal_entry)
	entries; /* S: in the order sent; a pending signal may lack one (no memory) */
};

/* What becomes of a system call that a signal interrupted (-EINTR), as signal(7) lists them. */
enum call_restart {
	CALL_ENDS,		 /* returns -EINTR, always */
	CALL_RESTARTS,		 /* starts again unless a handler without SA_RESTART ran */
	CALL_RESTARTS_UNHANDLED, /* starts again unless a handler ran */
	CALL_RESTARTS_ALWAYS,	 /* starts again */
};

/* What is done about each signal: see kernel/task/handlers.c. */
struct signal_handlers {
	_Atomic unsigned int references;
	struct spinlock lock;			      /* H; irqsave */
	struct kernel_sigaction actions[SIGNALS_MAX]; /* H: of signal n at n - 1 */
};

/* A task's part. */
struct signal_state {
	struct signal_queue queue; /* S */
	uint64_t mask;		   /* S: blocked signals */
	uint64_t saved_mask;	   /* the task's own: to restore after rt_sigsuspend, ppoll */
	bool restore_mask;	   /* the task's own */
	struct kernel_sigaltstack alternate; /* the task's own: handler stack */
	/* What is to be done on the way to user mode; RETURN_WORK: whether there is anything at all, in one
	 * look, which each system call takes. */
	union {
		struct {
			/* some unblocked signal is pending, or the process is stopped */
			_Atomic bool attention;
			_Atomic bool fatal; /* this task is to end: nothing else matters */
			/* it was interrupted or moved: see <kernel/rseq.h> */
			_Atomic bool sequence;
			/* the task's own: enum call_restart, the call it is in was interrupted */
			uint8_t restart;
		};
		_Atomic uint32_t return_work;
	};
	uint64_t call_deadline_ns; /* the task's own: until when that call waits; 0: not known */
	bool deadline_kept;	   /* the task's own: the call runs again, until the same moment */
};

_Static_assert(CALL_ENDS == 0, "return_work: a call that ends is no work");

/* Whether SP is on STACK, an alternate one; and whether a program there has not given it up (SS_AUTODISARM).
 * Any context. Linux: __on_sig_stack, on_sig_stack. */
static inline bool signal_stack_contains(const struct kernel_sigaltstack *stack, uintptr_t sp)
{
	return !(stack->ss_flags & SS_DISABLE) && sp > stack->ss_sp &&
	       sp - stack->ss_sp <= stack->ss_size;
}

static inline bool signal_stack_is_used(const struct kernel_sigaltstack *stack, uintptr_t sp)
{
	return !(stack->ss_flags & (int)SS_AUTODISARM) && signal_stack_contains(stack, sp);
}

/* Sends SIGNAL (1 … 64) to TASK for what that itself has done (SIGPIPE), as if it had. Task and interrupt context. */
void task_signal(struct task *task, int signal);

/* Sends INFO->si_signo to TASK alone, or to TASK's process as a whole. -EAGAIN: a real-time
 * signal for whose entry no memory was left. Task and interrupt context. */
int signal_send(struct task *task, const struct kernel_siginfo *info);
int signal_send_process(struct process *process, const struct kernel_siginfo *info);

/* Counts one more signal that may become pending, of TASK's user: the account, referenced, or NULL: there are
 * RLIMIT_SIGPENDING. And no longer. Task context; uncharge: where kfree may be called. */
struct user_account *signal_charge(const struct task *task);
void signal_uncharge(struct user_account *account);
/* The timer with the number ID, which told TASK or its process, is no more: its charge in ACCOUNT ends now, or with
 * its signal that is pending still. Task context. */
void signal_timer_ended(struct task *task, int id, struct user_account *account);

/* Takes a signal of SET that is pending for the running task or its process: its number, 0: there is
 * none. Task context. */
int signal_take(uint64_t set, struct kernel_siginfo *info);
/* Whether there is one. Any context. */
bool signal_any_of(uint64_t set);
/* Whether SIGNAL, sent to TASK, would be kept: it is blocked, or not ignored. Task and interrupt
 * context. */
bool signal_is_noticed(struct task *task, int signal);

/* Whether TASK has a signal to act on, respectively one that ends it. Any context. */
bool signal_is_pending(struct task *task);
bool signal_is_fatal_pending(struct task *task);

/* Until when the system call that the running task is in waits: DEADLINE_NS, counted from now; but if it
 * runs again after a signal without a handler interrupted it, what that was the first time. Every call that
 * uses this passes its result to signal_call_ended. Task context. */
uint64_t signal_call_deadline(uint64_t deadline_ns);
/* That call ends with RESULT, which is returned: unless a signal interrupted it, it has no deadline any
 * more. */
long signal_call_ended(long result);

/* Acts on what is pending for the running task, which is about to return to user mode through
 * FRAME: may push a handler's frame, or end the task. Interrupts on. */
void signal_deliver(struct trap_frame *frame);

#endif
