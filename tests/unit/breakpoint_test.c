// SPDX-License-Identifier: BSD-2-Clause
/* Events of breakpoints: what a hit counts and samples, how an event moves to another address, the kernel's own. */
#include <kernel/perf/breakpoint.h>
#include <machine/mmu.h>
#include <uapi/linux/hw_breakpoint.h>

#include "family.h"
#include "mapping.h"

#define ADDRESS 0x5000
#define OTHER	0x6000
#define SAMPLES (PERF_SAMPLE_IP | PERF_SAMPLE_ADDR)

static struct perf_event_attr breakpoint_attr(uint64_t address)
{
	return (struct perf_event_attr){ .type = PERF_TYPE_BREAKPOINT,
					 .size = sizeof(struct perf_event_attr),
					 .bp_type = HW_BREAKPOINT_W,
					 .bp_addr = address,
					 .bp_len = 8 };
}

/* Every register is free again. */
static void expect_all_free(void)
{
	int fds[ARCH_BREAKPOINTS];

	for (unsigned int i = 0; i < ARCH_BREAKPOINTS; i++)
		fds[i] = open_event(breakpoint_attr(ADDRESS), 0, -1, -1);
	for (unsigned int i = 0; i < ARCH_BREAKPOINTS; i++) {
		EXPECT_AT(fds[i] >= 0, "register %u", i);
		sim_fd_close(fds[i]);
	}
}

static void accesses_are_counted(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_event(breakpoint_attr(ADDRESS), 0, -1, -1),
	    other = open_event(breakpoint_attr(OTHER), 0, -1, -1);
	struct task *self = task_current(), *task = sim_task_create();

	EXPECT_EQ(sim_breakpoint_access(ADDRESS), 1);
	EXPECT_EQ(sim_breakpoint_access(ADDRESS), 1);
	EXPECT_EQ(sim_breakpoint_access(OTHER), 1);
	EXPECT_EQ(count_of(fd), 2);
	EXPECT_EQ(count_of(other), 1);
	/* Another task's accesses hit nothing. */
	sim_switch(task);
	EXPECT_EQ(sim_breakpoint_access(ADDRESS), 0);
	sim_switch(self);
	EXPECT_EQ(sim_breakpoint_access(ADDRESS), 1);
	control_event(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(sim_breakpoint_access(ADDRESS), 0);
	EXPECT_EQ(count_of(fd), 3);
	end_task(task);
	end_machine();
}

static void rings_are_distinguished(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = breakpoint_attr(ADDRESS);

	attr.exclude_kernel = 1;
	int user = open_event(attr, 0, -1, -1);
	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	int kernel = open_event(attr, 0, -1, -1);
	sim_breakpoint_access(ADDRESS);
	sim_breakpoint_access(ADDRESS);
	sim_frame_set(0xffffffff80001000, false);
	sim_breakpoint_access(ADDRESS);
	EXPECT_EQ(count_of(user), 2);
	EXPECT_EQ(count_of(kernel), 1);
	end_machine();
}

static void a_sample_has_the_address(void)
{
	struct mapping mapping;
	uint64_t record[3];

	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = breakpoint_attr(ADDRESS);

	attr.sample_period = 2;
	attr.sample_type = SAMPLES;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_frame_set(0x401234, true);
	sim_breakpoint_access(ADDRESS);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 0);
	sim_breakpoint_access(ADDRESS);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), sizeof(record));
	EXPECT_EQ(record[1], 0x401234);
	EXPECT_EQ(record[2], ADDRESS);
	unmap_event(&mapping);
	end_machine();
}

/* The last overflow that was requested stops the breakpoint where it is; its event is disabled a little later. */
static void the_last_overflow_stops_at_once(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = breakpoint_attr(ADDRESS);

	attr.sample_period = 1;
	attr.disabled = 1;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_REFRESH, 2), 0);
	arch_irq_disable();
	for (unsigned int i = 0; i < 5; i++)
		EXPECT_EQ(sim_breakpoint_access(ADDRESS), 1);
	arch_irq_enable();
	EXPECT_EQ(sim_breakpoint_access(ADDRESS), 0);
	EXPECT_EQ(event_of(fd)->state, EVENT_OFF);
	EXPECT_EQ(count_of(fd), 2);
	end_machine();
}

static void unwatchable_addresses_are_refused(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = breakpoint_attr(ADDRESS);

	attr.bp_type = HW_BREAKPOINT_EMPTY;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	attr.bp_type = HW_BREAKPOINT_INVALID;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	attr = breakpoint_attr(ADDRESS);
	attr.bp_len = 16;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	attr = breakpoint_attr(USER_END);
	attr.exclude_kernel = 1;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	attr.exclude_kernel = 0;
	int kernels = open_event(attr, 0, -1, -1);
	EXPECT(kernels >= 0);
	sim_fd_close(kernels);
	expect_all_free();
	/* A fifth one. */
	for (unsigned int i = 0; i < ARCH_BREAKPOINTS; i++)
		EXPECT(open_event(breakpoint_attr(ADDRESS), 0, -1, -1) >= 0);
	EXPECT_EQ(open_event(breakpoint_attr(ADDRESS), 0, -1, -1), -ENOSPC);
	end_machine();
}

static long modify(int fd, const struct perf_event_attr *attr)
{
	return control_event(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)attr);
}

static void an_event_moves_to_another_address(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = breakpoint_attr(ADDRESS);
	int fd = open_event(attr, 0, -1, -1);

	sim_breakpoint_access(ADDRESS);
	attr.bp_addr = OTHER;
	EXPECT_EQ(modify(fd, &attr), 0);
	EXPECT_EQ(sim_breakpoint_access(ADDRESS), 0);
	EXPECT_EQ(sim_breakpoint_access(OTHER), 1);
	EXPECT_EQ(count_of(fd), 2);
	/* Off, and on again. */
	attr.disabled = 1;
	EXPECT_EQ(modify(fd, &attr), 0);
	EXPECT_EQ(sim_breakpoint_access(OTHER), 0);
	attr.disabled = 0;
	EXPECT_EQ(modify(fd, &attr), 0);
	EXPECT_EQ(sim_breakpoint_access(OTHER), 1);
	EXPECT_EQ(count_of(fd), 3);
	end_machine();
}

/* A change that is refused leaves the breakpoint where it was, and on. */
static void other_changes_are_refused(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = breakpoint_attr(ADDRESS), changed = attr;
	int fd = open_event(attr, 0, -1, -1), hardware = open_event(hardware_attr(1), 0, -1, -1);

	changed.exclude_user = 1;
	changed.bp_addr = OTHER;
	EXPECT_EQ(modify(fd, &changed), -EINVAL);
	changed = attr;
	changed.bp_len = 16;
	EXPECT_EQ(modify(fd, &changed), -EINVAL);
	changed = hardware_attr(1);
	EXPECT_EQ(modify(fd, &changed), -EINVAL);
	EXPECT_EQ(modify(hardware, &changed), -EOPNOTSUPP);
	EXPECT_EQ(modify(fd, NULL), -EFAULT);
	changed = breakpoint_attr(USER_END);
	sim_unprivileged_set(true);
	EXPECT_EQ(modify(fd, &changed), -EPERM);
	EXPECT_EQ(sim_breakpoint_access(ADDRESS), 1);
	EXPECT_EQ(sim_breakpoint_access(OTHER), 0);
	EXPECT_EQ(count_of(fd), 1);
	end_machine();
}

static void children_move_along(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = breakpoint_attr(ADDRESS);

	attr.inherit = 1;
	int fd = open_event(attr, 0, -1, -1);
	struct task *self = task_current(), *child = fork_task();

	attr.bp_addr = OTHER;
	EXPECT_EQ(modify(fd, &attr), 0);
	sim_switch(child);
	EXPECT_EQ(sim_breakpoint_access(ADDRESS), 0);
	EXPECT_EQ(sim_breakpoint_access(OTHER), 1);
	sim_switch(self);
	/* A refused change touches no child. */
	attr.bp_addr = ADDRESS;
	attr.exclude_user = 1;
	EXPECT_EQ(modify(fd, &attr), -EINVAL);
	sim_switch(child);
	EXPECT_EQ(sim_breakpoint_access(OTHER), 1);
	sim_switch(self);
	EXPECT_EQ(count_of(fd), 2);
	end_task(child);
	end_machine();
}

/* --- the kernel's own --- */

static unsigned int triggers;

static void triggered(struct perf_event *event)
{
	triggers++;
}

static void the_kernels_own_call_a_function(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = breakpoint_attr(ADDRESS);
	struct task *self = task_current(), *task = sim_task_create();
	int error = 0;

	triggers = 0;
	struct perf_event *event = perf_breakpoint_open(task, &attr, triggered, &error);
	EXPECT(event);
	EXPECT_EQ(error, 0);
	EXPECT_EQ(sim_breakpoint_access(ADDRESS), 0);
	sim_switch(task);
	EXPECT_EQ(sim_breakpoint_access(ADDRESS), 1);
	EXPECT_EQ(triggers, 1);
	EXPECT_EQ(atomic_load(&event->count), 0);
	sim_switch(self);
	perf_breakpoint_close(event);
	sim_switch(task);
	EXPECT_EQ(sim_breakpoint_access(ADDRESS), 0);
	sim_switch(self);

	/* Any allocation may fail: event, slots, context. */
	struct task *fresh = sim_task_create();
	unsigned int number = 0;
	do {
		sim_allocation_fail(++number);
		event = perf_breakpoint_open(fresh, &attr, triggered, &error);
		if (!event)
			EXPECT_EQ_AT(error, -ENOMEM, "allocation %u", number);
	} while (!event);
	sim_allocation_fail(0);
	EXPECT_EQ(number, 4);
	perf_breakpoint_close(event);
	end_task(task);
	end_task(fresh);
	/* A task that exited has none. */
	EXPECT(!perf_breakpoint_open(task, &attr, triggered, &error));
	EXPECT_EQ(error, -ESRCH);
	attr.bp_type = HW_BREAKPOINT_EMPTY;
	EXPECT(!perf_breakpoint_open(self, &attr, triggered, &error));
	EXPECT_EQ(error, -EINVAL);
	expect_all_free();
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "accesses to its address are counted while the event is enabled and its task runs",
	  accesses_are_counted },
	{ "accesses by user mode and by the kernel are told apart", rings_are_distinguished },
	{ "a sample has the breakpoint's address", a_sample_has_the_address },
	{ "the last overflow that was requested stops the event at once",
	  the_last_overflow_stops_at_once },
	{ "an address, size or type that cannot be watched is refused and takes no register",
	  unwatchable_addresses_are_refused },
	{ "an event moves to another address and keeps its count",
	  an_event_moves_to_another_address },
	{ "any other change is refused and leaves the breakpoint where it was",
	  other_changes_are_refused },
	{ "children move along with their parent", children_move_along },
	{ "the kernel's own call a function instead of counting", the_kernels_own_call_a_function },
};

TAP_MAIN(rules)
