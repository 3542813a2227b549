/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CPU's run queue; private to kernel/sched/.
 *
 * Real-time tasks come before fair ones. runqueue.c orders the fair tasks, realtime.c the real-time ones;
 * order.h combines them.
 *
 * Every function: run_queue->lock held, interrupts off, unless it says otherwise.
 */
#ifndef SCHED_RUNQUEUE_H
#define SCHED_RUNQUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <kernel/base/cpu.h>
#include <kernel/base/spinlock.h>
#include <kernel/base/tree.h>
#include <kernel/sched/sched.h>
#include <kernel/time/time.h>

struct task;

/* As Linux's base slice on a machine with eight CPUs. */
#define SLICE_NS   (3 * NSEC_PER_MSEC)

#define PRIORITIES 100 /* of real-time tasks: 1 … 99 */

RB_HEAD(sched_tree, sched_entity);

TAILQ_HEAD(realtime_list, sched_entity);

struct run_queue {
	struct spinlock lock;
	struct sched_tree waiting; /* R: by virtual deadline; the current task is not in it */
	struct task *current;	   /* R: the current task */
	struct task *previous;	   /* R: during a context switch: the task switched from */
	bool evicted; /* R: during a context switch: previous must move to another CPU */
	_Atomic unsigned int tasks; /* running and waiting, without the idle task */
	struct timer slice_timer;
	uint64_t slice_end_ns; /* its own CPU, interrupts off: the end of the slice */
	uint64_t switches;     /* R: context switches so far */

	/* The virtual time of the queue: base + weighted_sum / load. */
	uint64_t base_ns;     /* R */
	int64_t weighted_sum; /* R: sum of (virtual runtime - base) * weight of these tasks */
	uint64_t load;	      /* R: sum of their weights */

	/* Waiting real-time tasks. A list is valid only while its bit is set, so all zero is empty. */
	uint64_t realtime_waiting[2]; /* R: bit n: list n is not empty */
	struct realtime_list realtime[PRIORITIES];
	unsigned int realtime_tasks; /* R: running and waiting */
	uint64_t period_started_ns;  /* R: of the limit on real-time tasks */
	uint64_t realtime_used_ns;   /* R: their run time since then */

	_Atomic uint64_t load_seen; /* read without the lock: see run_queue_load */
	bool slice_ended;	    /* its own CPU, interrupts off: the timer has fired */
	uint64_t balanced_ns;	    /* the same: the time of its last balance_push */
} CACHE_ALIGNED;		    /* R: lock */

/* By CPU number. */
extern struct run_queue run_queues[CPUS_MAX];

/* Declares the tree's functions. */
RB_PROTOTYPE(sched_tree, sched_entity, node, compare_entities)

/* Sets CURRENT as the task of QUEUE's CPU, its idle task. Tasks may wait in QUEUE already: all zero is an
 * empty queue. No lock. */
void run_queue_init(struct run_queue *queue, struct task *current);

/* Makes ENTITY, which is not in a queue, wait in this one. */
void run_queue_insert(struct run_queue *queue, struct sched_entity *entity);

/* Takes ENTITY out of the tree to run; it still counts in the queue's virtual time. */
void run_queue_take(struct run_queue *queue, struct sched_entity *entity);

/* Makes ENTITY, which ran and was taken, wait again: with the rest of its slice, or with GIVE_WAY with a new
 * slice. */
void run_queue_put_back(struct run_queue *queue, struct sched_entity *entity, bool give_way);

/* Removes ENTITY, which is not in the tree, from the queue; its lag is kept for its return. */
void run_queue_leave(struct run_queue *queue, struct sched_entity *entity);

/* Charges the running ENTITY for DELTA_NS more of CPU time. */
void run_queue_charge(struct run_queue *queue, struct sched_entity *entity, uint64_t delta_ns);

/* Returns the task to run: the eligible one with the earliest deadline among those that wait and CURRENT
 * (NULL: it cannot). GIVE_WAY: CURRENT only if no task waits. NULL: none. */
struct sched_entity *run_queue_choose(struct run_queue *queue, struct sched_entity *current,
				      bool give_way);

/* Returns the slice of ENTITY, a fair task. No lock: a snapshot. */
static inline uint64_t run_queue_slice_ns(const struct sched_entity *entity)
{
	return entity->slice_ns ? entity->slice_ns : SLICE_NS;
}

/* Returns the CPU time in nanoseconds until the end of ENTITY's slice. */
uint64_t run_queue_slice_left_ns(const struct sched_entity *entity);

/* Sets the nice value of ENTITY, a fair task, whether it runs, waits or sleeps. */
void run_queue_set_nice(struct run_queue *queue, struct sched_entity *entity, int nice,
			bool running);

/* Returns the number of tasks that run or wait. Any context, no lock: a snapshot. */
static inline unsigned int run_queue_task_count(struct run_queue *queue)
{
	return atomic_load_explicit(&queue->tasks, memory_order_relaxed);
}

/* Returns the sum of the weights of tasks that run or wait; a real-time one counts as the two heaviest. Any
 * context, no lock: a snapshot. */
static inline uint64_t run_queue_load(struct run_queue *queue)
{
	return atomic_load_explicit(&queue->load_seen, memory_order_relaxed);
}

/* Updates the snapshot of the load. */
void run_queue_publish_load(struct run_queue *queue);

/* Returns whether fair tasks wait. */
static inline bool run_queue_has_waiting(struct run_queue *queue)
{
	return !RB_EMPTY(&queue->waiting);
}

#endif
