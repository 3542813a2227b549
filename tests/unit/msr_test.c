// SPDX-License-Identifier: BSD-2-Clause
/* The PMU of counters that the CPU keeps anyway (arch/x86_64/pmu/msr.c). The simulated time-stamp counter is clock_ns. */
#include "events.h"

/* Events of the PMU "msr", whose type is assigned. */
static struct perf_event_attr msr_attr(uint64_t config)
{
	struct perf_event_attr attr = hardware_attr(config);
	struct pmu *pmu = perf_pmu_next(0);

	while (pmu && strcmp(pmu->name, "msr") != 0)
		pmu = perf_pmu_next(pmu->type + 1);
	EXPECT(pmu);
	if (pmu)
		attr.type = pmu->type;
	return attr;
}

static void the_time_stamp_counter_counts_while_on(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *self = task_current(), *other = sim_task_create();
	int fd = open_event(timed(msr_attr(0)), 0, -1, -1);

	sim_clock_advance(1000);
	EXPECT_EQ(timed_count_of(fd).value, 1000);
	sim_switch(other);
	sim_clock_advance(500);
	EXPECT_EQ(timed_count_of(fd).value, 1000);
	sim_switch(self);
	sim_clock_advance(7);
	EXPECT_EQ(timed_count_of(fd).value, 1007);
	control_event(fd, PERF_EVENT_IOC_DISABLE, 0);
	sim_clock_advance(500);
	EXPECT_EQ(timed_count_of(fd).value, 1007);
	EXPECT_EQ(timed_count_of(fd).running_ns, 1007);
	end_task(other);
	end_machine();
}

static void each_event_begins_at_zero(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = msr_attr(0);

	attr.disabled = 1;
	int fd = open_event(attr, 0, -1, -1);
	sim_clock_advance(100);
	control_event(fd, PERF_EVENT_IOC_ENABLE, 0);
	sim_clock_advance(20);
	EXPECT_EQ(count_of(fd), 20);
	control_event(fd, PERF_EVENT_IOC_RESET, 0);
	sim_clock_advance(3);
	EXPECT_EQ(count_of(fd), 3);
	end_machine();
}

static void it_joins_any_group(void)
{
	start_machine(1, 1, NULL, 0);
	int leader = open_event(hardware_attr(1), 0, -1, -1);
	int fd = open_event(msr_attr(0), 0, -1, leader),
	    second = open_event(msr_attr(0), 0, -1, leader);

	sim_clock_advance(10);
	EXPECT_EQ(count_of(fd), 10);
	EXPECT_EQ(count_of(second), 10);
	end_machine();
}

static void impossible_requests_are_refused(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = msr_attr(0);

	attr.sample_period = 100;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	attr = msr_attr(0);
	attr.exclude_kernel = 1;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	/* CPUID has neither APERF nor MPERF here. */
	EXPECT_EQ(open_event(msr_attr(1), 0, -1, -1), -EINVAL);
	EXPECT_EQ(open_event(msr_attr(2), 0, -1, -1), -EINVAL);
	EXPECT_EQ(open_event(msr_attr(3), 0, -1, -1), -EINVAL);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "the time-stamp counter is counted while the event is active",
	  the_time_stamp_counter_counts_while_on },
	{ "each event begins at zero", each_event_begins_at_zero },
	{ "any number of events join any group", it_joins_any_group },
	{ "sampling, exclusion and registers that the CPU lacks are refused",
	  impossible_requests_are_refused },
};

TAP_MAIN(rules)
