// SPDX-License-Identifier: BSD-2-Clause
/*
 * The perf core in a storm: tasks are switched, made and ended, events of all kinds opened,
 * switched, read, mapped, sent to one another's rings and closed, in an order that a generator
 * makes from a seed.
 *
 * Through it all one pinned event of the first task counts, and its value, read at any time, is
 * what that task has executed since; so is the sum that an inherited one has of a family. In the
 * end nothing is left. The sanitizers watch.
 */
#include <kernel/perf/event.h>
#include <kernel/perf/ring.h>
#include <kernel/perf/settings.h>
#include <stdlib.h>

#include "events.h"

#define CODE   1
#define CPUS   3
#define TASKS  8
#define EVENTS 24
#define STEPS  5000

static uint64_t state;

/* 0 … LIMIT - 1. */
static uint32_t random_below(uint32_t limit)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % limit;
}

static bool one_in(uint32_t number)
{
	return random_below(number) == 0;
}

/* --- the world --- */

static struct {
	struct task *task; /* NULL: no task in this place */
	bool family;	   /* inherited from the first task */
	int cpu;	   /* where it runs, -1 */
} tasks[TASKS];

static struct task *idle[CPUS];

static struct {
	int fd; /* -1: no event in this place */
	bool mapped;
	struct vm_area area;
} events[EVENTS];

/* Events that the first task has executed, and its family since it began. */
static uint64_t executed_first, executed_family;

static int steady, family;

static int place_on(int cpu)
{
	for (int i = 0; i < TASKS; i++)
		if (tasks[i].task && tasks[i].cpu == cpu)
			return i;
	return -1;
}

static void idle_cpu(int cpu)
{
	int place = place_on(cpu);

	if (place < 0)
		return;
	sim_cpu_set((unsigned int)cpu);
	sim_switch(idle[cpu]);
	tasks[place].cpu = -1;
}

static void run_task(int place, int cpu)
{
	if (!tasks[place].task)
		return;
	if (tasks[place].cpu >= 0)
		idle_cpu(tasks[place].cpu);
	idle_cpu(cpu);
	sim_cpu_set((unsigned int)cpu);
	sim_switch(tasks[place].task);
	tasks[place].cpu = cpu;
}

/* --- what happens --- */

static void execute(void)
{
	int cpu = (int)random_below(CPUS), place = place_on(cpu);
	uint64_t number = random_below(3000);

	sim_cpu_set((unsigned int)cpu);
	sim_frame_set(0x400000, one_in(2));
	sim_pmu_count(CODE, number);
	if (one_in(4))
		perf_software_event(PERF_COUNT_SW_PAGE_FAULTS, 1, sim_frame(), 0x1234);
	if (place == 0)
		executed_first += number;
	if (place >= 0 && tasks[place].family)
		executed_family += number;
}

static void switch_tasks(void)
{
	int cpu = (int)random_below(CPUS);

	if (one_in(4))
		idle_cpu(cpu);
	else
		run_task((int)random_below(TASKS), cpu);
}

/* Only a running task forks, only one other than the first ends. */
static void fork_or_end(void)
{
	int place = (int)random_below(TASKS), creator = place_on((int)random_below(CPUS));

	if (!tasks[place].task) {
		if (creator < 0)
			return;
		sim_cpu_set((unsigned int)tasks[creator].cpu);
		struct task *child = sim_task_create();
		EXPECT_EQ(perf_task_fork(task_current(), child, one_in(2) ? PERF_FORK_THREAD : 0),
			  0);
		tasks[place].task = child;
		tasks[place].family = tasks[creator].family;
		tasks[place].cpu = -1;
	} else if (place != 0) {
		run_task(place, (int)random_below(CPUS));
		sim_task_exit(tasks[place].task);
		sim_switch(idle[cpu_id()]);
		tasks[place].task = NULL;
	}
}

static struct perf_event_attr random_attr(void)
{
	struct perf_event_attr attr = hardware_attr(CODE + random_below(2));

	if (one_in(3))
		attr = software_attr(random_below(PERF_COUNT_SW_MAX));
	if (one_in(2)) {
		attr.sample_period = 1 + random_below(one_in(4) ? 10 : 5000);
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
		attr.sample_type |= one_in(3) ? PERF_SAMPLE_PERIOD | PERF_SAMPLE_TIME : 0;
		attr.wakeup_events = random_below(3);
	}
	if (attr.sample_period && one_in(4)) {
		attr.freq = 1;
		attr.sample_freq = 1 + random_below(PERF_SAMPLE_RATE_DEFAULT);
	}
	attr.read_format = random_below(PERF_FORMAT_MAX);
	attr.disabled = one_in(3);
	attr.inherit = one_in(3);
	if (attr.sample_period && !attr.inherit && one_in(3))
		attr.sample_type |= PERF_SAMPLE_READ;
	attr.exclusive = one_in(10);
	attr.exclude_user = one_in(4);
	attr.exclude_kernel = one_in(4);
	attr.enable_on_exec = one_in(6);
	attr.remove_on_exec = !attr.enable_on_exec && one_in(8);
	return attr;
}

static void open_or_close(void)
{
	int place = (int)random_below(EVENTS);

	if (events[place].fd >= 0) {
		if (one_in(2))
			sim_fd_close(events[place].fd);
		else
			return;
		if (events[place].mapped)
			unmap_area(&events[place].area);
		events[place].mapped = false;
		events[place].fd = -1;
		return;
	}
	struct perf_event_attr attr = random_attr();
	struct task *target = tasks[random_below(TASKS)].task;
	bool of_cpu = !target || one_in(4);
	int group_fd = one_in(3) ? events[random_below(EVENTS)].fd : -1;
	int cpu = of_cpu || one_in(3) ? (int)random_below(CPUS) : -1;
	unsigned long flags =
		group_fd >= 0 && one_in(4) ? PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP : 0;

	long fd = perf_event_open(&attr, of_cpu ? -1 : target->tid, cpu, group_fd, flags);
	events[place].fd = fd >= 0 ? (int)fd : -1;
}

static void map_or_unmap(void)
{
	int place = (int)random_below(EVENTS);

	if (events[place].fd < 0)
		return;
	if (events[place].mapped) {
		unmap_area(&events[place].area);
		events[place].mapped = false;
	} else {
		events[place].mapped = map_area(events[place].fd, &events[place].area,
						1u << random_below(3),
						VM_READ | (one_in(3) ? 0 : VM_WRITE)) == 0;
	}
}

static void control(void)
{
	int fd = events[random_below(EVENTS)].fd;
	uint64_t period = 1 + random_below(3000), values[512];
	unsigned long group = random_below(2);

	if (fd < 0)
		return;
	switch (random_below(9)) {
	case 0:
	case 1:
		control_event(fd, PERF_EVENT_IOC_ENABLE, group);
		break;
	case 2:
		control_event(fd, PERF_EVENT_IOC_DISABLE, group);
		break;
	case 3:
		control_event(fd, PERF_EVENT_IOC_RESET, group);
		break;
	case 4:
		control_event(fd, PERF_EVENT_IOC_REFRESH, random_below(4));
		break;
	case 5:
		control_event(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period);
		break;
	case 6:
		control_event(fd, PERF_EVENT_IOC_SET_OUTPUT,
			      (unsigned long)(one_in(4) ? -1 : events[random_below(EVENTS)].fd));
		break;
	case 7:
		read_event(fd, values, sizeof(values));
		break;
	case 8:
		sim_fd_file(fd)->ops->poll(sim_fd_file(fd), NULL);
		break;
	}
}

static void exec_one(void)
{
	int place = place_on((int)random_below(CPUS));

	/* The first task keeps its program, the family its event. */
	if (place > 0) {
		sim_cpu_set((unsigned int)tasks[place].cpu);
		perf_task_exec(task_current());
	}
}

static void look(unsigned int seed, unsigned int step)
{
	sim_cpu_set(random_below(CPUS));
	EXPECT_EQ_AT(count_of(steady), executed_first, "seed %u, step %u", seed, step);
	EXPECT_EQ_AT(count_of(family), executed_family, "seed %u, step %u", seed, step);
}

/* The possible steps, the frequent ones more than once. */
static void (*const happenings[])(void) = {
	/* clang-format off */
	execute, execute, execute, switch_tasks, switch_tasks, fork_or_end, open_or_close,
	open_or_close, open_or_close, map_or_unmap, control, control, exec_one
	/* clang-format on */
};

static void storm(unsigned int seed)
{
	struct perf_event_attr attr = hardware_attr(CODE);

	state = seed;
	start_machine(CPUS, 6, NULL, 0);
	executed_first = executed_family = 0;
	for (int i = 0; i < EVENTS; i++)
		events[i].fd = -1, events[i].mapped = false;
	for (int i = 0; i < TASKS; i++)
		tasks[i].task = NULL, tasks[i].cpu = -1;
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		sim_cpu_set(cpu);
		idle[cpu] = task_current();
	}
	tasks[0].task = sim_task_create();
	tasks[0].family = true;
	attr.pinned = 1;
	steady = open_event(attr, tasks[0].task->tid, -1, -1);
	attr.inherit = 1;
	family = open_event(attr, tasks[0].task->tid, -1, -1);

	for (unsigned int step = 0; step < STEPS; step++) {
		happenings[random_below(sizeof(happenings) / sizeof(happenings[0]))]();
		if (one_in(5))
			sim_clock_advance(random_below(3000000));
		if (one_in(8))
			look(seed, step);
	}
	look(seed, STEPS);

	for (int i = 0; i < EVENTS; i++)
		if (events[i].mapped)
			unmap_area(&events[i].area);
	for (int i = 0; i < TASKS; i++) {
		if (!tasks[i].task)
			continue;
		run_task(i, 0);
		sim_task_exit(tasks[i].task);
		sim_switch(idle[0]);
		tasks[i].task = NULL;
	}
	end_machine();
}

static void counts_stay_exact_in_a_storm(void)
{
	for (unsigned int seed = 1; seed <= 30; seed++)
		storm(seed);
}

static const struct tap_rule rules[] = {
	{ "an event counts exactly whatever other events and tasks do, and nothing is left",
	  counts_stay_exact_in_a_storm },
};

TAP_MAIN(rules)
