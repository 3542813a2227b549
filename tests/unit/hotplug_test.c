// SPDX-License-Identifier: BSD-2-Clause
/*
 * Events when CPUs go off line and come on line: those of a PMU of the whole machine move with their groups, those of
 * the CPU are revoked, and a task's stay.
 */
#include <kernel/perf/cpu.h>
#include <kernel/perf/hotplug.h>

#include "mapping.h"
#include "uncore.h"

#define CODE 1

/* As kernel/sched/hotplug.c does it. */
static void take_offline(unsigned int cpu, unsigned int target)
{
	perf_cpu_goes_offline(cpu, target);
	cpumask_shared_add(&cpus_offline, cpu);
}

static void start_here(void *unused)
{
	perf_cpu_starts();
}

static void bring_online(unsigned int cpu)
{
	cpumask_shared_remove(&cpus_offline, cpu);
	smp_call(cpu, start_here, NULL);
}

static void count_on(unsigned int cpu, uint64_t number)
{
	sim_cpu_set(cpu);
	sim_pmu_count(CODE, number);
	sim_cpu_set(0);
}

/* --- migration --- */

static void check_migration(void)
{
	start_uncore_machine(3);
	/* Whatever CPU asks for it. */
	int leader = open_event(uncore_attr(), -1, 2, -1);
	int member = open_event(uncore_attr(), -1, 2, leader);
	uint64_t id = event_of(leader)->id;

	EXPECT(leader >= 0 && member >= 0);
	EXPECT_EQ(event_of(leader)->cpu, 0);
	uncore_work(5);
	sim_clock_advance(1000);
	perf_migrate_events(&uncore, 0, 1);
	atomic_store(&uncore.cpu, 1);
	EXPECT_EQ(event_of(leader)->cpu, 1);
	EXPECT_EQ(event_of(member)->cpu, 1);
	EXPECT(event_of(member)->context == perf_context_of_cpu(1));
	EXPECT(event_of(member)->leader == event_of(leader));
	EXPECT(TAILQ_EMPTY(&perf_context_of_cpu(0)->members));
	EXPECT_EQ(event_of(leader)->state, EVENT_ACTIVE);
	EXPECT_EQ(event_of(leader)->id, id);
	EXPECT_EQ(perf_cpus[0].hardware_active, 0);
	EXPECT_EQ(perf_cpus[1].hardware_active, 2);
	uncore_work(7);
	sim_clock_advance(1000);
	struct timed_count count = timed_count_of(member);

	EXPECT_EQ(count.value, 12);
	EXPECT_EQ(count.enabled_ns, 2000);
	EXPECT_EQ(count.running_ns, 2000);
	/* A new one joins where they are. */
	EXPECT_EQ(sim_fd_close(member), 0);
	member = open_event(uncore_attr(), -1, 0, leader);
	EXPECT(member >= 0);
	EXPECT_EQ(event_of(member)->cpu, 1);
	uncore_work(1);
	EXPECT_EQ(timed_count_of(member).value, 1);
	EXPECT_EQ(timed_count_of(leader).value, 13);
	end_machine();
}

static void check_states(void)
{
	struct perf_event_attr attr;

	start_uncore_machine(2);
	attr = uncore_attr();
	attr.disabled = 1;
	int off = open_event(attr, -1, 0, -1);

	perf_migrate_events(&uncore, 0, 1);
	atomic_store(&uncore.cpu, 1);
	EXPECT_EQ(event_of(off)->state, EVENT_OFF);
	uncore_work(1);
	sim_clock_advance(1000);
	EXPECT_EQ(timed_count_of(off).enabled_ns, 0);
	EXPECT_EQ(control_event(off, PERF_EVENT_IOC_ENABLE, 0), 0);
	uncore_work(2);
	sim_clock_advance(1000);
	EXPECT_EQ(timed_count_of(off).value, 2);
	EXPECT_EQ(timed_count_of(off).enabled_ns, 1000);
	EXPECT_EQ(control_event(off, PERF_EVENT_IOC_DISABLE, 0), 0);
	perf_migrate_events(&uncore, 1, 0);
	atomic_store(&uncore.cpu, 0);
	EXPECT_EQ(timed_count_of(off).value, 2);
	end_machine();
}

/* A group with software events moves with its hardware event; other events stay. */
static void check_groups(void)
{
	struct perf_event_attr attr = software_attr(PERF_COUNT_SW_PAGE_FAULTS);

	start_uncore_machine(2);
	int leader = open_event(uncore_attr(), -1, 0, -1);
	int member = open_event(attr, -1, 0, leader);
	int alone = open_event(attr, -1, 0, -1);
	int other = open_event(hardware_attr(CODE), -1, 0, -1);

	EXPECT(member >= 0 && alone >= 0 && other >= 0);
	perf_migrate_events(&uncore, 0, 1);
	atomic_store(&uncore.cpu, 1);
	perf_software_event(PERF_COUNT_SW_PAGE_FAULTS, 1, sim_frame(), 0);
	count_on(0, 9);
	sim_cpu_set(1);
	perf_software_event(PERF_COUNT_SW_PAGE_FAULTS, 3, sim_frame(), 0);
	sim_cpu_set(0);
	EXPECT_EQ(count_of(member), 3);
	EXPECT_EQ(count_of(alone), 1);
	EXPECT_EQ(count_of(other), 9);
	end_machine();
}

/* Groups that wait for counters rotate where they have come to. */
static void check_rotation(void)
{
	int fds[UNCORE_COUNTERS + 1];
	uint64_t running_ns = 0;

	start_uncore_machine(2);
	for (int i = 0; i <= UNCORE_COUNTERS; i++)
		fds[i] = open_event(uncore_attr(), -1, 0, -1);
	sim_clock_advance(PERF_ROTATION_NS);
	perf_migrate_events(&uncore, 0, 1);
	atomic_store(&uncore.cpu, 1);
	sim_clock_advance(30 * PERF_ROTATION_NS);
	for (int i = 0; i <= UNCORE_COUNTERS; i++) {
		struct timed_count count = timed_count_of(fds[i]);

		EXPECT_EQ(count.enabled_ns, 31 * PERF_ROTATION_NS);
		EXPECT(count.running_ns > 0 && count.running_ns < count.enabled_ns);
		running_ns += count.running_ns;
	}
	EXPECT_EQ(running_ns, UNCORE_COUNTERS * 31 * PERF_ROTATION_NS);
	end_machine();
}

/* The page that a program has mapped belongs to the event on its new CPU. */
static void check_mapping(void)
{
	struct mapping mapping;

	start_uncore_machine(2);
	int fd = open_event(uncore_attr(), -1, 0, -1);

	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	uncore_work(4);
	perf_migrate_events(&uncore, 0, 1);
	atomic_store(&uncore.cpu, 1);
	EXPECT(LIST_EMPTY(&perf_context_of_cpu(0)->with_ring));
	EXPECT(LIST_FIRST(&perf_context_of_cpu(1)->with_ring) == event_of(fd));
	EXPECT_EQ(mapping.page->offset, 4);
	unmap_event(&mapping);
	end_machine();
}

/* --- off line --- */

static void check_hand_over(void)
{
	start_uncore_machine(3);
	int fd = open_event(uncore_attr(), -1, 1, -1);

	/* The events of another CPU's PMUs stay. */
	take_offline(1, 0);
	EXPECT_EQ(event_of(fd)->cpu, 0);
	bring_online(1);
	take_offline(0, 2);
	EXPECT_EQ(uncore.cpu, 2);
	EXPECT_EQ(event_of(fd)->cpu, 2);
	uncore_work(6);
	EXPECT_EQ(timed_count_of(fd).value, 6);
	int other = open_event(uncore_attr(), -1, 0, -1);

	EXPECT(other >= 0);
	EXPECT_EQ(event_of(other)->cpu, 2);
	/* The CPU that comes back gets nothing back. */
	bring_online(0);
	EXPECT_EQ(uncore.cpu, 2);
	end_machine();
}

static void check_revoked(void)
{
	struct mapping mapping;

	start_uncore_machine(2);
	int leader = open_event(timed(hardware_attr(CODE)), -1, 1, -1);
	int member = open_event(timed(hardware_attr(CODE)), -1, 1, leader);

	EXPECT_EQ(map_event(&mapping, leader, 1), 0);
	count_on(1, 10);
	sim_clock_advance(1000);
	take_offline(1, 0);
	sim_clock_advance(1000);
	EXPECT_EQ(event_of(leader)->state, EVENT_OFF);
	EXPECT(event_of(member)->leader == event_of(member));
	EXPECT(TAILQ_EMPTY(&perf_context_of_cpu(1)->members));
	EXPECT_EQ(timed_count_of(member).value, 10);
	EXPECT_EQ(timed_count_of(member).enabled_ns, 1000);
	EXPECT_EQ(timed_count_of(member).running_ns, 1000);
	EXPECT_EQ(open_event(hardware_attr(CODE), -1, 1, -1), -ENODEV);
	EXPECT_EQ(open_event(hardware_attr(CODE), -1, 1, leader), -ENODEV);
	EXPECT_EQ(control_event(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP), 0);
	EXPECT_EQ(control_event(member, PERF_EVENT_IOC_RESET, 0), 0);
	EXPECT_EQ(timed_count_of(member).value, 0);

	bring_online(1);
	EXPECT_EQ(control_event(leader, PERF_EVENT_IOC_ENABLE, 0), 0);
	int fresh = open_event(timed(hardware_attr(CODE)), -1, 1, -1);
	int joined = open_event(timed(hardware_attr(CODE)), -1, 1, leader);

	count_on(1, 3);
	sim_clock_advance(1000);
	EXPECT_EQ(timed_count_of(leader).value, 10);
	EXPECT_EQ(timed_count_of(leader).enabled_ns, 1000);
	EXPECT_EQ(timed_count_of(fresh).value, 3);
	EXPECT_EQ(timed_count_of(fresh).enabled_ns, 1000);
	/* With a leader that is off for good. */
	EXPECT_EQ(timed_count_of(joined).value, 0);
	unmap_event(&mapping);
	end_machine();
}

/* Rotation and the tick end with their events, and start anew. */
static void check_timers(void)
{
	struct perf_event_attr attr = hardware_attr(CODE);

	start_uncore_machine(2);
	attr.freq = attr.pinned = 1;
	attr.sample_freq = 100;
	EXPECT(open_event(attr, -1, 1, -1) >= 0);
	for (int i = 0; i < 6; i++)
		EXPECT(open_event(hardware_attr(CODE), -1, 1, -1) >= 0);
	EXPECT(perf_cpus[1].rotation_armed && perf_cpus[1].tick_armed);
	take_offline(1, 0);
	EXPECT(!perf_cpus[1].rotation_armed && !perf_cpus[1].tick_armed);
	/* No timer of the CPU is left: it would find the context inactive. */
	sim_clock_advance(10 * PERF_ROTATION_NS);
	bring_online(1);
	int fds[5];

	for (int i = 0; i < 5; i++)
		fds[i] = open_event(timed(hardware_attr(CODE)), -1, 1, -1);
	sim_clock_advance(20 * PERF_ROTATION_NS);
	for (int i = 0; i < 5; i++)
		EXPECT(timed_count_of(fds[i]).running_ns > 0);
	end_machine();
}

static void check_task_events(void)
{
	start_uncore_machine(2);
	int bound = open_event(timed(hardware_attr(CODE)), 0, 1, -1);
	int free = open_event(timed(hardware_attr(CODE)), 0, -1, -1);

	take_offline(1, 0);
	int late = open_event(timed(hardware_attr(CODE)), 0, 1, -1);

	EXPECT(late >= 0);
	count_on(0, 4);
	sim_clock_advance(1000);
	EXPECT_EQ(timed_count_of(bound).value, 0);
	EXPECT_EQ(timed_count_of(bound).enabled_ns, 1000);
	EXPECT_EQ(timed_count_of(bound).running_ns, 0);
	EXPECT_EQ(timed_count_of(free).value, 4);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "events of the whole machine's PMU move with their groups, counts and times",
	  check_migration },
	{ "an event keeps its state when it moves", check_states },
	{ "only the groups of that PMU move, each with its software events", check_groups },
	{ "groups that wait rotate where they have come to", check_rotation },
	{ "a mapped event moves with its page", check_mapping },
	{ "a CPU that goes off line hands over the PMUs that count on it", check_hand_over },
	{ "events of a CPU that goes off line are off for good", check_revoked },
	{ "rotation and the tick of the CPU end, and begin anew", check_timers },
	{ "a task's event bound to the CPU waits", check_task_events },
};

TAP_MAIN(rules)
