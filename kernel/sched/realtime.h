/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Real-time tasks (SCHED_FIFO, SCHED_RR) of a run queue; private to kernel/sched/. See realtime.c.
 *
 * Every function: queue->lock held, interrupts off.
 */
#ifndef SCHED_REALTIME_H
#define SCHED_REALTIME_H

#include "runqueue.h"

/* A turn of SCHED_RR: Linux's RR_TIMESLICE. */
#define REALTIME_TURN_NS (100 * NSEC_PER_MSEC)

/* ENTITY belongs to QUEUE from now on, and no longer; whether it waits is another thing. */
void realtime_enter(struct run_queue *queue, struct sched_entity *entity);
void realtime_leave(struct run_queue *queue, struct sched_entity *entity);

/* ENTITY waits: behind its equals, or before them. */
void realtime_wait(struct run_queue *queue, struct sched_entity *entity, bool before);
/* ENTITY, which waits, does not any more. */
void realtime_take(struct run_queue *queue, struct sched_entity *entity);

/* ENTITY has run for DELTA_NS more. */
void realtime_charge(struct run_queue *queue, struct sched_entity *entity, uint64_t delta_ns);
/* Whether ENTITY's turn is over and its equals have theirs. */
bool realtime_turn_is_over(const struct sched_entity *entity);

/* The first of those that wait with the highest priority, or NULL. */
struct sched_entity *realtime_first(const struct run_queue *queue);

/* Whether real-time tasks have had at NOW_NS what they may have while fair ones want to run. */
bool realtime_is_throttled(struct run_queue *queue, uint64_t now_ns);
/* Nanoseconds from NOW_NS until that may change: while ENTITY (NULL: a fair task) runs. */
uint64_t realtime_change_ns(const struct run_queue *queue, const struct sched_entity *entity,
			    uint64_t now_ns);

#endif
