// SPDX-License-Identifier: BSD-2-Clause
/* Permissions to open events: kernel.perf_event_paranoid, tasks of other processes, events that the open cannot place. */
#include <kernel/perf/settings.h>

#include "family.h"

#define CODE 1

static struct perf_event_attr user_attr(void)
{
	struct perf_event_attr attr = hardware_attr(CODE);

	attr.exclude_kernel = 1;
	return attr;
}

/* Rights of the unprivileged: to open at all, to count the kernel, to count a CPU. */
static void levels_forbid_more_and_more(void)
{
	static const struct {
		int level, user, kernel, cpu;
	} rows[] = {
		{ -1, 0, 0, 0 },
		{ 0, 0, 0, 0 },
		{ 1, 0, 0, -EACCES },
		{ 2, 0, -EACCES, -EACCES },
		{ 3, -EACCES, -EACCES, -EACCES },
	};

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start_machine(1, 4, NULL, 0);
		perf_paranoid = rows[i].level;
		for (unsigned int unprivileged = 0; unprivileged < 2; unprivileged++) {
			sim_unprivileged_set(unprivileged);
			int user = open_event(user_attr(), 0, -1, -1);
			int kernel = open_event(hardware_attr(CODE), 0, -1, -1);
			int cpu = open_event(user_attr(), -1, 0, -1);
			EXPECT_EQ_AT(user < 0 ? user : 0, unprivileged ? rows[i].user : 0,
				     "level %d", rows[i].level);
			EXPECT_EQ_AT(kernel < 0 ? kernel : 0, unprivileged ? rows[i].kernel : 0,
				     "level %d", rows[i].level);
			EXPECT_EQ_AT(cpu < 0 ? cpu : 0, unprivileged ? rows[i].cpu : 0, "level %d",
				     rows[i].level);
		}
		perf_paranoid = PERF_PARANOID_DEFAULT;
		end_machine();
	}
}

static void records_of_others_need_a_right(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = user_attr();

	sim_unprivileged_set(true);
	attr.namespaces = 1;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EACCES);
	attr.namespaces = 0;
	attr.sample_type = PERF_SAMPLE_PHYS_ADDR;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EACCES);
	sim_unprivileged_set(false);
	attr.namespaces = 1;
	EXPECT(open_event(attr, 0, -1, -1) >= 0);
	end_machine();
}

/* A task of another process must be one that the caller may observe. */
static void other_processes_need_permission(void)
{
	static char other_process;

	start_machine(1, 4, NULL, 0);
	struct task *task = sim_task_create();

	task->process = (struct process *)&other_process;
	EXPECT(open_event(user_attr(), task->tid, -1, -1) >= 0);
	sim_unprivileged_set(true);
	EXPECT_EQ(open_event(user_attr(), task->tid, -1, -1), -EACCES);
	task->process = task_current()->process;
	EXPECT(open_event(user_attr(), task->tid, -1, -1) >= 0);
	end_task(task);
	end_machine();
}

static void control_groups_do_not_exist(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = hardware_attr(CODE);

	EXPECT_EQ(perf_event_open(&attr, 5, -1, -1, PERF_FLAG_PID_CGROUP), -EINVAL);
	EXPECT_EQ(perf_event_open(&attr, -1, 0, -1, PERF_FLAG_PID_CGROUP), -EINVAL);
	EXPECT_EQ(perf_event_open(&attr, 5, 0, -1, PERF_FLAG_PID_CGROUP), -EBADF);
	end_machine();
}

/* Exclusions that a PMU cannot tell apart, AUX output, a task that exited, samples that read inherited counts. */
static void requests_that_no_pmu_serves_are_refused(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = hardware_attr(CODE);

	attr.aux_output = 1;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EOPNOTSUPP);
	attr = hardware_attr(CODE);
	attr.aux_sample_size = 8;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	attr = hardware_attr(CODE);
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EOPNOTSUPP);

	struct task *task = sim_task_create(), *self = task_current();
	sim_switch(task);
	perf_task_exit(task);
	EXPECT_EQ(open_event(hardware_attr(CODE), 0, -1, -1), -ESRCH);
	sim_switch(self);
	EXPECT_EQ(open_event(hardware_attr(CODE), task->tid, -1, -1), -ESRCH);
	EXPECT_EQ(perf_task_fork(task, sim_task_create(), 0), 0);
	perf_task_exec(task);
	perf_task_end_events(task);
	end_machine();
}

/* A descriptor is the first thing that a call needs. */
static void descriptors_come_first(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = software_attr(PERF_COUNT_SW_DUMMY);

	for (unsigned int i = 0; i < SIM_FILES_MAX; i++)
		EXPECT_AT(open_event(attr, 0, -1, -1) >= 0, "descriptor %u", i);
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EMFILE);
	EXPECT_EQ(open_event(attr, 77, -1, -1), -EMFILE);
	sim_fd_close(5);
	EXPECT_EQ(open_event(attr, 77, -1, -1), -ESRCH);
	EXPECT_EQ(open_event(attr, 0, -1, -1), 5);
	end_machine();
}

/* prctl switches the caller's events only; a task that ends its events owns none. */
static void only_ones_own_events_are_switched(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *self = task_current(), *task = sim_task_create();
	int own = open_event(hardware_attr(CODE), 0, -1, -1);

	sim_switch(task);
	int others = open_event(hardware_attr(CODE), -1, 0, -1);
	perf_task_events_set(false);
	EXPECT_EQ(event_of(own)->state, EVENT_INACTIVE);
	EXPECT_EQ(event_of(others)->state, EVENT_OFF);
	perf_task_events_set(true);
	perf_task_end_events(task);
	perf_task_events_set(false);
	EXPECT_EQ(event_of(others)->state, EVENT_ACTIVE);
	sim_switch(self);
	perf_task_events_set(false);
	EXPECT_EQ(event_of(own)->state, EVENT_OFF);
	EXPECT_EQ(event_of(others)->state, EVENT_ACTIVE);
	end_task(task);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "each level of perf_event_paranoid forbids the unprivileged one thing more",
	  levels_forbid_more_and_more },
	{ "records of namespaces and physical addresses need a right",
	  records_of_others_need_a_right },
	{ "a task of another process must be one that the caller may observe",
	  other_processes_need_permission },
	{ "no descriptor is a control group's", control_groups_do_not_exist },
	{ "requests that no PMU or no task can meet are refused with Linux's error",
	  requests_that_no_pmu_serves_are_refused },
	{ "without a free descriptor every error is EMFILE", descriptors_come_first },
	{ "prctl enables and disables the events of the caller alone",
	  only_ones_own_events_are_switched },
};

TAP_MAIN(rules)
