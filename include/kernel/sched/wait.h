/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting: sleeping mutexes and wait queues.
 *
 * Sleep pattern: add the task to the queue, check the condition, sleep; a waker changes the condition
 * first and then wakes, so no wake-up is lost. A sleep may also return without cause: always check the
 * condition again.
 *
 * Lock order: mutex > wait_queue->lock or mutex->lock > run_queue->lock.
 */
#ifndef KERNEL_WAIT_H
#define KERNEL_WAIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/base/spinlock.h>

struct task;

struct wait_entry;

/* An entry's alternative to waking a task: handles an occurrence of EVENTS (POLL* bits, 0: any). Returns
 * whether it had a use for the wake-up. The queue's lock is held, interrupts are off; it may wake other
 * queues, but must not touch this one. */
typedef bool wait_function(struct wait_entry *entry, unsigned int events);

struct wait_entry {
	TAILQ_ENTRY(wait_entry) link; /* Q */
	struct task *task;
	wait_function *function; /* NULL: wakes task */
	bool exclusive;		 /* a wake-up wakes only one of these */
	bool queued;		 /* Q; for a mutex: was woken once */
};

struct wait_queue {
	struct spinlock lock;		  /* irqsave */
	TAILQ_HEAD(, wait_entry) entries; /* Q: the exclusive ones are the last */
};					  /* Q: the queue's lock */

/* Makes QUEUE empty, before it is shared. */
void wait_queue_init(struct wait_queue *queue);

/* Puts the current task on QUEUE. Task context. From now on wait_queue_wake makes a following wait_sleep
 * return. */
void wait_queue_add(struct wait_queue *queue, struct wait_entry *entry);

/* The same; but of several such tasks a wake-up wakes one, the longest waiting, and takes it off. A task that
 * stops waiting must check whether it was woken, and if so pass the wake-up on. */
void wait_queue_add_exclusive(struct wait_queue *queue, struct wait_entry *entry);

/* Puts ENTRY on QUEUE, which calls FUNCTION at a wake-up. EXCLUSIVE: not if another exclusive entry had a
 * use for it. Task context. */
void wait_queue_add_function(struct wait_queue *queue, struct wait_entry *entry,
			     wait_function *function, bool exclusive);

/* Takes ENTRY off again; afterwards its function does not run. Task context. */
void wait_queue_remove(struct wait_queue *queue, struct wait_entry *entry);

/* Sleeps until a queue this task is on was woken since wait_queue_add, a signal is pending (returns
 * -EINTR), or clock_ns() passes DEADLINE_NS (returns -ETIMEDOUT; UINT64_MAX: never). Otherwise 0.
 * Task context, no spin lock held. */
int wait_sleep(uint64_t deadline_ns);

/* The same, but only a fatal signal interrupts it. */
int wait_sleep_killable(uint64_t deadline_ns);

/* The same, but no signal interrupts it: for the end of what the kernel itself has begun. 0 or -ETIMEDOUT. */
int wait_sleep_uninterrupted(uint64_t deadline_ns);

/* Wakes every task on QUEUE, but only one of the exclusive ones. Task and interrupt context (an NMI defers it
 * through deferred_work). */
void wait_queue_wake(struct wait_queue *queue);

/* Among the events, none of POLL*: the waker will soon sleep itself and keeps the CPU (sched_wake_sync). */
#define WAKE_SYNC (1u << 31)

/* The same, and passes EVENTS (POLL* bits), which may be true now, to the functions. Returns whether any
 * waiter had a use for the wake-up. */
bool wait_queue_wake_events(struct wait_queue *queue, unsigned int events);

/* A sleeping lock. A waiter may be overtaken, but only once. */
struct mutex {
	struct spinlock lock;
	struct task *_Atomic owner; /* NULL: free */
	struct wait_queue waiters;  /* entries: lock */
#ifdef TALLY_LOCK_ORDER
	struct lock_site *site; /* its class, see <kernel/base/debug.h> */
#endif
};

/* Initializes the variable NAME, outside of functions. */
#ifdef TALLY_LOCK_ORDER
#define MUTEX_SITE_HERE .site = LOCK_SITE_HERE,
#else
#define MUTEX_SITE_HERE
#endif
#define MUTEX_INITIALIZER(name)                                                           \
	{                                                                                 \
		.lock = SPINLOCK_INITIALIZER,                                             \
		.waiters = { .lock = SPINLOCK_INITIALIZER,                                \
			     .entries = TAILQ_HEAD_INITIALIZER((name).waiters.entries) }, \
		MUTEX_SITE_HERE                                                           \
	}

/* Makes MUTEX free, before it is shared. */
void mutex_init(struct mutex *mutex);
#ifdef TALLY_LOCK_ORDER
#define mutex_init(object)                                                     \
	do {                                                                   \
		static struct lock_site site_here = { __FILE__, __LINE__, 0 }; \
		struct mutex *free_mutex = (object);                           \
                                                                               \
		(mutex_init)(free_mutex);                                      \
		free_mutex->site = &site_here;                                 \
	} while (0)
#endif
/* Takes MUTEX, sleeping while another task holds it. Task context, no spin lock held; not twice. */
void mutex_lock(struct mutex *mutex);
/* Releases MUTEX. Only its holder. */
void mutex_unlock(struct mutex *mutex);

/* Returns whether the current task holds MUTEX. For assertions. */
bool mutex_held(struct mutex *mutex);

#define mutex_assert_held(mutex) ASSERT_DEBUG(mutex_held(mutex))

#endif
