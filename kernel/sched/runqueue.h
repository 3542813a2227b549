/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One processor's run queue; private to kernel/sched/.
 *
 * Real-time tasks come before fair ones. Which of the fair ones is next is runqueue.c's, which of the
 * real-time ones realtime.c's; order.h asks the right one.
 *
 * Every function: queue->lock held, interrupts off, unless it says otherwise.
 */
#ifndef SCHED_RUNQUEUE_H
#define SCHED_RUNQUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <kernel/cpu.h>
#include <kernel/sched.h>
#include <kernel/spinlock.h>
#include <kernel/time.h>
#include <kernel/tree.h>

struct task;

/* As Linux's base slice on a machine with eight processors. */
#define SLICE_NS   (3 * NSEC_PER_MSEC)

#define PRIORITIES 100 /* of real-time tasks: 1 … 99 */

RB_HEAD(sched_tree, sched_entity);

TAILQ_HEAD(realtime_list, sched_entity);

struct run_queue {
	struct spinlock lock;
	struct sched_tree waiting; /* R: by virtual deadline; the running task is not in it */
	struct task *current;	   /* R: the running task */
	struct task *previous;	   /* R: during a switch: who went off */
	bool evicted;		   /* R: during a switch: previous must move to another processor */
	_Atomic unsigned int tasks; /* running and waiting, without the idle task */
	struct timer slice_timer;
	uint64_t slice_end_ns; /* its own processor, interrupts off: what the timer is for */
	uint64_t switches;     /* R: from one task to another, so far */

	/* The virtual time of the queue: base + weighted_sum / load. */
	uint64_t base_ns;     /* R */
	int64_t weighted_sum; /* R: sum of (virtual runtime - base) * weight of these tasks */
	uint64_t load;	      /* R: sum of their weights */

	/* Real-time tasks that wait. A list is only valid while its bit is set: so all zero is empty. */
	uint64_t realtime_waiting[2]; /* R: bit n: list n is not empty */
	struct realtime_list realtime[PRIORITIES];
	unsigned int realtime_tasks; /* R: that run or wait */
	uint64_t period_started_ns;  /* R: of the limit on real-time tasks */
	uint64_t realtime_used_ns;   /* R: what they have run since */

	_Atomic uint64_t load_seen; /* for others to look at without the lock: see run_queue_load */
	bool slice_ended;	    /* its own processor, interrupts off: the timer has fired */
	uint64_t balanced_ns; /* the same: when it last looked for a processor with less to do */
} CACHE_ALIGNED;	      /* R: lock */

/* By number of the processor. */
extern struct run_queue run_queues[CPUS_MAX];

/* Declares the tree's functions. */
RB_PROTOTYPE(sched_tree, sched_entity, node, compare_entities)

/* QUEUE's processor runs CURRENT, its idle task. Tasks may wait in it already: all zero is an
 * empty queue. No lock. */
void run_queue_init(struct run_queue *queue, struct task *current);

/* ENTITY, which is not in a queue, waits in this one from now on. */
void run_queue_insert(struct run_queue *queue, struct sched_entity *entity);

/* ENTITY leaves the tree to run; it still counts in the queue's virtual time. */
void run_queue_take(struct run_queue *queue, struct sched_entity *entity);

/* ENTITY, which ran and was taken, waits again: its slice goes on where it was, or with GIVE_WAY it has
 * given the rest up and asks for a new one. */
void run_queue_put_back(struct run_queue *queue, struct sched_entity *entity, bool give_way);

/* ENTITY, which is not in the tree, no longer belongs to the queue; its lag is kept for when it
 * comes back. */
void run_queue_leave(struct run_queue *queue, struct sched_entity *entity);

/* The running ENTITY has used the processor for DELTA_NS more. */
void run_queue_charge(struct run_queue *queue, struct sched_entity *entity, uint64_t delta_ns);

/* Who is to run: the eligible one with the earliest deadline among those that wait and CURRENT
 * (NULL: it cannot). GIVE_WAY: CURRENT only if nobody waits. NULL: nobody. */
struct sched_entity *run_queue_choose(struct run_queue *queue, struct sched_entity *current,
				      bool give_way);

/* What ENTITY, a fair task, asks for at a time. No lock: a snapshot. */
static inline uint64_t run_queue_slice_ns(const struct sched_entity *entity)
{
	return entity->slice_ns ? entity->slice_ns : SLICE_NS;
}

/* Nanoseconds of processor time until ENTITY's slice is over. */
uint64_t run_queue_slice_left_ns(const struct sched_entity *entity);

/* A new weight for ENTITY, a fair task, whether it runs, waits or sleeps. */
void run_queue_set_nice(struct run_queue *queue, struct sched_entity *entity, int nice,
			bool running);

/* Tasks that run or wait. Any context, no lock: a snapshot. */
static inline unsigned int run_queue_task_count(struct run_queue *queue)
{
	return atomic_load_explicit(&queue->tasks, memory_order_relaxed);
}

/* Sum of the weights of tasks that run or wait; each real-time one counts as the heaviest two. Any
 * context, no lock: a snapshot. */
static inline uint64_t run_queue_load(struct run_queue *queue)
{
	return atomic_load_explicit(&queue->load_seen, memory_order_relaxed);
}

/* Makes the snapshot right. */
void run_queue_publish_load(struct run_queue *queue);

/* Whether fair tasks wait. */
static inline bool run_queue_has_waiting(struct run_queue *queue)
{
	return !RB_EMPTY(&queue->waiting);
}

#endif
