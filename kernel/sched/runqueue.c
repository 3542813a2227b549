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
 * Who leaves to sleep is owed the same when it comes back. What it owes itself it pays meanwhile, by what
 * the others run, as if it had stayed until it was even (Linux: DELAY_DEQUEUE and DELAY_ZERO).
 *
 * The mean is kept as a base and a weighted sum of the distances to it, so that inserting and
 * removing costs no walk. Each task in the tree, which is ordered by deadlines, knows the least
 * virtual runtime below it; so choosing is one way down: to the left while somebody there is
 * eligible. All is O(log n).
 *
 * Locks: see runqueue.h.
 */
#include <kernel/assert.h>
#include <uapi/linux/sched.h>

#include "runqueue.h"

/* Weight of nice 0. A step of nice is a factor of about 1.25. */
#define WEIGHT_NORMAL 1024
#define NICE_MIN      (-20)
/* Of SCHED_IDLE, a fifth of nice 19: Linux's WEIGHT_IDLEPRIO. */
#define WEIGHT_IDLE   3
/* What a real-time task counts when processors are compared. */
#define REALTIME_LOAD (2 * 88761)

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

/* Of A and B, virtual runtimes, the one that is behind: they may wrap. */
static uint64_t lesser(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) < 0 ? a : b;
}

/* Makes the least virtual runtime right for ENTITY, whose children's are. */
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

/* The tree calls this where it turns branches. Above the place of a change it is ours to do. */
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
	/* One with two children is replaced by its successor, and the tree updates above that one. */
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
	/* Its own weight moves the mean towards it: enlarged by this much, the lag is right
	 * afterwards. */
	if (queue->load)
		lag += lag * (int64_t)weight_of(entity) / (int64_t)queue->load;
	/* In the queue that it left it is where it was, as long as that is ahead. */
	if (lag < 0 && !entity->migrated) {
		int64_t behind = (int64_t)(now - entity->virtual_runtime_ns);

		lag = behind > 0 ? 0 : behind > lag ? behind : lag;
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
	/* Among tasks that give way each has its turn, not the one whose slice began first many. */
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

/* Whether one with virtual runtime RUNTIME_NS is eligible. */
static bool is_behind(const struct run_queue *queue, uint64_t runtime_ns)
{
	return (int64_t)(runtime_ns - queue->base_ns) * (int64_t)queue->load <= queue->weighted_sum;
}

static bool is_eligible(const struct run_queue *queue, const struct sched_entity *entity)
{
	return is_behind(queue, entity->virtual_runtime_ns);
}

/* The eligible one that waits with the earliest deadline, or NULL. */
static struct sched_entity *find_eligible(const struct run_queue *queue)
{
	struct sched_entity *entity = RB_ROOT(&queue->waiting);

	while (entity) {
		struct sched_entity *left = RB_LEFT(entity, node);

		if (left && is_behind(queue, left->least_runtime_ns))
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
	/* The only one that could be chosen. */
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
