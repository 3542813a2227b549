// SPDX-License-Identifier: BSD-2-Clause
/* Call chains in samples: order, marks, limits, whose stack is walked, and the buffers they are made in. */
#include <kernel/perf/callchain.h>
#include <kernel/perf/settings.h>

#include "mapping.h"

#define CODE	  1
#define KERNEL_IP 0xffffffff80001000
#define USER_IP	  0x400000

/* Frames: each has the address of the next one and a return address. */
static uint64_t stack[8];
static struct mapping mapping;
static uint64_t record[64];

static struct perf_event_attr chain_attr(void)
{
	struct perf_event_attr attr = hardware_attr(CODE);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	return attr;
}

static void start(void)
{
	start_machine(1, 4, NULL, 0);
	stack[0] = (uintptr_t)&stack[2];
	stack[1] = 0x11;
	stack[2] = (uintptr_t)&stack[4];
	stack[3] = 0x22;
	stack[4] = 0; /* no memory there */
	stack[5] = 0x33;
}

static void set_frame(uint64_t ip, bool user)
{
	sim_frame_set(ip, user);
	sim_stack_set(stack, sizeof(stack), (uintptr_t)stack, (uintptr_t)stack);
}

/* One sample, whose chain has these COUNT entries. */
static void expect_chain(const char *what, const uint64_t *entries, unsigned int count)
{
	sim_pmu_count(CODE, 1);
	EXPECT_EQ_AT(next_record(&mapping, record, sizeof(record)), 16 + 8 * count, "%s", what);
	EXPECT_EQ_AT(record[1], count, "%s", what);
	for (unsigned int i = 0; i < count; i++)
		EXPECT_EQ_AT(record[2 + i], entries[i], "%s, entry %u", what, i);
}
#define EXPECT_CHAIN(what, ...)                                                    \
	do {                                                                       \
		const uint64_t entries[] = { __VA_ARGS__ };                        \
		expect_chain(what, entries, sizeof(entries) / sizeof(entries[0])); \
	} while (0)

static void chains_are_the_callers_innermost_first(void)
{
	start();
	int fd = open_event(chain_attr(), 0, -1, -1);

	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	set_frame(0x401234, true);
	EXPECT_CHAIN("user", PERF_CONTEXT_USER, 0x401234, 0x11, 0x22, 0x33);
	/* The kernel's callers, then where user mode was left; that frame has no stack here. */
	set_frame(KERNEL_IP, false);
	EXPECT_CHAIN("kernel", PERF_CONTEXT_KERNEL, KERNEL_IP, 0x11, 0x22, 0x33, PERF_CONTEXT_USER,
		     USER_IP);
	unmap_event(&mapping);
	end_machine();
}

static void parts_are_left_out(void)
{
	start();
	struct perf_event_attr attr = chain_attr();

	attr.exclude_callchain_user = 1;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	set_frame(KERNEL_IP, false);
	EXPECT_CHAIN("no user", PERF_CONTEXT_KERNEL, KERNEL_IP, 0x11, 0x22, 0x33);
	set_frame(0x401234, true);
	expect_chain("nothing", NULL, 0);
	unmap_event(&mapping);
	sim_fd_close(fd);
	attr.exclude_callchain_user = 0;
	attr.exclude_callchain_kernel = 1;
	fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	set_frame(KERNEL_IP, false);
	EXPECT_CHAIN("no kernel", PERF_CONTEXT_USER, USER_IP);
	unmap_event(&mapping);
	end_machine();
}

/* Two addresses at most, of the kernel and the user together; marks do not count. */
static void sample_max_stack_limits_the_addresses(void)
{
	start();
	struct perf_event_attr attr = chain_attr();

	attr.sample_max_stack = 2;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	set_frame(0x401234, true);
	EXPECT_CHAIN("user", PERF_CONTEXT_USER, 0x401234, 0x11);
	set_frame(KERNEL_IP, false);
	EXPECT_CHAIN("kernel", PERF_CONTEXT_KERNEL, KERNEL_IP, 0x11, PERF_CONTEXT_USER);
	unmap_event(&mapping);
	attr.sample_max_stack = (uint16_t)(PERF_MAX_STACK_DEPTH + 1);
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EOVERFLOW);
	attr.sample_max_stack = PERF_MAX_STACK_DEPTH;
	EXPECT(open_event(attr, 0, -1, -1) >= 0);
	end_machine();
}

static void marks_have_a_limit_too(void)
{
	start();
	EXPECT_EQ(perf_callchain_set_limit(&perf_contexts_per_stack_max, 1), 0);
	int fd = open_event(chain_attr(), 0, -1, -1);

	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	set_frame(KERNEL_IP, false);
	EXPECT_CHAIN("one mark", PERF_CONTEXT_KERNEL, KERNEL_IP, 0x11, 0x22, 0x33);
	unmap_event(&mapping);
	/* The limits stay while an event takes chains. */
	EXPECT_EQ(perf_callchain_set_limit(&perf_contexts_per_stack_max, 0), -EBUSY);
	sim_fd_close(fd);
	EXPECT_EQ(perf_callchain_set_limit(&perf_contexts_per_stack_max, 0), 0);
	fd = open_event(chain_attr(), 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	expect_chain("no mark", NULL, 0);
	set_frame(0x401234, true);
	expect_chain("no mark of user mode", NULL, 0);
	unmap_event(&mapping);
	sim_fd_close(fd);
	perf_callchain_set_limit(&perf_contexts_per_stack_max, PERF_MAX_CONTEXTS_PER_STACK);
	end_machine();
}

/* A loop of frames: the record takes what its 16 bits can say. Header, count and four words for the rest leave
 * (65535 - 16 - 32) / 8 = 8185 entries, the mark among them. */
static void a_chain_ends_with_its_record(void)
{
	start();
	stack[4] = (uintptr_t)stack;
	EXPECT_EQ(perf_callchain_set_limit(&perf_stack_depth_max, PERF_STACK_DEPTH_MOST), 0);
	struct perf_event_attr attr = chain_attr();

	attr.sample_max_stack = UINT16_MAX;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 16), 0);
	set_frame(0x401234, true);
	sim_pmu_count(CODE, 1);
	static struct {
		struct perf_event_header header;
		uint64_t count, entries[8192];
	} whole;
	EXPECT_EQ(next_record(&mapping, &whole, sizeof(whole)), 16 + 8 * whole.count);
	EXPECT_EQ(whole.count, (UINT16_MAX - 8 - 32) / 8);
	EXPECT_EQ(whole.entries[0], PERF_CONTEXT_USER);
	EXPECT_EQ(whole.entries[1], 0x401234);
	EXPECT_EQ(whole.entries[2], 0x11);
	unmap_event(&mapping);
	sim_fd_close(fd);
	perf_callchain_set_limit(&perf_stack_depth_max, PERF_MAX_STACK_DEPTH);
	end_machine();
}

/* An event of another task that this one causes sees nothing of its memory. */
static void only_the_events_own_task_is_walked(void)
{
	start();
	struct perf_event_attr attr = chain_attr();

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	int fd = open_event(attr, 0, -1, -1);
	struct task *self = task_current(), *other = sim_task_create();
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	set_frame(0x401234, true);
	perf_software_event(PERF_COUNT_SW_CONTEXT_SWITCHES, 1, sim_frame(), 0);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 16 + 8 * 5);
	/* The CPU is about to run another task: the current one is not the event's. */
	struct perf_event *event = event_of(fd);
	struct task *target = event->context->task;
	event->context->task = other;
	perf_software_event(PERF_COUNT_SW_CONTEXT_SWITCHES, 1, sim_frame(), 0);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 16);
	event->context->task = target;
	unmap_event(&mapping);
	end_task(other);
	(void)self;
	end_machine();
}

/* Four chains at once on a CPU; the fifth sample's is empty. */
static void samples_may_interrupt_samples(void)
{
	start();
	int fd = open_event(chain_attr(), 0, -1, -1);
	struct perf_event *event = event_of(fd);
	struct perf_callchain *chains[5];

	set_frame(0x401234, true);
	for (unsigned int i = 0; i < 5; i++)
		chains[i] = perf_callchain_take(event, sim_frame(), sim_frame(), 100);
	for (unsigned int i = 0; i < 4; i++) {
		EXPECT_EQ_AT(chains[i]->count, 5, "level %u", i);
		for (unsigned int j = 0; j < i; j++)
			EXPECT_AT(chains[i] != chains[j], "levels %u and %u", i, j);
	}
	EXPECT_EQ(chains[4]->count, 0);
	for (unsigned int i = 0; i < 5; i++)
		perf_callchain_done();
	EXPECT(perf_callchain_take(event, sim_frame(), sim_frame(), 100) == chains[0]);
	EXPECT_EQ(chains[0]->count, 5);
	perf_callchain_done();
	end_machine();
}

static void no_memory_opens_nothing(void)
{
	start_machine(2, 4, NULL, 0);
	int fd;
	unsigned int number = 0;

	/* The event, four buffers of each CPU, the task's context, the file. */
	do {
		sim_allocation_fail(++number);
		fd = open_event(chain_attr(), 0, -1, -1);
		if (fd < 0)
			EXPECT_EQ_AT(fd, -ENOMEM, "allocation %u", number);
	} while (fd < 0);
	sim_allocation_fail(0);
	EXPECT_EQ(number, 12);
	/* An event that no PMU takes gives the buffers back. */
	sim_fd_close(fd);
	struct perf_event_attr attr = chain_attr();
	attr.type = 77;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -ENOENT);
	EXPECT_EQ(perf_callchain_set_limit(&perf_stack_depth_max, PERF_MAX_STACK_DEPTH), 0);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "a chain has the kernel's frames, then the user's, each from the innermost",
	  chains_are_the_callers_innermost_first },
	{ "exclude_callchain_kernel and _user leave out their part", parts_are_left_out },
	{ "sample_max_stack limits the addresses, not the marks",
	  sample_max_stack_limits_the_addresses },
	{ "perf_event_max_contexts_per_stack limits the marks", marks_have_a_limit_too },
	{ "a loop of frames ends where the record is full", a_chain_ends_with_its_record },
	{ "only the stack of the event's own task is walked", only_the_events_own_task_is_walked },
	{ "a CPU has buffers for four samples at once", samples_may_interrupt_samples },
	{ "without memory for its buffers no event is opened", no_memory_opens_nothing },
};

TAP_MAIN(rules)
