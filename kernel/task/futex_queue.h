/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hash table of waiters, shared by futex.c and futex_pi.c. Task context.
 *
 * Locks: bucket->lock (B); two buckets in the order of their addresses. The graph of <kernel/sched/pi.h>
 * comes within.
 */
#ifndef TASK_FUTEX_QUEUE_H
#define TASK_FUTEX_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/base/cpu.h>
#include <kernel/base/spinlock.h>

#include "futex.h"

struct futex_pi_wait;
struct task;
struct vm_space;

/* The identity of a word. */
struct futex_key {
	const struct vm_space *space; /* NULL: place is a physical address */
	uint64_t place;		      /* with NOT_PRIVATE */
};

struct futex_waiter {
	TAILQ_ENTRY(futex_waiter) link; /* B */
	struct task *task;
	struct futex_key key; /* B */
	uint32_t bits;
	uint8_t priority;   /* B: its task's own at enqueueing; 1 … 99: real-time */
	_Atomic bool woken; /* written under B, when it leaves the list */
	struct futex_bucket *_Atomic bucket; /* written under B */
	struct futex_pi_wait *pi;	     /* futex_pi.c's; NULL: a plain waiter */
};					     /* B: bucket->lock */

struct futex_bucket {
	struct spinlock lock;
	_Atomic unsigned int waiter_count;  /* in the list, or about to be */
	TAILQ_HEAD(, futex_waiter) waiters; /* B; an all-zero list is made empty at its first use */
} CACHE_ALIGNED;

/* Makes FUTEX's key. 0; -EINVAL: not the address of a word; -EFAULT. */
int futex_make_key(const struct futex *futex, struct futex_key *key);
bool futex_is_same(const struct futex_key *a, const struct futex_key *b);

struct futex_bucket *futex_bucket_of(const struct futex_key *key);
void futex_lock_bucket(struct futex_bucket *bucket);
void futex_lock_buckets(struct futex_bucket *a, struct futex_bucket *b);
void futex_unlock_buckets(struct futex_bucket *a, struct futex_bucket *b);
/* Locks the bucket that holds WAITER, or held it last. */
struct futex_bucket *futex_lock_waiter(struct futex_waiter *waiter);

/* Puts WAITER, counted already, into BUCKET's list; and takes it out and uncounts it. B held. */
void futex_hang(struct futex_bucket *bucket, struct futex_waiter *waiter);
void futex_unhang(struct futex_bucket *bucket, struct futex_waiter *waiter);
/* Takes WAITER off its list and wakes its task. B held. */
void futex_release(struct futex_bucket *bucket, struct futex_waiter *waiter);
/* Moves WAITER from bucket A to B, where it waits for KEY. Both locked. */
void futex_move(struct futex_waiter *waiter, struct futex_bucket *a, struct futex_bucket *b,
		const struct futex_key *key);
/* Enqueues WAITER if the word at ADDRESS still is VALUE. 0, -EAGAIN, -EFAULT. */
int futex_enqueue(struct futex_waiter *waiter, uintptr_t address, uint32_t value);

#endif
