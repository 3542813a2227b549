/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order in a run queue: real-time tasks (realtime.c) before fair ones (runqueue.c). Private to
 * kernel/sched/; inline, so that a switch between fair tasks does not pay for the others.
 *
 * Every function: run_queue->lock held, interrupts off.
 */
#ifndef SCHED_ORDER_H
#define SCHED_ORDER_H

#include <uapi/linux/sched.h>

#include "realtime.h"
#include "runqueue.h"

static inline bool order_is_realtime(const struct sched_entity *entity)
{
	return __builtin_expect(entity->priority != 0, 0);
}

static inline bool order_realtime_waits(const struct run_queue *queue)
{
	return queue->realtime_waiting[0] | queue->realtime_waiting[1];
}

/* Returns whether any task waits. */
static inline bool order_has_waiting(struct run_queue *queue)
{
	return run_queue_has_waiting(queue) ||
	       (queue->realtime_tasks && order_realtime_waits(queue));
}

/* Makes ENTITY, in no queue, wait in QUEUE. */
static inline void order_insert(struct run_queue *queue, struct sched_entity *entity)
{
	if (order_is_realtime(entity)) {
		realtime_enter(queue, entity);
		realtime_wait(queue, entity, false);
	} else {
		run_queue_insert(queue, entity);
	}
}

/* Takes ENTITY, which waits, out: it is about to run, or to leave. */
static inline void order_take(struct run_queue *queue, struct sched_entity *entity)
{
	if (order_is_realtime(entity))
		realtime_take(queue, entity);
	else
		run_queue_take(queue, entity);
}

/* Makes ENTITY, which ran, wait again; GIVE_WAY: it yields. */
static inline void order_put_back(struct run_queue *queue, struct sched_entity *entity,
				  bool give_way)
{
	if (order_is_realtime(entity))
		realtime_wait(queue, entity, !give_way);
	else
		run_queue_put_back(queue, entity, give_way);
}

/* Removes ENTITY, which does not wait, from QUEUE. */
static inline void order_leave(struct run_queue *queue, struct sched_entity *entity)
{
	if (order_is_realtime(entity))
		realtime_leave(queue, entity);
	else
		run_queue_leave(queue, entity);
}

static inline void order_charge(struct run_queue *queue, struct sched_entity *entity,
				uint64_t delta_ns)
{
	if (order_is_realtime(entity))
		realtime_charge(queue, entity, delta_ns);
	else
		run_queue_charge(queue, entity, delta_ns);
}

/* Returns the real-time task to run, when one waits or CURRENT (not NULL) is one; NULL: none may. */
struct sched_entity *order_choose_realtime(struct run_queue *queue, struct sched_entity *current,
					   bool give_way, uint64_t now_ns);

/* Returns the task to run at NOW_NS, of those that wait and CURRENT (NULL: it cannot). GIVE_WAY: CURRENT only
 * if no task waits that could replace it. NULL: none. */
static inline struct sched_entity *
order_choose(struct run_queue *queue, struct sched_entity *current, bool give_way, uint64_t now_ns)
{
	if (__builtin_expect(queue->realtime_tasks != 0, 0)) {
		struct sched_entity *chosen =
			order_choose_realtime(queue, current, give_way, now_ns);

		if (chosen)
			return chosen;
		if (current && order_is_realtime(current))
			current = NULL;
	}
	return run_queue_choose(queue, current, give_way);
}

/* The same as below for a queue with real-time tasks. */
uint64_t order_realtime_slice_left_ns(struct run_queue *queue, const struct sched_entity *entity,
				      uint64_t now_ns);
/* Returns for how many nanoseconds from NOW_NS ENTITY, running, stays the right choice while no task is
 * added; UINT64_MAX: unlimited. */
static inline uint64_t order_slice_left_ns(struct run_queue *queue,
					   const struct sched_entity *entity, uint64_t now_ns)
{
	if (__builtin_expect(queue->realtime_tasks != 0, 0))
		return order_realtime_slice_left_ns(queue, entity, now_ns);
	return run_queue_has_waiting(queue) ? run_queue_slice_left_ns(entity) : UINT64_MAX;
}

/* Returns whether NEW, which is about to wait, may have a better right to the CPU than RUNNING; false: no
 * reschedule is needed. */
static inline bool order_may_preempt(const struct sched_entity *running,
				     const struct sched_entity *new)
{
	if (running->priority || new->priority)
		return new->priority > running->priority;
	/* Batch and idle tasks preempt only idle ones. */
	return new->policy == SCHED_OTHER || running->policy == SCHED_IDLE;
}

/* Sets the priority that ENTITY inherits to INHERITED (PRIORITY_NONE: none); RUNNING: it runs. If ENTITY
 * waits, it is inserted anew. Returns whether its place has changed. */
bool order_set_inherited(struct run_queue *queue, struct sched_entity *entity, int inherited,
			 bool running);

/* Sets ENTITY's PARAMETERS; RUNNING: it runs. If ENTITY waits, it is inserted anew. */
void order_set_parameters(struct run_queue *queue, struct sched_entity *entity,
			  const struct sched_parameters *parameters, bool running);

#endif
