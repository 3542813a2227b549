// SPDX-License-Identifier: BSD-2-Clause
/*
 * Samples with fields of variable size: registers, the user's stack up to the greatest record, physical addresses, page
 * sizes; and the samples of inherited events and of groups. Layouts: perf_event_open(2).
 */
#include <machine/mmu.h>

#include "family.h"
#include "mapping.h"

#define CODE  1
#define OTHER 2
#define IP    0x401234

static struct mapping mapping;
static uint64_t record[9000];
static char stack[70000];

static struct perf_event_attr sampling_attr(uint64_t sample_type)
{
	struct perf_event_attr attr = hardware_attr(CODE);

	attr.sample_period = 10;
	attr.sample_type = sample_type;
	return attr;
}

/* One sample; its size. */
static size_t sample(void)
{
	sim_pmu_count(CODE, 10);
	return next_record(&mapping, record, sizeof(record));
}

static void start(struct perf_event_attr attr, unsigned int data_pages)
{
	start_machine(1, 4, NULL, 0);
	sim_frame_set(IP, true);
	EXPECT_EQ(map_event(&mapping, open_event(attr, 0, -1, -1), data_pages), 0);
}

static void end(void)
{
	unmap_event(&mapping);
	end_machine();
}

/* --- registers --- */

static void registers_of_the_interrupted_code(void)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_REGS_INTR);

	attr.sample_regs_intr = 1 << 3 | 1 << 7;
	start(attr, 1);
	EXPECT_EQ(sample(), 32);
	EXPECT_EQ(record[1], PERF_SAMPLE_REGS_ABI_64);
	EXPECT_EQ(record[2], IP + SIM_REGISTER(3));
	EXPECT_EQ(record[3], IP + SIM_REGISTER(7));
	end();
}

static void registers_of_user_mode(void)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_REGS_USER);

	attr.sample_regs_user = 1 << 3;
	start(attr, 1);
	EXPECT_EQ(sample(), 24);
	EXPECT_EQ(record[1], PERF_SAMPLE_REGS_ABI_64);
	EXPECT_EQ(record[2], IP + SIM_REGISTER(3));
	/* In the kernel: those with which user mode was left. */
	sim_frame_set(0xffffffff80001000, false);
	EXPECT_EQ(sample(), 24);
	EXPECT_EQ(record[2], 0x400000 + SIM_REGISTER(3));
	/* A kernel thread has none. */
	struct vm_space *space = task_current()->space;
	task_current()->space = NULL;
	EXPECT_EQ(sample(), 16);
	EXPECT_EQ(record[1], PERF_SAMPLE_REGS_ABI_NONE);
	task_current()->space = space;
	end();
}

static void masks_of_registers_are_checked(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_REGS_USER);

	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	attr.sample_regs_user = (uint64_t)1 << 32;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	/* Also if no sample has them. */
	attr.sample_type = PERF_SAMPLE_IP;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EOPNOTSUPP);
	attr = sampling_attr(PERF_SAMPLE_REGS_INTR);
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	end_machine();
}

/* --- the user's stack --- */

static struct perf_event_attr stack_attr(uint32_t bytes)
{
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_STACK_USER);

	attr.sample_stack_user = bytes;
	return attr;
}

static void set_stack(size_t size)
{
	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = (char)(i * 7 + 1);
	sim_stack_set(stack, size, (uintptr_t)stack, 0);
}

/* Size, bytes, bytes that are really the stack's. */
static void a_stack_is_copied(void)
{
	start(stack_attr(512), 1);
	set_stack(sizeof(stack));
	EXPECT_EQ(sample(), 8 + 8 + 512 + 8);
	EXPECT_EQ(record[1], 512);
	EXPECT_EQ(memcmp(&record[2], stack, 512), 0);
	EXPECT_EQ(record[2 + 64], 512);
	end();
}

static void unmapped_memory_is_zeros(void)
{
	static const char zeros[512];

	for (size_t size = 0; size <= 512; size += 100) {
		start(stack_attr(512), 1);
		set_stack(size);
		EXPECT_EQ_AT(sample(), 8 + 8 + 512 + 8, "stack of %zu", size);
		EXPECT_EQ_AT(memcmp(&record[2], stack, size), 0, "stack of %zu", size);
		EXPECT_EQ_AT(memcmp((char *)&record[2] + size, zeros, 512 - size), 0,
			     "stack of %zu", size);
		EXPECT_EQ_AT(record[2 + 64], size, "stack of %zu", size);
		end();
	}
}

/* A stack pointer 100 bytes below the end of user space: 96 are whole words. At the end: nothing, one word says so. */
static void a_stack_ends_with_user_space(void)
{
	start(stack_attr(512), 1);
	sim_frame()->sp = USER_END - 100;
	EXPECT_EQ(sample(), 8 + 8 + 96 + 8);
	EXPECT_EQ(record[1], 96);
	EXPECT_EQ(record[2 + 12], 0);
	sim_frame()->sp = USER_END;
	EXPECT_EQ(sample(), 16);
	EXPECT_EQ(record[1], 0);
	sim_frame()->sp = USER_END - 512;
	EXPECT_EQ(sample(), 8 + 8 + 512 + 8);
	sim_frame()->sp = USER_END - 7;
	EXPECT_EQ(sample(), 16);
	end();
}

static void stack_sizes_are_checked(void)
{
	start_machine(1, 4, NULL, 0);
	EXPECT_EQ(open_event(stack_attr(65535), 0, -1, -1), -EINVAL);
	EXPECT_EQ(open_event(stack_attr(65536), 0, -1, -1), -EINVAL);
	EXPECT_EQ(open_event(stack_attr(12), 0, -1, -1), -EINVAL);
	EXPECT(open_event(stack_attr(65528), 0, -1, -1) >= 0);
	end_machine();
}

/*
 * The greatest record has 65528 bytes, as its size has 16 bits and is a multiple of 8. Header, size and the bytes that
 * are real take 24; so 65504 bytes are the most that a stack can have. Up to there all that is requested is copied.
 */
static void the_greatest_sample(void)
{
	static const struct {
		uint32_t requested, copied;
	} rows[] = { { 65528, 65504 },
		     { 65520, 65504 },
		     { 65512, 65504 },
		     { 65504, 65504 },
		     { 65496, 65496 } };

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start(stack_attr(rows[i].requested), 16);
		set_stack(sizeof(stack));
		EXPECT_EQ_AT(sample(), 24 + rows[i].copied, "%u requested", rows[i].requested);
		EXPECT_EQ_AT(record[1], rows[i].copied, "%u requested", rows[i].requested);
		EXPECT_EQ_AT(memcmp(&record[2], stack, rows[i].copied), 0, "%u requested",
			     rows[i].requested);
		EXPECT_EQ_AT(record[2 + rows[i].copied / 8], rows[i].copied, "%u requested",
			     rows[i].requested);
		end();
	}
}

/* With other fields there is less room: IP and six words of registers leave 65448 bytes. */
static void the_greatest_sample_with_other_fields(void)
{
	struct perf_event_attr attr = stack_attr(65528);

	attr.sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER;
	attr.sample_regs_intr = attr.sample_regs_user = 3;
	start(attr, 16);
	set_stack(sizeof(stack));
	EXPECT_EQ(sample(), 65528);
	EXPECT_EQ(record[1], IP);
	EXPECT_EQ(record[5], 65528 - 8 - 8 - 48 - 16);
	EXPECT_EQ(record[65528 / 8 - 4], 65448);
	EXPECT_EQ(record[65528 / 8 - 1], IP + SIM_REGISTER(1));
	end();
}

/* --- addresses --- */

static void addresses_are_looked_up(void)
{
	struct perf_event_attr attr = software_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |
			   PERF_SAMPLE_CODE_PAGE_SIZE;
	start(attr, 1);
	sim_stack_set(stack, sizeof(stack), 0, 0);
	sim_frame()->ip = (uintptr_t)&stack[8];
	perf_software_event(PERF_COUNT_SW_PAGE_FAULTS, 1, sim_frame(), (uintptr_t)&stack[16]);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 40);
	EXPECT_EQ(record[1], (uintptr_t)&stack[16]); /* each page is where it is */
	EXPECT_EQ(record[2], 1);
	EXPECT_EQ(record[3], PAGE_SIZE);
	EXPECT_EQ(record[4], PAGE_SIZE);
	/* Nothing is there, and no address at all. */
	sim_frame()->ip = 0x10;
	perf_software_event(PERF_COUNT_SW_PAGE_FAULTS, 1, sim_frame(), 0x20);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 40);
	EXPECT_EQ(record[1], 0);
	EXPECT_EQ(record[3], 0);
	EXPECT_EQ(record[4], 0);
	perf_software_event(PERF_COUNT_SW_PAGE_FAULTS, 1, sim_frame(), 0);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 40);
	EXPECT_EQ(record[1], 0);
	EXPECT_EQ(record[3], 0);
	end();
}

/* --- groups and inherited events --- */

/* A child's sample has the parent's id and its own stream id; values are its own task's. */
static void samples_of_children(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_TID | PERF_SAMPLE_ID |
						    PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_READ);
	struct task *self = task_current();

	attr.inherit = 1;
	attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST | TIMES;
	int fd = open_event(attr, 0, 0, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_pmu_count(CODE, 5);
	struct task *child = fork_task();
	uint64_t id = event_of(fd)->id;
	sim_switch(child);
	sim_clock_advance(30);
	/* header, TID, ID, STREAM_ID; value, enabled, running, id, lost */
	EXPECT_EQ(sample(), 72);
	EXPECT_EQ(record[1], (uint64_t)child->tid << 32 | (uint32_t)child->tgid);
	EXPECT_EQ(record[2], id);
	EXPECT_EQ(record[3], id + 1);
	EXPECT_EQ(record[4], 10);
	EXPECT_EQ(record[5], 30);
	EXPECT_EQ(record[6], 30);
	EXPECT_EQ(record[7], id);
	EXPECT_EQ(record[8], 0);
	sim_switch(self);
	end_task(child);
	/* The parent's own: 10 of its own, not the child's. Times are the family's. */
	sim_pmu_count(CODE, 5);
	EXPECT_EQ(next_record(&mapping, record, sizeof(record)), 72);
	EXPECT_EQ(record[4], 10);
	EXPECT_EQ(record[5], 30);
	unmap_event(&mapping);
	end_machine();
}

static void samples_of_a_childs_group(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = sampling_attr(PERF_SAMPLE_TID | PERF_SAMPLE_READ);
	struct task *self = task_current();

	attr.inherit = 1;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST;
	int fd = open_event(attr, 0, 0, -1);
	attr.sample_period = 0;
	attr.sample_type = 0;
	attr.config = OTHER;
	int sibling = open_event(attr, 0, 0, fd);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_pmu_count(OTHER, 3);
	struct task *child = fork_task();
	sim_switch(child);
	sim_pmu_count(OTHER, 40);
	/* header, TID; number; value, id, lost of each */
	EXPECT_EQ(sample(), 72);
	EXPECT_EQ(record[2], 2);
	EXPECT_EQ(record[3], 10);
	EXPECT_EQ(record[4], event_of(fd)->id);
	EXPECT_EQ(record[5], 0);
	EXPECT_EQ(record[6], 40);
	EXPECT_EQ(record[7], event_of(sibling)->id);
	EXPECT_EQ(record[8], 0);
	sim_switch(self);
	end_task(child);
	unmap_event(&mapping);
	end_machine();
}

/* A member that is off keeps its value; the sample of a member reads the leader, too. */
static void members_that_are_off_are_not_read(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = hardware_attr(OTHER);
	int leader = open_event(attr, 0, -1, -1);

	attr.config = 3;
	int off = open_event(attr, 0, -1, leader);
	attr = sampling_attr(PERF_SAMPLE_READ);
	attr.read_format = PERF_FORMAT_GROUP;
	int fd = open_event(attr, 0, -1, leader);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_pmu_count(3, 6);
	control_event(off, PERF_EVENT_IOC_DISABLE, 0);
	sim_pmu_count(3, 6);
	sim_pmu_count(OTHER, 8);
	EXPECT_EQ(sample(), 40);
	EXPECT_EQ(record[1], 3);
	EXPECT_EQ(record[2], 8);
	EXPECT_EQ(record[3], 6);
	EXPECT_EQ(record[4], 10);
	unmap_event(&mapping);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "REGS_INTR has the interrupted registers of the mask",
	  registers_of_the_interrupted_code },
	{ "REGS_USER has those of user mode, or none", registers_of_user_mode },
	{ "masks with no register or an unknown one are refused", masks_of_registers_are_checked },
	{ "STACK_USER has the stack, its size and how much of it is real", a_stack_is_copied },
	{ "the part of a stack without memory is zeros", unmapped_memory_is_zeros },
	{ "a stack ends with user space", a_stack_ends_with_user_space },
	{ "a stack of 65528 bytes may be requested, no more, in words", stack_sizes_are_checked },
	{ "a stack fills the greatest record exactly", the_greatest_sample },
	{ "beside other fields, too", the_greatest_sample_with_other_fields },
	{ "physical addresses and page sizes are looked up", addresses_are_looked_up },
	{ "a child's sample has the parent's id and its own task's values", samples_of_children },
	{ "the sample of a child's group has the parents' ids and the child's values",
	  samples_of_a_childs_group },
	{ "a sample reads each member that is active", members_that_are_off_are_not_read },
};

TAP_MAIN(rules)
