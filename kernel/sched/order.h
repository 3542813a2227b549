/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who of a run queue is next: real-time tasks (realtime.c) before fair ones (runqueue.c). Private to
 * kernel/sched/; inline, as a switch between fair tasks should not pay for the others.
 *
 * Every function: queue->lock held, interrupts off.
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

/* Whether anybody waits. */
static inline bool order_has_waiting(struct run_queue *queue)
{
	return run_queue_has_waiting(queue) ||
	       (queue->realtime_tasks && order_realtime_waits(queue));
}

/* ENTITY, in no queue, comes to wait in QUEUE. */
static inline void order_insert(struct run_queue *queue, struct sched_entity *entity)
{
	if (order_is_realtime(entity)) {
		realtime_enter(queue, entity);
		realtime_wait(queue, entity, false);
	} else {
		run_queue_insert(queue, entity);
	}
}

/* ENTITY, which waits, is to run, or to leave. */
static inline void order_take(struct run_queue *queue, struct sched_entity *entity)
{
	if (order_is_realtime(entity))
		realtime_take(queue, entity);
	else
		run_queue_take(queue, entity);
}

/* ENTITY, which ran, waits again; GIVE_WAY: by its own wish. */
static inline void order_put_back(struct run_queue *queue, struct sched_entity *entity,
				  bool give_way)
{
	if (order_is_realtime(entity))
		realtime_wait(queue, entity, !give_way);
	else
		run_queue_put_back(queue, entity, give_way);
}

/* ENTITY, which does not wait, leaves QUEUE. */
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

/* Which real-time task is to run, when one waits or CURRENT (not NULL) is one; NULL: none may. */
struct sched_entity *order_choose_realtime(struct run_queue *queue, struct sched_entity *current,
					   bool give_way, uint64_t now_ns);

/* Who is to run at NOW_NS, of those that wait and CURRENT (NULL: it cannot). GIVE_WAY: CURRENT only
 * if nobody who could take its place waits. NULL: nobody. */
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
uint64_t order_realtime_turn_left_ns(struct run_queue *queue, const struct sched_entity *entity,
				     uint64_t now_ns);
/* Nanoseconds from NOW_NS for which ENTITY, running, is the right one as long as nobody comes to wait;
 * UINT64_MAX: for good. */
static inline uint64_t order_turn_left_ns(struct run_queue *queue,
					  const struct sched_entity *entity, uint64_t now_ns)
{
	if (__builtin_expect(queue->realtime_tasks != 0, 0))
		return order_realtime_turn_left_ns(queue, entity, now_ns);
	return run_queue_has_waiting(queue) ? run_queue_slice_left_ns(entity) : UINT64_MAX;
}

/* Whether NEW, which comes to wait, may have a better right to the processor than RUNNING; false: a
 * look is not worth it. */
static inline bool order_may_preempt(const struct sched_entity *running,
				     const struct sched_entity *new)
{
	if (running->priority || new->priority)
		return new->priority > running->priority;
	/* Batch and idle tasks wait for the end of a slice, of all but an idle one. */
	return new->policy == SCHED_OTHER || running->policy == SCHED_IDLE;
}

/* ENTITY inherits INHERITED (PRIORITY_NONE: nothing); RUNNING: it runs. If it waits, then as one that has just come.
 * Whether it has another place by that. */
bool order_set_inherited(struct run_queue *queue, struct sched_entity *entity, int inherited,
			 bool running);

/* ENTITY gets PARAMETERS; RUNNING: it runs. If it waits, then as one that has just come. */
void order_set_parameters(struct run_queue *queue, struct sched_entity *entity,
			  const struct sched_parameters *parameters, bool running);

#endif
