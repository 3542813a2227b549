// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of records and samples: what is in the ring, word for word. Offsets and orders are those of
 * perf_event_open(2).
 */
#include "mapping.h"
#include <kernel/perf/event.h>
#include <kernel/perf/record.h>
#include <kernel/perf/settings.h>
#include <kernel/perf/tick.h>

#define CODE  1
#define OTHER 2
#define IP    0x401234

static struct mapping mapping;
static uint64_t record[64];

static int open_sampling(uint64_t sample_type, uint64_t read_format, uint64_t period, int group_fd)
{
	struct perf_event_attr attr = hardware_attr(CODE);

	attr.sample_period = period;
	attr.sample_type = sample_type;
	attr.read_format = read_format;
	return open_event(attr, 0, -1, group_fd);
}

static void start(void)
{
	start_machine(1, 4, NULL, 0);
	sim_frame_set(IP, true);
}

static uint64_t header(uint32_t type, uint16_t misc, uint16_t size)
{
	return type | (uint64_t)misc << 32 | (uint64_t)size << 48;
}

static uint64_t pair(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

/* Takes one record and compares it with the COUNT words of EXPECTED. */
static void expect_record(const uint64_t *expected, unsigned int count, const char *what)
{
	EXPECT_EQ_AT(next_record(&mapping, record, sizeof(record)), count * sizeof(uint64_t), "%s",
		     what);
	for (unsigned int i = 0; i < count; i++)
		EXPECT_EQ_AT(record[i], expected[i], "%s, word %u", what, i);
}
#define EXPECT_RECORD(what, ...)                                              \
	do {                                                                  \
		const uint64_t words[] = { __VA_ARGS__ };                     \
		expect_record(words, sizeof(words) / sizeof(words[0]), what); \
	} while (0)

/* PERF_MEM_NA of Linux 6.12: OP, LVL, SNOOP, LOCK, TLB, LVLNUM "not available". */
#define DATA_SOURCE_NA \
	(0x1ull | 0x1ull << 5 | 0x1ull << 19 | 0x1ull << 24 | 0x1ull << 26 | 0xfull << 33)

static void check_single_fields(void)
{
	const struct {
		uint64_t bit;
		const char *name;
	} fields[] = {
		{ PERF_SAMPLE_IDENTIFIER, "IDENTIFIER" },
		{ PERF_SAMPLE_IP, "IP" },
		{ PERF_SAMPLE_TID, "TID" },
		{ PERF_SAMPLE_TIME, "TIME" },
		{ PERF_SAMPLE_ADDR, "ADDR" },
		{ PERF_SAMPLE_ID, "ID" },
		{ PERF_SAMPLE_STREAM_ID, "STREAM_ID" },
		{ PERF_SAMPLE_CPU, "CPU" },
		{ PERF_SAMPLE_PERIOD, "PERIOD" },
		{ PERF_SAMPLE_RAW, "RAW" },
		{ PERF_SAMPLE_WEIGHT, "WEIGHT" },
		{ PERF_SAMPLE_DATA_SRC, "DATA_SRC" },
		{ PERF_SAMPLE_TRANSACTION, "TRANSACTION" },
		{ PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	};

	for (unsigned int i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		start();
		int fd = open_sampling(fields[i].bit, 0, 100, -1);
		EXPECT_EQ_AT(map_event(&mapping, fd, 1), 0, "%s", fields[i].name);
		uint64_t id = event_of(fd)->id;
		const uint64_t values[] = {
			id,
			IP,
			pair((uint32_t)task_current()->tgid, (uint32_t)task_current()->tid),
			clock_ns(),
			0,
			id,
			id,
			0,
			100,
			4,
			0,
			DATA_SOURCE_NA,
			0,
			0
		};
		sim_pmu_count(CODE, 100);
		EXPECT_RECORD(fields[i].name, header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 16),
			      values[i]);
		unmap_event(&mapping);
		end_machine();
	}
}

static void check_order(void)
{
	start();
	int fd = open_sampling(
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
			PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_RAW |
			PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION,
		0, 100, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	uint64_t id = event_of(fd)->id;
	sim_clock_advance(77);
	sim_pmu_count(CODE, 100);
	EXPECT_RECORD("all fields", header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 15 * 8), id,
		      IP, pair(1, 1), 1000000077, 0, id, id, pair(0, 0), 100, 100, 4, 0,
		      DATA_SOURCE_NA, 0);
	unmap_event(&mapping);
	end_machine();
}

static void check_kernel_sample(void)
{
	start();
	int fd = open_sampling(PERF_SAMPLE_IP, 0, 100, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_frame_set(0xffffffff80001000, false);
	sim_pmu_count(CODE, 100);
	EXPECT_RECORD("kernel", header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 16),
		      0xffffffff80001000);
	unmap_event(&mapping);
	end_machine();
}

static void check_read_formats(void)
{
	start();
	int fd =
		open_sampling(PERF_SAMPLE_READ, TIMES | PERF_FORMAT_ID | PERF_FORMAT_LOST, 100, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_clock_advance(30);
	sim_pmu_count(CODE, 100);
	EXPECT_RECORD("one event", header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 48), 100, 30,
		      30, event_of(fd)->id, 0);
	unmap_event(&mapping);
	end_machine();
}

static void check_group_read(void)
{
	start();
	int leader = open_sampling(PERF_SAMPLE_READ, PERF_FORMAT_GROUP | TIMES | PERF_FORMAT_ID,
				   100, -1);
	int sibling = open_event(hardware_attr(OTHER), 0, -1, leader);
	int clock = open_event(software_attr(PERF_COUNT_SW_TASK_CLOCK), 0, -1, leader);

	EXPECT_EQ(map_event(&mapping, leader, 1), 0);
	sim_pmu_count(OTHER, 11);
	sim_clock_advance(400);
	sim_pmu_count(CODE, 100);
	EXPECT_RECORD("group",
		      header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 8 + 3 * 8 + 3 * 16), 3, 400,
		      400, 100, event_of(leader)->id, 11, event_of(sibling)->id, 400,
		      event_of(clock)->id);
	/* A sample in between updates the siblings and loses nothing. */
	sim_pmu_count(OTHER, 5);
	EXPECT_EQ(event_of(sibling)->attr.sample_period, 0);
	uint64_t values[9];
	EXPECT_EQ(read_event(leader, values, sizeof(values)), sizeof(values));
	EXPECT_EQ(values[0], 3);
	EXPECT_EQ(values[3], 100);
	EXPECT_EQ(values[5], 16);
	unmap_event(&mapping);
	end_machine();
}

static void check_lost(void)
{
	struct perf_event_attr attr = hardware_attr(CODE);

	start();
	attr.sample_period = 10;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			   PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	attr.sample_id_all = 1;
	attr.read_format = PERF_FORMAT_LOST;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	uint64_t id = event_of(fd)->id;

	/* 56 bytes a sample: 73 fit, with 8 bytes over. */
	for (unsigned int i = 0; i < 100; i++)
		sim_pmu_count(CODE, 10);
	EXPECT_EQ(mapping.page->data_head, 73 * 56);
	for (unsigned int i = 0; i < 73; i++)
		EXPECT_RECORD("sample", header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 56), id,
			      pair(1, 1), 1000000000, id, id, 0);
	uint64_t values[2];
	EXPECT_EQ(read_event(fd, values, sizeof(values)), sizeof(values));
	EXPECT_EQ(values[0], 1000);
	EXPECT_EQ(values[1], 27);

	sim_pmu_count(CODE, 10);
	EXPECT_RECORD("lost", header(PERF_RECORD_LOST, 0, 24 + 48), id, 27, pair(1, 1), 1000000000,
		      id, id, 0, id);
	EXPECT_RECORD("sample", header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 56), id,
		      pair(1, 1), 1000000000, id, id, 0);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 0);
	unmap_event(&mapping);
	end_machine();
}

static void check_throttle(void)
{
	struct perf_event_attr attr = hardware_attr(CODE);

	start();
	attr.sample_period = 10;
	attr.sample_type = PERF_SAMPLE_TID;
	attr.sample_id_all = 1;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 8), 0);
	uint64_t id = event_of(fd)->id;

	perf_record_throttle(event_of(fd), true, clock_ns());
	sim_clock_advance(9);
	perf_record_throttle(event_of(fd), false, clock_ns());
	EXPECT_RECORD("throttle", header(PERF_RECORD_THROTTLE, 0, 40), 1000000000, id, id,
		      pair(1, 1));
	EXPECT_RECORD("unthrottle", header(PERF_RECORD_UNTHROTTLE, 0, 40), 1000000009, id, id,
		      pair(1, 1));
	unmap_event(&mapping);
	end_machine();
}

static void check_throttled_storm(void)
{
	/* One sample more in a tick than Linux's default rate of 100,000 a second allows: a record
	 * says so before that last sample, and the next tick's before what follows. */
	struct perf_event_attr attr = hardware_attr(CODE);
	const uint64_t allowed = PERF_SAMPLE_RATE_DEFAULT / (NSEC_PER_SEC / PERF_TICK_NS);

	start();
	attr.sample_period = 10;
	attr.sample_type = PERF_SAMPLE_PERIOD;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 8), 0);
	uint64_t id = event_of(fd)->id;
	sim_pmu_count(CODE, 10000);
	uint64_t samples = 0;
	while (next_record(&mapping, record, sizeof(record)) == 16) {
		EXPECT_EQ(record[0], header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 16));
		EXPECT_EQ(record[1], 10);
		samples++;
	}
	EXPECT_EQ(record[0], header(PERF_RECORD_THROTTLE, 0, 32));
	EXPECT_EQ(record[2], id);
	EXPECT_EQ(samples, allowed);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 16);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 0);
	EXPECT_EQ(count_of(fd), 10 * (allowed + 1));

	sim_clock_advance(PERF_TICK_NS);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 32);
	EXPECT_EQ(record[0], header(PERF_RECORD_UNTHROTTLE, 0, 32));
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 16);
	unmap_event(&mapping);
	end_machine();
}

static void check_hardly_any_room(void)
{
	/* A sample with the values of a group so large that a record of 4 KiB would not hold it
	 * fits nowhere, and says so by being lost. */
	struct perf_event_attr attr = software_attr(PERF_COUNT_SW_DUMMY);

	start();
	int leader = open_sampling(PERF_SAMPLE_READ, PERF_FORMAT_GROUP | PERF_FORMAT_ID, 100, -1);
	for (unsigned int i = 0; i < 250; i++)
		EXPECT(open_event(attr, 0, -1, leader) >= 0);
	EXPECT_EQ(map_event(&mapping, leader, 1), 0);
	sim_pmu_count(CODE, 200);
	/* 8 + 8 + 251 * 16 = 4032 bytes: one fits. */
	EXPECT_EQ(mapping.page->data_head, 4032);
	EXPECT_EQ(atomic_load(&event_of(leader)->lost), 1);
	unmap_event(&mapping);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "each field of a sample alone is one word after the header", check_single_fields },
	{ "all fields together come in the ABI's order", check_order },
	{ "a sample in the kernel says so", check_kernel_sample },
	{ "PERF_SAMPLE_READ has the values of read(): value, times, id, lost", check_read_formats },
	{ "a group's sample has every member's value at that moment", check_group_read },
	{ "lost samples are reported with their number and the trailer, and in read()",
	  check_lost },
	{ "throttle records have time, ids and the trailer", check_throttle },
	{ "a storm of samples is throttled until the next tick, and says so",
	  check_throttled_storm },
	{ "a sample with a large group's values fits or is lost whole", check_hardly_any_room },
};

TAP_MAIN(rules)
