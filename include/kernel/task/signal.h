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

/* Signals sent to one task or one process. */
struct signal_queue {
	uint64_t pending; /* S: bit n - 1: signal n */
	TAILQ_HEAD(, signal_entry)
	entries; /* S: in the order sent; a pending signal may lack one (no memory) */
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

/* A task's part. */
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

_Static_assert(CALL_ENDS == 0, "return_work: a call that ends is no work");

/* Return whether SP is on STACK, an alternate one; and whether the program still uses STACK, without
 * SS_AUTODISARM. Any context. Linux: __on_sig_stack, on_sig_stack. */
static inline bool signal_stack_contains(const struct kernel_sigaltstack *stack, uintptr_t sp)
{
	return !(stack->ss_flags & SS_DISABLE) && sp > stack->ss_sp &&
	       sp - stack->ss_sp <= stack->ss_size;
}

static inline bool signal_stack_is_used(const struct kernel_sigaltstack *stack, uintptr_t sp)
{
	return !(stack->ss_flags & (int)SS_AUTODISARM) && signal_stack_contains(stack, sp);
}

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

/* Return whether a signal, or a fatal signal, is pending for TASK. Any context. */
bool signal_is_pending(struct task *task);
bool signal_is_fatal_pending(struct task *task);

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
