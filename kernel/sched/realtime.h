/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Real-time tasks (SCHED_FIFO, SCHED_RR) of a run queue; private to kernel/sched/. See realtime.c.
 *
 * Every function: run_queue->lock held, interrupts off.
 */
#ifndef SCHED_REALTIME_H
#define SCHED_REALTIME_H

#include "runqueue.h"

/* The time slice of SCHED_RR: Linux's RR_TIMESLICE. */
#define REALTIME_SLICE_NS (100 * NSEC_PER_MSEC)

/* Counts ENTITY, waiting or not, in QUEUE; and uncounts it. */
void realtime_enter(struct run_queue *queue, struct sched_entity *entity);
void realtime_leave(struct run_queue *queue, struct sched_entity *entity);

/* Makes ENTITY wait: after its equals, or with BEFORE before them. */
void realtime_wait(struct run_queue *queue, struct sched_entity *entity, bool before);
/* Takes ENTITY, which waits, out. */
void realtime_take(struct run_queue *queue, struct sched_entity *entity);

/* Charges ENTITY for DELTA_NS more. */
void realtime_charge(struct run_queue *queue, struct sched_entity *entity, uint64_t delta_ns);
/* Returns whether ENTITY's time slice (SCHED_RR) is over. */
bool realtime_slice_is_over(const struct sched_entity *entity);

/* Returns the first waiting task of the highest priority, or NULL. */
struct sched_entity *realtime_first(const struct run_queue *queue);

/* Returns whether real-time tasks have used at NOW_NS all the time that they may use while fair ones wait. */
bool realtime_is_throttled(struct run_queue *queue, uint64_t now_ns);
/* Returns the nanoseconds from NOW_NS until that may change, while ENTITY (NULL: a fair task) runs. */
uint64_t realtime_change_ns(const struct run_queue *queue, const struct sched_entity *entity,
			    uint64_t now_ns);

#endif
