// SPDX-License-Identifier: BSD-2-Clause
/* Reading a ring in the kernel (splice): whole records, a reader's wrong tails, waiting and the end. */
#include <kernel/perf/ring.h>
#include <kernel/task/signal.h>

#include "mapping.h"
#include "waiting.h"

#define CODE	    1
#define SAMPLE_SIZE 16

static struct mapping mapping;
static char buffer[70000];

static int open_mapped(unsigned int data_pages)
{
	struct perf_event_attr attr = hardware_attr(CODE);

	attr.sample_period = 10;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.wakeup_events = 1;
	int fd = open_event(attr, 0, -1, -1);

	EXPECT_EQ(map_event(&mapping, fd, data_pages), 0);
	return fd;
}

static long next_size(int fd, bool nonblock)
{
	struct file *file = sim_fd_file(fd);

	return file->ops->next_record(file, nonblock);
}

static long take(int fd, size_t size)
{
	struct file *file = sim_fd_file(fd);

	return file->ops->take_records(file, buffer, size);
}

static void whole_records_are_taken(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_mapped(1);

	EXPECT_EQ(next_size(fd, true), -EAGAIN);
	EXPECT_EQ(take(fd, 100), 0);
	sim_frame_set(0x1234, true);
	sim_pmu_count(CODE, 30);
	EXPECT_EQ(next_size(fd, true), SAMPLE_SIZE);
	EXPECT_EQ(take(fd, SAMPLE_SIZE - 1), 0);
	EXPECT_EQ(take(fd, 2 * SAMPLE_SIZE + 8), 2 * SAMPLE_SIZE);
	EXPECT_EQ(((uint64_t *)buffer)[1], 0x1234);
	EXPECT_EQ(mapping.page->data_tail, 2 * SAMPLE_SIZE);
	EXPECT_EQ(take(fd, sizeof(buffer)), SAMPLE_SIZE);
	EXPECT_EQ(take(fd, sizeof(buffer)), 0);
	unmap_event(&mapping);
	end_machine();
}

/* 257 samples fill 4096 bytes and one more: the last one begins the page anew. */
static void records_wrap(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_mapped(1);

	for (unsigned int i = 0; i < 257; i++) {
		sim_frame_set(i, true);
		sim_pmu_count(CODE, 10);
		if (i % 2)
			EXPECT_EQ_AT(take(fd, sizeof(buffer)), 2 * SAMPLE_SIZE, "sample %u", i);
		if (i % 2)
			EXPECT_EQ_AT(((uint64_t *)buffer)[3], i, "sample %u", i);
	}
	EXPECT_EQ(take(fd, sizeof(buffer)), SAMPLE_SIZE);
	EXPECT_EQ(mapping.page->data_tail, 257 * SAMPLE_SIZE);
	unmap_event(&mapping);
	end_machine();
}

static void wrong_tails_are_refused(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_mapped(1);
	struct perf_event_header *header = (struct perf_event_header *)mapping.data[0];

	sim_pmu_count(CODE, 30);
	/* Even where the size of a record seems to be. */
	mapping.page->data_tail = 4;
	*(uint16_t *)(mapping.data[0] + 10) = SAMPLE_SIZE;
	EXPECT_EQ(next_size(fd, true), -EINVAL);
	EXPECT_EQ(take(fd, 100), -EINVAL);
	mapping.page->data_tail = 3 * SAMPLE_SIZE + 8;
	EXPECT_EQ(take(fd, 100), -EINVAL);
	mapping.page->data_tail = 3 * SAMPLE_SIZE - PAGE_SIZE - 8;
	EXPECT_EQ(take(fd, 100), -EINVAL);
	/* Sizes that no record has. */
	mapping.page->data_tail = 0;
	for (uint16_t size = 0; size < 8; size++) {
		header->size = size;
		EXPECT_EQ_AT(take(fd, 100), -EINVAL, "size %u", size);
	}
	header->size = 12;
	EXPECT_EQ(take(fd, 100), -EINVAL);
	header->size = 3 * SAMPLE_SIZE + 8;
	EXPECT_EQ(take(fd, 100), -EINVAL);
	header->size = 3 * SAMPLE_SIZE;
	EXPECT_EQ(take(fd, 100), 3 * SAMPLE_SIZE);
	unmap_event(&mapping);
	end_machine();
}

static void only_rings_for_readers_are_read(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = hardware_attr(CODE);
	struct vm_area area;

	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(next_size(fd, true), -EINVAL);
	EXPECT_EQ(take(fd, 100), -EINVAL);
	EXPECT_EQ(map_area(fd, &area, 1, VM_READ), 0); /* overwritten */
	EXPECT_EQ(take(fd, 100), -EINVAL);
	unmap_area(&area);
	EXPECT_EQ(map_area(fd, &area, 0, VM_READ | VM_WRITE), 0);
	EXPECT_EQ(take(fd, 100), -EINVAL);
	unmap_area(&area);
	attr.write_backward = 1;
	fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_area(fd, &area, 1, VM_READ | VM_WRITE), 0);
	EXPECT_EQ(take(fd, 100), -EINVAL);
	unmap_area(&area);
	end_machine();
}

static void waiting_ends_with_a_signal(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_mapped(1);

	task_signal(task_current(), 10);
	EXPECT_EQ(next_size(fd, false), -EINTR);
	sim_task_signals(task_current());
	EXPECT(TAILQ_EMPTY(&event_of(fd)->waiters.entries));
	unmap_event(&mapping);
	end_machine();
}

static void the_end_is_nothing_left(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *self = task_current(), *task = sim_task_create();
	struct perf_event_attr attr = hardware_attr(CODE);

	attr.sample_period = 10;
	attr.sample_type = PERF_SAMPLE_IP;
	int fd = open_event(attr, task->tid, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_switch(task);
	sim_pmu_count(CODE, 10);
	sim_task_exit(task);
	sim_switch(self);
	EXPECT_EQ(next_size(fd, false), SAMPLE_SIZE);
	EXPECT_EQ(take(fd, 100), SAMPLE_SIZE);
	EXPECT_EQ(next_size(fd, false), 0);
	unmap_event(&mapping);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "whole records are taken, as many as fit", whole_records_are_taken },
	{ "records are taken round the end of the ring", records_wrap },
	{ "a tail or a size that no record has is refused", wrong_tails_are_refused },
	{ "only a ring with data, written upwards, for a reader is read",
	  only_rings_for_readers_are_read },
	{ "waiting for a record ends with a signal", waiting_ends_with_a_signal },
	{ "an ended event with an empty ring is at its end", the_end_is_nothing_left },
};

TAP_MAIN(rules)
