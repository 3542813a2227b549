// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the order in a run queue (kernel/sched/runqueue.c), with time that the test makes
 * pass.
 *
 * EEVDF's promise is a theorem, so the numbers here are exact: no task's CPU time ever
 * differs from its ideal share by more than one slice (Stoica and Abdel-Wahab, TR-95-22, theorem
 * 1).
 *
 * Locks and switching are sched.c's business and not tested here.
 */
#include <stdlib.h>

#include "../../kernel/sched/runqueue.h"
#include "tap.h"

#define TASKS_MAX 16

static struct run_queue queue;
static struct sched_entity tasks[TASKS_MAX];
static struct sched_entity *current;

/* The share of the CPU that each task should have had until now, in ns times the sum of
 * weights. */
static long double ideal_ns[TASKS_MAX];
static uint64_t used_ns[TASKS_MAX];

static void start(unsigned int count)
{
	memset(&queue, 0, sizeof(queue));
	memset(tasks, 0, sizeof(tasks));
	memset(ideal_ns, 0, sizeof(ideal_ns));
	memset(used_ns, 0, sizeof(used_ns));
	run_queue_init(&queue, NULL);
	current = NULL;
	for (unsigned int i = 0; i < count; i++)
		run_queue_insert(&queue, &tasks[i]);
}

/* Switches tasks: the chosen one leaves the tree, the one that ran goes back to it. */
static struct sched_entity *reschedule(bool give_way)
{
	struct sched_entity *chosen = run_queue_choose(&queue, current, give_way);

	if (chosen == current)
		return current;
	if (chosen)
		run_queue_take(&queue, chosen);
	if (current)
		run_queue_put_back(&queue, current, give_way);
	current = chosen;
	return current;
}

/* The running task sleeps. */
static void sleep_current(void)
{
	run_queue_leave(&queue, current);
	current = NULL;
}

static unsigned int number_of(const struct sched_entity *entity)
{
	return (unsigned int)(entity - tasks);
}

/* Weight of TASK as the queue counts it. */
static uint64_t weight_of(unsigned int number)
{
	struct run_queue lone = { 0 };
	struct sched_entity copy = { .nice = tasks[number].nice };

	run_queue_insert(&lone, &copy);
	return lone.load;
}

static void run_ns(uint64_t ns)
{
	used_ns[number_of(current)] += ns;
	run_queue_charge(&queue, current, ns);
}

static void check_rotation(void)
{
	start(3);
	for (int turn = 0; turn < 300; turn++) {
		reschedule(false);
		EXPECT_EQ_AT(run_queue_slice_left_ns(current), SLICE_NS, "turn %d", turn);
		run_ns(SLICE_NS);
	}
	for (int i = 0; i < 3; i++)
		EXPECT_EQ_AT(used_ns[i], 100 * SLICE_NS, "task %d", i);
}

/* Runs COUNT tasks of the nice values given for STEPS choices of up to a slice, and compares
 * with the ideal after each. */
static void expect_shares(const int *nice, unsigned int count, unsigned int steps)
{
	uint64_t load = 0;

	start(0);
	for (unsigned int i = 0; i < count; i++) {
		tasks[i].nice = nice[i];
		run_queue_insert(&queue, &tasks[i]);
		load += weight_of(i);
	}
	for (unsigned int step = 0; step < steps; step++) {
		reschedule(false);
		uint64_t left_ns = run_queue_slice_left_ns(current);
		/* Interrupts come in the middle of slices, too. */
		uint64_t ns = 1 + (uint64_t)rand() % left_ns;

		if (ns > left_ns)
			ns = left_ns;
		run_ns(ns);
		for (unsigned int i = 0; i < count; i++) {
			ideal_ns[i] += (long double)ns * weight_of(i) / load;
			long double lag_ns = ideal_ns[i] - used_ns[i];

			EXPECT_AT(lag_ns <= SLICE_NS && lag_ns >= -(long double)SLICE_NS,
				  "task %u after %u steps: lag %Lf ns", i, step, lag_ns);
		}
	}
}

static void check_shares(void)
{
	static const int equal[] = { 0, 0, 0, 0, 0 };
	static const int mixed[] = { 0, 5, -5, 10, 0, 1 };
	static const int extremes[] = { -20, 19, 0 };
	/* Half of the CPU for one: by its deadlines alone it would have nine slices at
	 * once. */
	static const int one_heavy[] = { -10, 0, 0, 0, 0, 0, 0, 0, 0, 0 };

	srand(1);
	expect_shares(equal, 5, 20000);
	expect_shares(mixed, 6, 20000);
	expect_shares(extremes, 3, 20000);
	expect_shares(one_heavy, 10, 20000);
}

static void check_alone(void)
{
	start(1);
	EXPECT(reschedule(false) == &tasks[0]);
	run_ns(10 * SLICE_NS + 7);
	EXPECT(reschedule(false) == &tasks[0]);
	EXPECT(reschedule(true) == &tasks[0]);
	EXPECT(!run_queue_has_waiting(&queue));
	sleep_current();
	EXPECT(run_queue_choose(&queue, NULL, false) == NULL);
	EXPECT_EQ(queue.tasks, 0);
	EXPECT_EQ(queue.load, 0);
}

static void check_yielding(void)
{
	start(2);
	reschedule(false);
	struct sched_entity *first = current;

	/* It has used nothing yet, so it is owed as much as the other: and still gives way,
	 * each time. */
	for (int i = 0; i < 10; i++) {
		struct sched_entity *before = current;

		run_ns(10);
		reschedule(true);
		EXPECT_AT(current != before, "time %d", i);
	}
	EXPECT(current == first);
}

/* Each of five that do nothing but give way has every fifth turn, also when one's slice began before. */
static void check_slices_yielded(void)
{
	start(5);
	reschedule(false);
	run_ns(SLICE_NS / 2);
	for (int turn = 0; turn < 500; turn++) {
		reschedule(true);
		run_ns(1000);
	}
	uint64_t least_ns = UINT64_MAX, most_ns = 0;

	/* One turn more or less; the half slice is paid back. */
	for (int i = 0; i < 5; i++) {
		if (used_ns[i] < least_ns)
			least_ns = used_ns[i];
		if (used_ns[i] > most_ns && used_ns[i] < SLICE_NS / 2)
			most_ns = used_ns[i];
	}
	EXPECT_EQ(least_ns, 125000);
	EXPECT_EQ(most_ns, 125000);
}

static uint64_t mean_ns(void)
{
	return queue.base_ns + (uint64_t)(queue.weighted_sum / (int64_t)queue.load);
}

static void check_sleepers_lag(void)
{
	start(2);
	reschedule(false);
	unsigned int sleeper = number_of(current), other = 1 - sleeper;

	/* It uses 1 ms alone of the two: the mean moves by half of it, so it owes half a
	 * millisecond. */
	run_ns(1000000);
	sleep_current();
	EXPECT_EQ(tasks[sleeper].lag_ns, -500000);
	reschedule(false);
	EXPECT_EQ(number_of(current), other);
	/* The other makes up 0.4 of the millisecond that it is ahead: it is back where it was, and owes half of the
	 * rest. */
	run_ns(400000);
	run_queue_insert(&queue, &tasks[sleeper]);
	EXPECT_EQ(tasks[sleeper].virtual_runtime_ns, 1000000);
	EXPECT_EQ(tasks[sleeper].virtual_runtime_ns - mean_ns(), 300000);
	/* Nor does the time that it sleeps on make anybody owe it something. */
	run_queue_take(&queue, &tasks[sleeper]);
	run_queue_leave(&queue, &tasks[sleeper]);
	EXPECT_EQ(tasks[sleeper].lag_ns, -300000);
	run_ns(20 * SLICE_NS);
	run_queue_insert(&queue, &tasks[sleeper]);
	EXPECT_EQ(tasks[sleeper].virtual_runtime_ns, mean_ns());
}

/* Between CPUs there is nothing to compare but the lag. */
static void check_movers_lag(void)
{
	start(2);
	reschedule(false);
	unsigned int mover = number_of(current);

	run_ns(1000000);
	sleep_current();
	reschedule(false);
	run_ns(20 * SLICE_NS);
	tasks[mover].migrated = true;
	run_queue_insert(&queue, &tasks[mover]);
	EXPECT_EQ(tasks[mover].virtual_runtime_ns - mean_ns(), 500000);
}

static void check_rounding(void)
{
	start(0);
	tasks[0].nice = -20;
	run_queue_insert(&queue, &tasks[0]);
	reschedule(false);
	/* One nanosecond is a hundredth of a virtual one for it. A million of them are 1000000
	 * * 1024 / 88761. */
	for (int i = 0; i < 1000000; i++)
		run_ns(1);
	EXPECT_EQ(tasks[0].virtual_runtime_ns, 11536);
	/* Its deadline is at 3000000 * 1024 / 88761 = 34609; 53104 / 88761 of a virtual ns have
	 * passed beyond 11536: ((34609 - 11536) * 88761 - 53104) / 1024, rounded up. */
	EXPECT_EQ(run_queue_slice_left_ns(&tasks[0]), 1999932);
}

static void check_lag_limit(void)
{
	start(2);
	reschedule(false);
	unsigned int hog = number_of(current);

	/* A kernel that did not switch for long: the debt is cut to a slice. */
	run_ns(50 * SLICE_NS);
	sleep_current();
	EXPECT_EQ(tasks[hog].lag_ns, -(int64_t)SLICE_NS);
}

static void check_counts(void)
{
	start(4);
	EXPECT_EQ(queue.tasks, 4);
	EXPECT_EQ(queue.load, 4 * 1024);
	reschedule(false);
	EXPECT_EQ(queue.tasks, 4);
	run_queue_set_nice(&queue, current, 5, true);
	unsigned int waiting = (number_of(current) + 1) % 4;

	run_queue_set_nice(&queue, &tasks[waiting], -5, false);
	EXPECT_EQ(queue.load, 2 * 1024 + 335 + 3121);
	EXPECT(tasks[waiting].queued);
	for (int i = 0; i < 1000; i++) {
		run_ns(1 + (uint64_t)i * 1237 % SLICE_NS);
		reschedule(i % 3 == 0);
	}
	/* The weighted sum is kept step by step; made anew from the tasks it is the same. */
	int64_t sum = 0;

	for (unsigned int i = 0; i < 4; i++)
		sum += (int64_t)(tasks[i].virtual_runtime_ns - queue.base_ns) *
		       (int64_t)weight_of(i);
	EXPECT_EQ(queue.weighted_sum, sum);
}

/* Many tasks, of all weights, that come, go and run: at every step the tree's answer is that of a look at
 * each. */
#define MANY 2000

static struct sched_entity many[MANY];

static int64_t lead_of(const struct sched_entity *entity)
{
	return (int64_t)(entity->virtual_runtime_ns - queue.base_ns) * (int64_t)queue.load -
	       queue.weighted_sum;
}

static bool is_before(const struct sched_entity *a, const struct sched_entity *b)
{
	int64_t difference = (int64_t)(a->virtual_deadline_ns - b->virtual_deadline_ns);

	return difference < 0 || (difference == 0 && a < b);
}

/* The best of those that wait, seen one by one. */
static struct sched_entity *best_of_many(void)
{
	struct sched_entity *best = NULL, *first = NULL;

	for (unsigned int i = 0; i < MANY; i++) {
		struct sched_entity *at = &many[i];

		if (!at->queued)
			continue;
		if (!first || is_before(at, first))
			first = at;
		if (lead_of(at) <= 0 && (!best || is_before(at, best)))
			best = at;
	}
	return best ? best : first;
}

static uint64_t least_of_many(void)
{
	int64_t least = INT64_MAX;

	for (unsigned int i = 0; i < MANY; i++)
		if (many[i].queued && (int64_t)many[i].virtual_runtime_ns < least)
			least = (int64_t)many[i].virtual_runtime_ns;
	return (uint64_t)least;
}

static void check_many(void)
{
	start(0);
	memset(many, 0, sizeof(many));
	srand(7);
	for (unsigned int step = 0; step < 10000; step++) {
		struct sched_entity *any = &many[(unsigned int)rand() % MANY];

		if (any->queued) {
			run_queue_take(&queue, any);
			if (step % 3 == 0) {
				run_queue_charge(&queue, any, (uint64_t)rand() % (2 * SLICE_NS));
				run_queue_put_back(&queue, any, step % 2 == 0);
			} else {
				run_queue_leave(&queue, any);
			}
		} else {
			any->nice = rand() % 40 - 20;
			run_queue_insert(&queue, any);
		}
		EXPECT_AT(RB_EMPTY(&queue.waiting) ||
				  RB_ROOT(&queue.waiting)->least_runtime_ns == least_of_many(),
			  "step %u: the root knows the least virtual runtime", step);
		struct sched_entity *chosen = run_queue_choose(&queue, NULL, false);

		EXPECT_AT(chosen == best_of_many(), "step %u", step);
	}
}

static const struct tap_rule rules[] = {
	{ "among thousands the choice is the eligible one with the earliest deadline", check_many },

	{ "tasks of one weight run for one slice each, in order", check_rotation },
	{ "no task's share is ever off by more than a slice, whatever the weights", check_shares },
	{ "a task alone keeps the CPU, and an empty queue gives no task", check_alone },
	{ "a task that yields is followed by another task", check_yielding },
	{ "tasks that only yield run one after the other", check_slices_yielded },
	{ "a sleeper comes back with the lag that the others have not made up for",
	  check_sleepers_lag },
	{ "a task that moves to another CPU keeps its lag", check_movers_lag },
	{ "time charged in small pieces counts as much as in one", check_rounding },
	{ "no task owes more than a slice", check_lag_limit },
	{ "the queue's sums are those of its tasks", check_counts },
};

int main(void)
{
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
