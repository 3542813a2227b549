// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of inheritance (kernel/perf/inherit.c): what a new task gets, that the parent's value is
 * the sum at any time, and that nothing is left when tasks and descriptors end in any order.
 */
#include <kernel/perf/inherit.h>
#include <kernel/perf/ring.h>

#include "family.h"

#define CODE 1

static struct perf_event_attr inherited_attr(void)
{
	return inherited_attr_of(CODE);
}

/* TASK runs for a while: COUNT events, NS nanoseconds. */
static void run(struct task *task, uint64_t count, uint64_t ns)
{
	struct task *self = task_current();

	sim_switch(task);
	sim_pmu_count(CODE, count);
	sim_clock_advance(ns);
	sim_switch(self);
}

static void only_inherited_events_are(void)
{
	start_machine(1, 4, NULL, 0);
	int own = open_event(timed(hardware_attr(CODE)), 0, -1, -1);
	struct task *plain = fork_task();

	EXPECT(!atomic_load(&plain->perf));
	int all = open_event(inherited_attr(), 0, -1, -1);
	struct task *child = fork_task();

	sim_pmu_count(CODE, 1);
	sim_clock_advance(10);
	run(plain, 1000, 1000);
	run(child, 20, 300);
	EXPECT_EQ(timed_count_of(own).value, 1);
	EXPECT_EQ(timed_count_of(all).value, 21);
	EXPECT_EQ(timed_count_of(all).enabled_ns, 310);
	EXPECT_EQ(timed_count_of(all).running_ns, 310);
	end_task(child);
	EXPECT_EQ(timed_count_of(all).value, 21);
	EXPECT_EQ(timed_count_of(all).running_ns, 310);
	end_machine();
}

static void grandchildren_count_too(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *self = task_current();
	int fd = open_event(inherited_attr(), 0, -1, -1);
	struct task *child = fork_task();

	sim_switch(child);
	struct task *grandchild = fork_task();
	sim_switch(self);
	sim_pmu_count(CODE, 1);
	run(child, 10, 0);
	run(grandchild, 100, 0);
	EXPECT_EQ(timed_count_of(fd).value, 111);
	/* The one in the middle ends first. */
	end_task(child);
	EXPECT_EQ(timed_count_of(fd).value, 111);
	run(grandchild, 1000, 0);
	EXPECT_EQ(timed_count_of(fd).value, 1111);
	end_task(grandchild);
	EXPECT_EQ(timed_count_of(fd).value, 1111);
	end_machine();
}

static void threads_only(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = inherited_attr();

	attr.inherit_thread = 1;
	int fd = open_event(attr, 0, -1, -1);
	struct task *process = fork_task(), *thread = sim_task_create();

	EXPECT_EQ(perf_task_fork(task_current(), thread, PERF_FORK_THREAD), 0);
	run(process, 5, 0);
	run(thread, 7, 0);
	EXPECT_EQ(timed_count_of(fd).value, 7);
	end_task(thread);
	end_machine();
}

static void groups_are_inherited_as_groups(void)
{
	uint64_t group[5];

	start_machine(1, 2, NULL, 0);
	struct perf_event_attr attr = inherited_attr();

	attr.read_format = TIMES | PERF_FORMAT_GROUP;
	int leader = open_event(attr, 0, -1, -1);
	attr.config = 2;
	int sibling = open_event(attr, 0, -1, leader);
	struct task *child = fork_task(), *self = task_current();

	EXPECT_EQ(read_event(leader, group, sizeof(group)), sizeof(group));
	sim_pmu_count(CODE, 1);
	sim_switch(child);
	sim_pmu_count(CODE, 10);
	sim_pmu_count(2, 20);
	sim_clock_advance(50);
	sim_switch(self);
	EXPECT_EQ(read_event(leader, group, sizeof(group)), sizeof(group));
	EXPECT_EQ(group[0], 2);
	EXPECT_EQ(group[1], 50);
	EXPECT_EQ(group[2], 50);
	EXPECT_EQ(group[3], 11);
	EXPECT_EQ(group[4], 20);
	end_task(child);
	EXPECT_EQ(read_event(sibling, group, sizeof(group)), sizeof(group));
	EXPECT_EQ(group[1], 50);
	EXPECT_EQ(group[3], 11);
	EXPECT_EQ(group[4], 20);
	end_machine();
}

static void the_state_is_inherited_and_switched(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = inherited_attr();

	attr.disabled = 1;
	int fd = open_event(attr, 0, -1, -1);
	struct task *child = fork_task();

	run(child, 1, 0);
	EXPECT_EQ(timed_count_of(fd).value, 0);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	run(child, 2, 0);
	sim_pmu_count(CODE, 4);
	EXPECT_EQ(timed_count_of(fd).value, 6);
	struct task *second = fork_task();
	run(second, 8, 0);
	EXPECT_EQ(timed_count_of(fd).value, 14);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_RESET, 0), 0);
	EXPECT_EQ(timed_count_of(fd).value, 0);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	run(second, 16, 0);
	EXPECT_EQ(timed_count_of(fd).value, 0);
	end_task(child);
	end_task(second);
	end_machine();
}

static void closing_ends_the_children(void)
{
	start_machine(2, 4, NULL, 0);
	int fd = open_event(inherited_attr(), 0, -1, -1);
	struct task *child = fork_task(), *idle;

	/* It runs elsewhere while the parent is closed. */
	sim_cpu_set(1);
	idle = task_current();
	sim_switch(child);
	sim_cpu_set(0);
	EXPECT_EQ(sim_fd_close(fd), 0);
	sim_cpu_set(1);
	sim_pmu_count(CODE, 5);
	struct task *grandchild = fork_task();
	EXPECT(!atomic_load(&grandchild->perf));
	sim_switch(idle);
	sim_cpu_set(0);
	end_task(child);
	end_machine();
}

static void the_parent_may_exit_first(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *self = task_current(), *parent = sim_task_create(), *made;
	int fd = open_event(inherited_attr(), parent->tid, -1, -1);

	sim_switch(parent);
	made = fork_task();
	sim_pmu_count(CODE, 1);
	sim_task_exit(parent);
	sim_switch(self);
	run(made, 2, 0);
	EXPECT_EQ(timed_count_of(fd).value, 3);
	end_task(made);
	EXPECT_EQ(timed_count_of(fd).value, 3);
	end_machine();
}

static void a_fork_that_fails_leaves_nothing(void)
{
	for (unsigned int number = 1; number <= 4; number++) {
		start_machine(1, 4, NULL, 0);
		int leader = open_event(inherited_attr(), 0, -1, -1);
		open_event(inherited_attr(), 0, -1, leader);
		struct task *child = sim_task_create();

		sim_allocation_fail(number);
		int error = perf_task_fork(task_current(), child, 0);
		sim_allocation_fail(0);
		EXPECT_EQ_AT(error, number <= 3 ? -ENOMEM : 0, "allocation %u", number);
		perf_task_free(child);
		sim_pmu_count(CODE, 3);
		EXPECT_EQ(timed_count_of(leader).value, 3);
		end_machine();
	}
}

static void children_write_to_the_parents_ring(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = inherited_attr();
	attr.sample_period = 10;
	attr.sample_type = PERF_SAMPLE_IP;
	int fd = open_event(attr, 0, 0, -1), everywhere = open_event(attr, 0, -1, -1);
	struct task *before = fork_task();
	struct vm_area area;

	/* Two CPUs would write to one ring. */
	EXPECT_EQ(map_area(everywhere, &area, 1, VM_READ | VM_WRITE), -EINVAL);
	EXPECT_EQ(map_area(fd, &area, 1, VM_READ | VM_WRITE), 0);
	struct perf_event_mmap_page *page = atomic_load(&event_of(fd)->ring)->user_page;
	struct task *after = fork_task();

	run(before, 10, 0);
	EXPECT_EQ(page->data_head, 16);
	run(after, 20, 0);
	EXPECT_EQ(page->data_head, 48);
	unmap_area(&area);
	run(after, 20, 0);
	EXPECT_EQ(timed_count_of(fd).value, 50);
	end_task(before);
	end_task(after);
	end_machine();
}

static void samples_may_not_read(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = inherited_attr();

	attr.sample_period = 10;
	attr.sample_type = PERF_SAMPLE_READ;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	attr.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TID;
	EXPECT(open_event(attr, 0, -1, -1) >= 0);
	attr.sample_type = PERF_SAMPLE_IP;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT(fd >= 0);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_REFRESH, 1), -EINVAL);
	end_machine();
}

/* A group grows and shrinks while children live: its sum means something again when those are gone that
 * were made before. */
static void groups_that_changed_are_not_added_up(void)
{
	struct perf_event_attr attr = inherited_attr();
	uint64_t group[4];

	start_machine(1, 4, NULL, 0);
	attr.read_format = PERF_FORMAT_GROUP;
	int leader = open_event(attr, 0, -1, -1);
	open_event(attr, 0, -1, leader);
	struct task *first = fork_task();
	EXPECT_EQ(read_event(leader, group, sizeof(group)), 3 * 8);
	int member = open_event(attr, 0, -1, leader);
	EXPECT_EQ(read_event(leader, group, sizeof(group)), -ECHILD);
	EXPECT_EQ(read_event(member, group, sizeof(group)), -ECHILD);
	struct task *second = fork_task();
	end_task(first);
	run(second, 3, 0);
	EXPECT_EQ(read_event(leader, group, sizeof(group)), 4 * 8);
	EXPECT_EQ(group[3], 3);
	EXPECT_EQ(sim_fd_close(member), 0);
	EXPECT_EQ(read_event(leader, group, sizeof(group)), 3 * 8);
	end_task(second);
	end_machine();
}

/* The leader takes along what the children made before the member came had of the group. */
static void a_member_left_alone_is_added_up(void)
{
	struct perf_event_attr attr = inherited_attr();
	uint64_t group[3];

	start_machine(1, 4, NULL, 0);
	attr.read_format = PERF_FORMAT_GROUP;
	int leader = open_event(attr, 0, -1, -1);
	struct task *first = fork_task();
	int member = open_event(attr, 0, -1, leader);
	struct task *second = fork_task();
	EXPECT_EQ(read_event(member, group, sizeof(group)), -ECHILD);
	EXPECT_EQ(sim_fd_close(leader), 0);
	run(first, 5, 0);
	run(second, 3, 0);
	EXPECT_EQ(read_event(member, group, sizeof(group)), 2 * 8);
	EXPECT_EQ(group[1], 3);
	end_task(first);
	end_task(second);
	end_machine();
}

/* Between the two steps of closing a leader a fork inherits the members, each by itself. Between the two of closing a
 * member the child's group is no copy of a group that still has it. */
static void a_fork_while_one_of_a_group_is_closed(void)
{
	struct perf_event_attr attr = inherited_attr();
	uint64_t group[4];

	start_machine(1, 4, NULL, 0);
	int leader = open_event(attr, 0, -1, -1), member = open_event(attr, 0, -1, leader);
	perf_event_end_children(event_of(leader));
	struct task *child = fork_task();
	run(child, 5, 0);
	EXPECT_EQ(timed_count_of(leader).value, 0);
	EXPECT_EQ(timed_count_of(member).value, 5);
	EXPECT_EQ(sim_fd_close(leader), 0);
	run(child, 5, 0);
	EXPECT_EQ(timed_count_of(member).value, 10);
	end_task(child);

	attr.read_format = PERF_FORMAT_GROUP;
	leader = open_event(attr, 0, -1, -1);
	member = open_event(attr, 0, -1, leader);
	perf_event_end_children(event_of(member));
	child = fork_task();
	EXPECT_EQ(sim_fd_close(member), 0);
	run(child, 7, 0);
	EXPECT_EQ(read_event(leader, group, sizeof(group)), 2 * 8);
	EXPECT_EQ(group[1], 7);
	end_task(child);
	end_machine();
}

/* The child's leader goes at exec: what its sibling leads by itself then is still of the parent's group. */
static void a_group_ioctl_reaches_former_siblings(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = inherited_attr();
	struct task *self = task_current();

	attr.remove_on_exec = 1;
	int leader = open_event(attr, 0, -1, -1);
	int sibling = open_event(inherited_attr(), 0, -1, leader);
	struct task *child = fork_task();

	sim_switch(child);
	perf_task_exec(child);
	sim_pmu_count(CODE, 5);
	sim_switch(self);
	EXPECT_EQ(timed_count_of(sibling).value, 5);
	EXPECT_EQ(control_event(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP), 0);
	run(child, 70, 10);
	EXPECT_EQ(timed_count_of(sibling).value, 5);
	EXPECT_EQ(control_event(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP), 0);
	run(child, 300, 10);
	EXPECT_EQ(timed_count_of(sibling).value, 305);
	EXPECT_EQ(control_event(sibling, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP), 0);
	EXPECT_EQ(timed_count_of(sibling).value, 0);
	end_task(child);
	end_machine();
}

static void traps_go_with_the_handlers(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = inherited_attr();

	attr.sigtrap = attr.remove_on_exec = 1;
	int fd = open_event(attr, 0, -1, -1);
	struct task *with = fork_task(), *without = sim_task_create();

	EXPECT_EQ(perf_task_fork(task_current(), without, PERF_FORK_CLEARS_HANDLERS), 0);
	run(with, 3, 0);
	run(without, 4, 0);
	EXPECT_EQ(timed_count_of(fd).value, 3);
	end_task(with);
	end_task(without);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "a new task gets the inherited events, and only these", only_inherited_events_are },
	{ "the parent's value is the sum, over generations", grandchildren_count_too },
	{ "inherit_thread leaves out other processes", threads_only },
	{ "groups are inherited and read as groups", groups_are_inherited_as_groups },
	{ "children have the parent's state and follow its ioctls",
	  the_state_is_inherited_and_switched },
	{ "closing the parent ends its children, wherever they run", closing_ends_the_children },
	{ "a parent task may exit before its children", the_parent_may_exit_first },
	{ "a fork that fails leaves nothing", a_fork_that_fails_leaves_nothing },
	{ "children write to the ring of a parent that is bound to a CPU",
	  children_write_to_the_parents_ring },
	{ "a group is not read while a child's is another", groups_that_changed_are_not_added_up },
	{ "a member whose leader was closed is read with any children",
	  a_member_left_alone_is_added_up },
	{ "an operation on a group reaches a child's member that lost its leader",
	  a_group_ioctl_reaches_former_siblings },
	{ "a fork while a leader or a member is being closed",
	  a_fork_while_one_of_a_group_is_closed },
	{ "a task without signal handlers inherits no traps", traps_go_with_the_handlers },
	{ "inherited samples do not read, inherited events are not refreshed",
	  samples_may_not_read },
};

TAP_MAIN(rules)
