// SPDX-License-Identifier: BSD-2-Clause
/* Events of tracepoints: what is counted, sampled and filtered, and who may open them. */
#include <kernel/trace/emit.h>
#include <kernel/perf/settings.h>
#include <kernel/trace/pmu.h>
#include <kernel/trace/event.h>

#include "family.h"
#include "mapping.h"

static struct mapping mapping;
static uint64_t record[16];

static struct perf_event_attr tracepoint_attr(unsigned int number)
{
	return (struct perf_event_attr){ .type = PERF_TYPE_TRACEPOINT,
					 .size = sizeof(struct perf_event_attr),
					 .config = trace_event_id(number) };
}

/* A record of the event timer:hrtimer_cancel: the common fields and a pointer. */
struct hit_record {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	uint64_t pointer;
	uint32_t room; /* fills the raw data up to a multiple of 8, with its size */
};

#define NUMBER TRACE_hrtimer_cancel
#define OTHER  TRACE_hrtimer_expire_exit

static void hit(unsigned int number, int32_t pid, uint64_t weight)
{
	struct hit_record what = { .type = (uint16_t)trace_event_id(number),
				   .pid = pid,
				   .pointer = 0x77 };
	unsigned long irqs = arch_irq_save();

	perf_tracepoint_hit(number, &what, 16, weight, sim_frame());
	arch_irq_restore(irqs);
}

static void passes_are_counted(void)
{
	start_machine(1, 4, NULL, 0);
	int fd = open_event(tracepoint_attr(NUMBER), 0, -1, -1),
	    other = open_event(tracepoint_attr(OTHER), 0, -1, -1);

	EXPECT(trace_is_on(NUMBER));
	hit(NUMBER, 1, 1);
	hit(NUMBER, 1, 5);
	hit(OTHER, 1, 1);
	EXPECT_EQ(count_of(fd), 6);
	EXPECT_EQ(count_of(other), 1);
	/* This one is in the same list of active events, of which there are 64. */
	EXPECT(NUMBER + 64 < trace_event_count());
	hit(NUMBER + 64, 1, 1);
	EXPECT_EQ(count_of(fd), 6);
	control_event(fd, PERF_EVENT_IOC_DISABLE, 0);
	hit(NUMBER, 1, 1);
	EXPECT_EQ(count_of(fd), 6);
	sim_fd_close(fd);
	EXPECT(!trace_is_on(NUMBER));
	struct perf_event_attr attr = tracepoint_attr(NUMBER);
	attr.config = 60000;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	end_machine();
}

static void exclude_kernel_leaves_user_mode(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = tracepoint_attr(NUMBER);

	attr.exclude_kernel = 1;
	int user = open_event(attr, 0, -1, -1);
	attr.exclude_kernel = 0;
	attr.exclude_user = 1; /* Linux looks at no other */
	int all = open_event(attr, 0, -1, -1);
	hit(NUMBER, 1, 1);
	sim_frame_set(0xffffffff80001000, false);
	hit(NUMBER, 1, 1);
	EXPECT_EQ(count_of(user), 1);
	EXPECT_EQ(count_of(all), 2);
	end_machine();
}

/* header; size and record, 24 bytes together */
static void samples_have_the_record(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = tracepoint_attr(NUMBER);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	hit(NUMBER, 42, 1);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 32);
	EXPECT_EQ((uint32_t)record[1], 20);
	EXPECT_EQ(record[1] >> 32 & 0xffff, trace_event_id(NUMBER));
	EXPECT_EQ((uint32_t)record[2], 42);
	unmap_event(&mapping);
	end_machine();
}

static long set_filter(int fd, const char *text)
{
	return control_event(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)text);
}

static void filters_choose(void)
{
	static char long_text[PAGE_SIZE + 1];

	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = tracepoint_attr(NUMBER);
	struct task *self = task_current();

	attr.inherit = 1;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(set_filter(fd, "nonsense"), -EINVAL);
	EXPECT_EQ(set_filter(fd, NULL), -EFAULT);
	memset(long_text, ' ', PAGE_SIZE);
	EXPECT_EQ(set_filter(fd, long_text), -EINVAL);
	sim_allocation_fail(1);
	EXPECT_EQ(set_filter(fd, "common_pid == 42"), -ENOMEM);
	EXPECT_EQ(set_filter(fd, "common_pid == 42"), 0);
	EXPECT_EQ(set_filter(fd, "common_pid == 43"), -EEXIST);
	hit(NUMBER, 42, 1);
	hit(NUMBER, 43, 1);
	EXPECT_EQ(count_of(fd), 1);
	/* A child's is its parent's. */
	struct task *child = fork_task();
	sim_switch(child);
	hit(NUMBER, 42, 1);
	hit(NUMBER, 43, 1);
	sim_switch(self);
	EXPECT_EQ(count_of(fd), 2);
	end_task(child);
	/* No other PMU has filters. */
	EXPECT_EQ(set_filter(open_event(hardware_attr(1), 0, -1, -1), "common_pid == 42"), -EINVAL);
	end_machine();
}

static void there_are_no_programs(void)
{
	start_machine(1, 4, NULL, 0);
	struct {
		uint32_t ids_len, prog_cnt, ids[4];
	} query = { 4, 9, { 1, 2, 3, 4 } };
	const unsigned long argument = (unsigned long)&query;
	int fd = open_event(tracepoint_attr(NUMBER), 0, -1, -1),
	    hardware = open_event(hardware_attr(1), 0, -1, -1);

	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_QUERY_BPF, argument), 0);
	EXPECT_EQ(query.prog_cnt, 0);
	for (unsigned int i = 0; i < 4; i++)
		EXPECT_EQ_AT(query.ids[i], 0, "id %u", i);
	query.ids_len = 65;
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_QUERY_BPF, argument), -E2BIG);
	query.ids_len = 4;
	EXPECT_EQ(control_event(hardware, PERF_EVENT_IOC_QUERY_BPF, argument), -EINVAL);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_QUERY_BPF, 0), -EFAULT);
	sim_user_fault_set(&query.prog_cnt, 4);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_QUERY_BPF, argument), -EFAULT);
	sim_user_fault_set(query.ids, 4);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_QUERY_BPF, argument), -EFAULT);
	sim_user_fault_set(NULL, 0);
	sim_unprivileged_set(true);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_QUERY_BPF, argument), -EPERM);
	/* No descriptor is a program's. */
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_SET_BPF, 200), -EBADF);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_SET_BPF, (unsigned long)hardware), -EINVAL);
	end_machine();
}

/* Raw records need the right to trace, but for calls of a task that one may observe. */
static void raw_records_need_a_right(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr raw = tracepoint_attr(NUMBER),
			       harmless = tracepoint_attr(TRACE_sys_enter), plain = raw;

	EXPECT(!trace_event_is_harmless(NUMBER));
	raw.sample_type = harmless.sample_type = PERF_SAMPLE_RAW;
	raw.exclude_kernel = harmless.exclude_kernel = plain.exclude_kernel = 1;
	sim_unprivileged_set(true);
	perf_paranoid = 0;
	EXPECT_EQ(open_event(raw, 0, -1, -1), -EPERM);
	EXPECT(open_event(plain, 0, -1, -1) >= 0);
	EXPECT_EQ(open_event(harmless, 0, -1, -1) >= 0, trace_event_is_harmless(TRACE_sys_enter));
	EXPECT_EQ(open_event(harmless, -1, 0, -1), -EPERM);
	perf_paranoid = -1;
	EXPECT(open_event(raw, 0, -1, -1) >= 0);
	perf_paranoid = 2;
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "passes of a tracepoint are counted by their weight, while the event is enabled",
	  passes_are_counted },
	{ "exclude_kernel leaves passes in user mode", exclude_kernel_leaves_user_mode },
	{ "a sample has the record as raw data", samples_have_the_record },
	{ "a filter chooses the records, for children too, and is set once", filters_choose },
	{ "a tracepoint has no BPF programs", there_are_no_programs },
	{ "raw records need the right to trace", raw_records_need_a_right },
};

TAP_MAIN(rules)
