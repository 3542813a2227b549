// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of perf_event_open and of the descriptor it returns: what is refused and how, what the
 * ioctls, poll and mmap do, and that nothing is left behind whatever fails.
 */
#include <kernel/mm/page.h>
#include <kernel/perf/read.h>
#include <kernel/perf/ring.h>
#include <kernel/perf/rotation.h>
#include <kernel/perf/tick.h>
#include <kernel/perf/settings.h>
#include <kernel/perf/throttle.h>
#include <uapi/linux/poll.h>

#include "events.h"

#define CODE 1

/* --- who, where, in which group --- */

static void flags_and_targets(void)
{
	start_machine(2, 4, NULL, 0);
	struct perf_event_attr attr = hardware_attr(CODE);

	static const struct {
		pid_t pid;
		int cpu, group_fd;
		unsigned long flags;
		int error; /* 0: opens */
	} calls[] = {
		{ 0, -1, -1, 0, 0 },
		{ 0, 0, -1, 0, 0 },
		{ 1, -1, -1, 0, 0 },
		{ -1, 1, -1, 0, 0 },
		{ 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0 },
		{ 0, -1, -1, PERF_FLAG_FD_NO_GROUP, 0 },
		{ 0, -1, -1, 16, -EINVAL },
		{ 0, -1, -1, 1ul << 63, -EINVAL },
		{ -1, -1, -1, 0, -EINVAL },
		{ 0, -2, -1, 0, -EINVAL },
		{ 0, 2, -1, 0, -EINVAL },
		{ -1, 2, -1, 0, -EINVAL },
		{ -1, CPUS_MAX, -1, 0, -EINVAL },
		{ -1, INT32_MAX, -1, 0, -EINVAL },
		{ -1, INT32_MIN, -1, 0, -EINVAL },
		{ 4711, -1, -1, 0, -ESRCH },
		{ -2, -1, -1, 0, -ESRCH },
		{ INT32_MIN, -1, -1, 0, -ESRCH },
		{ 0, -1, 99, 0, -EBADF },
		{ 0, -1, -2, 0, -EBADF },
		{ 0, -1, INT32_MAX, 0, -EBADF },
		{ 0, 0, -1, PERF_FLAG_PID_CGROUP, -EBADF },
		{ 0, -1, -1, PERF_FLAG_PID_CGROUP, -EINVAL },
		{ -1, 0, -1, PERF_FLAG_PID_CGROUP, -EINVAL },
		{ 4711, -1, 99, 0, -EBADF },
	};
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		long fd = perf_event_open(&attr, calls[i].pid, calls[i].cpu, calls[i].group_fd,
					  calls[i].flags);
		EXPECT_EQ_AT(fd < 0 ? fd : 0, calls[i].error, "call %zu", i);
		if (fd >= 0)
			sim_fd_close((int)fd);
	}
	end_machine();
}

static void types_without_a_pmu(void)
{
	start_machine(1, 4, NULL, 0);
	static const struct {
		uint32_t type;
		uint64_t config;
		int error;
	} types[] = {
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_MAX, -EINVAL },
		{ PERF_TYPE_HARDWARE, 1ull << PERF_PMU_TYPE_SHIFT, -ENOENT },
		{ PERF_TYPE_HARDWARE, (uint64_t)PERF_TYPE_RAW << PERF_PMU_TYPE_SHIFT, 0 },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0 },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0 },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0 },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES, 0 },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_MAX, -ENOENT },
		{ PERF_TYPE_SOFTWARE, 1ull << 32, -ENOENT },
		{ PERF_TYPE_TRACEPOINT, 1, -EINVAL },
		{ PERF_TYPE_BREAKPOINT, 0, -EINVAL },
		{ PERF_TYPE_MAX + 100, 0, -ENOENT },
		{ UINT32_MAX, 0, -ENOENT },
	};
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct perf_event_attr attr = { .type = types[i].type,
						.size = sizeof(attr),
						.config = types[i].config };
		int fd = open_event(attr, 0, -1, -1);

		EXPECT_EQ_AT(fd < 0 ? fd : 0, types[i].error, "type %u", types[i].type);
		if (fd >= 0)
			sim_fd_close(fd);
	}
	end_machine();
}

static void group_rules(void)
{
	start_machine(2, 4, NULL, 0);
	struct task *other = sim_task_create();
	struct perf_event_attr attr = hardware_attr(CODE), bad;
	int leader = open_event(attr, 0, -1, -1);
	int sibling = open_event(attr, 0, -1, leader);

	EXPECT(sibling >= 0);
	EXPECT_EQ(open_event(attr, 0, -1, sibling), -EINVAL);
	EXPECT_EQ(open_event(attr, 0, 0, leader), -EINVAL);
	EXPECT_EQ(open_event(attr, other->tid, -1, leader), -EINVAL);
	EXPECT_EQ(open_event(attr, -1, 0, leader), -EINVAL);
	bad = attr;
	bad.pinned = 1;
	EXPECT_EQ(open_event(bad, 0, -1, leader), -EINVAL);
	bad = attr;
	bad.exclusive = 1;
	EXPECT_EQ(open_event(bad, 0, -1, leader), -EINVAL);
	bad = attr;
	bad.use_clockid = 1;
	bad.clockid = 1;
	EXPECT_EQ(open_event(bad, 0, -1, leader), -EINVAL);
	bad = attr;
	bad.inherit = 1;
	EXPECT_EQ(open_event(bad, 0, -1, leader), -EINVAL);
	/* With NO_GROUP the descriptor only has to be one of an event. */
	int single = (int)perf_event_open(&attr, 0, 0, sibling, PERF_FLAG_FD_NO_GROUP);
	EXPECT(single >= 0);
	EXPECT(event_of(single)->leader == event_of(single));
	end_task(other);
	end_machine();
}

static void software_leads_hardware(void)
{
	start_machine(1, 1, NULL, 0);
	int leader = open_event(software_attr(PERF_COUNT_SW_PAGE_FAULTS), 0, -1, -1);
	int sibling = open_event(hardware_attr(CODE), 0, -1, leader);

	EXPECT(sibling >= 0);
	sim_pmu_count(CODE, 5);
	perf_software_event(PERF_COUNT_SW_PAGE_FAULTS, 1, sim_frame(), 0);
	EXPECT_EQ(count_of(leader), 1);
	EXPECT_EQ(count_of(sibling), 5);

	/* Now it needs a counter like any other: it rotates as a whole. */
	int rival = open_event(timed(hardware_attr(CODE)), 0, -1, -1);
	sim_clock_advance(PERF_ROTATION_NS);
	sim_pmu_count(CODE, 10);
	perf_software_event(PERF_COUNT_SW_PAGE_FAULTS, 1, sim_frame(), 0);
	EXPECT_EQ(count_of(leader), 1);
	EXPECT_EQ(count_of(sibling), 5);
	EXPECT_EQ(timed_count_of(rival).value, 10);
	end_machine();
}

static void clocks_of_records(void)
{
	start_machine(1, 4, NULL, 0);
	static const struct {
		int32_t clockid;
		int hardware, software;
	} clocks[] = {
		/* clang-format off */
		{ 0, -EINVAL, 0 },
		{ 1, 0, 0 },
		{ 2, -EINVAL, -EINVAL },
		{ 4, 0, 0 },
		{ 7, -EINVAL, 0 },
		{ 11, -EINVAL, 0 },
		{ -1, -EINVAL, -EINVAL },
		/* clang-format on */
	};
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		struct perf_event_attr attr = hardware_attr(CODE);

		attr.use_clockid = 1;
		attr.clockid = clocks[i].clockid;
		int fd = open_event(attr, 0, -1, -1);
		EXPECT_EQ_AT(fd < 0 ? fd : 0, clocks[i].hardware, "clock %d", attr.clockid);
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_DUMMY;
		fd = open_event(attr, 0, -1, -1);
		EXPECT_EQ_AT(fd < 0 ? fd : 0, clocks[i].software, "clock %d", attr.clockid);
	}
	end_machine();
}

static void no_interrupt_no_sampling(void)
{
	const struct sim_pmu_model model = { 2, 48, NULL, 0, true };
	struct perf_event_attr attr = hardware_attr(CODE);

	sim_start(1);
	perf_init();
	sim_pmu_register(&model);
	EXPECT(open_event(attr, 0, -1, -1) >= 0);
	attr.sample_period = 100;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EOPNOTSUPP);
	end_machine();
}

/* --- what fails leaves nothing --- */

static void every_allocation_may_fail(void)
{
	for (unsigned int number = 1; number < 10; number++) {
		start_machine(1, 4, NULL, 0);
		sim_allocation_fail(number);
		int fd = open_event(hardware_attr(CODE), 0, -1, -1);
		sim_allocation_fail(0);
		if (fd < 0)
			EXPECT_EQ_AT(fd, -ENOMEM, "allocation %u", number);
		EXPECT_AT(number > 2 || fd < 0, "allocation %u", number);
		/* The same call succeeds afterwards. */
		int again = open_event(hardware_attr(CODE), 0, -1, -1);
		EXPECT_AT(again >= 0, "allocation %u", number);
		sim_pmu_count(CODE, 3);
		EXPECT_EQ_AT(count_of(again), 3, "allocation %u", number);
		end_machine();
	}
}

static void descriptors_run_out(void)
{
	int fd, opened = 0;

	start_machine(1, 4, NULL, 0);
	while ((fd = open_event(software_attr(PERF_COUNT_SW_DUMMY), 0, -1, -1)) >= 0)
		opened++;
	EXPECT_EQ(fd, -EMFILE);
	EXPECT_EQ(opened, SIM_FILES_MAX);
	EXPECT_EQ(atomic_load(&perf_software_events), SIM_FILES_MAX);
	end_machine();
}

static void large_groups_are_too_big_to_read(void)
{
	struct perf_event_attr attr = software_attr(PERF_COUNT_SW_DUMMY);
	int leader, fd = 0;

	EXPECT_EQ(perf_read_size(PERF_FORMAT_MAX - 1, 680), (3 + 681 * 3) * 8);
	EXPECT_EQ(perf_read_size(0, 680), 8);
	EXPECT_EQ(perf_read_size(PERF_FORMAT_GROUP, 1), 24);
	EXPECT_EQ(perf_read_size(PERF_FORMAT_ID | PERF_FORMAT_LOST, 5), 24);

	start_machine(1, 4, NULL, 0);
	attr.read_format = PERF_FORMAT_GROUP;
	leader = open_event(attr, 0, -1, -1);
	for (unsigned int i = 0; i < 200 && fd >= 0; i++)
		fd = open_event(attr, 0, -1, leader);
	EXPECT(fd >= 0);
	static uint64_t values[202];
	EXPECT_EQ(read_event(leader, values, sizeof(values)), sizeof(values));
	EXPECT_EQ(values[0], 201);
	sim_allocation_fail(1);
	EXPECT_EQ(read_event(leader, values, sizeof(values)), -ENOMEM);
	sim_allocation_fail(0);
	end_machine();

	/* Number, two times, then three words for each: (16384 / 8 - 3) / 3 is 681 members. The 682nd is refused, be it
	 * the one whose format is large or another one of the group. */
	start_machine(1, 4, NULL, 0);
	attr.read_format = PERF_FORMAT_GROUP | TIMES | PERF_FORMAT_ID | PERF_FORMAT_LOST;
	leader = open_event(attr, 0, -1, -1);
	for (unsigned int i = 1; i < 681 && fd >= 0; i++)
		fd = open_event(attr, 0, -1, leader);
	EXPECT(fd >= 0);
	EXPECT_EQ(open_event(attr, 0, -1, leader), -E2BIG);
	attr.read_format = 0;
	EXPECT_EQ(open_event(attr, 0, -1, leader), -E2BIG);
	EXPECT_EQ(event_of(leader)->sibling_count, 680);
	end_machine();
}

static void bad_user_pointers(void)
{
	static uint64_t word;

	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = hardware_attr(CODE);
	attr.sample_period = 1000;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(read_event(fd, &word, 7), -ENOSPC);
	EXPECT_EQ(read_event(fd, &word, 0), -ENOSPC);
	sim_user_fault_set(&word, sizeof(word));
	EXPECT_EQ(read_event(fd, &word, sizeof(word)), -EFAULT);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_ID, (unsigned long)&word), -EFAULT);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)&word), -EFAULT);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&word), -EFAULT);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&word),
		  -EFAULT);
	sim_user_fault_set(NULL, 0);
	end_machine();
}

/* --- ioctl --- */

static void controls_are_refused_as_linux_does(void)
{
	start_machine(1, 4, NULL, 0);
	int counting = open_event(hardware_attr(CODE), 0, -1, -1);
	struct perf_event_attr attr = hardware_attr(CODE);
	uint64_t period = 5;

	EXPECT_EQ(control_event(counting, PERF_EVENT_IOC_REFRESH, 1), -EINVAL);
	EXPECT_EQ(control_event(counting, PERF_EVENT_IOC_PERIOD, (unsigned long)&period), -EINVAL);
	EXPECT_EQ(control_event(counting, PERF_EVENT_IOC_SET_FILTER, (unsigned long)""), -EINVAL);
	EXPECT_EQ(control_event(counting, PERF_EVENT_IOC_SET_BPF, (unsigned long)-1), -EBADF);
	EXPECT_EQ(control_event(counting, PERF_EVENT_IOC_SET_BPF, (unsigned long)counting),
		  -EINVAL);
	EXPECT_EQ(control_event(counting, PERF_EVENT_IOC_QUERY_BPF, 0), -EINVAL);
	EXPECT_EQ(control_event(counting, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), -EINVAL);
	EXPECT_EQ(control_event(counting, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)-1), 0);
	EXPECT_EQ(control_event(counting, PERF_EVENT_IOC_SET_OUTPUT, 99), -EBADF);
	EXPECT_EQ(control_event(counting, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)counting),
		  -EINVAL);
	EXPECT_EQ(control_event(counting, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&attr),
		  -EOPNOTSUPP);
	attr.type = PERF_TYPE_SOFTWARE;
	EXPECT_EQ(control_event(counting, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&attr),
		  -EINVAL);
	EXPECT_EQ(control_event(counting, 0x5401, 0), -ENOTTY);

	attr = hardware_attr(CODE);
	attr.sample_period = 100;
	int sampling = open_event(attr, 0, -1, -1);
	period = 0;
	EXPECT_EQ(control_event(sampling, PERF_EVENT_IOC_PERIOD, (unsigned long)&period), -EINVAL);
	period = 1ull << 63;
	EXPECT_EQ(control_event(sampling, PERF_EVENT_IOC_PERIOD, (unsigned long)&period), -EINVAL);
	end_machine();
}

static void prctl_switches_opened_events(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *self = task_current(), *other = sim_task_create();
	int own = open_event(hardware_attr(CODE), 0, -1, -1);
	int of_cpu = open_event(hardware_attr(CODE), -1, 0, -1);

	sim_switch(other);
	int foreign = open_event(hardware_attr(CODE), self->tid, -1, -1);
	sim_switch(self);
	EXPECT_EQ(perf_task_events_set(false), 0);
	sim_pmu_count(CODE, 7);
	EXPECT_EQ(count_of(own), 0);
	EXPECT_EQ(count_of(of_cpu), 0);
	EXPECT_EQ(count_of(foreign), 7);
	EXPECT_EQ(perf_task_events_set(true), 0);
	sim_pmu_count(CODE, 3);
	EXPECT_EQ(count_of(own), 3);
	EXPECT_EQ(count_of(of_cpu), 3);
	end_machine();
}

/* --- mapping, records, poll --- */

static unsigned int poll_event(int fd)
{
	struct file *file = sim_fd_file(fd);

	return file->ops->poll(file, NULL);
}

static struct perf_event_mmap_page *metadata(int fd)
{
	return atomic_load(&event_of(fd)->ring)->user_page;
}

/* A sampling event: IP only, a record of 16 bytes. */
static struct perf_event_attr sampling_attr(uint64_t period)
{
	struct perf_event_attr attr = hardware_attr(CODE);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.wakeup_events = 1;
	return attr;
}

#define SAMPLE_SIZE 16

static void mappings_follow_the_rules(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_event(sampling_attr(10), 0, -1, -1);
	struct vm_area area, second;
	bool writable;

	EXPECT_EQ(poll_event(fd), POLLHUP);
	EXPECT_EQ(map_area(fd, &area, 3, VM_READ | VM_WRITE), -EINVAL);
	EXPECT_EQ(map_area(fd, &area, 2, VM_READ | VM_WRITE), 0);
	EXPECT(area.dont_copy);
	EXPECT_EQ(map_area(fd, &second, 4, VM_READ | VM_WRITE), -EINVAL);
	EXPECT_EQ(map_area(fd, &second, 2, VM_READ | VM_WRITE), 0);

	/* User space writes to the metadata only, and finds nothing after the end. */
	for (uint64_t index = 0; index < 4; index++) {
		void *page = area.ops->fault(&area, index << PAGE_SHIFT, false, &writable);

		EXPECT_EQ_AT(page != NULL, index < 3, "page %" PRIu64, index);
		EXPECT_EQ_AT(writable, index == 0, "page %" PRIu64, index);
		if (page)
			page_put(page);
		page = area.ops->fault(&area, index << PAGE_SHIFT, true, &writable);
		EXPECT_EQ_AT(page != NULL, index == 0, "page %" PRIu64, index);
		if (page)
			page_put(page);
	}
	EXPECT_EQ(atomic_load(&user_space.perf_rdpmc), 2);
	unmap_area(&second);
	EXPECT_EQ(atomic_load(&user_space.perf_rdpmc), 1);
	EXPECT(atomic_load(&event_of(fd)->ring) != NULL);
	unmap_area(&area);
	EXPECT_EQ(atomic_load(&user_space.perf_rdpmc), 0);
	EXPECT(atomic_load(&event_of(fd)->ring) == NULL);

	struct perf_event_attr attr = hardware_attr(CODE);
	fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_area(fd, &area, 0, VM_READ), 0);
	unmap_area(&area);
	for (unsigned int number = 1; number <= 6; number++) {
		sim_allocation_fail(number);
		int error = map_area(fd, &area, 2, VM_READ | VM_WRITE);
		sim_allocation_fail(0);
		if (!error)
			unmap_area(&area);
		else
			EXPECT_EQ_AT(error, -ENOMEM, "allocation %u", number);
	}
	end_machine();
}

static void a_closed_event_lives_while_mapped(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_event(sampling_attr(10), 0, -1, -1);
	struct vm_area area;

	EXPECT_EQ(map_area(fd, &area, 1, VM_READ | VM_WRITE), 0);
	struct perf_event_mmap_page *page = metadata(fd);
	sim_fd_close(fd);
	sim_pmu_count(CODE, 25);
	EXPECT_EQ(page->data_head, 2 * SAMPLE_SIZE);
	unmap_area(&area);
	end_machine();
}

static void samples_wake_pollers(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_event(sampling_attr(10), 0, -1, -1);
	struct vm_area area;

	map_area(fd, &area, 1, VM_READ | VM_WRITE);
	EXPECT_EQ(poll_event(fd), 0);
	sim_pmu_count(CODE, 9);
	EXPECT_EQ(poll_event(fd), 0);
	sim_pmu_count(CODE, 1);
	EXPECT_EQ(poll_event(fd), POLLIN | POLLRDNORM);
	EXPECT_EQ(poll_event(fd), 0);
	EXPECT_EQ(metadata(fd)->data_head, SAMPLE_SIZE);
	EXPECT_EQ(count_of(fd), 10);
	unmap_area(&area);
	end_machine();
}

static void refresh_limits_overflows(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = sampling_attr(10);
	struct vm_area area;

	attr.disabled = 1;
	int fd = open_event(attr, 0, -1, -1);
	map_area(fd, &area, 1, VM_READ | VM_WRITE);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_REFRESH, 3), 0);
	sim_pmu_count(CODE, 1000);
	EXPECT_EQ(metadata(fd)->data_head, 3 * SAMPLE_SIZE);
	EXPECT_EQ(count_of(fd), 30);
	EXPECT_EQ(event_of(fd)->state, EVENT_OFF);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_REFRESH, 1), 0);
	sim_pmu_count(CODE, 1000);
	EXPECT_EQ(count_of(fd), 40);
	/* Two requests add up. */
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_REFRESH, 2), 0);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_REFRESH, 1), 0);
	sim_pmu_count(CODE, 1000);
	EXPECT_EQ(count_of(fd), 70);
	unmap_area(&area);
	end_machine();
}

static void a_new_period_begins_at_once(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_event(sampling_attr(100), 0, -1, -1);
	struct vm_area area;
	uint64_t period = 7;

	map_area(fd, &area, 1, VM_READ | VM_WRITE);
	sim_pmu_count(CODE, 99);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period), 0);
	sim_pmu_count(CODE, 6);
	EXPECT_EQ(metadata(fd)->data_head, 0);
	sim_pmu_count(CODE, 1);
	EXPECT_EQ(metadata(fd)->data_head, SAMPLE_SIZE);
	sim_pmu_count(CODE, 70);
	EXPECT_EQ(metadata(fd)->data_head, 11 * SAMPLE_SIZE);
	EXPECT_EQ(count_of(fd), 176);
	unmap_area(&area);
	end_machine();
}

/* 400 samples fit into a tick (100,000 a second, 4 ms); the event stops at the next one, says
 * so, and goes on with the next tick. */
static void too_many_samples_are_throttled(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_event(sampling_attr(1), 0, -1, -1);
	struct vm_area area;
	const uint64_t throttle_size = sizeof(struct perf_event_header) + 24;

	map_area(fd, &area, 4, VM_READ | VM_WRITE);
	sim_pmu_count(CODE, 10000);
	EXPECT_EQ(count_of(fd), 401);
	EXPECT_EQ(metadata(fd)->data_head, 401 * SAMPLE_SIZE + throttle_size);
	sim_clock_advance(PERF_TICK_NS);
	EXPECT_EQ(metadata(fd)->data_head, 401 * SAMPLE_SIZE + 2 * throttle_size);
	sim_pmu_count(CODE, 5);
	EXPECT_EQ(count_of(fd), 406);
	unmap_area(&area);
	end_machine();
}

/* Five eighths of a window of 64 ticks are all that interrupts get, each counted up to a
 * quarter. */
static void interrupts_do_not_take_all_the_time(void)
{
	const uint64_t window_ns = 64 * PERF_TICK_NS;
	struct vm_area area;

	start_machine(1, 4, NULL, 0);
	int fd = open_event(sampling_attr(10), 0, -1, -1);
	map_area(fd, &area, 1, VM_READ | VM_WRITE);
	sim_clock_advance(window_ns - clock_ns() % window_ns);
	perf_interrupt_took(clock_ns() - window_ns);
	perf_interrupt_took(clock_ns() - window_ns);
	perf_interrupt_took(clock_ns() - window_ns / 10); /* makes 60 % */
	sim_pmu_count(CODE, 100);
	EXPECT_EQ(count_of(fd), 100);

	perf_interrupt_took(clock_ns() - 1);
	sim_pmu_count(CODE, 100);
	EXPECT_EQ(count_of(fd), 110);
	sim_clock_advance(window_ns - 1);
	sim_pmu_count(CODE, 100);
	EXPECT_EQ(count_of(fd), 110);
	sim_clock_advance(PERF_TICK_NS);
	sim_pmu_count(CODE, 100);
	EXPECT_EQ(count_of(fd), 210);

	perf_cpu_time_max_percent = 100;
	for (unsigned int i = 0; i < 4; i++)
		perf_interrupt_took(clock_ns() - window_ns);
	sim_pmu_count(CODE, 100);
	EXPECT_EQ(count_of(fd), 310);
	perf_cpu_time_max_percent = PERF_CPU_TIME_PERCENT_DEFAULT;
	unmap_area(&area);
	end_machine();
}

static void a_clock_samples_by_timer(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = software_attr(PERF_COUNT_SW_CPU_CLOCK);
	struct task *self = task_current(), *other = sim_task_create();
	struct vm_area area;

	attr.sample_period = 1000000;
	attr.sample_type = PERF_SAMPLE_IP;
	int fd = open_event(attr, 0, -1, -1);
	map_area(fd, &area, 1, VM_READ | VM_WRITE);
	sim_clock_advance(5500000);
	EXPECT_EQ(metadata(fd)->data_head, 5 * SAMPLE_SIZE);
	/* The rest of the period waits for the task. */
	sim_switch(other);
	sim_clock_advance(10000000);
	sim_switch(self);
	sim_clock_advance(499999);
	EXPECT_EQ(metadata(fd)->data_head, 5 * SAMPLE_SIZE);
	sim_clock_advance(1);
	EXPECT_EQ(metadata(fd)->data_head, 6 * SAMPLE_SIZE);
	EXPECT_EQ(count_of(fd), 6000000);
	unmap_area(&area);
	end_machine();
}

static void output_goes_to_another_ring(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *other = sim_task_create();
	int target = open_event(sampling_attr(1000), 0, -1, -1);
	int writer = open_event(sampling_attr(10), 0, -1, -1);
	int foreign = open_event(sampling_attr(10), other->tid, -1, -1);
	struct vm_area area, second;

	EXPECT_EQ(control_event(writer, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target), -EINVAL);
	map_area(target, &area, 1, VM_READ | VM_WRITE);
	EXPECT_EQ(control_event(foreign, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target),
		  -EINVAL);
	EXPECT_EQ(control_event(writer, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target), 0);
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(metadata(target)->data_head, SAMPLE_SIZE);
	EXPECT_EQ(poll_event(target), POLLIN | POLLRDNORM);

	/* Opened with FD_OUTPUT it writes there from the start. */
	struct perf_event_attr attr = sampling_attr(10);
	int third = (int)perf_event_open(&attr, 0, -1, target,
					 PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP);
	EXPECT(third >= 0);
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(metadata(target)->data_head, 3 * SAMPLE_SIZE);
	sim_fd_close(third);

	/* An event that is mapped stays with its ring. */
	EXPECT_EQ(map_area(foreign, &second, 1, VM_READ | VM_WRITE), 0);
	EXPECT_EQ(control_event(foreign, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)-1), -EINVAL);
	unmap_area(&second);

	/* The last unmapping leaves no writer. */
	unmap_area(&area);
	EXPECT(atomic_load(&event_of(writer)->ring) == NULL);
	sim_pmu_count(CODE, 10);
	EXPECT_EQ(count_of(writer), 30);
	end_task(other);
	end_machine();
}

static void the_end_of_the_task_hangs_up(void)
{
	start_machine(1, 4, NULL, 0);
	struct task *self = task_current(), *child = sim_task_create();
	int fd = open_event(sampling_attr(10), child->tid, -1, -1);
	struct vm_area area;

	map_area(fd, &area, 1, VM_READ | VM_WRITE);
	EXPECT_EQ(poll_event(fd), 0);
	sim_switch(child);
	sim_task_exit(child);
	sim_switch(self);
	EXPECT_EQ(poll_event(fd), POLLHUP);
	unmap_area(&area);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "flags, pid, cpu and group descriptor are judged as on Linux", flags_and_targets },
	{ "a type that no PMU has is ENOENT", types_without_a_pmu },
	{ "members of a group share place, clock and leader", group_rules },
	{ "a software event may lead hardware events", software_leads_hardware },
	{ "a PMI cannot ask every clock", clocks_of_records },
	{ "a PMU without interrupt does not sample", no_interrupt_no_sampling },
	{ "any allocation may fail and leaves nothing", every_allocation_may_fail },
	{ "too many descriptors leave no event", descriptors_run_out },
	{ "the size of a read follows the format and the group", large_groups_are_too_big_to_read },
	{ "bad user pointers are EFAULT, small buffers ENOSPC", bad_user_pointers },
	{ "ioctls that do not apply are refused as on Linux", controls_are_refused_as_linux_does },
	{ "prctl enables and disables the events that the caller opened",
	  prctl_switches_opened_events },
	{ "mappings have the right size, pages and rights", mappings_follow_the_rules },
	{ "a closed event lives while it is mapped", a_closed_event_lives_while_mapped },
	{ "a sample wakes pollers, once", samples_wake_pollers },
	{ "refresh ends after so many overflows", refresh_limits_overflows },
	{ "a new period begins at once", a_new_period_begins_at_once },
	{ "more than 400 samples in 4 ms are throttled until the next tick",
	  too_many_samples_are_throttled },
	{ "interrupts do not take all of a CPU's time", interrupts_do_not_take_all_the_time },
	{ "a clock samples by timer, while its task runs", a_clock_samples_by_timer },
	{ "output goes to another event's ring while that is mapped", output_goes_to_another_ring },
	{ "the exit of the task hangs up", the_end_of_the_task_hangs_up },
};

TAP_MAIN(rules)
