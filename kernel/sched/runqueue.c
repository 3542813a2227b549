/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order in a run queue: earliest eligible virtual deadline first (EEVDF; Stoica and
 * Abdel-Wahab, "Earliest Eligible Virtual Deadline First: A Flexible and Accurate Mechanism for
 * Proportional Share Resource Allocation", Old Dominion University TR-95-22, 1995), which Linux
 * uses since 6.6.
 *
 * A task's virtual runtime advances while it runs, the faster the smaller its weight. The queue's
 * virtual time is the weighted mean of its tasks' virtual runtimes. A task at or below the mean has
 * received too little time (lag >= 0): it is eligible. A task requests slices of SLICE_NS; its deadline
 * is the end of the slice in virtual time. The eligible task with the earliest deadline runs.
 *
 * A positive lag survives a sleep. A negative lag decays meanwhile as the other tasks run, as if the
 * task had stayed until it was even (Linux: DELAY_DEQUEUE and DELAY_ZERO).
 *
 * The mean is kept as a base and a weighted sum of the distances to it, so that insertion and removal
 * need no walk. Each task in the tree, which is ordered by deadlines, knows the least virtual runtime
 * below it; so a choice is one descent: to the left while an eligible task is there. All operations are
 * O(log n).
 *
 * Locks: see runqueue.h.
 */
#include "runqueue.h"

#include <kernel/base/assert.h>
#include <uapi/linux/sched.h>

/* Weight of nice 0. A step of nice is a factor of about 1.25. */
#define WEIGHT_NORMAL 1024
#define NICE_MIN      (-20)
/* The weight of SCHED_IDLE, a fifth of nice 19: Linux's WEIGHT_IDLEPRIO. */
#define WEIGHT_IDLE   3
/* The load of a real-time task in comparisons of CPUs. */
#define REALTIME_LOAD (2 * 88761)

/* Linux's sched_prio_to_weight, nice -20 … 19: tasks get the same shares of a CPU. */
static const uint32_t weights[40] = {
	88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
	9548,  7620,  6100,  4904,  3906,  3121,  2501,	 1991,	1586,  1277,
	1024,  820,   655,   526,   423,   335,	  272,	 215,	172,   137,
	110,   87,    70,    56,    45,	   36,	  29,	 23,	18,    15,
};

/* Orders by deadline; equal ones by address, since a tree's keys must differ. */
static int compare_entities(struct sched_entity *a, struct sched_entity *b)
{
	int64_t difference = (int64_t)(a->virtual_deadline_ns - b->virtual_deadline_ns);

	if (difference)
		return difference < 0 ? -1 : 1;
	return a == b ? 0 : a < b ? -1 : 1;
}

/* Returns the lesser of the virtual runtimes A and B, which may wrap. */
static uint64_t lesser(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) < 0 ? a : b;
}

/* Updates the least virtual runtime of ENTITY from its children's. */
static void update_least(struct sched_entity *entity)
{
	const struct sched_entity *left = RB_LEFT(entity, node), *right = RB_RIGHT(entity, node);
	uint64_t least = entity->virtual_runtime_ns;

	if (left)
		least = lesser(least, left->least_runtime_ns);
	if (right)
		least = lesser(least, right->least_runtime_ns);
	entity->least_runtime_ns = least;
}

/* The tree calls this where it rotates. Above the place of a change the caller updates. */
#undef RB_AUGMENT
#define RB_AUGMENT(entity) update_least(entity)
RB_GENERATE(sched_tree, sched_entity, node, compare_entities)

static void update_upwards(struct sched_entity *entity)
{
	for (; entity; entity = RB_PARENT(entity, node))
		update_least(entity);
}

static void tree_insert(struct run_queue *queue, struct sched_entity *entity)
{
	bool alone = RB_EMPTY(&queue->waiting);

	entity->least_runtime_ns = entity->virtual_runtime_ns;
	RB_INSERT(sched_tree, &queue->waiting, entity);
	if (!alone)
		update_upwards(entity);
}

static void tree_remove(struct run_queue *queue, struct sched_entity *entity)
{
	/* An entity with two children is replaced by its successor, and the tree updates above that one. */
	bool both = RB_LEFT(entity, node) && RB_RIGHT(entity, node);
	struct sched_entity *parent = RB_PARENT(entity, node);

	RB_REMOVE(sched_tree, &queue->waiting, entity);
	if (!both)
		update_upwards(parent);
}

static uint64_t weight_of(const struct sched_entity *entity)
{
	return entity->weight;
}

static void set_weight(struct sched_entity *entity)
{
	entity->weight = entity->policy == SCHED_IDLE ? WEIGHT_IDLE :
							weights[entity->nice - NICE_MIN];
}

static uint64_t to_virtual_ns(const struct sched_entity *entity, uint64_t ns)
{
	return ns * WEIGHT_NORMAL / weight_of(entity);
}

static int64_t distance(const struct run_queue *queue, const struct sched_entity *entity)
{
	return (int64_t)(entity->virtual_runtime_ns - queue->base_ns);
}

/* Returns the queue's virtual time; moves the base there, so that distances stay small. */
static uint64_t virtual_time(struct run_queue *queue)
{
	if (queue->load) {
		int64_t mean = queue->weighted_sum / (int64_t)queue->load;

		queue->base_ns += (uint64_t)mean;
		queue->weighted_sum -= mean * (int64_t)queue->load;
	}
	return queue->base_ns;
}

void run_queue_publish_load(struct run_queue *queue)
{
	atomic_store_explicit(&queue->load_seen,
			      queue->load + (uint64_t)queue->realtime_tasks * REALTIME_LOAD,
			      memory_order_relaxed);
}

static void count_in(struct run_queue *queue, const struct sched_entity *entity)
{
	queue->weighted_sum += distance(queue, entity) * (int64_t)weight_of(entity);
	queue->load += weight_of(entity);
	run_queue_publish_load(queue);
}

static void count_out(struct run_queue *queue, const struct sched_entity *entity)
{
	queue->weighted_sum -= distance(queue, entity) * (int64_t)weight_of(entity);
	queue->load -= weight_of(entity);
	run_queue_publish_load(queue);
}

static void start_slice(struct sched_entity *entity)
{
	entity->virtual_deadline_ns =
		entity->virtual_runtime_ns + to_virtual_ns(entity, run_queue_slice_ns(entity));
}

void run_queue_init(struct run_queue *queue, struct task *current)
{
	queue->current = current;
}

void run_queue_insert(struct run_queue *queue, struct sched_entity *entity)
{
	ASSERT(!entity->queued);
	set_weight(entity);
	uint64_t now = virtual_time(queue);
	int64_t lag = entity->lag_ns;
	/* The task's own weight moves the mean towards it; this factor makes the lag right
	 * afterwards. */
	if (queue->load)
		lag += lag * (int64_t)weight_of(entity) / (int64_t)queue->load;
	/* In the queue that it left the task keeps its virtual runtime while that is above the mean. */
	if (lag < 0 && !entity->migrated) {
		int64_t late = (int64_t)(now - entity->virtual_runtime_ns);

		lag = late > 0 ? 0 : late > lag ? late : lag;
	}
	entity->virtual_runtime_ns = now - (uint64_t)lag;
	start_slice(entity);
	count_in(queue, entity);
	entity->queued = true;
	tree_insert(queue, entity);
	atomic_fetch_add(&queue->tasks, 1);
}

void run_queue_take(struct run_queue *queue, struct sched_entity *entity)
{
	ASSERT(entity->queued);
	entity->queued = false;
	tree_remove(queue, entity);
}

void run_queue_put_back(struct run_queue *queue, struct sched_entity *entity, bool give_way)
{
	ASSERT(!entity->queued);
	/* A yielding task gets a later deadline, so that yielding tasks run in rotation. */
	if (give_way)
		start_slice(entity);
	entity->queued = true;
	tree_insert(queue, entity);
}

void run_queue_leave(struct run_queue *queue, struct sched_entity *entity)
{
	ASSERT(!entity->queued);
	int64_t limit = (int64_t)to_virtual_ns(entity, run_queue_slice_ns(entity));
	int64_t lag = (int64_t)(virtual_time(queue) - entity->virtual_runtime_ns);

	entity->lag_ns = lag > limit ? limit : lag < -limit ? -limit : lag;
	count_out(queue, entity);
	atomic_fetch_sub(&queue->tasks, 1);
}

void run_queue_charge(struct run_queue *queue, struct sched_entity *entity, uint64_t delta_ns)
{
	/* Carry the rounding loss to the next call: otherwise a heavy task that is charged often would run
	 * for free. */
	uint64_t scaled = delta_ns * WEIGHT_NORMAL + entity->remainder;
	uint64_t virtual_ns = scaled / weight_of(entity);

	entity->remainder = (uint32_t)(scaled % weight_of(entity));
	entity->virtual_runtime_ns += virtual_ns;
	queue->weighted_sum += (int64_t)(virtual_ns * weight_of(entity));
	if ((int64_t)(entity->virtual_runtime_ns - entity->virtual_deadline_ns) >= 0)
		start_slice(entity);
}

/* Returns whether a task with virtual runtime RUNTIME_NS is eligible. */
static bool is_runtime_eligible(const struct run_queue *queue, uint64_t runtime_ns)
{
	return (int64_t)(runtime_ns - queue->base_ns) * (int64_t)queue->load <= queue->weighted_sum;
}

static bool is_eligible(const struct run_queue *queue, const struct sched_entity *entity)
{
	return is_runtime_eligible(queue, entity->virtual_runtime_ns);
}

/* Returns the waiting eligible task with the earliest deadline, or NULL. */
static struct sched_entity *find_eligible(const struct run_queue *queue)
{
	struct sched_entity *entity = RB_ROOT(&queue->waiting);

	while (entity) {
		struct sched_entity *left = RB_LEFT(entity, node);

		if (left && is_runtime_eligible(queue, left->least_runtime_ns))
			entity = left;
		else if (is_eligible(queue, entity))
			break;
		else
			entity = RB_RIGHT(entity, node);
	}
	return entity;
}

struct sched_entity *run_queue_choose(struct run_queue *queue, struct sched_entity *current,
				      bool give_way)
{
	struct sched_entity *entity = RB_ROOT(&queue->waiting);

	if (!entity)
		return current;
	virtual_time(queue);
	/* There is no other choice. */
	if ((give_way || !current) && !RB_LEFT(entity, node) && !RB_RIGHT(entity, node))
		return entity;
	entity = find_eligible(queue);

	if (give_way || !current)
		return entity ? entity : RB_MIN(sched_tree, &queue->waiting);
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
	set_weight(entity);
	entity->remainder = 0;
	start_slice(entity);
	if (counted)
		count_in(queue, entity);
	if (queued) {
		entity->queued = true;
		tree_insert(queue, entity);
	}
}
