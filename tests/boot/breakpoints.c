// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of breakpoints on several CPUs, and in the kernel: each hit counts once wherever a task runs,
 * and events can watch the kernel's own code and stack while PMIs come, without any effect on a program.
 *
 * conformance/programs/observe_breakpoint*.c have the rules of opening, and of one task's counts and
 * samples.
 */
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <time.h>

#include "perf_ring.h"

#include "child.h"

#define STORES	   1000
#define CALLS	   200
#define SLOTS	   4

/* Sampling beside breakpoints, so that NMIs come in the middle of debug exceptions and the other way
 * round. */
#define PMI_PERIOD 997

static volatile uint64_t watched[SLOTS];

static void store(unsigned int word, uint64_t times)
{
	volatile uint64_t *at = &watched[word];

	__asm__ volatile("1: movq %0, (%1)\n\tdecq %0\n\tjnz 1b"
			 : "+r"(times)
			 : "r"(at)
			 : "memory");
}

static struct perf_event_attr breakpoint_attr(uint32_t type, uint64_t address)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(struct perf_event_attr),
		.bp_type = type,
		.bp_addr = address,
		.bp_len = 8,
	};
}

static struct perf_event_attr store_attr(unsigned int word)
{
	return breakpoint_attr(HW_BREAKPOINT_W, (uint64_t)&watched[word]);
}

static uint64_t value_of(int fd)
{
	uint64_t value = 0;

	EXPECT_EQ(read(fd, &value, sizeof(value)), sizeof(value));
	return value;
}

/* --- counts --- */

static void store_number_times(int number)
{
	store(0, STORES + (uint64_t)number);
	store(3, 2);
}

static void a_family_is_counted_everywhere(void)
{
	int children = 2 * cpu_count(), first, last;
	uint64_t expected = 0;
	struct perf_event_attr attr = store_attr(0);

	attr.inherit = 1;
	first = must_open(&attr, 0, -1, -1);
	attr.bp_addr = (uint64_t)&watched[3];
	last = must_open(&attr, 0, -1, -1);
	children_run(children, store_number_times);
	for (int i = 0; i < children; i++)
		expected += STORES + (uint64_t)i;
	EXPECT_EQ(value_of(first), expected);
	EXPECT_EQ(value_of(last), 2 * (uint64_t)children);
	close(first);
	close(last);
}

static void breakpoints_follow_their_task(void)
{
	int fds[SLOTS];

	for (unsigned int i = 0; i < SLOTS; i++) {
		struct perf_event_attr attr = store_attr(i);

		fds[i] = must_open(&attr, 0, -1, -1);
	}
	for (int round = 0; round < 20; round++) {
		pin(0, round % cpu_count());
		for (unsigned int i = 0; i < SLOTS; i++)
			store(i, i + 1);
	}
	pin(0, -1);
	for (unsigned int i = 0; i < SLOTS; i++) {
		EXPECT_EQ_AT(value_of(fds[i]), 20 * (i + 1), "word %u", i);
		close(fds[i]);
	}
}

static void a_cpu_sees_each_task_there(void)
{
	int fds[64], cpus = cpu_count();
	struct perf_event_attr attr = store_attr(0);

	for (int cpu = 0; cpu < cpus; cpu++)
		fds[cpu] = must_open(&attr, -1, cpu, -1);
	children_run(cpus, store_number_times);
	for (int cpu = 0; cpu < cpus; cpu++) {
		EXPECT_EQ_AT(value_of(fds[cpu]), STORES + cpu, "CPU %d", cpu);
		close(fds[cpu]);
	}
}

/* --- slots --- */

static int slots_left(void)
{
	int fds[SLOTS + 1], count = 0;
	struct perf_event_attr attr = store_attr(0);

	while (count <= SLOTS && (fds[count] = open_event(&attr, 0, -1, -1)) >= 0)
		count++;
	EXPECT_EQ(errno, ENOSPC);
	for (int i = 0; i < count; i++)
		close(fds[i]);
	return count;
}

static pid_t target;

/* Opens, changes and closes breakpoints of one task that stores, which runs all the while. */
static void meddle(int number)
{
	uint64_t random = (uint64_t)number * 2 + 1;
	int fd = -1;

	for (int i = 0; i < 200; i++) {
		struct perf_event_attr attr;

		random = random * 6364136223846793005 + 1442695040888963407;
		attr = store_attr(random >> 60 & 3);
		if (fd < 0)
			fd = open_event(&attr, random >> 59 & 1 ? target : -1,
					(int)(random >> 33) % cpu_count(), -1);
		else if (random >> 57 & 1)
			EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr), 0);
		else
			close(fd), fd = -1;
	}
	if (fd >= 0)
		close(fd);
}

static void store_endlessly(void *times)
{
	for (;;)
		store(0, *(uint64_t *)times), store(1, 1);
}

static void no_slot_is_lost(void)
{
	target = child_start(store_endlessly, &(uint64_t){ STORES });
	children_run(2 * cpu_count(), meddle);
	kill(target, SIGKILL);
	child_wait(target);
	EXPECT_EQ(slots_left(), SLOTS);
}

/* --- the kernel --- */

/* The address of a function of the kernel; 0 if it is not there. */
static uint64_t kernel_address(const char *name)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[256], symbol[128], kind;
	unsigned long long address, found = 0;

	while (file && !found && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %c %127s", &address, &kind, symbol) == 3 &&
		    !strcmp(symbol, name))
			found = address;
	if (file)
		fclose(file);
	EXPECT_AT(found, "%s in /proc/kallsyms", name);
	return found;
}

static struct perf_ring pmis;

static void start_pmis(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_period = PMI_PERIOD,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
	};

	EXPECT_EQ(perf_ring_open(&pmis, &attr, 8), 0);
}

/* Makes the kernel work: calls, page faults, a context switch. */
static void work(void)
{
	const struct timespec moment = { .tv_nsec = 1000 };
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	page[0] = 1;
	munmap(page, 4096);
	nanosleep(&moment, NULL);
}

static void calls_of_the_kernel_are_counted(void)
{
	struct perf_event_attr attr =
		breakpoint_attr(HW_BREAKPOINT_X, kernel_address("syscall_handle"));

	attr.exclude_user = 1;
	attr.disabled = 1;
	int fd = must_open(&attr, 0, -1, -1);
	control(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < CALLS; i++)
		syscall(__NR_getppid);
	control(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(value_of(fd), CALLS + 1);
	close(fd);
}

/* Functions that a hit itself needs, that NMIs need, that switch tasks. How often they are entered is
 * unspecified. */
static void any_function_can_be_watched(void)
{
	static const char *const names[] = {
		"perf_record_sample",  "perf_task_sched_out",	  "perf_task_sched_in",
		"perf_event_overflow", "task_enter_user",	  "syscall_handle",
		"trap_handle",	       "deferred_work_interrupt",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct perf_event_attr attr =
			breakpoint_attr(HW_BREAKPOINT_X, kernel_address(names[i]));
		struct perf_ring ring;

		attr.sample_period = 1;
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
		EXPECT_EQ(perf_ring_open(&ring, &attr, 8), 0);
		start_pmis();
		for (int k = 0; k < 5; k++)
			work();
		perf_ring_close(&pmis);
		perf_ring_close(&ring);
	}
}

static void nothing_breaks_in_an_nmi(void)
{
	struct perf_event_attr attr =
		breakpoint_attr(HW_BREAKPOINT_X, kernel_address("nmi_handle"));
	int fd = must_open(&attr, 0, -1, -1);

	start_pmis();
	for (int i = 0; i < 20; i++)
		work();
	perf_ring_close(&pmis);
	EXPECT_EQ(value_of(fd), 0);
	close(fd);
}

static void kernel_entries_cannot_be_watched(void)
{
	static const char *const names[] = { "trap_stubs", "syscall_entry", "trap_return" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct perf_event_attr attr =
			breakpoint_attr(HW_BREAKPOINT_X, kernel_address(names[i]));

		EXPECT_EQ_AT(open_event(&attr, 0, -1, -1), -1, "%s", names[i]);
		EXPECT_EQ_AT(errno, EINVAL, "%s", names[i]);
	}
}

/* The kernel's stack pointer in the middle of a system call of this task. */
static uint64_t kernel_stack_pointer(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = kernel_address("syscall_handle"),
		.bp_len = 8,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_REGS_INTR,
		.sample_regs_intr = 1u << 7, /* the stack pointer: asm/perf_regs.h */
	};
	struct {
		struct perf_event_header header;
		uint64_t abi, stack_pointer;
	} sample = { { 0 }, 0, 0 };
	struct perf_ring ring;

	EXPECT_EQ(perf_ring_open(&ring, &attr, 1), 0);
	syscall(__NR_getppid);
	EXPECT_EQ(perf_ring_next(&ring, &sample, sizeof(sample)), sizeof(sample));
	perf_ring_close(&ring);
	return sample.stack_pointer;
}

/* Words around a call's frame, up to where every entry saves the user's registers: some of them while
 * the GS base is still the user's. The words that the CPU itself pushes are above, and left out: QEMU
 * makes a double fault of a hit there. */
#define WORDS_BELOW 8
#define WORDS_ABOVE (1 + 16)

static void the_kernels_stack_can_be_watched(void)
{
	uint64_t bottom = kernel_stack_pointer() & ~7ull, hits = 0;

	for (int i = -WORDS_BELOW; i < WORDS_ABOVE; i++) {
		struct perf_event_attr attr =
			breakpoint_attr(HW_BREAKPOINT_RW, bottom + (uint64_t)(8 * i));
		int fd = must_open(&attr, 0, -1, -1);

		start_pmis();
		for (int k = 0; k < 3; k++)
			work();
		store(0, 10);
		perf_ring_close(&pmis);
		hits += value_of(fd);
		close(fd);
	}
	EXPECT_AT(hits > 0, "no access to the stack at 0x%llx was seen",
		  (unsigned long long)bottom);
}

static const struct tap_rule rules[] = {
	{ "the stores of a family are counted wherever its members run",
	  a_family_is_counted_everywhere },
	{ "four breakpoints follow their task from CPU to CPU", breakpoints_follow_their_task },
	{ "a CPU's breakpoint sees each task that runs there", a_cpu_sees_each_task_there },
	{ "all breakpoint slots are free after tasks have opened, changed and closed breakpoints at once",
	  no_slot_is_lost },
	{ "the kernel's handling of calls is counted", calls_of_the_kernel_are_counted },
	{ "any function of the kernel can be watched, even one that serves a hit",
	  any_function_can_be_watched },
	{ "nothing breaks in an NMI", nothing_breaks_in_an_nmi },
	{ "kernel entries cannot be watched", kernel_entries_cannot_be_watched },
	{ "every word of the kernel's stack can be watched, beside PMIs",
	  the_kernels_stack_can_be_watched },
};

TAP_MAIN(rules)
