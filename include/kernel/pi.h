/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Priority inheritance: locks whose owners run with the priority of who waits for them.
 *
 * A lock has an owner and waiters, the most urgent first. A task waits for one lock at most and may own
 * many, so that tasks and locks are chains, which come together in trees and have no ring: who would
 * close one is refused. An owner inherits the priority of the most urgent waiter of its locks; if it waits
 * itself, its own place in that queue follows, and so does the next owner.
 *
 * The rules are Linux's (Documentation/locking/rt-mutex-design.rst), but for one: an unlock gives the lock to the
 * first waiter at once, and nobody takes it in between.
 *
 * Lock: pi_graph_lock (G), a spin lock of pi.c, for all locks and tasks together: a chain is seen as a whole. It comes
 * after the futex buckets' locks and before run queues' locks. Every function: task context.
 */
#ifndef KERNEL_PI_H
#define KERNEL_PI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <kernel/tree.h>

struct pi_lock;
struct pi_waiter;
struct task;

RB_HEAD(pi_waiter_tree, pi_waiter);
RB_HEAD(pi_lock_tree, pi_lock);

struct pi_lock {
	struct task *owner;	       /* G: NULL: none */
	bool abandoned;		       /* G: an owner ended, and the next has not confirmed yet */
	struct pi_waiter_tree waiters; /* G: the most urgent first, among equals who came first */
	RB_ENTRY(pi_lock) node;	       /* G: of owner's locks */
	int priority; /* G: of the first waiter, as owner's locks are in order of */
};

struct pi_waiter {
	struct task *task;
	struct pi_lock *lock;	  /* G: what it waits for; NULL: it does not */
	RB_ENTRY(pi_waiter) node; /* G: there */
	int priority;		  /* G: as it is in order there */
	uint64_t order;		  /* G: who came first */
	_Atomic bool granted;	  /* its task is the owner; written under G */
};

enum pi_end { PI_ALIVE, PI_ENDING, PI_ENDED };

/* What a task has of it. All zero: nothing. */
struct pi_task {
	struct pi_waiter *waiter;  /* G: by which it waits; NULL: it does not */
	struct pi_lock_tree locks; /* G: those it owns */
	_Atomic enum pi_end end;   /* G: whether it may become an owner */
};

/* Longest chain that is followed: Linux's max_lock_depth. */
#define PI_DEPTH_MAX 1024

/* Makes LOCK one without owner and waiters. Before anyone else can see it. */
void pi_lock_init(struct pi_lock *lock);
/* LOCK, without an owner, is OWNER's from now on. 0; -EBUSY: OWNER is about to end; -ESRCH: it has ended. */
int pi_lock_set_owner(struct pi_lock *lock, struct task *owner);
/* Nobody waits for LOCK: it has no owner any more, and may be freed. */
void pi_lock_clear(struct pi_lock *lock);

/* The tid of LOCK's owner; 0: none, or one that has got it from a task that ended and not confirmed. */
pid_t pi_lock_owner_tid(struct pi_lock *lock);
/* Whether LOCK's owner is to confirm that it has got it; and it does. */
bool pi_lock_is_abandoned(struct pi_lock *lock);
void pi_lock_confirm(struct pi_lock *lock);
/* LOCK's first waiter at this moment; NULL: none. Priorities change at any time, and the order with them. */
struct pi_waiter *pi_lock_first(struct pi_lock *lock);

/* WAITER's task waits for LOCK, until WAITER->granted. TRY: it only takes LOCK if that is free. 0: it waits; 1: it is the
 * owner already, and WAITER is granted; -EAGAIN: LOCK is not free; -EDEADLK: its owner waits for the task, or the
 * chain is too long. */
int pi_wait(struct pi_lock *lock, struct pi_waiter *waiter, bool try);
/* WAITER no longer waits, unless it is granted: that is returned. */
bool pi_stop_waiting(struct pi_waiter *waiter);
/* The running task, its owner, gives LOCK to WAITER, which the caller keeps waiting for it, and wakes it. */
void pi_hand_over(struct pi_lock *lock, struct pi_waiter *waiter);

/* TASK's own priority has changed. */
void pi_update(struct task *task);

/* The running task is about to end, or to execute a program: it becomes an owner no more. */
void pi_begin_end(void);
/* Its locks are their first waiters', who have to confirm. ENDED: it does not come back; else it has another program. */
void pi_finish_end(bool ended);
/* Waits until TASK is not about to end. 0 or -EINTR (a signal ends the process). */
int pi_wait_for_end(struct task *task);

#endif
