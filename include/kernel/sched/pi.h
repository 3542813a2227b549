/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Priority inheritance: the owner of a lock runs with the priority of its most urgent waiter.
 *
 * A lock has an owner and waiters, the most urgent first. A task waits for one lock at most and may own
 * many, so tasks and locks form chains, which join in trees and have no cycle: a wait that would close one
 * is refused. An owner inherits the priority of the most urgent waiter of its locks; if it waits itself,
 * its own place in that queue changes, too, and so does the next owner's priority.
 *
 * The rules are Linux's (Documentation/locking/rt-mutex-design.rst), with one exception: an unlock gives the
 * lock to the first waiter at once, and no other task can take it in between.
 *
 * Lock: pi_graph_lock (G), a spin lock of pi.c, for all locks and tasks together: it makes a chain
 * consistent. It comes after the futex buckets' locks and before run queues' locks. Every function: task
 * context.
 */
#ifndef KERNEL_PI_H
#define KERNEL_PI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <kernel/base/tree.h>

struct pi_lock;
struct pi_waiter;
struct task;

RB_HEAD(pi_waiter_tree, pi_waiter);
RB_HEAD(pi_lock_tree, pi_lock);

struct pi_lock {
	struct task *owner;	       /* G: NULL: none */
	bool abandoned;		       /* G: an owner exited, and the next has not confirmed yet */
	struct pi_waiter_tree waiters; /* G: the most urgent first, equals in order of arrival */
	RB_ENTRY(pi_lock) node;	       /* G: of owner's locks */
	int priority;		       /* G: of the first waiter; orders owner's locks */
};

struct pi_waiter {
	struct task *task;
	struct pi_lock *lock;	  /* G: NULL: it does not wait */
	RB_ENTRY(pi_waiter) node; /* G: in lock->waiters */
	int priority;		  /* G: its key there */
	uint64_t order;		  /* G: the order of arrival */
	_Atomic bool granted;	  /* its task is the owner; written under G */
};

enum pi_end { PI_ALIVE, PI_ENDING, PI_ENDED };

/* A task's part. All zero: nothing. */
struct pi_task {
	struct pi_waiter *waiter;  /* G: NULL: it does not wait */
	struct pi_lock_tree locks; /* G: the locks that it owns */
	_Atomic enum pi_end end;   /* G: whether it may become an owner */
};

/* Longest chain that is walked: Linux's max_lock_depth. */
#define PI_DEPTH_MAX 1024

/* Makes LOCK free of owner and waiters, before it is shared. */
void pi_lock_init(struct pi_lock *lock);
/* Gives LOCK, without an owner, to OWNER. 0; -EBUSY: OWNER is about to exit; -ESRCH: it has exited. */
int pi_lock_set_owner(struct pi_lock *lock, struct task *owner);
/* Takes LOCK, which has no waiters, from its owner, if any; LOCK may be freed then. */
void pi_lock_clear(struct pi_lock *lock);

/* Returns the tid of LOCK's owner; 0: none, or an owner that got it from a task that exited and has not
 * confirmed. */
pid_t pi_lock_owner_tid(struct pi_lock *lock);
/* Returns whether LOCK's owner has yet to confirm; and confirms. */
bool pi_lock_is_abandoned(struct pi_lock *lock);
void pi_lock_confirm(struct pi_lock *lock);
/* Returns LOCK's first waiter at this moment; NULL: none. Priorities change at any time, and the order with
 * them. */
struct pi_waiter *pi_lock_first(struct pi_lock *lock);

/* Makes WAITER's task wait for LOCK, until WAITER->granted. TRY: only takes LOCK if it is free. 0: it waits;
 * 1: it is the owner already, and WAITER is granted; -EAGAIN: LOCK is not free; -EDEADLK: its owner waits for
 * the task, or the chain is too long. */
int pi_wait(struct pi_lock *lock, struct pi_waiter *waiter, bool try);
/* Ends WAITER's wait, unless it is granted; returns whether it is. */
bool pi_stop_waiting(struct pi_waiter *waiter);
/* Gives LOCK from the current task, its owner, to WAITER, which the caller keeps waiting for it, and wakes
 * it. */
void pi_hand_over(struct pi_lock *lock, struct pi_waiter *waiter);

/* Updates the graph after a change of TASK's own priority. */
void pi_update(struct task *task);

/* The current task is about to exit, or to execute a program: it cannot become an owner any more. */
void pi_begin_end(void);
/* Gives its locks to their first waiters, which have to confirm. ENDED: the task exits; else it has another
 * program. */
void pi_finish_end(bool ended);
/* Waits while TASK is about to exit. 0 or -EINTR (a fatal signal). */
int pi_wait_for_end(struct task *task);

#endif
