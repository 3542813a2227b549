/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order in a run queue: earliest eligible virtual deadline first (EEVDF; Stoica and
 * Abdel-Wahab, "Earliest Eligible Virtual Deadline First: A Flexible and Accurate Mechanism for
 * Proportional Share Resource Allocation", Old Dominion University TR-95-22, 1995), which Linux
 * uses since 6.6.
 *
 * A task's virtual runtime advances while it runs, the faster the smaller its weight. The queue's
 * virtual time is the weighted mean of those of its tasks. Who is at or behind the mean is owed
 * time (lag >= 0): eligible. Each task asks for slices of SLICE_NS; its deadline is when, in
 * virtual time, the slice would be over. The eligible task with the earliest deadline runs.
 *
 * The mean is kept as a base and a weighted sum of the distances to it, so that inserting and
 * removing costs no walk. Choosing walks the tree in deadline order until it meets an eligible
 * task: usually the first.
 *
 * Locks: see runqueue.h.
 */
#include <kernel/assert.h>

#include "runqueue.h"

/* As Linux's base slice on a machine of this size. */
#define SLICE_NS      (3 * NSEC_PER_MSEC)

/* Weight of nice 0. A step of nice is a factor of about 1.25. */
#define WEIGHT_NORMAL 1024
#define NICE_MIN      (-20)

/* Linux's sched_prio_to_weight, nice -20 … 19: shares of a processor come out as there. */
static const uint32_t weights[40] = {
	88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
	9548,  7620,  6100,  4904,  3906,  3121,  2501,	 1991,	1586,  1277,
	1024,  820,   655,   526,   423,   335,	  272,	 215,	172,   137,
	110,   87,    70,    56,    45,	   36,	  29,	 23,	18,    15,
};

/* Equal deadlines: in the order of their addresses, since a tree's keys must differ. */
static int compare_entities(struct sched_entity *a, struct sched_entity *b)
{
	int64_t difference = (int64_t)(a->virtual_deadline_ns - b->virtual_deadline_ns);

	if (difference)
		return difference < 0 ? -1 : 1;
	return a == b ? 0 : a < b ? -1 : 1;
}

RB_GENERATE(sched_tree, sched_entity, node, compare_entities)

static uint64_t weight_of(const struct sched_entity *entity)
{
	return weights[entity->nice - NICE_MIN];
}

static uint64_t to_virtual_ns(const struct sched_entity *entity, uint64_t ns)
{
	return ns * WEIGHT_NORMAL / weight_of(entity);
}

static int64_t distance(const struct run_queue *queue, const struct sched_entity *entity)
{
	return (int64_t)(entity->virtual_runtime_ns - queue->base_ns);
}

/* The queue's virtual time; the base moves there, so that distances stay small. */
static uint64_t virtual_time(struct run_queue *queue)
{
	if (queue->load) {
		int64_t mean = queue->weighted_sum / (int64_t)queue->load;

		queue->base_ns += (uint64_t)mean;
		queue->weighted_sum -= mean * (int64_t)queue->load;
	}
	return queue->base_ns;
}

static void count_in(struct run_queue *queue, const struct sched_entity *entity)
{
	queue->weighted_sum += distance(queue, entity) * (int64_t)weight_of(entity);
	queue->load += weight_of(entity);
}

static void count_out(struct run_queue *queue, const struct sched_entity *entity)
{
	queue->weighted_sum -= distance(queue, entity) * (int64_t)weight_of(entity);
	queue->load -= weight_of(entity);
}

static void start_slice(struct sched_entity *entity)
{
	entity->virtual_deadline_ns = entity->virtual_runtime_ns + to_virtual_ns(entity, SLICE_NS);
}

void run_queue_init(struct run_queue *queue, struct task *current)
{
	queue->current = current;
}

void run_queue_insert(struct run_queue *queue, struct sched_entity *entity)
{
	ASSERT(!entity->queued);
	uint64_t now = virtual_time(queue);
	int64_t lag = entity->lag_ns;

	/* Its own weight moves the mean towards it: enlarged by this much, the lag is right
	 * afterwards. */
	if (queue->load)
		lag += lag * (int64_t)weight_of(entity) / (int64_t)queue->load;
	entity->virtual_runtime_ns = now - (uint64_t)lag;
	start_slice(entity);
	count_in(queue, entity);
	entity->queued = true;
	RB_INSERT(sched_tree, &queue->waiting, entity);
	atomic_fetch_add(&queue->tasks, 1);
}

void run_queue_take(struct run_queue *queue, struct sched_entity *entity)
{
	ASSERT(entity->queued);
	entity->queued = false;
	RB_REMOVE(sched_tree, &queue->waiting, entity);
}

void run_queue_put_back(struct run_queue *queue, struct sched_entity *entity)
{
	ASSERT(!entity->queued);
	entity->queued = true;
	RB_INSERT(sched_tree, &queue->waiting, entity);
}

void run_queue_leave(struct run_queue *queue, struct sched_entity *entity)
{
	ASSERT(!entity->queued);
	int64_t limit = (int64_t)to_virtual_ns(entity, SLICE_NS);
	int64_t lag = (int64_t)(virtual_time(queue) - entity->virtual_runtime_ns);

	entity->lag_ns = lag > limit ? limit : lag < -limit ? -limit : lag;
	count_out(queue, entity);
	atomic_fetch_sub(&queue->tasks, 1);
}

void run_queue_charge(struct run_queue *queue, struct sched_entity *entity, uint64_t delta_ns)
{
	/* What is lost by rounding now is counted next time: else a heavy task that is charged
	 * often would run for free. */
	uint64_t scaled = delta_ns * WEIGHT_NORMAL + entity->remainder;
	uint64_t virtual_ns = scaled / weight_of(entity);

	entity->remainder = (uint32_t)(scaled % weight_of(entity));
	entity->virtual_runtime_ns += virtual_ns;
	queue->weighted_sum += (int64_t)(virtual_ns * weight_of(entity));
	if ((int64_t)(entity->virtual_runtime_ns - entity->virtual_deadline_ns) >= 0)
		start_slice(entity);
}

static bool is_eligible(const struct run_queue *queue, const struct sched_entity *entity)
{
	return distance(queue, entity) * (int64_t)queue->load <= queue->weighted_sum;
}

struct sched_entity *run_queue_choose(struct run_queue *queue, struct sched_entity *current,
				      bool give_way)
{
	struct sched_entity *entity, *first = RB_MIN(sched_tree, &queue->waiting);

	if (!first)
		return current;
	virtual_time(queue);
	RB_FOREACH(entity, sched_tree, &queue->waiting) {
		if (is_eligible(queue, entity))
			break;
	}
	if (give_way || !current)
		return entity ? entity : first;
	if (!entity)
		return current;
	if (is_eligible(queue, current) && compare_entities(current, entity) < 0)
		return current;
	return entity;
}

uint64_t run_queue_slice_left_ns(const struct sched_entity *entity)
{
	int64_t left = (int64_t)(entity->virtual_deadline_ns - entity->virtual_runtime_ns);

	if (left <= 0)
		return 0;
	uint64_t scaled = (uint64_t)left * weight_of(entity) - entity->remainder;

	return (scaled + WEIGHT_NORMAL - 1) / WEIGHT_NORMAL;
}

void run_queue_set_nice(struct run_queue *queue, struct sched_entity *entity, int nice,
			bool running)
{
	bool counted = running || entity->queued, queued = entity->queued;

	if (queued)
		run_queue_take(queue, entity);
	if (counted)
		count_out(queue, entity);
	entity->nice = nice;
	entity->remainder = 0;
	start_slice(entity);
	if (counted)
		count_in(queue, entity);
	if (queued) {
		entity->queued = true;
		RB_INSERT(sched_tree, &queue->waiting, entity);
	}
}
