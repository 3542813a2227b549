// SPDX-License-Identifier: BSD-2-Clause
/* Software events and clocks that sample: every period, several at once, in which rings, how fast. */
#include <kernel/perf/settings.h>
#include <kernel/perf/software.h>
#include <kernel/perf/tick.h>
#include <uapi/linux/time.h>

#include "mapping.h"

#define SAMPLE_SIZE 24 /* header, IP, PERIOD or ADDR */
#define FAULTS	    PERF_COUNT_SW_PAGE_FAULTS

static struct mapping mapping;
static uint64_t record[8];

static struct perf_event_attr sampling_attr(uint64_t id, uint64_t period, uint64_t sample_type)
{
	struct perf_event_attr attr = software_attr(id);

	attr.sample_period = period;
	attr.sample_type = sample_type;
	return attr;
}

static unsigned int samples(void)
{
	unsigned int count = 0;

	while (next_record(&mapping, record, sizeof(record)))
		count += ((struct perf_event_header *)record)->type == PERF_RECORD_SAMPLE;
	return count;
}

static void fault(uint64_t number)
{
	perf_software_event(FAULTS, number, sim_frame(), 0x1234);
}

static void every_period_has_a_sample(void)
{
	start_machine(1, 4, NULL, 0);
	int fd =
		open_event(sampling_attr(FAULTS, 10, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR), 0, -1, -1);

	EXPECT_EQ(map_event(&mapping, fd, 4), 0);
	sim_frame_set(0x4321, true);
	fault(9);
	EXPECT_EQ(samples(), 0);
	fault(1);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), SAMPLE_SIZE);
	EXPECT_EQ(record[1], 0x4321);
	EXPECT_EQ(record[2], 0x1234);
	fault(35);
	EXPECT_EQ(samples(), 3);
	fault(5);
	EXPECT_EQ(samples(), 1);
	EXPECT_EQ(count_of(fd), 50);
	unmap_event(&mapping);
	end_machine();
}

static void samples_have_the_time_of_day(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = sampling_attr(FAULTS, 1, PERF_SAMPLE_TIME);

	attr.use_clockid = 1;
	attr.clockid = CLOCK_REALTIME;
	int fd = open_event(attr, 0, -1, -1);

	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_clock_advance(5);
	fault(1);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 16);
	EXPECT_EQ(record[1], SIM_BOOT_TIME_S * NSEC_PER_SEC + clock_ns());
	unmap_event(&mapping);
	end_machine();
}

/* Linux lets the next one end the new period: no counter has to be written. */
static void a_new_period_begins_with_a_sample(void)
{
	uint64_t period = 100;

	start_machine(1, 4, NULL, 0);
	int fd =
		open_event(sampling_attr(FAULTS, 10, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR), 0, -1, -1);

	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	fault(3);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period), 0);
	fault(1);
	EXPECT_EQ(samples(), 1);
	fault(98);
	EXPECT_EQ(samples(), 0);
	fault(1);
	EXPECT_EQ(samples(), 1);
	EXPECT_EQ(count_of(fd), 103);
	unmap_event(&mapping);
	end_machine();
}

/* With its period in the sample each event makes one, for what happened at once. */
static void a_sample_with_its_period_stands_for_all(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_event(sampling_attr(FAULTS, 10, PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD), 0, -1,
			    -1);

	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	fault(3);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), SAMPLE_SIZE);
	EXPECT_EQ(record[2], 3);
	fault(70);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), SAMPLE_SIZE);
	EXPECT_EQ(record[2], 70);
	EXPECT_EQ(samples(), 0);
	unmap_event(&mapping);
	end_machine();
}

/* One in a tick is the limit. A single event always has its sample; the second of several at once throttles. */
static void only_a_backlog_is_throttled(void)
{
	start_machine(1, 4, NULL, 0);
	perf_sample_rate_max = 1;
	int fd = open_event(sampling_attr(FAULTS, 1, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR), 0, -1, -1);

	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	for (unsigned int i = 0; i < 5; i++)
		fault(1);
	EXPECT_EQ(samples(), 5);
	fault(3);
	EXPECT_EQ(samples(), 2);
	EXPECT_EQ(count_of(fd), 8);
	fault(1);
	EXPECT_EQ(samples(), 0);
	sim_clock_advance(PERF_TICK_NS);
	fault(1);
	EXPECT_EQ(samples(), 1);
	unmap_event(&mapping);
	perf_sample_rate_max = PERF_SAMPLE_RATE_DEFAULT;
	end_machine();
}

/* A sample of what has no frame says where it happened, in the kernel. */
static void events_without_a_frame_are_the_kernels(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr =
		sampling_attr(PERF_COUNT_SW_CONTEXT_SWITCHES, 1, PERF_SAMPLE_IP);
	int fd = open_event(attr, 0, -1, -1);

	attr.exclude_kernel = 1;
	int user = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	perf_software_event(PERF_COUNT_SW_CONTEXT_SWITCHES, 1, NULL, 0);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 16);
	EXPECT_EQ(((struct perf_event_header *)record)->misc, PERF_RECORD_MISC_KERNEL);
	EXPECT(record[1] != 0);
	EXPECT_EQ(count_of(user), 0);
	unmap_event(&mapping);
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EOPNOTSUPP);
	end_machine();
}

/* --- clocks --- */

/* 1000 a second: each millisecond of the task's time. */
static void a_clocks_frequency_is_a_period(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = sampling_attr(PERF_COUNT_SW_TASK_CLOCK, 1000, PERF_SAMPLE_IP);

	attr.freq = 1;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_clock_advance(10 * NSEC_PER_MSEC - 1);
	EXPECT_EQ(samples(), 9);
	sim_clock_advance(1);
	EXPECT_EQ(samples(), 1);
	EXPECT_EQ(count_of(fd), 10 * NSEC_PER_MSEC);
	unmap_event(&mapping);
	end_machine();
}

/* A period of 1 ns samples each 10 us. */
static void clocks_have_a_shortest_period(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_event(sampling_attr(PERF_COUNT_SW_CPU_CLOCK, 1, PERF_SAMPLE_IP), 0, -1, -1);

	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_clock_advance(100 * NSEC_PER_USEC);
	EXPECT_EQ(samples(), 10);
	EXPECT_EQ(count_of(fd), 100 * NSEC_PER_USEC);
	unmap_event(&mapping);
	end_machine();
}

static void clocks_sample_the_rings_that_are_not_excluded(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr =
		sampling_attr(PERF_COUNT_SW_CPU_CLOCK, NSEC_PER_MSEC, PERF_SAMPLE_IP);

	attr.exclude_kernel = 1;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_frame_set(0x401000, true);
	sim_clock_advance(3 * NSEC_PER_MSEC);
	EXPECT_EQ(samples(), 3);
	sim_frame_set(0xffffffff80001000, false);
	sim_clock_advance(3 * NSEC_PER_MSEC);
	EXPECT_EQ(samples(), 0);
	/* It counts in all of them. */
	EXPECT_EQ(count_of(fd), 6 * NSEC_PER_MSEC);
	unmap_event(&mapping);
	sim_fd_close(fd);

	/* Tasks without a space are the idle ones. */
	attr.exclude_kernel = 0;
	attr.exclude_idle = 1;
	fd = open_event(attr, -1, 0, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	struct vm_space *space = task_current()->space;
	task_current()->space = NULL;
	sim_clock_advance(NSEC_PER_MSEC);
	EXPECT_EQ(samples(), 0);
	task_current()->space = space;
	sim_clock_advance(NSEC_PER_MSEC);
	EXPECT_EQ(samples(), 1);
	unmap_event(&mapping);
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EOPNOTSUPP);
	end_machine();
}

/* A throttled clock stops counting until the tick, as on Linux. */
static void throttled_clocks_go_on_with_the_tick(void)
{
	start_machine(1, 4, NULL, 0);
	perf_sample_rate_max = 1;
	int fd = open_event(sampling_attr(PERF_COUNT_SW_CPU_CLOCK, NSEC_PER_MSEC, PERF_SAMPLE_IP),
			    0, -1, -1);

	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_clock_advance(PERF_TICK_NS - 1);
	EXPECT_EQ(samples(), 2);
	EXPECT_EQ(count_of(fd), 2 * NSEC_PER_MSEC);
	sim_clock_advance(1 + NSEC_PER_MSEC);
	EXPECT_EQ(samples(), 1);
	EXPECT_EQ(count_of(fd), 3 * NSEC_PER_MSEC);
	unmap_event(&mapping);
	perf_sample_rate_max = PERF_SAMPLE_RATE_DEFAULT;
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "each period of a software event has a sample", every_period_has_a_sample },
	{ "a sample has the time of day, if its clock is CLOCK_REALTIME",
	  samples_have_the_time_of_day },
	{ "a new period of a software event begins with a sample",
	  a_new_period_begins_with_a_sample },
	{ "a sample with PERIOD stands for all that happened at once",
	  a_sample_with_its_period_stands_for_all },
	{ "a single event is always sampled; a backlog is throttled", only_a_backlog_is_throttled },
	{ "an event without a frame happens in the kernel",
	  events_without_a_frame_are_the_kernels },
	{ "a clock's frequency is a period", a_clocks_frequency_is_a_period },
	{ "two samples of a clock are at least 10 us apart", clocks_have_a_shortest_period },
	{ "a clock samples in rings that are not excluded, and counts in all",
	  clocks_sample_the_rings_that_are_not_excluded },
	{ "a throttled clock goes on with the tick", throttled_clocks_go_on_with_the_tick },
};

TAP_MAIN(rules)
