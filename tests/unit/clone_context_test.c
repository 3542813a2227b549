// SPDX-License-Identifier: BSD-2-Clause
/*
 * Swapping clone contexts (kernel/perf/clone_context.c): when they are swapped, when they must not be, and that
 * no count shows it.
 */
#include <kernel/perf/event.h>
#include <kernel/perf/rotation.h>

#include "family.h"

#define CODE 1

static struct perf_event_attr inherited_attr(void)
{
	return inherited_attr_of(CODE);
}

/* NULL: it has none, or none any more. */
static struct perf_context *context_of(struct task *task)
{
	struct perf_task *perf = atomic_load(&task->perf);

	return perf && atomic_load(&task->state) != TASK_ZOMBIE ? &perf->context : NULL;
}

/* The running task counts COUNT events in NS nanoseconds. */
static void count(uint64_t number, uint64_t ns)
{
	sim_pmu_count(CODE, number);
	sim_clock_advance(ns);
}

/* Whether a switch from the running task to NEXT swaps their contexts; either way all is as it should be. */
static bool switch_swaps(struct task *next)
{
	struct task *prev = task_current();
	struct perf_context *gone = context_of(prev), *come = context_of(next);

	sim_switch(next);
	bool swapped = gone && context_of(next) == gone;

	EXPECT(context_of(prev) == (swapped ? come : gone));
	EXPECT(context_of(next) == (swapped ? gone : come));
	for (unsigned int i = 0; i < 2; i++) {
		struct task *task = i ? next : prev;

		if (context_of(task)) {
			EXPECT(context_of(task)->task == task);
			EXPECT_EQ(context_of(task)->cpu, task == next ? (int)cpu_id() : -1);
		}
	}
	return swapped;
}

static void expect_total(int fd, uint64_t value, uint64_t ns)
{
	struct timed_count total = timed_count_of(fd);

	EXPECT_EQ(total.value, value);
	EXPECT_EQ(total.enabled_ns, ns);
	EXPECT_EQ(total.running_ns, ns);
}

static void clones_are_swapped(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *self = task_current();
	int fd = open_event(inherited_attr(), 0, -1, -1);
	struct task *a = fork_task(), *b = fork_task(), *c = fork_task();

	count(1, 10);
	EXPECT(!switch_swaps(a)); /* from the parent, whose events have a user */
	struct perf_event *event = TAILQ_FIRST(&context_of(a)->members);
	count(2, 20);
	EXPECT(switch_swaps(b));
	EXPECT_EQ(event->state, EVENT_ACTIVE);
	EXPECT(event->context == context_of(b));
	count(4, 40);
	EXPECT(switch_swaps(c));
	count(8, 80);
	EXPECT(switch_swaps(a));
	count(16, 160);
	expect_total(fd, 31, 310);
	EXPECT_EQ(perf_event_own_count(event), 2 + 4 + 8 + 16);
	EXPECT(!switch_swaps(self));
	expect_total(fd, 31, 310);
	/* Each ends with what happens to be its own. */
	end_task(b);
	expect_total(fd, 31, 310);
	EXPECT(!switch_swaps(c));
	count(32, 320);
	EXPECT(switch_swaps(a));
	count(64, 640);
	EXPECT(!switch_swaps(self));
	end_task(a);
	end_task(c);
	expect_total(fd, 127, 1270);
	end_machine();
}

/* A child of a clone is a clone of the child of its parent. */
static void clones_of_clones_too(void)
{
	start_machine(2, 4, NULL, 0);
	struct task *self = task_current();
	int fd = open_event(inherited_attr(), 0, -1, -1);
	struct task *a = fork_task(), *b = fork_task();

	sim_switch(a);
	EXPECT(switch_swaps(b));
	struct task *c = fork_task();
	EXPECT(switch_swaps(c));
	count(5, 5);
	/* Two run at once, each with what was another's. */
	sim_cpu_set(1);
	struct task *idle = task_current();
	EXPECT(!switch_swaps(b));
	count(7, 7);
	EXPECT(switch_swaps(a));
	sim_task_exit(a);
	EXPECT(!switch_swaps(idle));
	sim_cpu_set(0);
	EXPECT(switch_swaps(b));
	EXPECT(!switch_swaps(self));
	end_task(b);
	end_task(c);
	EXPECT_EQ(timed_count_of(fd).value, 12);
	end_machine();
}

/* A group and a software event, of which some are on and some wait. */
static void groups_stay_whole(void)
{
	uint64_t group[5];

	start_machine(1, 2, NULL, 0);
	struct task *self = task_current();
	struct perf_event_attr attr = inherited_attr(),
			       software = software_attr(PERF_COUNT_SW_DUMMY);

	attr.read_format = TIMES | PERF_FORMAT_GROUP;
	int leader = open_event(attr, 0, -1, -1);
	attr.config = 2;
	EXPECT(open_event(attr, 0, -1, leader) >= 0);
	software.inherit = 1;
	EXPECT(open_event(software, 0, -1, -1) >= 0);
	/* A second group finds no place: the two rotate, also over a swap. */
	int waiting = open_event(inherited_attr(), 0, -1, -1);
	struct task *a = fork_task(), *b = fork_task();

	sim_switch(a);
	count(3, PERF_ROTATION_NS / 2);
	EXPECT(switch_swaps(b));
	sim_pmu_count(2, 4);
	sim_clock_advance(PERF_ROTATION_NS / 2); /* the other group is on from here */
	sim_pmu_count(CODE, 100);
	sim_switch(self);
	EXPECT_EQ(read_event(leader, group, sizeof(group)), sizeof(group));
	EXPECT_EQ(group[1], PERF_ROTATION_NS);
	EXPECT_EQ(group[2], PERF_ROTATION_NS);
	EXPECT_EQ(group[3], 3);
	EXPECT_EQ(group[4], 4);
	struct timed_count other = timed_count_of(waiting);
	EXPECT_EQ(other.value, 100);
	EXPECT_EQ(other.enabled_ns, PERF_ROTATION_NS);
	EXPECT_EQ(other.running_ns, 0);
	end_task(a);
	end_task(b);
	end_machine();
}

static void a_change_is_of_one_task(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *self = task_current();
	int all = open_event(inherited_attr(), 0, -1, -1);
	struct task *a = fork_task(), *b = fork_task(), *c = fork_task();

	sim_switch(a);
	EXPECT(switch_swaps(b));
	sim_switch(self);
	/* A has B's context; what is opened for it counts it. */
	int own = open_event(timed(hardware_attr(CODE)), a->tid, -1, -1);
	sim_switch(a);
	count(1, 1);
	EXPECT(!switch_swaps(b));
	count(2, 2);
	EXPECT(switch_swaps(c));
	count(4, 4);
	EXPECT(!switch_swaps(a));
	count(8, 8);
	EXPECT(!switch_swaps(self));
	expect_total(own, 9, 9);
	EXPECT_EQ(timed_count_of(all).value, 15);
	end_task(a);
	expect_total(own, 9, 9);
	/* C and B are clones again; an open that fails makes B's context its own, as on Linux. */
	struct perf_event_attr wrong = hardware_attr(CODE);
	wrong.aux_sample_size = 8;
	sim_switch(c);
	EXPECT(switch_swaps(b));
	EXPECT_EQ(open_event(wrong, b->tid, -1, -1), -EINVAL);
	EXPECT(!switch_swaps(c));
	sim_switch(self);
	/* Without the event that all have, they are no clones. */
	EXPECT_EQ(sim_fd_close(all), 0);
	sim_switch(b);
	EXPECT(!switch_swaps(c));
	sim_switch(self);
	end_task(b);
	end_task(c);
	end_machine();
}

/* Clones that were made before and after an event came are not alike, nor are threads and processes. */
static void only_contexts_with_the_same_parents_are(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = inherited_attr();
	struct task *self = task_current(), *thread = sim_task_create();

	int fd = open_event(attr, 0, -1, -1);
	struct task *a = fork_task();
	attr.inherit_thread = 1;
	open_event(attr, 0, -1, -1);
	struct task *b = fork_task();
	EXPECT_EQ(perf_task_fork(self, thread, PERF_FORK_THREAD), 0);
	sim_switch(a);
	EXPECT(!switch_swaps(b));
	EXPECT(!switch_swaps(thread));
	EXPECT(!switch_swaps(a));
	EXPECT(!switch_swaps(self));
	end_task(a);
	end_task(b);
	end_task(thread);
	EXPECT_EQ(timed_count_of(fd).value, 0);
	end_machine();
}

static void contexts_whose_swap_shows_stay(void)
{
	/* Words of struct perf_event_attr's flags would be shorter, and say nothing. */
	for (unsigned int kind = 0; kind < 7; kind++) {
		start_machine(1, 4, NULL, 0);
		struct task *self = task_current();
		struct perf_event_attr attr = inherited_attr();

		attr.sample_period = kind == 1 || kind == 2 ? 100 : 0;
		attr.sigtrap = kind == 2;
		attr.inherit_stat = kind == 3;
		attr.pinned = kind == 4;
		attr.enable_on_exec = kind == 5;
		attr.remove_on_exec = kind == 6 || kind == 2;
		int fd = open_event(attr, 0, -1, -1);
		EXPECT(fd >= 0);
		struct task *a = fork_task(), *b = fork_task();
		sim_switch(a);
		EXPECT_EQ_AT(switch_swaps(b), kind == 0, "kind %u", kind);
		sim_switch(self);
		end_task(a);
		end_task(b);
		end_machine();
	}
}

static void execve_and_switching_off(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *self = task_current();
	int fd = open_event(inherited_attr(), 0, -1, -1);
	struct task *a = fork_task(), *b = fork_task();

	sim_switch(a);
	perf_task_exec(a);
	count(1, 1);
	EXPECT(switch_swaps(b));
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	count(2, 2);
	EXPECT(switch_swaps(a));
	count(4, 4);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	count(8, 8);
	EXPECT(switch_swaps(b));
	count(16, 16);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_RESET, 0), 0);
	count(32, 32);
	sim_switch(self);
	expect_total(fd, 32, 1 + 8 + 16 + 32);
	end_task(b);
	end_task(a);
	expect_total(fd, 32, 1 + 8 + 16 + 32);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "clone contexts are swapped, and every sum stays the same", clones_are_swapped },
	{ "clone contexts of clones' clones are swapped on several CPUs, and every sum stays the same",
	  clones_of_clones_too },
	{ "active groups stay active and waiting groups wait", groups_stay_whole },
	{ "an event that is opened for one task stays with it", a_change_is_of_one_task },
	{ "only contexts with the same parents are swapped",
	  only_contexts_with_the_same_parents_are },
	{ "contexts that samples, records, errors or execve tell apart are not swapped",
	  contexts_whose_swap_shows_stay },
	{ "execve and the ioctls of a family find all", execve_and_switching_off },
};

TAP_MAIN(rules)
