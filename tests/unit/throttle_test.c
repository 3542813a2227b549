// SPDX-License-Identifier: BSD-2-Clause
/*
 * Throttling and frequencies where more than one event takes part: groups, inherited events, events that are scheduled
 * out or changed meanwhile. The limits: 400 samples of one event in a tick of 4 ms; the 401st throttles it.
 */
#include <kernel/perf/settings.h>
#include <kernel/perf/tick.h>

#include "family.h"
#include "mapping.h"

#define CODE  1
#define OTHER 2

static struct mapping mapping;

static struct perf_event_attr sampling_attr(uint64_t period)
{
	struct perf_event_attr attr = hardware_attr(CODE);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_STREAM_ID;
	return attr;
}

/* header, time, id, stream id */
struct throttle_record {
	struct perf_event_header header;
	uint64_t time, id, stream_id;
};

/* Takes samples until another record comes; returns their number. */
static unsigned int skip_samples(struct throttle_record *record)
{
	unsigned int samples = 0;

	for (;;) {
		memset(record, 0, sizeof(*record));
		if (!next_record(&mapping, record, sizeof(*record)) ||
		    record->header.type != PERF_RECORD_SAMPLE)
			return samples;
		samples++;
	}
}

static void expect_throttle(uint32_t type, uint64_t id, uint64_t stream_id, unsigned int samples)
{
	struct throttle_record record;

	EXPECT_EQ_AT(skip_samples(&record), samples, "before record type %u", type);
	EXPECT_EQ(record.header.type, type);
	EXPECT_EQ(record.header.misc, 0);
	EXPECT_EQ(record.header.size, sizeof(record));
	EXPECT_EQ_AT(record.id, id, "record type %u", type);
	EXPECT_EQ_AT(record.stream_id, stream_id, "record type %u", type);
}

static void expect_no_record(void)
{
	struct throttle_record record;

	EXPECT_EQ(skip_samples(&record), 0);
	EXPECT_EQ(record.header.size, 0);
}

static void a_childs_record_names_its_parent(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = sampling_attr(1);
	struct task *self = task_current();

	attr.inherit = 1;
	int fd = open_event(attr, 0, 0, -1);
	EXPECT_EQ(map_event(&mapping, fd, 8), 0);
	struct task *child = fork_task();
	uint64_t id = event_of(fd)->id, childs = LIST_FIRST(&event_of(fd)->children)->id;

	EXPECT_EQ(childs, id + 1);
	sim_switch(child);
	sim_pmu_count(CODE, 1000);
	expect_throttle(PERF_RECORD_THROTTLE, id, childs, 400);
	struct throttle_record record;
	EXPECT_EQ(skip_samples(&record), 1);
	EXPECT_EQ(count_of(fd), 401);
	/* The parent has samples of its own left. */
	sim_switch(self);
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(skip_samples(&record), 10);
	EXPECT_EQ(count_of(fd), 411);
	/* The child goes on when it is scheduled in, and says so first. */
	sim_switch(child);
	expect_throttle(PERF_RECORD_UNTHROTTLE, id, childs, 0);
	sim_pmu_count(CODE, 5);
	EXPECT_EQ(count_of(fd), 416);
	sim_switch(self);
	end_task(child);
	unmap_event(&mapping);
	end_machine();
}

static void a_member_is_throttled_alone(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = hardware_attr(CODE);
	int leader = open_event(attr, 0, -1, -1);
	int member = open_event(sampling_attr(1), 0, -1, leader);

	EXPECT_EQ(map_event(&mapping, member, 8), 0);
	uint64_t id = event_of(member)->id;
	sim_pmu_count(CODE, 1000);
	EXPECT_EQ(count_of(leader), 1000);
	EXPECT_EQ(count_of(member), 401);
	expect_throttle(PERF_RECORD_THROTTLE, id, id, 400);
	struct throttle_record record;
	EXPECT_EQ(skip_samples(&record), 1);
	sim_clock_advance(PERF_TICK_NS);
	expect_throttle(PERF_RECORD_UNTHROTTLE, id, id, 0);
	sim_pmu_count(CODE, 3);
	EXPECT_EQ(skip_samples(&record), 3);
	EXPECT_EQ(count_of(leader), 1003);
	EXPECT_EQ(count_of(member), 404);
	unmap_event(&mapping);
	end_machine();
}

/* The leader is throttled: its members count on. */
static void a_leader_is_throttled_alone(void)
{
	start_machine(1, 4, NULL, 0);
	int leader = open_event(sampling_attr(1), 0, -1, -1);
	int member = open_event(hardware_attr(CODE), 0, -1, leader);

	sim_pmu_count(CODE, 1000);
	EXPECT_EQ(count_of(leader), 401);
	EXPECT_EQ(count_of(member), 1000);
	sim_clock_advance(PERF_TICK_NS);
	sim_pmu_count(CODE, 7);
	EXPECT_EQ(count_of(leader), 408);
	EXPECT_EQ(count_of(member), 1007);
	end_machine();
}

static void a_new_period_ends_the_throttle(void)
{
	uint64_t period = 100;

	start_machine(1, 4, NULL, 0);
	int fd = open_event(sampling_attr(1), 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 8), 0);
	uint64_t id = event_of(fd)->id;
	struct throttle_record record;

	sim_pmu_count(CODE, 1000);
	expect_throttle(PERF_RECORD_THROTTLE, id, id, 400);
	EXPECT_EQ(skip_samples(&record), 1);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period), 0);
	expect_throttle(PERF_RECORD_UNTHROTTLE, id, id, 0);
	sim_pmu_count(CODE, 99);
	expect_no_record();
	sim_pmu_count(CODE, 1);
	EXPECT_EQ(skip_samples(&record), 1);
	EXPECT_EQ(count_of(fd), 501);
	/* The tick finds nothing throttled. */
	sim_clock_advance(PERF_TICK_NS);
	expect_no_record();
	unmap_event(&mapping);
	end_machine();
}

static void disabling_ends_the_throttle(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_event(sampling_attr(1), 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 8), 0);
	uint64_t id = event_of(fd)->id;
	struct throttle_record record;

	sim_pmu_count(CODE, 1000);
	expect_throttle(PERF_RECORD_THROTTLE, id, id, 400);
	EXPECT_EQ(skip_samples(&record), 1);
	control_event(fd, PERF_EVENT_IOC_DISABLE, 0);
	sim_clock_advance(PERF_TICK_NS);
	expect_no_record();
	control_event(fd, PERF_EVENT_IOC_ENABLE, 0);
	expect_throttle(PERF_RECORD_UNTHROTTLE, id, id, 0);
	sim_pmu_count(CODE, 2);
	EXPECT_EQ(count_of(fd), 403);
	unmap_event(&mapping);
	end_machine();
}

static void a_limit_of_one_sample_is_kept(void)
{
	start_machine(1, 4, NULL, 0);
	perf_sample_rate_max = 1;
	int fd = open_event(sampling_attr(1), 0, -1, -1);

	/* One in a tick, however low the rate; the next one throttles. */
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(count_of(fd), 2);
	sim_clock_advance(PERF_TICK_NS);
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(count_of(fd), 4);
	perf_sample_rate_max = PERF_SAMPLE_RATE_DEFAULT;
	end_machine();
}

/* --- frequencies --- */

/* 1000 samples a second, 40 events in every other tick: the best period of such a tick is 10, and it moves the period by
 * an eighth of the distance, rounded away from zero. A tick without events changes nothing. Neither do samples: no time
 * passes between those of one tick, and two ticks between the others. */
static const uint64_t periods[] = { 3, 4, 5, 6, 7, 8, 9, 10, 10 };
#define TICKS (sizeof(periods) / sizeof(periods[0]))

static struct perf_event_attr frequency_attr(void)
{
	struct perf_event_attr attr = sampling_attr(1000);

	attr.freq = 1;
	return attr;
}

static void expect_periods(int fd)
{
	for (unsigned int i = 0; i < TICKS; i++) {
		sim_pmu_count(CODE, 40);
		sim_clock_advance(PERF_TICK_NS);
		EXPECT_EQ_AT(event_of(fd)->sampling.period, periods[i], "tick %u", 2 * i + 1);
		sim_clock_advance(PERF_TICK_NS);
		EXPECT_EQ_AT(event_of(fd)->sampling.period, periods[i], "tick %u", 2 * i + 2);
	}
}

static void a_frequency_adapts_at_each_tick(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_event(frequency_attr(), 0, -1, -1);

	expect_periods(fd);
	EXPECT_EQ(count_of(fd), 40 * TICKS);
	end_machine();
}

static void a_frequency_leader_with_a_plain_sibling(void)
{
	start_machine(1, 4, NULL, 0);
	int leader = open_event(frequency_attr(), 0, -1, -1);
	int sibling = open_event(hardware_attr(OTHER), 0, -1, leader);

	sim_pmu_count(OTHER, 17);
	expect_periods(leader);
	EXPECT_EQ(count_of(leader), 40 * TICKS);
	EXPECT_EQ(count_of(sibling), 17);
	end_machine();
}

static void a_frequency_sibling_of_a_plain_leader(void)
{
	start_machine(1, 4, NULL, 0);
	int leader = open_event(hardware_attr(OTHER), 0, -1, -1);
	int sibling = open_event(frequency_attr(), 0, -1, leader);

	expect_periods(sibling);
	EXPECT_EQ(count_of(sibling), 40 * TICKS);
	EXPECT_EQ(count_of(leader), 0);
	end_machine();
}

static void pinned_frequencies_adapt_too(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = frequency_attr();

	attr.pinned = 1;
	int fd = open_event(attr, 0, -1, -1);
	/* A plain flexible event does not end the ticks. */
	open_event(hardware_attr(OTHER), 0, -1, -1);
	expect_periods(fd);
	end_machine();
}

static void a_child_begins_with_the_parents_period(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = frequency_attr();

	attr.inherit = 1;
	int fd = open_event(attr, 0, -1, -1);
	expect_periods(fd);
	struct task *child = fork_task();

	EXPECT_EQ(LIST_FIRST(&event_of(fd)->children)->sampling.period, 10);
	EXPECT_EQ(LIST_FIRST(&event_of(fd)->children)->sampling.next_at, 10);
	end_task(child);
	end_machine();
}

static void a_sample_adapts_the_period(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = frequency_attr();

	attr.sample_freq = 100;
	int fd = open_event(attr, 0, -1, -1);
	/* The first one: it is 1 s since time 0. */
	sim_pmu_count(CODE, 1);
	EXPECT_EQ(event_of(fd)->sampling.period, 1);
	/* 1 event in 10 us is 100000 a second, 1000 for each sample: 1 + (999 + 7) / 8. */
	sim_clock_advance(10 * NSEC_PER_USEC);
	sim_pmu_count(CODE, 1);
	EXPECT_EQ(event_of(fd)->sampling.period, 126);
	/* The counter had 1 left, but the period is 126 by now and counts as that, as on Linux: 126000 for each sample,
	 * 126 + (125874 + 7) / 8. */
	sim_clock_advance(10 * NSEC_PER_USEC);
	sim_pmu_count(CODE, 1);
	EXPECT_EQ(event_of(fd)->sampling.period, 15861);
	end_machine();
}

/* A period of 1000000 is far too long for 40 events a tick: what is left of it ends at once. */
static void a_much_too_long_period_is_cut(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_event(frequency_attr(), 0, -1, -1);
	struct perf_event *event = event_of(fd);

	event->sampling.period = 800;
	event->sampling.next_at = 1000000;
	sim_pmu_count(CODE, 1); /* the first period of 1 is on the counter */
	event->sampling.next_at = 1000000;
	sim_pmu_count(CODE, 39);
	sim_clock_advance(PERF_TICK_NS);
	/* 800 + (10 - 800 - 7) / 8 = 800 - 99. */
	EXPECT_EQ(event->sampling.period, 701);
	EXPECT_EQ(event->sampling.next_at, 40 + 701);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "a throttled child's record has the parent's id and its own stream id",
	  a_childs_record_names_its_parent },
	{ "a throttled member stops alone, until the tick", a_member_is_throttled_alone },
	{ "a throttled leader stops alone, until the tick", a_leader_is_throttled_alone },
	{ "a new period ends the throttle at once", a_new_period_ends_the_throttle },
	{ "a throttled event that is disabled and enabled goes on", disabling_ends_the_throttle },
	{ "at the lowest rate each tick has a sample", a_limit_of_one_sample_is_kept },
	{ "a frequency adapts at each tick, an eighth of the way",
	  a_frequency_adapts_at_each_tick },
	{ "the frequency of a leader adapts beside a plain sibling",
	  a_frequency_leader_with_a_plain_sibling },
	{ "the frequency of a sibling adapts beside a plain leader",
	  a_frequency_sibling_of_a_plain_leader },
	{ "the frequency of a pinned event adapts beside a flexible plain one",
	  pinned_frequencies_adapt_too },
	{ "a child begins with the period that its parent has",
	  a_child_begins_with_the_parents_period },
	{ "a sample adapts the period by the time since the one before",
	  a_sample_adapts_the_period },
	{ "a tick ends a period that is more than eight times too long",
	  a_much_too_long_period_is_cut },
};

TAP_MAIN(rules)
