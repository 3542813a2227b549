// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where records go and who waits for them: wake-ups of pollers that already sleep, output to another event's ring, what
 * a failed open leaves, the rules and the charge of mappings.
 */
#include <kernel/perf/ring.h>
#include <kernel/perf/settings.h>
#include <uapi/linux/poll.h>
#include <uapi/linux/time.h>

#include "family.h"
#include "mapping.h"
#include "waiting.h"

#define CODE	    1
#define SAMPLE_SIZE 16 /* header and IP */

static struct perf_event_attr sampling_attr(uint64_t period)
{
	struct perf_event_attr attr = hardware_attr(CODE);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.wakeup_events = 1;
	return attr;
}

/* --- sleeping pollers --- */

static void the_end_of_the_task_wakes(void)
{
	struct mapping mapping;
	struct sleeper sleeper;

	start_machine(1, 4, NULL, 0);
	struct task *child = sim_task_create();
	int fd = open_event(sampling_attr(10), child->tid, -1, -1);

	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	EXPECT_EQ(fall_asleep(&sleeper, fd), 0);
	end_task(child);
	EXPECT(was_woken(&sleeper));
	unmap_event(&mapping);
	end_machine();
}

static void the_end_of_a_child_wakes(void)
{
	struct sleeper sleeper;

	start_machine(1, 4, NULL, 0);
	struct task *parent = sim_task_create(), *self = task_current();
	int fd = open_event(inherited_attr_of(CODE), parent->tid, -1, -1);

	sim_switch(parent);
	struct task *made = fork_task();
	sim_task_exit(parent);
	sim_switch(self);
	/* The child still counts: no end yet. */
	fall_asleep(&sleeper, fd);
	end_task(made);
	EXPECT(was_woken(&sleeper));
	EXPECT_EQ(fall_asleep(&sleeper, fd), POLLHUP);
	was_woken(&sleeper);
	end_machine();
}

static void the_error_state_wakes(void)
{
	struct mapping mapping;
	struct sleeper sleeper;

	start_machine(1, 1, NULL, 0);
	struct perf_event_attr attr = sampling_attr(10);
	struct task *other = sim_task_create(), *self = task_current();

	attr.pinned = 1;
	int fd = open_event(attr, other->tid, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	EXPECT_EQ(fall_asleep(&sleeper, fd), 0);
	/* The CPU's pinned event has the only counter when the task comes. */
	open_event(attr, -1, 0, -1);
	sim_switch(other);
	sim_switch(self);
	EXPECT_EQ(event_of(fd)->state, EVENT_ERROR);
	EXPECT(was_woken(&sleeper));
	unmap_event(&mapping);
	end_task(other);
	end_machine();
}

static void other_output_wakes(void)
{
	struct mapping mapping, other;
	struct sleeper sleeper;

	start_machine(1, 4, NULL, 0);
	int target = open_event(sampling_attr(10), 0, -1, -1);
	int second = open_event(sampling_attr(10), 0, -1, -1);
	int writer = open_event(sampling_attr(10), 0, -1, -1);

	EXPECT_EQ(map_event(&mapping, target, 1), 0);
	EXPECT_EQ(map_event(&other, second, 1), 0);
	EXPECT_EQ(control_event(writer, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target), 0);
	EXPECT_EQ(fall_asleep(&sleeper, writer), 0);
	EXPECT_EQ(control_event(writer, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)second), 0);
	EXPECT(was_woken(&sleeper));
	/* Nowhere. */
	EXPECT_EQ(fall_asleep(&sleeper, writer), 0);
	EXPECT_EQ(control_event(writer, PERF_EVENT_IOC_SET_OUTPUT, -1ul), 0);
	EXPECT(was_woken(&sleeper));
	EXPECT_EQ(fall_asleep(&sleeper, writer), POLLHUP);
	was_woken(&sleeper);
	unmap_event(&mapping);
	unmap_event(&other);
	end_machine();
}

static void every_writer_of_a_ring_wakes(void)
{
	struct mapping mapping;
	struct sleeper of_target, of_writer;

	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = sampling_attr(10);
	int target = open_event(attr, 0, -1, -1);

	attr.config = 2;
	int writer = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, target, 1), 0);
	EXPECT_EQ(control_event(writer, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target), 0);
	fall_asleep(&of_writer, writer);
	sim_pmu_count(CODE, 10);
	EXPECT(was_woken(&of_writer));
	fall_asleep(&of_target, target);
	atomic_store(&task_current()->woken, false);
	sim_pmu_count(2, 10);
	EXPECT(was_woken(&of_target));
	unmap_event(&mapping);
	end_machine();
}

static void fewer_samples_do_not_wake(void)
{
	struct mapping mapping;
	struct sleeper sleeper;

	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = sampling_attr(10);

	attr.wakeup_events = 3;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	EXPECT_EQ(fall_asleep(&sleeper, fd), 0);
	sim_pmu_count(CODE, 29);
	EXPECT(!atomic_load(&task_current()->woken));
	sim_pmu_count(CODE, 1);
	EXPECT(was_woken(&sleeper));
	EXPECT_EQ(fall_asleep(&sleeper, fd), POLLIN | POLLRDNORM);
	was_woken(&sleeper);
	unmap_event(&mapping);
	end_machine();
}

/* --- output --- */

static void a_failed_open_leaves_the_ring(void)
{
	struct mapping mapping;

	start_machine(1, 4, NULL, 0);
	int target = open_event(sampling_attr(10), 0, -1, -1);
	struct perf_event_attr attr = sampling_attr(10);

	EXPECT_EQ(map_event(&mapping, target, 1), 0);
	/* Refused after its output is attached: no PMU has an AUX area. */
	attr.aux_sample_size = 8;
	const unsigned long flags = PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP;
	EXPECT_EQ(perf_event_open(&attr, 0, -1, target, flags), -EINVAL);
	EXPECT(TAILQ_FIRST(&event_of(target)->ring->writers) == event_of(target));
	EXPECT(!TAILQ_NEXT(event_of(target), writer_link));
	EXPECT_EQ(event_of(target)->ring->references, 1);

	/* Every allocation of an open with output may fail. */
	attr.aux_sample_size = 0;
	int fd;
	unsigned int number = 0;
	do {
		sim_allocation_fail(++number);
		fd = (int)perf_event_open(&attr, 0, -1, target, flags);
		if (fd < 0)
			EXPECT_EQ_AT(fd, -ENOMEM, "allocation %u", number);
		if (fd < 0)
			EXPECT_EQ_AT(event_of(target)->ring->references, 1, "allocation %u",
				     number);
	} while (fd < 0);
	sim_allocation_fail(0);
	EXPECT_EQ(number, 3);
	EXPECT(event_of(fd)->leader == event_of(fd));
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(mapping.page->data_head, 2 * SAMPLE_SIZE);
	unmap_event(&mapping);
	end_machine();
}

static void only_like_events_share_a_ring(void)
{
	struct mapping mapping;

	start_machine(2, 4, NULL, 0);
	int target = open_event(sampling_attr(10), 0, -1, -1);
	struct perf_event_attr attr = sampling_attr(10);
	struct task *other = sim_task_create();
	const unsigned long argument = (unsigned long)target;

	EXPECT_EQ(map_event(&mapping, target, 1), 0);
	EXPECT_EQ(control_event(target, PERF_EVENT_IOC_SET_OUTPUT, argument), -EINVAL);
	EXPECT_EQ(control_event(open_event(attr, other->tid, -1, -1), PERF_EVENT_IOC_SET_OUTPUT,
				argument),
		  -EINVAL);
	EXPECT_EQ(control_event(open_event(attr, 0, 0, -1), PERF_EVENT_IOC_SET_OUTPUT, argument),
		  -EINVAL);
	attr.inherit = 1;
	EXPECT_EQ(control_event(open_event(attr, 0, -1, -1), PERF_EVENT_IOC_SET_OUTPUT, argument),
		  -EINVAL);
	attr.inherit = 0;
	attr.write_backward = 1;
	EXPECT_EQ(control_event(open_event(attr, 0, -1, -1), PERF_EVENT_IOC_SET_OUTPUT, argument),
		  -EINVAL);
	attr.write_backward = 0;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	EXPECT_EQ(control_event(open_event(attr, 0, -1, -1), PERF_EVENT_IOC_SET_OUTPUT, argument),
		  -EINVAL);
	unmap_event(&mapping);

	/* Two clocks of their own: the same one is right. */
	target = open_event(attr, 0, -1, -1);
	int same = open_event(attr, 0, -1, -1);
	attr.clockid = CLOCK_MONOTONIC_RAW;
	int different = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, target, 1), 0);
	EXPECT_EQ(control_event(same, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target), 0);
	EXPECT_EQ(control_event(different, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target),
		  -EINVAL);
	/* An event that is mapped itself keeps its ring. */
	struct mapping own;
	int mapped = open_event(sampling_attr(10), 0, -1, -1),
	    second = open_event(sampling_attr(10), 0, -1, -1);
	EXPECT_EQ(map_event(&own, mapped, 1), 0);
	EXPECT_EQ(control_event(second, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)mapped), 0);
	EXPECT_EQ(control_event(mapped, PERF_EVENT_IOC_SET_OUTPUT, -1ul), -EINVAL);
	unmap_event(&own);
	unmap_event(&mapping);
	/* An event that only borrows a ring does not lend it. */
	EXPECT_EQ(control_event(same, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target), -EINVAL);
	EXPECT_EQ(control_event(same, PERF_EVENT_IOC_SET_OUTPUT, 200), -EBADF);
	end_task(other);
	end_machine();
}

static void only_a_ring_with_data_is_paused(void)
{
	struct mapping mapping;

	start_machine(1, 4, NULL, 0);
	int fd = open_event(sampling_attr(10), 0, -1, -1);

	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), -EINVAL);
	EXPECT_EQ(map_event(&mapping, fd, 0), 0);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), -EINVAL);
	unmap_event(&mapping);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), 0);
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(mapping.page->data_head, 0);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0), 0);
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(mapping.page->data_head, 24 + SAMPLE_SIZE); /* LOST comes first */
	unmap_event(&mapping);
	end_machine();
}

/* --- mappings --- */

static int map_at(int fd, uint64_t offset, uint64_t pages, bool shared)
{
	struct file *file = sim_fd_file(fd);
	struct vm_area area = { .start = 0x10000,
				.end = 0x10000 + pages * PAGE_SIZE,
				.prot = VM_READ | VM_WRITE,
				.shared = shared,
				.offset = offset,
				.file = file,
				.space = &user_space };

	return file->ops->mmap(file, &area);
}

static void mappings_are_refused_as_on_linux(void)
{
	struct mapping mapping;

	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = sampling_attr(10);
	int fd = open_event(attr, 0, -1, -1);

	attr.inherit = 1;
	int family = open_event(attr, 0, -1, -1), bound = open_event(attr, 0, 0, -1);
	EXPECT_EQ(map_at(family, 0, 2, true), -EINVAL);
	EXPECT_EQ(map_at(fd, 0, 2, false), -EINVAL);
	EXPECT_EQ(map_at(fd, 0, 1 + ((uint64_t)1 << 32), true), -EINVAL);
	EXPECT_EQ(map_event(&mapping, bound, 1), 0);
	unmap_event(&mapping);

	/* The AUX area: EINVAL until the program has said rightly where it is, then EOPNOTSUPP. */
	EXPECT_EQ(map_at(fd, 4 * PAGE_SIZE, 2, true), -EINVAL);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	EXPECT_EQ(map_at(fd, 4 * PAGE_SIZE, 2, true), -EINVAL);
	mapping.page->aux_offset = 4 * PAGE_SIZE;
	mapping.page->aux_size = 2 * PAGE_SIZE;
	EXPECT_EQ(map_at(fd, 4 * PAGE_SIZE, 2, true), -EOPNOTSUPP);
	EXPECT_EQ(map_at(fd, 4 * PAGE_SIZE, 1, true), -EINVAL);
	mapping.page->aux_size = 3 * PAGE_SIZE;
	EXPECT_EQ(map_at(fd, 4 * PAGE_SIZE, 3, true), -EINVAL);
	/* Over the ring itself. */
	mapping.page->aux_offset = PAGE_SIZE;
	mapping.page->aux_size = 2 * PAGE_SIZE;
	EXPECT_EQ(map_at(fd, PAGE_SIZE, 2, true), -EINVAL);
	mapping.page->aux_offset = 2 * PAGE_SIZE;
	EXPECT_EQ(map_at(fd, 2 * PAGE_SIZE, 2, true), -EOPNOTSUPP);
	unmap_event(&mapping);
	end_machine();
}

/* One CPU: 516 KiB, 129 pages, are each user's; what is more is the address space's, which may lock none here. */
static void memory_of_rings_is_limited(void)
{
	struct vm_area area, second, third;

	start_machine(1, 4, NULL, 0);
	int fd = open_event(sampling_attr(10), 0, -1, -1);
	int other = open_event(sampling_attr(10), 0, -1, -1);
	int small = open_event(sampling_attr(10), 0, -1, -1);
	int last = open_event(sampling_attr(10), 0, -1, -1);

	perf_paranoid = 2;
	sim_unprivileged_set(true);
	user_space.locked_pages_max = 0;
	EXPECT_EQ(map_area(fd, &area, 64, VM_READ | VM_WRITE), 0);	     /* 65 pages */
	EXPECT_EQ(map_area(other, &second, 64, VM_READ | VM_WRITE), -EPERM); /* 130 > 129 */
	EXPECT_EQ(map_area(other, &second, 32, VM_READ | VM_WRITE), 0);	     /* 98 */
	EXPECT_EQ(map_area(small, &third, 16, VM_READ | VM_WRITE), 0);	     /* 115 */
	EXPECT_EQ(atomic_load(&user_space.perf_pages), 0);
	unmap_area(&third);
	/* 98 + 33 = 131: two pages are the space's. */
	user_space.locked_pages_max = 1;
	EXPECT_EQ(map_area(small, &third, 32, VM_READ | VM_WRITE), -EPERM);
	user_space.locked_pages_max = 2;
	EXPECT_EQ(map_area(small, &third, 32, VM_READ | VM_WRITE), 0);
	EXPECT_EQ(atomic_load(&user_space.perf_pages), 2);
	unmap_area(&third);
	EXPECT_EQ(atomic_load(&user_space.perf_pages), 0);
	/* The privileged may have more, and so may all where perf_event_paranoid is -1. */
	user_space.locked_pages_max = 0;
	perf_paranoid = -1;
	EXPECT_EQ(map_area(small, &third, 32, VM_READ | VM_WRITE), 0);
	EXPECT_EQ(atomic_load(&user_space.perf_pages), 2);
	/* The limit becomes less than what is used: nothing is left of it. */
	perf_mlock_kib = 4;
	perf_paranoid = 2;
	struct vm_area fourth;
	EXPECT_EQ(map_area(last, &fourth, 0, VM_READ | VM_WRITE), -EPERM);
	sim_unprivileged_set(false);
	EXPECT_EQ(map_area(last, &fourth, 0, VM_READ | VM_WRITE), 0);
	EXPECT_EQ(atomic_load(&user_space.perf_pages), 3);
	unmap_area(&fourth);
	unmap_area(&third);
	unmap_area(&second);
	unmap_area(&area);
	EXPECT_EQ(atomic_load(&user_space.perf_pages), 0);
	perf_mlock_kib = PERF_MLOCK_KIB_DEFAULT;
	end_machine();
}

/* A ring is charged to the space that made it, for as long as it is mapped there. */
static void a_ring_is_charged_once(void)
{
	static struct vm_space other_space;
	struct vm_area area, again;

	start_machine(1, 4, NULL, 0);
	int fd = open_event(sampling_attr(10), 0, -1, -1);

	perf_mlock_kib = 0;
	EXPECT_EQ(map_area(fd, &area, 1, VM_READ | VM_WRITE), 0);
	EXPECT_EQ(atomic_load(&user_space.perf_pages), 2);
	EXPECT_EQ(map_area(fd, &again, 1, VM_READ | VM_WRITE), 0);
	EXPECT_EQ(atomic_load(&user_space.perf_pages), 2);
	/* A copy in another space, as of fork. */
	struct vm_area copy = area;
	copy.space = &other_space;
	file_get(copy.file);
	copy.ops->open(&copy);
	EXPECT_EQ(atomic_load(&other_space.perf_pages), 0);
	unmap_area(&area);
	EXPECT_EQ(atomic_load(&user_space.perf_pages), 2);
	unmap_area(&again);
	EXPECT_EQ(atomic_load(&user_space.perf_pages), 0);
	EXPECT(atomic_load(&event_of(fd)->ring) != NULL);
	unmap_area(&copy);
	EXPECT(atomic_load(&event_of(fd)->ring) == NULL);
	perf_mlock_kib = PERF_MLOCK_KIB_DEFAULT;
	end_machine();
}

/* --- the right to read counters by instruction --- */

static void user_reads_follow_the_setting(void)
{
	struct mapping mapping;

	start_machine(1, 4, NULL, 0);
	perf_user_reads_set(PERF_USER_READS_NEVER);
	int fd = open_event(hardware_attr(CODE), 0, -1, -1);

	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	EXPECT_EQ(mapping.page->cap_user_rdpmc, 0);
	EXPECT_EQ(mapping.page->index, 0);
	EXPECT(!perf_user_reads_allowed(task_current()->space));
	perf_user_reads_set(PERF_USER_READS_ALWAYS);
	EXPECT(perf_user_reads_allowed(NULL));
	perf_user_reads_set(PERF_USER_READS_MAPPED);
	/* The event was opened while user reads were off. */
	EXPECT(!perf_user_reads_allowed(task_current()->space));
	unmap_event(&mapping);
	fd = open_event(hardware_attr(CODE), 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	EXPECT_EQ(mapping.page->cap_user_rdpmc, 1);
	EXPECT(perf_user_reads_allowed(task_current()->space));
	unmap_event(&mapping);
	EXPECT(!perf_user_reads_allowed(task_current()->space));
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "a sleeping poller wakes when the event's task exits", the_end_of_the_task_wakes },
	{ "a sleeping poller wakes when the last child's task exits", the_end_of_a_child_wakes },
	{ "a sleeping poller wakes when its pinned event goes into the error state",
	  the_error_state_wakes },
	{ "a sleeping poller wakes when its event's output goes elsewhere", other_output_wakes },
	{ "a sample wakes the sleeping pollers of all events that write to its ring",
	  every_writer_of_a_ring_wakes },
	{ "a sleeping poller wakes at the wakeup_events-th sample, not before",
	  fewer_samples_do_not_wake },
	{ "an open that fails after its output is attached leaves the ring as it was",
	  a_failed_open_leaves_the_ring },
	{ "only events with one writer, one clock and one direction share a ring",
	  only_like_events_share_a_ring },
	{ "only a ring with data pages can be paused", only_a_ring_with_data_is_paused },
	{ "mappings that no ring can have are refused with Linux's errors",
	  mappings_are_refused_as_on_linux },
	{ "the memory of rings is limited for each user and each address space",
	  memory_of_rings_is_limited },
	{ "a ring is charged once, to the space that made it", a_ring_is_charged_once },
	{ "counters may be read by instruction as perf_user_reads says",
	  user_reads_follow_the_setting },
};

TAP_MAIN(rules)
