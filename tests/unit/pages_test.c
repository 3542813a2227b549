// SPDX-License-Identifier: BSD-2-Clause
/*
 * Metadata pages and rotation where several events share a CPU: pages of events that wait or move to another counter,
 * intervals of rotation.
 */
#include <kernel/perf/cpu.h>
#include <kernel/perf/rotation.h>
#include <kernel/perf/userpage.h>

#include "family.h"
#include "mapping.h"

#define CODE  1
#define OTHER 2
#define BOUND 3

/* Event 3 only on counter 0; event 1 on both. */
static const struct sim_constraint constraints[] = { { BOUND, 1 } };

static struct mapping mapping, second_mapping;

/* One counter for two events: the page of the waiting one has the time of the last switch or rotation. */
static void a_waiting_events_page_has_fresh_times(void)
{
	start_machine(1, 1, NULL, 0);
	struct task *self = task_current(), *other = sim_task_create();
	int fd = open_event(timed(hardware_attr(CODE)), 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 0), 0);
	int waiting = open_event(timed(hardware_attr(OTHER)), 0, -1, -1);
	EXPECT_EQ(map_event(&second_mapping, waiting, 0), 0);

	EXPECT_EQ(event_of(fd)->state, EVENT_ACTIVE);
	EXPECT_EQ(event_of(waiting)->state, EVENT_INACTIVE);
	EXPECT_EQ(second_mapping.page->index, 0);
	EXPECT_EQ(second_mapping.page->time_enabled, 0);
	sim_clock_advance(1000);
	sim_switch(other);
	sim_clock_advance(500); /* enabled while its task runs only */
	sim_switch(self);
	EXPECT_EQ(event_of(waiting)->state, EVENT_INACTIVE);
	EXPECT_EQ(second_mapping.page->time_enabled, 1000);
	EXPECT_EQ(second_mapping.page->time_running, 0);
	EXPECT_EQ(mapping.page->time_enabled, 1000);
	EXPECT_EQ(mapping.page->time_running, 1000);
	/* A rotation: the two change places, both pages are of that moment. */
	sim_clock_advance(PERF_ROTATION_NS);
	EXPECT_EQ(event_of(fd)->state, EVENT_INACTIVE);
	EXPECT_EQ(mapping.page->time_enabled, second_mapping.page->time_enabled);
	EXPECT_EQ(mapping.page->time_running, mapping.page->time_enabled);
	EXPECT_EQ(mapping.page->index, 0);
	EXPECT_EQ(second_mapping.page->index, 1);
	EXPECT_EQ(second_mapping.page->time_running, 0);
	unmap_event(&mapping);
	unmap_event(&second_mapping);
	end_task(other);
	end_machine();
}

/* The same for events of a CPU, beside a task's. */
static void a_waiting_cpu_events_page_has_fresh_times(void)
{
	start_machine(1, 1, NULL, 0);
	open_event(timed(hardware_attr(CODE)), -1, 0, -1);
	int waiting = open_event(timed(hardware_attr(OTHER)), -1, 0, -1);
	EXPECT_EQ(map_event(&mapping, waiting, 0), 0);
	struct task *self = task_current(), *other = sim_task_create();

	sim_clock_advance(1000);
	sim_switch(other);
	sim_switch(self);
	EXPECT_EQ(event_of(waiting)->state, EVENT_INACTIVE);
	EXPECT_EQ(mapping.page->time_enabled, 1000);
	EXPECT_EQ(mapping.page->time_running, 0);
	unmap_event(&mapping);
	end_task(other);
	end_machine();
}

/* Disabled, a waiting event has the times of that moment in its page. */
static void a_waiting_event_that_is_disabled(void)
{
	start_machine(1, 1, NULL, 0);
	open_event(timed(hardware_attr(CODE)), 0, -1, -1);
	int waiting = open_event(timed(hardware_attr(OTHER)), 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, waiting, 0), 0);

	sim_clock_advance(1000);
	control_event(waiting, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(mapping.page->time_enabled, 1000);
	EXPECT_EQ(mapping.page->time_running, 0);
	sim_clock_advance(1000);
	control_event(waiting, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(mapping.page->time_enabled, 1000);
	unmap_event(&mapping);
	end_machine();
}

static void an_event_in_the_error_state_has_no_index(void)
{
	start_machine(1, 1, NULL, 0);
	struct perf_event_attr attr = timed(hardware_attr(CODE));
	struct task *self = task_current(), *task = sim_task_create();

	attr.pinned = 1;
	int fd = open_event(attr, task->tid, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 0), 0);
	sim_switch(task);
	EXPECT_EQ(mapping.page->index, 1);
	sim_pmu_count(CODE, 7);
	sim_clock_advance(10);
	sim_switch(self);
	EXPECT_EQ(mapping.page->index, 0);
	EXPECT_EQ(mapping.page->offset, 7);
	open_event(attr, -1, 0, -1);
	sim_switch(task);
	EXPECT_EQ(event_of(fd)->state, EVENT_ERROR);
	EXPECT_EQ(mapping.page->index, 0);
	EXPECT_EQ(mapping.page->time_enabled, 10);
	sim_switch(self);
	unmap_event(&mapping);
	end_task(task);
	end_machine();
}

static void a_moved_events_page_is_right(void)
{
	start_machine(1, 2, constraints, 1);
	int fd = open_event(hardware_attr(CODE), 0, -1, -1);

	EXPECT_EQ(map_event(&mapping, fd, 0), 0);
	sim_pmu_count(CODE, 100);
	EXPECT_EQ(mapping.page->index, 1);
	EXPECT_EQ(self_monitor(mapping.page), 100);
	int bound = open_event(hardware_attr(BOUND), 0, -1, -1);
	EXPECT_EQ(event_of(bound)->hw.counter.index, 0);
	EXPECT_EQ(mapping.page->index, 2);
	EXPECT_EQ(self_monitor(mapping.page), 100);
	sim_pmu_count(CODE, 11);
	sim_pmu_count(BOUND, 1000);
	EXPECT_EQ(self_monitor(mapping.page), 111);
	EXPECT_EQ(count_of(fd), 111);
	EXPECT_EQ(count_of(bound), 1000);
	unmap_event(&mapping);
	end_machine();
}

/* Its period's remainder moves along: 40 of 100 are left. */
static void a_moved_events_period_goes_on(void)
{
	start_machine(1, 2, constraints, 1);
	struct perf_event_attr attr = hardware_attr(CODE);

	attr.sample_period = 100;
	attr.sample_type = PERF_SAMPLE_IP;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_pmu_count(CODE, 60);
	open_event(hardware_attr(BOUND), 0, -1, -1);
	EXPECT_EQ(mapping.page->index, 2);
	sim_pmu_count(CODE, 39);
	EXPECT_EQ(mapping.page->data_head, 0);
	sim_pmu_count(CODE, 1);
	EXPECT_EQ(mapping.page->data_head, 16);
	EXPECT_EQ(self_monitor(mapping.page), 100);
	unmap_event(&mapping);
	end_machine();
}

/* The ring lives on through the mapping of another event. Its page describes no event then, not even the first one when
 * that writes there again. */
static void a_page_describes_the_event_that_made_it(void)
{
	start_machine(1, 4, NULL, 0);
	int first = open_event(hardware_attr(CODE), 0, -1, -1),
	    second = open_event(hardware_attr(OTHER), 0, -1, -1);

	EXPECT_EQ(map_event(&mapping, first, 1), 0);
	EXPECT_EQ(control_event(second, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)first), 0);
	EXPECT_EQ(map_event(&second_mapping, second, 1), 0);
	EXPECT(second_mapping.page == mapping.page);
	/* Each update of the second event leaves it alone. */
	sim_pmu_count(CODE, 100);
	control_event(second, PERF_EVENT_IOC_RESET, 0);
	EXPECT_EQ(mapping.page->index, 1);
	EXPECT_EQ(self_monitor(mapping.page), 100);
	unmap_event(&mapping);
	EXPECT(!event_of(first)->ring);
	uint64_t enabled_ns = second_mapping.page->time_enabled;
	sim_clock_advance(1000);
	EXPECT_EQ(control_event(first, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)second), 0);
	EXPECT_EQ(second_mapping.page->time_enabled, enabled_ns);
	unmap_event(&second_mapping);
	end_machine();
}

/* Children that exited are in the page's count, from the next update on. */
static void a_page_has_the_childrens_counts(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_event(inherited_attr_of(CODE), 0, 0, -1);
	struct task *self = task_current(), *child = fork_task();

	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_switch(child);
	sim_clock_advance(30);
	sim_pmu_count(CODE, 5);
	sim_task_exit(child);
	sim_switch(self);
	sim_pmu_count(CODE, 200);
	EXPECT_EQ(mapping.page->index, 1);
	EXPECT_EQ(self_monitor(mapping.page), 205);
	EXPECT_EQ(mapping.page->time_enabled, 30);
	EXPECT_EQ(mapping.page->time_running, 30);
	unmap_event(&mapping);
	end_machine();
}

/* --- rotation --- */

static void set_interval(int ms)
{
	perf_pmu_find(PERF_TYPE_RAW)->mux_interval_ms = ms;
}

/* A group with a software leader and a hardware sibling waits for a counter: it rotates at the interval of the counter's
 * PMU, 10 ms here, not at that of the software PMU, 4 ms. */
static void a_mixed_group_rotates_by_its_hardware(void)
{
	start_machine(1, 1, NULL, 0);
	set_interval(10);
	int fd = open_event(timed(hardware_attr(CODE)), 0, -1, -1);
	int leader = open_event(timed(software_attr(PERF_COUNT_SW_DUMMY)), 0, -1, -1);
	int member = open_event(timed(hardware_attr(OTHER)), 0, -1, leader);

	EXPECT_EQ(event_of(leader)->state, EVENT_INACTIVE);
	sim_clock_advance(10 * NSEC_PER_MSEC - 1);
	EXPECT_EQ(event_of(fd)->state, EVENT_ACTIVE);
	EXPECT_EQ(event_of(member)->state, EVENT_INACTIVE);
	sim_clock_advance(1);
	EXPECT_EQ(event_of(fd)->state, EVENT_INACTIVE);
	EXPECT_EQ(event_of(leader)->state, EVENT_ACTIVE);
	EXPECT_EQ(event_of(member)->state, EVENT_ACTIVE);
	sim_clock_advance(10 * NSEC_PER_MSEC);
	EXPECT_EQ(event_of(fd)->state, EVENT_ACTIVE);
	EXPECT_EQ(timed_count_of(member).running_ns, 10 * NSEC_PER_MSEC);
	EXPECT_EQ(timed_count_of(member).enabled_ns, 20 * NSEC_PER_MSEC);
	EXPECT_EQ(timed_count_of(leader).running_ns, 10 * NSEC_PER_MSEC);
	set_interval(PERF_ROTATION_NS / NSEC_PER_MSEC);
	sim_fd_close(fd);
	sim_clock_advance(10 * NSEC_PER_MSEC); /* the timer finds that no group waits */
	end_machine();
}

/* One counter: at each switch the group that was opened first gets it, bound to the CPU or not. */
static void bound_groups_keep_the_order(void)
{
	for (int first_bound = 0; first_bound < 2; first_bound++) {
		start_machine(1, 1, NULL, 0);
		struct task *self = task_current(), *other = sim_task_create();
		int first = open_event(hardware_attr(CODE), 0, first_bound ? 0 : -1, -1);
		int second = open_event(hardware_attr(OTHER), 0, first_bound ? -1 : 0, -1);

		sim_switch(other);
		sim_switch(self);
		EXPECT_EQ_AT(event_of(first)->state, EVENT_ACTIVE, "first bound: %d", first_bound);
		EXPECT_EQ_AT(event_of(second)->state, EVENT_INACTIVE, "first bound: %d",
			     first_bound);
		end_task(other);
		end_machine();
	}
}

/* Three counters; the CPU's pinned event has one. A group of three gets two of them and gives both back. */
static void a_group_that_does_not_fit_gives_all_back(void)
{
	start_machine(1, 3, NULL, 0);
	struct perf_event_attr pinned = hardware_attr(9);
	int fds[3];

	pinned.pinned = 1;
	fds[0] = open_event(hardware_attr(1), 0, -1, -1);
	for (unsigned int i = 1; i < 3; i++)
		fds[i] = open_event(hardware_attr(1 + i), 0, -1, fds[0]);
	for (unsigned int i = 0; i < 3; i++)
		EXPECT_EQ_AT(event_of(fds[i])->state, EVENT_ACTIVE, "member %u", i);
	open_event(pinned, -1, 0, -1);
	for (unsigned int i = 0; i < 3; i++) {
		EXPECT_EQ_AT(event_of(fds[i])->state, EVENT_INACTIVE, "member %u", i);
		EXPECT_EQ_AT(event_of(fds[i])->hw.counter.index, -1, "member %u", i);
		sim_pmu_count((uint8_t)(1 + i), 10);
		EXPECT_EQ_AT(count_of(fds[i]), 0, "member %u", i);
	}
	end_machine();
}

/* The timer is not armed anew while it is: a second group that waits changes nothing. */
static void a_second_waiting_group_keeps_the_interval(void)
{
	start_machine(1, 1, NULL, 0);
	int fds[3];

	for (unsigned int i = 0; i < 2; i++)
		fds[i] = open_event(timed(hardware_attr(i)), 0, -1, -1);
	sim_clock_advance(PERF_ROTATION_NS / 2);
	fds[2] = open_event(timed(hardware_attr(5)), 0, -1, -1);
	EXPECT_EQ(event_of(fds[0])->state, EVENT_ACTIVE);
	sim_clock_advance(PERF_ROTATION_NS / 2);
	EXPECT_EQ(event_of(fds[0])->state, EVENT_INACTIVE);
	EXPECT_EQ(event_of(fds[1])->state, EVENT_ACTIVE);
	sim_clock_advance(PERF_ROTATION_NS);
	EXPECT_EQ(event_of(fds[2])->state, EVENT_ACTIVE);
	end_machine();
}

/* When nothing waits any more the timer ends. */
static void rotation_ends_with_the_last_waiter(void)
{
	start_machine(1, 1, NULL, 0);
	int fd = open_event(timed(hardware_attr(CODE)), 0, -1, -1);
	int waiting = open_event(timed(hardware_attr(OTHER)), 0, -1, -1);

	EXPECT(this_cpu(perf_cpus).rotation_armed);
	sim_fd_close(waiting);
	sim_clock_advance(PERF_ROTATION_NS);
	EXPECT(!this_cpu(perf_cpus).rotation_armed);
	EXPECT_EQ(timed_count_of(fd).running_ns, PERF_ROTATION_NS);
	end_machine();
}

/* Software groups go on beside those that rotate. */
static void software_groups_do_not_rotate(void)
{
	start_machine(1, 1, NULL, 0);
	int software = open_event(timed(software_attr(PERF_COUNT_SW_DUMMY)), 0, -1, -1);

	open_event(timed(hardware_attr(CODE)), 0, -1, -1);
	open_event(timed(hardware_attr(OTHER)), 0, -1, -1);
	sim_clock_advance(10 * PERF_ROTATION_NS);
	EXPECT_EQ(timed_count_of(software).running_ns, 10 * PERF_ROTATION_NS);
	EXPECT_EQ(timed_count_of(software).enabled_ns, 10 * PERF_ROTATION_NS);
	end_machine();
}

/* The CPU's group and the task's wait for one counter each: both rotate at each interval. */
static void both_contexts_rotate(void)
{
	start_machine(1, 2, NULL, 0);
	int cpus[3], tasks[2];

	/* Two counters: two of three CPU groups are active, and no counter is left for the task's. */
	for (unsigned int i = 0; i < 3; i++)
		cpus[i] = open_event(timed(hardware_attr(i)), -1, 0, -1);
	for (unsigned int i = 0; i < 2; i++)
		tasks[i] = open_event(timed(hardware_attr(3 + i)), 0, -1, -1);
	sim_clock_advance(30 * PERF_ROTATION_NS);
	for (unsigned int i = 0; i < 3; i++) {
		EXPECT_EQ_AT(timed_count_of(cpus[i]).running_ns, 20 * PERF_ROTATION_NS,
			     "CPU's group %u", i);
		EXPECT_EQ_AT(timed_count_of(cpus[i]).enabled_ns, 30 * PERF_ROTATION_NS,
			     "CPU's group %u", i);
	}
	for (unsigned int i = 0; i < 2; i++)
		EXPECT_EQ_AT(timed_count_of(tasks[i]).running_ns, 0, "task's group %u", i);
	/* One CPU group less than counters: the task's share the rest. */
	sim_fd_close(cpus[0]);
	sim_fd_close(cpus[1]);
	sim_clock_advance(20 * PERF_ROTATION_NS);
	EXPECT_EQ(timed_count_of(tasks[0]).running_ns, 10 * PERF_ROTATION_NS);
	EXPECT_EQ(timed_count_of(tasks[1]).running_ns, 10 * PERF_ROTATION_NS);
	EXPECT_EQ(timed_count_of(cpus[2]).enabled_ns, 50 * PERF_ROTATION_NS);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "the page of an event that waits has the times of the last switch or rotation",
	  a_waiting_events_page_has_fresh_times },
	{ "the page of a CPU's event that waits has the times of the last switch or rotation",
	  a_waiting_cpu_events_page_has_fresh_times },
	{ "the page of a waiting event that is disabled has the times of that moment",
	  a_waiting_event_that_is_disabled },
	{ "the page of an event in the error state has no index and its last times",
	  an_event_in_the_error_state_has_no_index },
	{ "an event that moves to another counter has its new index in the page at once",
	  a_moved_events_page_is_right },
	{ "an event that moves to another counter goes on with its period",
	  a_moved_events_period_goes_on },
	{ "a page describes the event that made it, for as long as that keeps the ring",
	  a_page_describes_the_event_that_made_it },
	{ "a page has the counts and times of children that exited",
	  a_page_has_the_childrens_counts },
	{ "a software leader's group rotates at the interval of its hardware event",
	  a_mixed_group_rotates_by_its_hardware },
	{ "groups bound to a CPU and others are scheduled in by their order",
	  bound_groups_keep_the_order },
	{ "a group that does not fit gives back the counters that it got",
	  a_group_that_does_not_fit_gives_all_back },
	{ "another group that waits does not put off the rotation",
	  a_second_waiting_group_keeps_the_interval },
	{ "rotation ends when no group waits", rotation_ends_with_the_last_waiter },
	{ "software groups do not take part in rotation", software_groups_do_not_rotate },
	{ "the groups of the CPU and of the task rotate, each among themselves",
	  both_contexts_rotate },
};

TAP_MAIN(rules)
