// SPDX-License-Identifier: BSD-2-Clause
/* The ring buffer: full, emptied, overwritten, and shared by several events. */
#include "buffers.h"
#include "machine.h"
#include "rules.h"

/* --- full, emptied, written over --- */

RULE("data_head counts bytes and does not wrap")
{
	int fd = filler(100);
	struct ring ring = map_ring(fd, 1);

	for (int i = 0; i < 10; i++) {
		work_counted(fd, 5000);
		empty(&ring);
	}
	EXPECT(ring.page->data_head > 2 * PAGE);
}

/* Passes whose samples, one in 100 instructions, fill a page; if those are more than a tick may have
 * (perf_event_max_sample_rate), with what comes in a few ticks. */
#define PASSES_TO_FILL 50000

RULE("a full buffer takes nothing more until data_tail moves")
{
	int fd = filler(100);
	struct ring ring = map_ring(fd, 1);

	work_counted(fd, PASSES_TO_FILL);
	uint64_t head = ring.page->data_head;
	EXPECT(head <= PAGE);
	work_counted(fd, 50000);
	EXPECT_EQ(ring.page->data_head, head);
	empty(&ring);
	work_counted(fd, 1000);
	EXPECT(ring.page->data_head > head);
}

RULE("LOST reports how many records did not fit, once there is room again")
{
	attr_t a = sampling(100, FILL_FIELDS);
	uint64_t words[64] = { 0 };
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 1);

	work_counted(fd, 15000);
	unsigned int samples = count_records(&ring, PERF_RECORD_SAMPLE, NULL);
	empty(&ring);
	work_counted(fd, 1000);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_LOST, words), 1);
	EXPECT_EQ(words[1], id_of(fd));
	EXPECT_EQ(words[2], WORK_INSTRUCTIONS(15000) / 100 - samples);
}

RULE("a buffer mapped for reading alone is written over")
{
	attr_t a = sampling(100, PERF_SAMPLE_IP);
	int fd = need(open_one(&a));
	struct perf_event_mmap_page *page = map_pages(fd, 2, PROT_READ);

	work_counted(fd, 15000);
	EXPECT_EQ(page->data_head, WORK_INSTRUCTIONS(15000) / 100 * 16);
}

RULE("write_backward: the newest record is at data_head, which goes down")
{
	attr_t a = sampling(100, PERF_SAMPLE_IP | PERF_SAMPLE_READ);
	struct perf_event_header header;
	uint64_t value;

	a.write_backward = 1;
	int fd = need(open_one(&a));
	struct perf_event_mmap_page *page = map_pages(fd, 2, PROT_READ);

	work_counted(fd, 15000);
	int64_t head = (int64_t)page->data_head;
	EXPECT_EQ(head, -(int64_t)(WORK_INSTRUCTIONS(15000) / 100 * 24));
	const unsigned char *data = (unsigned char *)page + PAGE;
	/* PAGE is a multiple of 8, so neither the header nor a word is cut. */
	memcpy(&header, data + (uint64_t)head % PAGE, sizeof(header));
	EXPECT_EQ(header.type, PERF_RECORD_SAMPLE);
	memcpy(&value, data + ((uint64_t)head + 16) % PAGE, sizeof(value));
	EXPECT_EQ(value, WORK_INSTRUCTIONS(15000) / 100 * 100);
}

RULE("whatever data_tail is, records are whole")
{
	static const uint64_t tails[] = { 1, 7, PAGE, 1ULL << 63, ~0ULL, 12345 };

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		int fd = sampler(100);
		struct ring ring = map_ring(fd, 1);

		ring.page->data_tail = tails[i];
		work_counted(fd, 2000);
		uint64_t words[8192], head = ring.page->data_head;

		EXPECT_EQ(head % 8, 0);
		while (next_record(&ring, words) && ring.at < PAGE)
			EXPECT_EQ(header_of(words).type == PERF_RECORD_SAMPLE ||
					  header_of(words).type == PERF_RECORD_LOST,
				  1);
	}
}

RULE("writing over the page does not change the place where the kernel writes")
{
	int fd = sampler(1000);
	struct ring ring = map_ring(fd, 4);

	ring.page->data_head = 0x123456;
	ring.page->data_size = 1ULL << 40;
	ring.page->data_offset = 1ULL << 40;
	work_counted(fd, 10000);
	EXPECT_EQ(ring.page->data_head, WORK_INSTRUCTIONS(10000) / 1000 * 16);
}

/* --- output elsewhere --- */

RULE("SET_OUTPUT: records go to another event's buffer")
{
	int target = sampler(1ULL << 40), fd = sampler(1000);
	struct ring ring = map_ring(target, 8);

	EXPECT_OK(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target));
	work_counted(fd, 10000);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_SAMPLE, NULL), WORK_INSTRUCTIONS(10000) / 1000);
}

RULE("SET_OUTPUT to an event that is not mapped is EINVAL")
{
	int target = sampler(1000), fd = sampler(1000);

	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target), EINVAL);
}

RULE("SET_OUTPUT of an event that is mapped is EINVAL")
{
	int target = sampler(1000), fd = sampler(1000);

	map_ring(target, 1);
	map_ring(fd, 1);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target), EINVAL);
}

RULE("SET_OUTPUT to itself is EINVAL, to no event EBADF")
{
	int fd = sampler(1000);

	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, fd), EINVAL);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, STDOUT_FILENO), EBADF);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, 999), EBADF);
	/* "None" is -1 as a long. */
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, 0xffffffffL), EBADF);
}

RULE("SET_OUTPUT to an event of another CPU is EINVAL")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);
	int target = need(sys_open(&a, 0, 0, -1, 0)), fd = sampler(1000);

	map_ring(target, 1);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target), EINVAL);
}

RULE("SET_OUTPUT to an event that writes in the other direction is EINVAL")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);

	a.write_backward = 1;
	int target = need(open_one(&a)), fd = sampler(1000);

	map_ring(target, 1);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target), EINVAL);
}

RULE("SET_OUTPUT to an event of another clock is EINVAL")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);

	a.use_clockid = 1;
	a.clockid = CLOCK_MONOTONIC;
	int target = need(open_one(&a)), fd = sampler(1000);

	map_ring(target, 1);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target), EINVAL);
}

RULE("SET_OUTPUT to -1: records go nowhere")
{
	int target = sampler(1ULL << 40), fd = sampler(1000);
	struct ring ring = map_ring(target, 8);

	ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target);
	EXPECT_OK(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1L));
	work_counted(fd, 10000);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_SAMPLE, NULL), 0);
}

RULE("PERF_FLAG_FD_OUTPUT opens an event that writes to group_fd's buffer")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);
	int target = sampler(1ULL << 40);
	struct ring ring = map_ring(target, 8);
	int fd = need(sys_open(&a, 0, -1, target, PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP));

	work_counted(fd, 10000);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_SAMPLE, NULL), WORK_INSTRUCTIONS(10000) / 1000);
}

RULE("PERF_FLAG_FD_OUTPUT to an event that is not mapped is EINVAL")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);

	EXPECT_ERRNO(sys_open(&a, 0, -1, sampler(1000),
			      PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP),
		     EINVAL);
}

RULE("PERF_SAMPLE_IDENTIFIER distinguishes the records of events in one buffer")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IDENTIFIER);
	int target = need(open_one(&a)), fd = need(open_one(&a));
	struct ring ring = map_ring(target, 8);
	uint64_t words[8192], seen[2] = { 0 };

	ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target);
	work_counted(fd, 2000);
	work_counted(target, 3000);
	while (next_record(&ring, words)) {
		seen[0] += words[1] == id_of(fd);
		seen[1] += words[1] == id_of(target);
	}
	EXPECT_EQ(seen[0], WORK_INSTRUCTIONS(2000) / 1000);
	EXPECT_EQ(seen[1], WORK_INSTRUCTIONS(3000) / 1000);
}

RULE("PAUSE_OUTPUT drops records until it is taken back")
{
	int fd = sampler(1000);
	struct ring ring = map_ring(fd, 8);

	EXPECT_OK(ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	work_counted(fd, 10000);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_SAMPLE, NULL), 0);
	EXPECT_OK(ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
	work_counted(fd, 10000);
	EXPECT(count_records(&ring, PERF_RECORD_SAMPLE, NULL) >= WORK_INSTRUCTIONS(10000) / 1000);
}

RULE("PAUSE_OUTPUT of an event without a buffer is EINVAL")
{
	EXPECT_ERRNO(ioctl(sampler(1000), PERF_EVENT_IOC_PAUSE_OUTPUT, 1), EINVAL);
}
