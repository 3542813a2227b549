// SPDX-License-Identifier: BSD-2-Clause
/* Rules of kernel/perf/breakpoint_slots.c: how many breakpoints there may be on several CPUs. */
#include <kernel/perf/breakpoint.h>
#include <kernel/perf/breakpoint_slots.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>

#include "sim/sim.h"
#include "tap.h"

enum { CPUS = 3 };

/* Takes until there is none left; returns how many. */
static unsigned int take_all(struct task *task, int cpu)
{
	unsigned int count = 0;
	int error;

	while (!(error = breakpoint_slot_take(task, cpu)))
		count++;
	EXPECT_EQ(error, -ENOSPC);
	return count;
}

static void give(struct task *task, int cpu, unsigned int count)
{
	while (count-- > 0)
		breakpoint_slot_give(task, cpu);
}

static void start(void)
{
	sim_start(CPUS);
	breakpoint_slots_init();
}

static void each_cpu_has_its_own(void)
{
	start();
	for (int cpu = 0; cpu < CPUS; cpu++)
		EXPECT_EQ(take_all(NULL, cpu), 4);
	for (int cpu = 0; cpu < CPUS; cpu++)
		give(NULL, cpu, 4);
	EXPECT_EQ(sim_end(), 0);
}

static void a_task_may_run_anywhere(void)
{
	start();
	struct task *task = sim_task_create();

	EXPECT_EQ(breakpoint_slot_take(NULL, 2), 0);
	EXPECT_EQ(take_all(task, -1), 3);
	EXPECT_EQ(take_all(task, 0), 1);
	EXPECT_EQ(take_all(task, 2), 0);
	EXPECT_EQ(take_all(NULL, 0), 0);
	EXPECT_EQ(take_all(NULL, 1), 1);
	give(task, -1, 3);
	EXPECT_EQ(take_all(task, 2), 3);
	give(task, 0, 1);
	give(task, 2, 3);
	give(NULL, 1, 1);
	give(NULL, 2, 1);
	EXPECT_EQ(sim_end(), 0);
}

static void tasks_alternate(void)
{
	start();
	struct task *first = sim_task_create(), *second = sim_task_create();

	EXPECT_EQ(take_all(first, -1), 4);
	EXPECT_EQ(breakpoint_slot_take(second, 1), 0);
	EXPECT_EQ(breakpoint_slot_take(second, -1), 0);
	give(first, -1, 3);
	/* The task that has the most on a CPU leaves what is left of it. */
	EXPECT_EQ(take_all(NULL, 0), 3);
	EXPECT_EQ(take_all(NULL, 1), 2);
	give(first, -1, 1);
	give(second, -1, 1);
	EXPECT_EQ(take_all(NULL, 0), 1);
	give(second, 1, 1);
	EXPECT_EQ(take_all(NULL, 1), 2);
	give(NULL, 0, 4);
	give(NULL, 1, 4);
	EXPECT_EQ(sim_end(), 0);
}

static void no_memory_takes_no_slot(void)
{
	start();
	struct task *task = sim_task_create();

	sim_allocation_fail(1);
	EXPECT_EQ(breakpoint_slot_take(task, -1), -ENOMEM);
	EXPECT_EQ(take_all(task, -1), 4);
	give(task, -1, 4);
	EXPECT_EQ(sim_end(), 0);
}

static const struct tap_rule rules[] = {
	{ "every CPU has four registers", each_cpu_has_its_own },
	{ "a task's breakpoints need a register wherever it may run", a_task_may_run_anywhere },
	{ "tasks share registers with each other, but not with CPUs", tasks_alternate },
	{ "without memory no slot is taken", no_memory_takes_no_slot },
};

TAP_MAIN(rules)
