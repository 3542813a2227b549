// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of userland/libperf: what a program computes from the metadata page and the ring, with a page, a counter and a
 * clock of the test's own in place of the CPU's.
 *
 * The library's sources are included, after a replacement for the header that has the instructions.
 */
#include <stdint.h>

#define LIBPERF_ISA_H
#define ISA_HAS_COUNTER_READ 1
static uint64_t isa_read_counter(uint32_t index);
static uint64_t isa_read_timestamp(void);

#include "../../userland/libperf/perf_ring.c"
#include "../../userland/libperf/perf_self.c"

#include <stdlib.h>

#include "tap.h"

#undef barrier

static struct {
	struct perf_event_mmap_page page;
	struct perf_self event;
	uint64_t counter, timestamp;
	uint32_t index_read;		     /* by the last reading */
	unsigned int readings, disturbances; /* so many readings change the page under the reader */
	bool disturbance_takes_counter;
} fake;

static uint64_t isa_read_counter(uint32_t index)
{
	uint64_t value = fake.counter;

	fake.readings++;
	fake.index_read = index;
	if (fake.disturbances > 0) {
		fake.disturbances--;
		fake.page.lock += 2;
		fake.page.offset += 1000;
		if (fake.disturbance_takes_counter)
			fake.page.index = 0;
	}
	return value;
}

static uint64_t isa_read_timestamp(void)
{
	return fake.timestamp;
}

/* A page of a counter of WIDTH bits that user space may read; read() of the event gives 7, 70, 700 if WITH_FILE. */
static struct perf_self *fake_event(unsigned int width_bits, bool with_file)
{
	int pipe_fds[2];
	static const uint64_t words[3] = { 7, 70, 700 };

	memset(&fake, 0, sizeof(fake));
	fake.page.cap_user_rdpmc = 1;
	fake.page.index = 3;
	fake.page.pmc_width = (uint16_t)width_bits;
	fake.event = (struct perf_self){ .fd = -1, .page = &fake.page };
	if (with_file) {
		EXPECT_EQ(pipe(pipe_fds), 0);
		EXPECT_EQ(write(pipe_fds[1], words, sizeof(words)), sizeof(words));
		close(pipe_fds[1]);
		fake.event.fd = pipe_fds[0];
	}
	return &fake.event;
}

static void check_widths(void)
{
	static const int64_t offsets[] = { 0, 1, -1, 123456789012, INT64_MIN, INT64_MAX };

	for (unsigned int width = 8; width <= 64; width++) {
		unsigned __int128 modulus = (unsigned __int128)1 << width;
		uint64_t raws[] = { 0, 1, (uint64_t)(modulus / 2 - 1), (uint64_t)(modulus / 2),
				    (uint64_t)(modulus - 1) };

		for (unsigned int r = 0; r < 5; r++)
			for (unsigned int o = 0; o < 6; o++) {
				struct perf_self *event = fake_event(width, false);
				/* A counter in its upper half stands for the negative number it will wrap from. */
				__int128 signed_raw =
					raws[r] >= modulus / 2 ?
						(__int128)raws[r] - (__int128)modulus :
						raws[r];
				uint64_t expected = (uint64_t)(offsets[o] + signed_raw), value;

				fake.page.offset = offsets[o];
				fake.counter = raws[r];
				EXPECT_EQ(perf_self_read_value(event, &value), 0);
				EXPECT_EQ_AT(value, expected,
					     "width %u, counter %#" PRIx64 ", offset %" PRId64,
					     width, raws[r], offsets[o]);
				EXPECT_EQ(fake.index_read, 2);
			}
	}
}

/* The kernel starts the counter at -period and keeps offset so that the sum is the count; the counter then wraps. */
static void check_wrap(void)
{
	struct perf_self *event = fake_event(20, false);
	uint64_t mask = (1u << 20) - 1, start = (uint64_t)-1000 & mask, value;

	fake.page.offset = 5000 + 1000;
	for (uint64_t passed = 0; passed < 3000; passed++) {
		fake.counter = (start + passed) & mask;
		EXPECT_EQ(perf_self_read_value(event, &value), 0);
		EXPECT_EQ_AT(value, 5000 + passed, "%" PRIu64 " events after the start", passed);
	}
}

static void check_retry(void)
{
	struct perf_self *event = fake_event(48, false);
	uint64_t value;

	fake.counter = 5;
	fake.disturbances = 3;
	EXPECT_EQ(perf_self_read_value(event, &value), 0);
	EXPECT_EQ(value, 3 * 1000 + 5);
	EXPECT_EQ(fake.readings, 4);
}

static void check_counter_lost(void)
{
	struct perf_self *event = fake_event(48, true);
	uint64_t value;

	fake.disturbances = 1;
	fake.disturbance_takes_counter = true;
	EXPECT_EQ(perf_self_read_value(event, &value), 0);
	EXPECT_EQ(value, 7);
	close(event->fd);
}

static void check_fallbacks(void)
{
	struct perf_self_count count;
	struct perf_self *event = fake_event(48, true);

	fake.page.cap_user_rdpmc = 0;
	EXPECT(!perf_self_reads_directly(event));
	EXPECT_EQ(perf_self_read(event, &count), 0);
	EXPECT_EQ(count.value, 7);
	EXPECT_EQ(count.time_enabled_ns, 70);
	EXPECT_EQ(count.time_running_ns, 700);
	close(event->fd);

	event = fake_event(48, true);
	fake.page.index = 0;
	EXPECT(!perf_self_reads_directly(event));
	EXPECT_EQ(perf_self_read(event, &count), 0);
	EXPECT_EQ(count.value, 7);
	/* A pipe whose words are gone ends like a pinned event without a counter. */
	errno = 0;
	EXPECT_EQ(perf_self_read(event, &count), -1);
	EXPECT_EQ(errno, EIO);
	close(event->fd);

	event = fake_event(48, true);
	event->page = NULL;
	EXPECT(!perf_self_reads_directly(event));
	EXPECT_EQ(perf_self_read(event, &count), 0);
	EXPECT_EQ(count.value, 7);
	close(event->fd);

	/* The value needs no clock, the times do. */
	event = fake_event(48, true);
	EXPECT(perf_self_reads_directly(event));
	EXPECT_EQ(perf_self_read(event, &count), 0);
	EXPECT_EQ(count.value, 7);
	EXPECT_EQ(fake.readings, 0);
	close(event->fd);
}

static void check_times(void)
{
	static const uint64_t stamps[] = {
		0, 1, 999, 2600000000, UINT64_C(1) << 40, (UINT64_C(1) << 63) + 12345
	};
	static const struct {
		uint16_t shift;
		uint32_t mult;
	} clocks[] = { { 0, 1 }, { 10, 394 }, { 31, 825955249 }, { 32, 0xffffffff } };

	for (unsigned int c = 0; c < 4; c++)
		for (unsigned int s = 0; s < 6; s++) {
			struct perf_self *event = fake_event(48, false);
			struct perf_self_count count;
			uint64_t since = (uint64_t)((unsigned __int128)stamps[s] * clocks[c].mult >>
						    clocks[c].shift);

			fake.timestamp = stamps[s];
			fake.page.cap_user_time = 1;
			fake.page.time_shift = clocks[c].shift;
			fake.page.time_mult = clocks[c].mult;
			fake.page.time_offset = (uint64_t)-500;
			fake.page.time_enabled = 10000;
			fake.page.time_running = 4000;
			EXPECT_EQ(perf_self_read(event, &count), 0);
			EXPECT_EQ_AT(count.time_enabled_ns, 10000 - 500 + since,
				     "clock %u, stamp %u", c, s);
			EXPECT_EQ_AT(count.time_running_ns, 4000 - 500 + since,
				     "clock %u, stamp %u", c, s);
		}
}

/* A clock of few bits: the cycles since time_cycles are what the mask leaves of the difference. */
static void check_short_clock(void)
{
	struct perf_self *event = fake_event(48, false);
	struct perf_self_count count;

	fake.page.cap_user_time = 1;
	fake.page.cap_user_time_short = 1;
	fake.page.time_shift = 1;
	fake.page.time_mult = 4;
	fake.page.time_cycles = 0xfff0;
	fake.page.time_mask = 0xffff;
	fake.timestamp = 0x10; /* 0x20 after time_cycles */
	EXPECT_EQ(perf_self_read(event, &count), 0);
	EXPECT_EQ(count.time_enabled_ns, 0x10010 * 2);
}

static void check_scale(void)
{
	EXPECT_EQ(perf_self_scale(&(struct perf_self_count){ 100, 30, 30 }), 100);
	EXPECT_EQ(perf_self_scale(&(struct perf_self_count){ 100, 40, 30 }), 133);
	EXPECT_EQ(perf_self_scale(&(struct perf_self_count){ 0, 40, 30 }), 0);
	EXPECT_EQ(perf_self_scale(&(struct perf_self_count){ 100, 40, 0 }), 0);
	/* The product does not fit into 64 bits. */
	EXPECT_EQ(perf_self_scale(
			  &(struct perf_self_count){ UINT64_C(1) << 60, 6000000000, 2000000000 }),
		  UINT64_C(3) << 60);
}

/* Records of several sizes, so that each part of them goes round the end of the ring at some time. */
static void check_ring(void)
{
	enum { BYTES = 4096 };
	static struct perf_event_mmap_page page;
	static unsigned char data[BYTES];
	struct perf_ring ring = { .fd = -1, .page = &page, .data = data, .bytes = BYTES };
	unsigned char record[256];

	EXPECT_EQ(perf_ring_next(&ring, record, sizeof(record)), 0);
	for (unsigned int i = 0; i < 1000; i++) {
		uint16_t size = (uint16_t)(8 + 8 * (i % 13));
		unsigned char written[256];
		struct perf_event_header header = { .type = PERF_RECORD_SAMPLE,
						    .misc = (uint16_t)i,
						    .size = size };

		memcpy(written, &header, sizeof(header));
		for (unsigned int b = sizeof(header); b < size; b++)
			written[b] = (unsigned char)(i + b);
		for (unsigned int b = 0; b < size; b++)
			data[(page.data_head + b) % BYTES] = written[b];
		page.data_head += size;

		memset(record, 0, sizeof(record));
		EXPECT_EQ_AT(perf_ring_next(&ring, record, sizeof(record)), size, "record %u", i);
		EXPECT_AT(memcmp(record, written, size) == 0, "record %u", i);
		EXPECT_EQ(page.data_tail, page.data_head);
		EXPECT_EQ(perf_ring_next(&ring, record, sizeof(record)), 0);
	}
}

static void check_ring_capacity(void)
{
	static struct perf_event_mmap_page page;
	static unsigned char data[4096];
	struct perf_ring ring = { .fd = -1, .page = &page, .data = data, .bytes = sizeof(data) };
	struct perf_event_header header = { .size = 64 };
	unsigned char record[64];

	memset(data, 0xaa, sizeof(data));
	memcpy(data, &header, sizeof(header));
	page.data_head = 64;
	memset(record, 0x55, sizeof(record));
	EXPECT_EQ(perf_ring_next(&ring, record, 16), 64);
	EXPECT_EQ(record[15], 0xaa);
	EXPECT_EQ(record[16], 0x55);
	EXPECT_EQ(page.data_tail, 64);
}

static const struct tap_rule rules[] = {
	{ "a count is the offset plus the counter with its sign extended, for every width from 8 to 64 bits",
	  check_widths },
	{ "a count continues when the counter wraps", check_wrap },
	{ "a reading under which the page changes is done again", check_retry },
	{ "an event that loses its counter during a reading is read by read()",
	  check_counter_lost },
	{ "without a page, a counter, a permission or a clock in it, read() serves",
	  check_fallbacks },
	{ "times continue from the page's by the time stamp, to the last bit", check_times },
	{ "a time stamp of few bits is extended from time_cycles", check_short_clock },
	{ "scaling is exact, and 0 for an event that never ran", check_scale },
	{ "records are copied whole round the end of the ring", check_ring },
	{ "a record longer than the buffer is cut off and its whole size returned",
	  check_ring_capacity },
};

TAP_MAIN(rules)
