/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One processor's run queue and the order in it; private to kernel/sched/.
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

RB_HEAD(sched_tree, sched_entity);

struct run_queue {
	struct spinlock lock;
	struct sched_tree waiting; /* R: by virtual deadline; the running task is not in it */
	struct task *current;	   /* R: the running task */
	struct task *previous;	   /* R: during a switch: who went off */
	bool evicted;		   /* R: during a switch: previous must move to another processor */
	_Atomic bool reschedule;   /* who runs is to be decided anew */
	_Atomic unsigned int tasks; /* running and waiting, without the idle task */
	struct timer slice_timer;
	uint64_t switches; /* R: from one task to another, so far */

	/* The virtual time of the queue: base + weighted_sum / load. */
	uint64_t base_ns;     /* R */
	int64_t weighted_sum; /* R: sum of (virtual runtime - base) * weight of these tasks */
	uint64_t load;	      /* R: sum of their weights */
} CACHE_ALIGNED;	      /* R: lock */

/* Declares the tree's functions. */
RB_PROTOTYPE(sched_tree, sched_entity, node, compare_entities)

/* QUEUE's processor runs CURRENT, its idle task. Tasks may wait in it already: all zero is an
 * empty queue. No lock. */
void run_queue_init(struct run_queue *queue, struct task *current);

/* ENTITY, which is not in a queue, waits in this one from now on. */
void run_queue_insert(struct run_queue *queue, struct sched_entity *entity);

/* ENTITY leaves the tree to run; it still counts in the queue's virtual time. */
void run_queue_take(struct run_queue *queue, struct sched_entity *entity);

/* ENTITY, which ran and was taken, waits again: its slice goes on where it was. */
void run_queue_put_back(struct run_queue *queue, struct sched_entity *entity);

/* ENTITY, which is not in the tree, no longer belongs to the queue; its lag is kept for when it
 * comes back. */
void run_queue_leave(struct run_queue *queue, struct sched_entity *entity);

/* The running ENTITY has used the processor for DELTA_NS more. */
void run_queue_charge(struct run_queue *queue, struct sched_entity *entity, uint64_t delta_ns);

/* Who is to run: the eligible one with the earliest deadline among those that wait and CURRENT
 * (NULL: it cannot). GIVE_WAY: CURRENT only if nobody waits. NULL: nobody. */
struct sched_entity *run_queue_choose(struct run_queue *queue, struct sched_entity *current,
				      bool give_way);

/* Nanoseconds of processor time until ENTITY's slice is over. */
uint64_t run_queue_slice_left_ns(const struct sched_entity *entity);

/* A new weight for ENTITY, whether it runs, waits or sleeps. */
void run_queue_set_nice(struct run_queue *queue, struct sched_entity *entity, int nice,
			bool running);

/* Tasks that run or wait. Any context, no lock: a snapshot. */
static inline unsigned int run_queue_task_count(struct run_queue *queue)
{
	return atomic_load_explicit(&queue->tasks, memory_order_relaxed);
}

static inline bool run_queue_has_waiting(struct run_queue *queue)
{
	return !RB_EMPTY(&queue->waiting);
}

#endif
