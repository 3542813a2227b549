// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of kernel/perf/counter.c, through system calls: counters narrower than 64 bits count
 * exactly, whatever overflows when. The questions are those that Alpha's 20-bit counters raised when
 * the driver contract was first explained (linux-kernel, March 2010).
 */
#include "mapping.h"
#include <kernel/perf/tick.h>

#define CODE  1
#define OTHER 2

static void start_pmu(unsigned int counters, unsigned int width_bits)
{
	const struct sim_pmu_model model = { .counters = counters, .width_bits = width_bits };

	sim_start(2);
	perf_init();
	sim_pmu_register(&model);
}

static struct perf_event_attr sampling(uint64_t code, uint64_t period)
{
	struct perf_event_attr attr = hardware_attr(code);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ;
	return attr;
}

static void check_between_reads(void)
{
	for (unsigned int width_bits = 20; width_bits <= 64; width_bits++) {
		uint64_t expected = 0;

		start_pmu(1, width_bits);
		int fd = open_event(hardware_attr(CODE), 0, -1, -1);
		/* 20 bits: more than three overflows between two reads. */
		for (unsigned int i = 0; i < 20; i++) {
			uint64_t step = (1ull << (width_bits - 1)) / 3 * (i % 8) + i;
			sim_pmu_count(CODE, step);
			expected += step;
			EXPECT_EQ_AT(count_of(fd), expected, "width %u, read %u", width_bits, i);
		}
		EXPECT_AT(width_bits == 64 || sim_pmu_overflows() > 0, "width %u", width_bits);
		end_machine();
	}
}

static void check_read_rarely(void)
{
	start_pmu(1, 20);
	int fd = open_event(hardware_attr(CODE), 0, -1, -1);
	sim_pmu_count(CODE, 1000000007);
	/* Each interrupt comes after 2^19 - 1 events. */
	EXPECT_EQ(sim_pmu_interrupts(), 1000000007 / ((1 << 19) - 1));
	EXPECT_EQ(count_of(fd), 1000000007);
	end_machine();
}

static void check_pending(void)
{
	/* The interrupt is held back: read in between, the count must have the overflow already,
	 * and have it once. */
	start_pmu(2, 20);
	int fd = open_event(hardware_attr(CODE), 0, -1, -1);
	uint64_t expected = 0;
	for (unsigned int i = 0; i < 50; i++) {
		sim_pmu_interrupts_hold(true);
		sim_pmu_count(CODE, (1 << 19) + i);
		expected += (1 << 19) + i;
		EXPECT_EQ_AT(count_of(fd), expected, "round %u", i);
		sim_pmu_count(CODE, 100);
		expected += 100;
		sim_pmu_interrupts_hold(false);
		EXPECT_EQ_AT(count_of(fd), expected, "round %u", i);
	}
	end_machine();
}

static void check_pending_late(void)
{
	start_pmu(1, 20);
	int fd = open_event(hardware_attr(CODE), 0, -1, -1);
	sim_pmu_interrupts_hold(true);
	sim_pmu_count(CODE, (1 << 19) - 1);
	EXPECT_EQ(sim_pmu_overflows(), 1);
	sim_pmu_count(CODE, 1 << 19);
	sim_pmu_interrupts_hold(false);
	EXPECT_EQ(count_of(fd), (1 << 20) - 1);
	end_machine();
}

static void check_two_overflows_in_one_interrupt(void)
{
	start_pmu(4, 20);
	int a = open_event(sampling(CODE, 500), 0, -1, -1),
	    b = open_event(sampling(CODE, 500), 0, -1, -1);
	int c = open_event(sampling(OTHER, 500), 0, -1, -1);
	sim_pmu_count(OTHER, 499);
	sim_pmu_count(CODE, 500);
	EXPECT_EQ(sim_pmu_overflows(), 2);
	EXPECT_EQ(sim_pmu_interrupts(), 1);
	EXPECT_EQ(count_of(a), 500);
	EXPECT_EQ(count_of(b), 500);
	EXPECT_EQ(count_of(c), 499);
	EXPECT_EQ(event_of(a)->sampling.next_at, 1000);
	EXPECT_EQ(event_of(b)->sampling.next_at, 1000);
	EXPECT_EQ(event_of(c)->sampling.next_at, 500);
	end_machine();
}

static void check_periods_longer_than_the_counter(void)
{
	/* Periods of 2^19 and more take several overflows each; the sample still comes at the exact
	 * event. */
	static const uint64_t periods[] = {
		1, 2, 1000, (1 << 19) - 1, 1 << 19, (1 << 19) + 1, 1 << 20, 5000011
	};

	for (unsigned int p = 0; p < sizeof(periods) / sizeof(periods[0]); p++) {
		struct mapping mapping;
		uint64_t record[4];

		start_pmu(1, 20);
		int fd = open_event(sampling(CODE, periods[p]), 0, -1, -1);
		EXPECT_EQ(map_event(&mapping, fd, 1), 0);
		for (uint64_t n = 1; n <= 5; n++) {
			sim_pmu_count(CODE, periods[p] - 1);
			EXPECT_EQ_AT(next_record(&mapping, record, sizeof(record)), 0,
				     "period %" PRIu64, periods[p]);
			sim_pmu_count(CODE, 1);
			EXPECT_EQ_AT(next_record(&mapping, record, sizeof(record)), 24,
				     "period %" PRIu64, periods[p]);
			EXPECT_EQ_AT(record[1], periods[p], "period %" PRIu64, periods[p]);
			EXPECT_EQ_AT(record[2], n * periods[p], "period %" PRIu64, periods[p]);
		}
		unmap_event(&mapping);
		end_machine();
	}
}

static void check_switches(void)
{
	/* The remainder of the period goes with the task, from CPU to CPU. */
	start_pmu(2, 20);
	struct task *self = task_current(), *other = sim_task_create(), *idle;
	struct mapping mapping;
	uint64_t record[4];
	int fd = open_event(sampling(CODE, 1000), 0, -1, -1);

	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_pmu_count(CODE, 999);
	sim_switch(other);
	sim_pmu_count(CODE, 12345);
	sim_cpu_set(1);
	idle = task_current();
	sim_switch(self);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 0);
	sim_pmu_count(CODE, 1);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 24);
	EXPECT_EQ(record[2], 1000);
	sim_switch(idle);
	sim_cpu_set(0);
	sim_switch(self);
	unmap_event(&mapping);
	end_machine();
}

/* --- overflows that race a read --- */

#define PERIOD 1000

static int race_fd, second_fd;
static uint64_t happened;

static void to_just_before_the_overflow(void)
{
	uint64_t left = PERIOD - happened % PERIOD - 1;

	/* A new tick, so that nothing is throttled. */
	sim_clock_advance(PERF_TICK_NS);
	sim_pmu_count(CODE, left);
	happened += left;
}

static uint64_t raced_value;

static void read_event_once(void *unused)
{
	(void)unused;
	raced_value = count_of(race_fd);
}

static uint64_t happened_before;

static void overflow(void *unused)
{
	uint64_t counted = sim_pmu_counted();

	(void)unused;
	happened_before = happened;
	sim_pmu_count(CODE, 1);
	sim_pmu_count(CODE, 4);
	/* Both events count everything. */
	happened += (sim_pmu_counted() - counted) / 2;
}

static void read_was_right(unsigned int place)
{
	EXPECT_AT(raced_value >= happened_before && raced_value <= happened,
		  "place %u: %" PRIu64 " not in %" PRIu64 " ... %" PRIu64, place, raced_value,
		  happened_before, happened);
	EXPECT_EQ_AT(count_of(race_fd), happened, "place %u", place);
	EXPECT_EQ_AT(count_of(second_fd), happened, "place %u", place);
}

static void check_race(void)
{
	const struct sim_interruption test = { .before = to_just_before_the_overflow,
					       .function = read_event_once,
					       .interrupt = overflow,
					       .after = read_was_right };

	start_pmu(2, 20);
	race_fd = open_event(sampling(CODE, PERIOD), 0, -1, -1);
	second_fd = open_event(hardware_attr(CODE), 0, -1, -1);
	happened = 0;
	EXPECT(sim_interrupt_everywhere(&test) > 100);
	end_machine();
}

/* The period has ended, its interrupt is held back, and a read has updated the count already. */
static void to_an_overflow_that_was_read(void)
{
	sim_pmu_interrupts_hold(false);
	sim_clock_advance(PERF_TICK_NS);
	sim_pmu_interrupts_hold(true);
	uint64_t left = PERIOD - happened % PERIOD;
	sim_pmu_count(CODE, left);
	happened += left;
	EXPECT_EQ(count_of(race_fd), happened);
}

static void late_interrupt(void *unused)
{
	sim_pmu_interrupts_hold(false);
}

static void late_read_was_right(unsigned int place)
{
	EXPECT_EQ_AT(raced_value, happened, "place %u", place);
	EXPECT_EQ_AT(count_of(race_fd), happened, "place %u", place);
}

/* The interrupt finds nothing to update, but writes the counter anew. */
static void check_late_race(void)
{
	const struct sim_interruption test = { .before = to_an_overflow_that_was_read,
					       .function = read_event_once,
					       .interrupt = late_interrupt,
					       .after = late_read_was_right };

	start_pmu(1, 20);
	race_fd = open_event(sampling(CODE, PERIOD), 0, -1, -1);
	happened = 0;
	EXPECT(sim_interrupt_everywhere(&test) > 100);
	sim_pmu_interrupts_hold(false);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "a counter of 20 to 64 bits that overflows between two reads counts exactly",
	  check_between_reads },
	{ "a counting event interrupts once each half range and may be read as rarely as one likes",
	  check_read_rarely },
	{ "an overflow whose interrupt is still pending is counted once", check_pending },
	{ "an interrupt may be late by half the counter's range", check_pending_late },
	{ "two counters that share an interrupt and overflow at once both take their sample",
	  check_two_overflows_in_one_interrupt },
	{ "a period longer than the counter's range ends at the exact event",
	  check_periods_longer_than_the_counter },
	{ "the rest of a period follows its task to another CPU", check_switches },
	{ "an overflow at any instruction of a read is counted exactly once", check_race },
	{ "a late interrupt at any instruction of a second read changes no count",
	  check_late_race },
};

TAP_MAIN(rules)
