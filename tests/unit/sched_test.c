// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of scheduling: which groups are on the counters, when, and what that does to counts and
 * times. Every number is derived from what the test made happen.
 */
#include <kernel/base/hooks.h>
#include <kernel/perf/context.h>
#include <kernel/perf/cpu.h>
#include <kernel/perf/rotation.h>

#include "events.h"

#define MS   NSEC_PER_MSEC
#define CODE 1

/* --- counting follows the task --- */

static void counts_only_its_task(void)
{
	start_machine(2, 4, NULL, 0);
	struct task *self = task_current(), *other = sim_task_create();
	int fd = open_event(timed(hardware_attr(CODE)), 0, -1, -1);

	sim_pmu_count(CODE, 1000);
	sim_clock_advance(10);
	sim_switch(other);
	sim_pmu_count(CODE, 500);
	sim_clock_advance(100);
	sim_switch(self);
	sim_pmu_count(CODE, 7);
	sim_clock_advance(1);

	struct timed_count count = timed_count_of(fd);
	EXPECT_EQ(count.value, 1007);
	EXPECT_EQ(count.enabled_ns, 11);
	EXPECT_EQ(count.running_ns, 11);
	end_machine();
}

static void follows_to_another_cpu(void)
{
	start_machine(2, 4, NULL, 0);
	struct task *self = task_current(), *other = sim_task_create(), *idle;
	int fd = open_event(hardware_attr(CODE), 0, -1, -1);
	int bound = open_event(timed(hardware_attr(CODE)), 0, 0, -1);

	sim_pmu_count(CODE, 10);
	sim_clock_advance(5);
	sim_switch(other);
	sim_cpu_set(1);
	idle = task_current();
	sim_switch(self);
	sim_pmu_count(CODE, 20);
	sim_clock_advance(3);
	EXPECT_EQ(count_of(fd), 30);

	/* Bound to CPU 0 it does not count here, but its enabled time goes on. */
	struct timed_count count = timed_count_of(bound);
	EXPECT_EQ(count.value, 10);
	EXPECT_EQ(count.enabled_ns, 8);
	EXPECT_EQ(count.running_ns, 5);

	/* From another CPU the value is read where the task runs. */
	sim_cpu_set(0);
	EXPECT_EQ(count_of(fd), 30);
	sim_cpu_set(1);
	sim_switch(idle);
	EXPECT_EQ(count_of(fd), 30);
	sim_switch(self);
	end_machine();
}

static void counts_a_cpu(void)
{
	start_machine(2, 4, NULL, 0);
	struct task *other = sim_task_create();
	int fd = open_event(hardware_attr(CODE), -1, 1, -1);

	sim_pmu_count(CODE, 5);
	sim_cpu_set(1);
	sim_pmu_count(CODE, 100);
	sim_switch(other);
	sim_pmu_count(CODE, 1);
	sim_cpu_set(0);
	EXPECT_EQ(count_of(fd), 101);
	end_machine();
}

static void reaches_a_running_task(void)
{
	start_machine(2, 4, NULL, 0);
	struct task *other = sim_task_create();

	sim_cpu_set(1);
	sim_switch(other);
	sim_cpu_set(0);
	int fd = open_event(hardware_attr(CODE), other->tid, -1, -1);
	sim_cpu_set(1);
	sim_pmu_count(CODE, 3);
	sim_cpu_set(0);
	sim_pmu_count(CODE, 50);
	EXPECT_EQ(count_of(fd), 3);

	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	sim_cpu_set(1);
	sim_pmu_count(CODE, 3);
	sim_cpu_set(0);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	sim_cpu_set(1);
	sim_pmu_count(CODE, 4);
	sim_cpu_set(0);
	EXPECT_EQ(count_of(fd), 7);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_RESET, 0), 0);
	EXPECT_EQ(count_of(fd), 0);
	end_machine();
}

/* --- groups and rotation --- */

#define EVENTS_MAX 12

/* EVENTS single events on COUNTERS counters: every interval each of them has the same number of
 * turns after EVENTS intervals, and what they counted is what happened while they were on. */
static void check_rotation(unsigned int counters, unsigned int events)
{
	int fds[EVENTS_MAX];
	uint64_t running_sum = 0, value_sum = 0;
	unsigned int on = events < counters ? events : counters;

	start_machine(1, counters, NULL, 0);
	for (unsigned int i = 0; i < events; i++)
		fds[i] = open_event(timed(hardware_attr(CODE)), 0, -1, -1);
	for (unsigned int turn = 0; turn < events; turn++) {
		sim_pmu_count(CODE, 100);
		sim_clock_advance(PERF_ROTATION_NS);
	}
	for (unsigned int i = 0; i < events; i++) {
		struct timed_count count = timed_count_of(fds[i]);

		EXPECT_EQ_AT(count.enabled_ns, events * PERF_ROTATION_NS,
			     "%u counters, event %u of %u", counters, i, events);
		EXPECT_EQ_AT(count.running_ns, on * PERF_ROTATION_NS, "%u counters, event %u of %u",
			     counters, i, events);
		EXPECT_EQ_AT(count.value, on * 100, "%u counters, event %u of %u", counters, i,
			     events);
		running_sum += count.running_ns;
		value_sum += count.value;
	}
	EXPECT_EQ(running_sum, (uint64_t)on * events * PERF_ROTATION_NS);
	EXPECT_EQ(value_sum, (uint64_t)on * events * 100);
	end_machine();
}

static void rotation_is_fair(void)
{
	for (unsigned int counters = 1; counters <= 8; counters++)
		for (unsigned int events = 1; events <= EVENTS_MAX; events++)
			check_rotation(counters, events);
}

/* The overflow that uses up a refresh limit has come, the deferred work that switches the event off has not, and its
 * turn ends: which it does for good. */
static void an_interval_ends_with_the_limit(void)
{
	start_machine(1, 1, NULL, 0);
	struct timer *rotation = &perf_cpus[0].rotation_timer;
	struct perf_event_attr attr = hardware_attr(CODE);

	attr.sample_period = 10;
	attr.disabled = 1;
	int limited = open_event(attr, 0, -1, -1);
	int other = open_event(hardware_attr(CODE), 0, -1, -1);

	EXPECT_EQ(control_event(other, PERF_EVENT_IOC_DISABLE, 0), 0);
	EXPECT_EQ(control_event(limited, PERF_EVENT_IOC_REFRESH, 1), 0);
	EXPECT_EQ(control_event(other, PERF_EVENT_IOC_ENABLE, 0), 0);
	EXPECT_EQ(event_of(limited)->state, EVENT_ACTIVE);

	arch_irq_disable();
	sim_pmu_count(CODE, 10);
	EXPECT(timer_cancel(rotation));
	rotation->fire(rotation);
	EXPECT_EQ(event_of(limited)->state, EVENT_OFF);
	EXPECT_EQ(event_of(other)->state, EVENT_ACTIVE);
	arch_irq_enable();
	sim_pmu_count(CODE, 5);
	EXPECT_EQ(count_of(limited), 10);
	EXPECT_EQ(count_of(other), 5);

	/* Enabled again it comes after the other one, which keeps its interval to the end. */
	EXPECT_EQ(control_event(limited, PERF_EVENT_IOC_REFRESH, 1), 0);
	EXPECT_EQ(event_of(limited)->state, EVENT_INACTIVE);
	sim_clock_advance(PERF_ROTATION_NS);
	EXPECT_EQ(event_of(limited)->state, EVENT_ACTIVE);
	end_machine();
}

/* C counters, C - 1 single events, a group of two. The turns repeat after C: in the first the
 * single events leave one counter, too few for the group; in each of the others one of them
 * waits. */
static void groups_go_on_whole(void)
{
	for (unsigned int counters = 2; counters <= 8; counters++) {
		int leader, sibling, single[8];

		start_machine(1, counters, NULL, 0);
		for (unsigned int i = 0; i < counters - 1; i++)
			single[i] = open_event(timed(hardware_attr(CODE)), 0, -1, -1);
		leader = open_event(timed(hardware_attr(CODE)), 0, -1, -1);
		sibling = open_event(timed(hardware_attr(CODE)), 0, -1, leader);
		for (unsigned int turn = 0; turn < 4 * counters; turn++) {
			sim_pmu_count(CODE, 1);
			sim_clock_advance(PERF_ROTATION_NS);
		}
		struct timed_count a = timed_count_of(leader), b = timed_count_of(sibling);
		EXPECT_EQ_AT(a.value, b.value, "%u counters", counters);
		EXPECT_EQ_AT(a.running_ns, b.running_ns, "%u counters", counters);
		EXPECT_EQ_AT(a.value, 4 * (counters - 1), "%u counters", counters);
		EXPECT_EQ_AT(a.running_ns, 4 * (counters - 1) * PERF_ROTATION_NS, "%u counters",
			     counters);
		for (unsigned int i = 0; i < counters - 1; i++)
			EXPECT_EQ_AT(timed_count_of(single[i]).value, 4 * (counters - 1),
				     "%u counters, event %u", counters, i);
		end_machine();
	}
}

static void too_large_groups_are_refused(void)
{
	start_machine(1, 2, NULL, 0);
	int leader = open_event(hardware_attr(CODE), 0, -1, -1);

	EXPECT(open_event(hardware_attr(CODE), 0, -1, leader) >= 0);
	EXPECT_EQ(open_event(hardware_attr(CODE), 0, -1, leader), -EINVAL);
	EXPECT(open_event(software_attr(PERF_COUNT_SW_PAGE_FAULTS), 0, -1, leader) >= 0);
	sim_pmu_count(CODE, 9);
	EXPECT_EQ(count_of(leader), 9);
	end_machine();
}

/* a and b need the same counter. Turns: a (b does not fit, and what comes after it is not tried,
 * as on Linux); b and free; free and a; and again. */
static void constraints_make_events_wait(void)
{
	static const struct sim_constraint only_first[] = { { 7, 1 } };

	start_machine(1, 4, only_first, 1);
	int a = open_event(timed(hardware_attr(7)), 0, -1, -1);
	int b = open_event(timed(hardware_attr(7)), 0, -1, -1);
	int free = open_event(timed(hardware_attr(CODE)), 0, -1, -1);

	for (unsigned int turn = 0; turn < 12; turn++) {
		sim_pmu_count(7, 10);
		sim_pmu_count(CODE, 10);
		sim_clock_advance(PERF_ROTATION_NS);
	}
	EXPECT_EQ(timed_count_of(a).value, 80);
	EXPECT_EQ(timed_count_of(b).value, 40);
	EXPECT_EQ(timed_count_of(free).value, 80);
	EXPECT_EQ(timed_count_of(a).running_ns, 8 * PERF_ROTATION_NS);
	EXPECT_EQ(timed_count_of(b).running_ns, 4 * PERF_ROTATION_NS);
	EXPECT_EQ(timed_count_of(free).running_ns, 8 * PERF_ROTATION_NS);
	end_machine();
}

static void an_event_moves_for_a_bound_one(void)
{
	static const struct sim_constraint only_first[] = { { 7, 1 } };

	start_machine(1, 2, only_first, 1);
	int anywhere = open_event(timed(hardware_attr(CODE)), 0, -1, -1);
	sim_pmu_count(CODE, 5);
	int bound = open_event(timed(hardware_attr(7)), 0, -1, -1);
	sim_pmu_count(CODE, 6);
	sim_pmu_count(7, 70);
	sim_clock_advance(MS);
	EXPECT_EQ(timed_count_of(anywhere).value, 11);
	EXPECT_EQ(timed_count_of(bound).value, 70);
	EXPECT_EQ(timed_count_of(bound).running_ns, MS);
	end_machine();
}

/* --- rank --- */

static void pinned_comes_first_and_never_rotates(void)
{
	start_machine(1, 1, NULL, 0);
	struct perf_event_attr pinned = timed(hardware_attr(CODE));

	pinned.pinned = 1;
	int flexible = open_event(timed(hardware_attr(CODE)), 0, -1, -1);
	sim_clock_advance(MS);
	int first = open_event(pinned, 0, -1, -1);
	sim_pmu_count(CODE, 4);
	sim_clock_advance(10 * PERF_ROTATION_NS);
	struct timed_count count = timed_count_of(flexible);
	EXPECT_EQ(count.value, 0);
	EXPECT_EQ(count.running_ns, MS);
	EXPECT_EQ(count.enabled_ns, MS + 10 * PERF_ROTATION_NS);
	count = timed_count_of(first);
	EXPECT_EQ(count.value, 4);
	EXPECT_EQ(count.running_ns, 10 * PERF_ROTATION_NS);
	end_machine();
}

static void pinned_without_a_place_is_in_error(void)
{
	start_machine(1, 1, NULL, 0);
	struct perf_event_attr pinned = hardware_attr(CODE);
	uint64_t value;

	pinned.pinned = 1;
	int first = open_event(pinned, 0, -1, -1);
	int second = open_event(pinned, 0, -1, -1);
	EXPECT_EQ(read_event(second, &value, sizeof(value)), 0);
	EXPECT_EQ(read_event(first, &value, sizeof(value)), sizeof(value));

	/* Enabled again when there is room, it counts. */
	sim_fd_close(first);
	EXPECT_EQ(control_event(second, PERF_EVENT_IOC_ENABLE, 0), 0);
	sim_pmu_count(CODE, 8);
	EXPECT_EQ(count_of(second), 8);
	end_machine();
}

static void cpu_comes_before_task(void)
{
	start_machine(1, 1, NULL, 0);
	int task = open_event(timed(hardware_attr(CODE)), 0, -1, -1);
	sim_pmu_count(CODE, 1);
	sim_clock_advance(MS);
	int cpu = open_event(timed(hardware_attr(CODE)), -1, 0, -1);
	sim_pmu_count(CODE, 2);
	sim_clock_advance(20 * PERF_ROTATION_NS);
	EXPECT_EQ(timed_count_of(task).value, 1);
	EXPECT_EQ(timed_count_of(task).running_ns, MS);
	EXPECT_EQ(timed_count_of(cpu).value, 2);
	EXPECT_EQ(timed_count_of(cpu).running_ns, 20 * PERF_ROTATION_NS);
	end_machine();
}

static void task_pinned_comes_before_cpu_flexible(void)
{
	start_machine(1, 1, NULL, 0);
	struct task *self = task_current(), *other = sim_task_create();
	struct perf_event_attr pinned = timed(hardware_attr(CODE));

	pinned.pinned = 1;
	int task = open_event(pinned, 0, -1, -1);
	int cpu = open_event(timed(hardware_attr(CODE)), -1, 0, -1);
	sim_clock_advance(3 * MS);
	sim_switch(other);
	sim_pmu_count(CODE, 6);
	sim_clock_advance(2 * MS);
	sim_switch(self);
	sim_pmu_count(CODE, 5);
	sim_clock_advance(MS);
	struct timed_count count = timed_count_of(task);
	EXPECT_EQ(count.value, 5);
	EXPECT_EQ(count.running_ns, 4 * MS);
	count = timed_count_of(cpu);
	EXPECT_EQ(count.value, 6);
	EXPECT_EQ(count.running_ns, 2 * MS);
	EXPECT_EQ(count.enabled_ns, 6 * MS);
	end_machine();
}

static void exclusive_is_alone(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr exclusive = timed(hardware_attr(CODE));

	exclusive.exclusive = 1;
	int alone = open_event(exclusive, 0, -1, -1);
	int other = open_event(timed(hardware_attr(CODE)), 0, -1, -1);
	for (unsigned int turn = 0; turn < 10; turn++) {
		sim_pmu_count(CODE, 1);
		sim_clock_advance(PERF_ROTATION_NS);
	}
	struct timed_count a = timed_count_of(alone), b = timed_count_of(other);
	EXPECT_EQ(a.value + b.value, 10);
	EXPECT_EQ(a.running_ns + b.running_ns, 10 * PERF_ROTATION_NS);
	EXPECT_EQ(a.value, 5);
	end_machine();
}

/* --- groups, on and off --- */

static void a_disabled_leader_stops_its_group(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr off = timed(hardware_attr(CODE));

	off.disabled = 1;
	int leader = open_event(off, 0, -1, -1);
	int sibling = open_event(timed(hardware_attr(CODE)), 0, -1, leader);
	sim_pmu_count(CODE, 1);
	sim_clock_advance(10);
	EXPECT_EQ(timed_count_of(sibling).value, 0);
	EXPECT_EQ(timed_count_of(sibling).enabled_ns, 0);

	EXPECT_EQ(control_event(leader, PERF_EVENT_IOC_ENABLE, 0), 0);
	sim_pmu_count(CODE, 2);
	sim_clock_advance(20);
	EXPECT_EQ(timed_count_of(sibling).value, 2);
	EXPECT_EQ(timed_count_of(sibling).enabled_ns, 20);
	EXPECT_EQ(timed_count_of(sibling).running_ns, 20);

	/* A sibling by itself can be switched off and on under its leader. */
	EXPECT_EQ(control_event(sibling, PERF_EVENT_IOC_DISABLE, 0), 0);
	sim_pmu_count(CODE, 4);
	EXPECT_EQ(control_event(sibling, PERF_EVENT_IOC_ENABLE, 0), 0);
	sim_pmu_count(CODE, 8);
	EXPECT_EQ(timed_count_of(leader).value, 14);
	EXPECT_EQ(timed_count_of(sibling).value, 10);

	/* The flag means all of the group. */
	EXPECT_EQ(control_event(sibling, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP), 0);
	sim_pmu_count(CODE, 16);
	sim_clock_advance(5);
	EXPECT_EQ(control_event(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP), 0);
	EXPECT_EQ(timed_count_of(leader).value, 0);
	EXPECT_EQ(timed_count_of(sibling).value, 0);
	EXPECT_EQ(timed_count_of(leader).enabled_ns, 20);
	EXPECT_EQ(control_event(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP), 0);
	sim_pmu_count(CODE, 32);
	EXPECT_EQ(timed_count_of(leader).value, 32);
	EXPECT_EQ(timed_count_of(sibling).value, 32);
	end_machine();
}

static void siblings_survive_their_leader(void)
{
	start_machine(1, 4, NULL, 0);
	int leader = open_event(hardware_attr(CODE), 0, -1, -1);
	int sibling = open_event(hardware_attr(CODE), 0, -1, leader);

	sim_pmu_count(CODE, 1);
	sim_fd_close(leader);
	sim_pmu_count(CODE, 2);
	EXPECT_EQ(count_of(sibling), 3);
	EXPECT_EQ(control_event(sibling, PERF_EVENT_IOC_DISABLE, 0), 0);
	sim_pmu_count(CODE, 4);
	EXPECT_EQ(count_of(sibling), 3);
	end_machine();
}

static void a_closed_event_makes_room(void)
{
	start_machine(1, 1, NULL, 0);
	int first = open_event(hardware_attr(CODE), 0, -1, -1);
	int second = open_event(hardware_attr(CODE), 0, -1, -1);

	sim_pmu_count(CODE, 1);
	EXPECT_EQ(count_of(second), 0);
	sim_fd_close(first);
	sim_pmu_count(CODE, 2);
	EXPECT_EQ(count_of(second), 2);
	end_machine();
}

static void a_group_reads_as_one(void)
{
	struct {
		uint64_t nr, enabled_ns, running_ns;
		struct {
			uint64_t value, id, lost;
		} member[3];
	} group;

	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = hardware_attr(CODE);
	attr.read_format = TIMES | PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST;
	int leader = open_event(attr, 0, -1, -1);
	attr.config = 2;
	int second = open_event(attr, 0, -1, leader);
	int third = open_event(software_attr(PERF_COUNT_SW_PAGE_FAULTS), 0, -1, leader);
	uint64_t id;

	sim_pmu_count(CODE, 11);
	sim_pmu_count(2, 22);
	perf_software_event(PERF_COUNT_SW_PAGE_FAULTS, 1, sim_frame(), 0);
	sim_clock_advance(9);
	EXPECT_EQ(read_event(leader, &group, sizeof(group)), sizeof(group));
	EXPECT_EQ(group.nr, 3);
	EXPECT_EQ(group.enabled_ns, 9);
	EXPECT_EQ(group.running_ns, 9);
	EXPECT_EQ(group.member[0].value, 11);
	EXPECT_EQ(group.member[1].value, 22);
	EXPECT_EQ(group.member[2].value, 1);
	EXPECT_EQ(control_event(second, PERF_EVENT_IOC_ID, (unsigned long)&id), 0);
	EXPECT_EQ(group.member[1].id, id);
	EXPECT_EQ(group.member[1].lost, 0);
	EXPECT_EQ(read_event(leader, &group, sizeof(group) - 1), -ENOSPC);
	/* The group is the same whichever member is read; the format is the reader's. */
	EXPECT_EQ(read_event(second, &group, sizeof(group)), sizeof(group));
	EXPECT_EQ(group.member[0].value, 11);
	EXPECT_EQ(count_of(third), 1);
	end_machine();
}

/* --- the end of the task --- */

static void an_ended_task_leaves_its_counts(void)
{
	start_machine(1, 2, NULL, 0);
	struct task *self = task_current(), *child = sim_task_create();
	struct perf_event_attr attr = timed(hardware_attr(CODE));

	attr.read_format |= PERF_FORMAT_GROUP;
	int leader = open_event(attr, child->tid, -1, -1);
	open_event(hardware_attr(CODE), child->tid, -1, leader);
	sim_switch(child);
	sim_pmu_count(CODE, 77);
	sim_clock_advance(50);
	sim_task_exit(child);
	sim_pmu_count(CODE, 1000);
	sim_switch(self);
	sim_clock_advance(50);

	uint64_t group[5];
	EXPECT_EQ(read_event(leader, group, sizeof(group)), sizeof(group));
	EXPECT_EQ(group[0], 2);
	EXPECT_EQ(group[1], 50);
	EXPECT_EQ(group[2], 50);
	EXPECT_EQ(group[3], 77);
	EXPECT_EQ(group[4], 77);
	EXPECT_EQ(open_event(attr, child->tid, -1, -1), -ESRCH);
	EXPECT_EQ(control_event(leader, PERF_EVENT_IOC_ENABLE, 0), 0);
	end_machine();
}

static void exec_enables_and_removes(void)
{
	start_machine(1, 2, NULL, 0);
	struct perf_event_attr late = hardware_attr(CODE), early = hardware_attr(CODE);

	late.disabled = 1;
	late.enable_on_exec = 1;
	early.remove_on_exec = 1;
	int starts = open_event(late, 0, -1, -1), ends = open_event(early, 0, -1, -1);
	sim_pmu_count(CODE, 1);
	perf_task_exec(task_current());
	sim_pmu_count(CODE, 2);
	EXPECT_EQ(count_of(starts), 2);
	EXPECT_EQ(count_of(ends), 1);
	end_machine();
}

/* --- software events --- */

static void software_events_count_where_they_happen(void)
{
	start_machine(1, 1, NULL, 0);
	struct task *self = task_current(), *other = sim_task_create();
	struct perf_event_attr user = software_attr(PERF_COUNT_SW_PAGE_FAULTS);

	user.exclude_kernel = 1;
	int all = open_event(software_attr(PERF_COUNT_SW_PAGE_FAULTS), 0, -1, -1);
	int of_user = open_event(user, 0, -1, -1);
	int of_cpu = open_event(software_attr(PERF_COUNT_SW_PAGE_FAULTS), -1, 0, -1);

	sim_frame_set(0x1000, true);
	perf_software_event(PERF_COUNT_SW_PAGE_FAULTS, 1, sim_frame(), 0);
	sim_frame_set(0x2000, false);
	perf_software_event(PERF_COUNT_SW_PAGE_FAULTS, 1, sim_frame(), 0);
	perf_software_event(PERF_COUNT_SW_CONTEXT_SWITCHES, 1, NULL, 0);
	sim_switch(other);
	perf_software_event(PERF_COUNT_SW_PAGE_FAULTS, 1, sim_frame(), 0);
	sim_switch(self);
	EXPECT_EQ(count_of(all), 2);
	EXPECT_EQ(count_of(of_user), 1);
	EXPECT_EQ(count_of(of_cpu), 3);
	sim_fd_close(all);
	sim_fd_close(of_user);
	EXPECT_EQ(atomic_load(&perf_software_events), 1);
	sim_fd_close(of_cpu);
	EXPECT_EQ(atomic_load(&perf_software_events), 0);
	end_machine();
}

static void clocks_are_their_running_time(void)
{
	start_machine(1, 1, NULL, 0);
	struct task *self = task_current(), *other = sim_task_create();
	int task = open_event(timed(software_attr(PERF_COUNT_SW_TASK_CLOCK)), 0, -1, -1);
	int cpu = open_event(timed(software_attr(PERF_COUNT_SW_CPU_CLOCK)), -1, 0, -1);

	sim_clock_advance(100);
	sim_switch(other);
	sim_clock_advance(1000);
	sim_switch(self);
	sim_clock_advance(7);
	EXPECT_EQ(timed_count_of(task).value, 107);
	EXPECT_EQ(timed_count_of(task).running_ns, 107);
	EXPECT_EQ(timed_count_of(cpu).value, 1107);
	EXPECT_EQ(timed_count_of(cpu).running_ns, 1107);
	end_machine();
}

/* --- rule 4 --- */

static void a_task_without_events_costs_nothing(void)
{
	start_machine(1, 1, NULL, 0);
	struct task *self = task_current(), *other = sim_task_create();

	EXPECT(!atomic_load(&self->perf) && !atomic_load(&other->perf));
	EXPECT(!atomic_load(&hook_switch_on_cpu[0]));
	int fd = open_event(hardware_attr(CODE), -1, 0, -1);
	EXPECT(atomic_load(&hook_switch_on_cpu[0]));
	EXPECT(!atomic_load(&self->perf));
	sim_fd_close(fd);
	EXPECT(!atomic_load(&hook_switch_on_cpu[0]));
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "a task's event counts that task only", counts_only_its_task },
	{ "a task's event follows it to another CPU, unless bound to one", follows_to_another_cpu },
	{ "a CPU's event counts every task that runs there", counts_a_cpu },
	{ "opening, enabling, disabling and resetting reach a task that runs elsewhere",
	  reaches_a_running_task },
	{ "1 to 12 events share 1 to 8 counters fairly and times add up", rotation_is_fair },
	{ "an interval may end with the event's limit of overflows",
	  an_interval_ends_with_the_limit },
	{ "a group is scheduled in whole or not at all", groups_go_on_whole },
	{ "a group that could never be scheduled in is refused", too_large_groups_are_refused },
	{ "events that need the same counter rotate", constraints_make_events_wait },
	{ "an event moves to make room for one that is bound to its counter",
	  an_event_moves_for_a_bound_one },
	{ "pinned comes before flexible and never rotates", pinned_comes_first_and_never_rotates },
	{ "a pinned event without a place reads as end of file",
	  pinned_without_a_place_is_in_error },
	{ "the CPU's flexible groups come before the task's", cpu_comes_before_task },
	{ "the task's pinned groups come before the CPU's flexible ones",
	  task_pinned_comes_before_cpu_flexible },
	{ "an exclusive group is alone on the PMU", exclusive_is_alone },
	{ "a disabled leader stops its group", a_disabled_leader_stops_its_group },
	{ "siblings survive their leader", siblings_survive_their_leader },
	{ "a closed event makes room at once", a_closed_event_makes_room },
	{ "a group is read as one, in every format", a_group_reads_as_one },
	{ "a task that exited leaves its counts", an_ended_task_leaves_its_counts },
	{ "exec enables and removes events", exec_enables_and_removes },
	{ "software events count where they happen", software_events_count_where_they_happen },
	{ "a clock counts exactly its running time", clocks_are_their_running_time },
	{ "a task or CPU without events is not watched", a_task_without_events_costs_nothing },
};

TAP_MAIN(rules)
