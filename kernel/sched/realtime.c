/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Real-time tasks of a run queue: a list for each priority, and a word with a bit for each list that
 * is not empty. All operations are O(1). Rules: sched(7), "SCHED_FIFO", "SCHED_RR".
 *
 * A preempted task waits before its equals; a task that wakes, yields or has used up its time slice
 * waits after them.
 *
 * Fair tasks do not starve: of each second, real-time tasks leave them 50 ms on a CPU where fair tasks
 * wait. As Linux's sched_rt_runtime_us.
 *
 * Priorities are not exact between CPUs: a real-time task goes to the least loaded CPU, and load
 * balancing finds a CPU for waiting ones.
 *
 * Locks: see realtime.h.
 */
#include "realtime.h"

#include <kernel/base/assert.h>
#include <uapi/linux/sched.h>

#define PERIOD_NS  NSEC_PER_SEC
#define RUNTIME_NS (950 * NSEC_PER_MSEC)

void realtime_enter(struct run_queue *queue, struct sched_entity *entity)
{
	entity->slice_left_ns = REALTIME_SLICE_NS;
	queue->realtime_tasks++;
	atomic_fetch_add(&queue->tasks, 1);
	run_queue_publish_load(queue);
}

void realtime_leave(struct run_queue *queue, struct sched_entity *entity)
{
	ASSERT(!entity->queued);
	queue->realtime_tasks--;
	atomic_fetch_sub(&queue->tasks, 1);
	run_queue_publish_load(queue);
}

bool realtime_slice_is_over(const struct sched_entity *entity)
{
	return entity->policy == SCHED_RR && entity->slice_left_ns <= 0;
}

void realtime_wait(struct run_queue *queue, struct sched_entity *entity, bool before)
{
	unsigned int priority = entity->priority;
	struct realtime_list *list = &queue->realtime[priority];
	uint64_t bit = (uint64_t)1 << priority % 64;

	ASSERT(!entity->queued);
	entity->queued = true;
	if (!(queue->realtime_waiting[priority / 64] & bit))
		TAILQ_INIT(list);
	queue->realtime_waiting[priority / 64] |= bit;
	if (realtime_slice_is_over(entity)) {
		entity->slice_left_ns = REALTIME_SLICE_NS;
		before = false;
	}
	if (before)
		TAILQ_INSERT_HEAD(list, entity, peer);
	else
		TAILQ_INSERT_TAIL(list, entity, peer);
}

void realtime_take(struct run_queue *queue, struct sched_entity *entity)
{
	unsigned int priority = entity->priority;
	struct realtime_list *list = &queue->realtime[priority];

	ASSERT(entity->queued);
	entity->queued = false;
	TAILQ_REMOVE(list, entity, peer);
	if (TAILQ_EMPTY(list))
		queue->realtime_waiting[priority / 64] &= ~((uint64_t)1 << priority % 64);
}

void realtime_charge(struct run_queue *queue, struct sched_entity *entity, uint64_t delta_ns)
{
	queue->realtime_used_ns += delta_ns;
	entity->slice_left_ns -= (int64_t)delta_ns;
}

struct sched_entity *realtime_first(const struct run_queue *queue)
{
	for (int word = 1; word >= 0; word--) {
		uint64_t bits = queue->realtime_waiting[word];

		if (bits)
			return TAILQ_FIRST(
				&queue->realtime[word * 64 + 63 - __builtin_clzll(bits)]);
	}
	return NULL;
}

bool realtime_is_throttled(struct run_queue *queue, uint64_t now_ns)
{
	if (now_ns - queue->period_started_ns >= PERIOD_NS) {
		queue->period_started_ns = now_ns;
		queue->realtime_used_ns = 0;
	}
	return queue->realtime_used_ns >= RUNTIME_NS;
}

uint64_t realtime_change_ns(const struct run_queue *queue, const struct sched_entity *entity,
			    uint64_t now_ns)
{
	uint64_t period_left_ns = queue->period_started_ns + PERIOD_NS - now_ns;

	if ((int64_t)period_left_ns < 0)
		period_left_ns = 0;
	if (!entity)
		return period_left_ns;
	uint64_t left_ns =
		queue->realtime_used_ns < RUNTIME_NS ? RUNTIME_NS - queue->realtime_used_ns : 0;

	return left_ns < period_left_ns ? left_ns : period_left_ns;
}
