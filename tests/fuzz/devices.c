// SPDX-License-Identifier: BSD-2-Clause
/*
 * /dev/cpu/N/msr, cpuid and pmu: root's part uses them in any way while CPUs go off line, sometimes in two processes with
 * the same files, sometimes as a user that inherited them. A worker's part must not get one open: neither below
 * /dev/cpu, nor through nodes that everybody may open (tree.c).
 *
 * Two bounds keep the machine whole. A write of an arbitrary register may break it by right, as on Linux: only the
 * counters, their controls and the interrupt's acknowledgement are written, since these decide nothing but what is
 * counted; the registers that let the CPU write to memory (PEBS, DS area) are left out. A read of any register is
 * harmless. A list holds its CPU with interrupts off, so its work and waits are short, or too long to be accepted.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <asm/msr.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <tally/pmu_steps.h>
#include <unistd.h>

enum {
	CPUS = 4,
	FILES = 4,
	LIST_MAX = PMU_STEPS_MAX + 1,
	RECORDS = 64,
	WORK_PASSES = 2000,
	/* In a list of any length, and in a short one. */
	WAIT_NS = 2000,
	WAIT_SHORT_NS = 50000,
	SHORT = 16,
};

static const char *const kinds[] = { "msr", "cpuid", "pmu" };

/* Intel's: counters, selects, fixed control, status, global control, acknowledgement; AMD's. */
static const uint32_t registers[] = {
	0xc1,  0xc2,	   0xc3,       0xc4,	   0x4c1,      0x4c2,	   0x186,      0x187,
	0x188, 0x189,	   0x309,      0x30a,	   0x30b,      0x38d,	   0x38e,      0x38f,
	0x390, 0xc0010000, 0xc0010001, 0xc0010004, 0xc0010200, 0xc0010201, 0xc0010202, 0xc0010203,
};

static void name_device(struct fuzzer *fuzzer, char *path, size_t size)
{
	if (pick(fuzzer, 3) == 0)
		snprintf(path, size, TREE "/%s", PICK(fuzzer, kinds));
	else
		snprintf(path, size, "/dev/cpu/%u/%s", pick(fuzzer, CPUS + 1), PICK(fuzzer, kinds));
}

static int any_mode(struct fuzzer *fuzzer)
{
	static const int modes[] = { O_RDWR, O_RDWR, O_RDWR, O_RDONLY, O_WRONLY, O_PATH };

	return PICK(fuzzer, modes) | O_NONBLOCK | O_CLOEXEC;
}

/* --- numbers --- */

static uint32_t any_register(struct fuzzer *fuzzer)
{
	return pick(fuzzer, 3) ? PICK(fuzzer, registers) : (uint32_t)random_number(&fuzzer->random);
}

static uint64_t any_value(struct fuzzer *fuzzer)
{
	/* User, kernel, interrupt, enabled, instructions. */
	static const uint64_t values[] = { 0x5300c0, 0x4200c0, 0xbbb, 7, ~0ULL << 8, 0 };

	return pick(fuzzer, 2) ? PICK(fuzzer, values) : random_number(&fuzzer->random);
}

/* --- lists --- */

static struct pmu_step steps[LIST_MAX];
static struct pmu_nmi records[RECORDS];
/* The second page is not there: a list that begins in the first may reach into it. Nothing else is written there, so that no
 * list is made by chance that writes another register. */
static char edge[2 * PAGE] __attribute__((aligned(PAGE)));

static void any_work(struct fuzzer *fuzzer, struct pmu_step *step)
{
	static const uint64_t too_much[] = { PMU_WORK_MAX + 1, 1ULL << 32, ~0ULL };

	step->index = pick(fuzzer, PMU_WORK_KINDS + (pick(fuzzer, 16) == 0));
	step->value = pick(fuzzer, 40) ? pick(fuzzer, WORK_PASSES) : PICK(fuzzer, too_much);
	if (step->index == PMU_WORK_CPUID || step->index == PMU_WORK_INTERRUPT)
		step->value %= 32;
}

static void any_wait(struct fuzzer *fuzzer, struct pmu_step *step, unsigned int count)
{
	static const uint64_t too_long[] = { PMU_WAIT_MAX_NS + 1ULL, 1ULL << 63, ~0ULL };

	step->value = pick(fuzzer, 40) ? pick(fuzzer, count > SHORT ? WAIT_NS : WAIT_SHORT_NS) :
					 PICK(fuzzer, too_long);
	if (step->operation == PMU_STEP_WAIT)
		step->index = pick(fuzzer, 3) ? 1 : (uint32_t)random_number(&fuzzer->random);
}

static void any_step(struct fuzzer *fuzzer, struct pmu_step *step, unsigned int count,
		     unsigned int operations)
{
	*step = (struct pmu_step){ .operation = pick(fuzzer, 3) ? pick(fuzzer, operations) :
								  PMU_STEP_WRMSR };
	switch (step->operation) {
	case PMU_STEP_RDMSR:
		step->index = any_register(fuzzer);
		break;
	case PMU_STEP_WRMSR:
		step->index = PICK(fuzzer, registers);
		step->value = any_value(fuzzer);
		break;
	case PMU_STEP_RDPMC:
		step->index = (uint32_t)random_number(&fuzzer->random);
		break;
	case PMU_STEP_SET_LVT:
		step->value = pick(fuzzer, 3) ? 0 : PMU_LVT_MASKED;
		break;
	case PMU_STEP_EXTENDED_LVT:
		step->index = pick(fuzzer, PMU_EXTENDED_LVT_MAX);
		break;
	case PMU_STEP_SET_EXTENDED_LVT:
		step->index = pick(fuzzer, PMU_EXTENDED_LVT_MAX);
		step->value = pick(fuzzer, 3) ? 0 : PMU_LVT_MASKED;
		break;
	case PMU_STEP_PCE:
		step->value = pick(fuzzer, 2);
		break;
	case PMU_STEP_WORK:
		any_work(fuzzer, step);
		break;
	case PMU_STEP_HALT:
	case PMU_STEP_WAIT:
		any_wait(fuzzer, step, count);
		break;
	default:
		break;
	}
}

/* Counter 0 of Intel's PMU overflows, and again whenever the handler has let it: without a plan no random list does that. */
static unsigned int overflow(struct fuzzer *fuzzer, bool is_handler)
{
	const uint64_t start = -(uint64_t)(1 + pick(fuzzer, 100));
	const struct pmu_step list[] = {
		{ .operation = PMU_STEP_WRMSR, .index = 0x38f },
		{ .operation = PMU_STEP_WRMSR, .index = 0xc1, .value = start },
		{ .operation = PMU_STEP_WRMSR, .index = 0x186, .value = 0x5300c0 },
		{ .operation = PMU_STEP_SET_LVT },
		{ .operation = PMU_STEP_WRMSR, .index = 0x38f, .value = 1 },
		{ .operation = PMU_STEP_WAIT, .index = 1, .value = WAIT_SHORT_NS },
	};
	const struct pmu_step handler[] = {
		{ .operation = PMU_STEP_WRMSR, .index = 0xc1, .value = start },
		{ .operation = PMU_STEP_WRMSR, .index = 0x390, .value = 1 },
		{ .operation = PMU_STEP_SET_LVT },
	};

	memcpy(steps, is_handler ? handler : list, is_handler ? sizeof(handler) : sizeof(list));
	return is_handler ? COUNT(handler) : COUNT(list);
}

/* A field that is wrong, or that is not a bound: the list stays short. */
static void break_step(struct fuzzer *fuzzer, struct pmu_step *step)
{
	switch (pick(fuzzer, 4)) {
	case 0:
		step->pad = random_number(&fuzzer->random) | 1;
		break;
	case 1:
		step->operation =
			PMU_STEP_OPERATIONS + (uint32_t)random_number(&fuzzer->random) / 2;
		break;
	case 2:
		step->operation = PMU_STEP_SET_LVT;
		step->value |= 1;
		break;
	default:
		step->operation = PMU_STEP_TSC;
		step->index |= 1;
	}
}

static struct pmu_steps any_list(struct fuzzer *fuzzer, bool is_handler)
{
	static const unsigned int edges[] = { 0, PMU_HANDLER_STEPS_MAX + 1, PMU_STEPS_MAX,
					      PMU_STEPS_MAX + 1 };
	unsigned int count = pick(fuzzer, 20) ? 1 + pick(fuzzer, SHORT) : PICK(fuzzer, edges);
	unsigned int operations = is_handler && pick(fuzzer, 10) ? PMU_STEP_WORK :
								   PMU_STEP_OPERATIONS;
	struct pmu_steps list = { .steps = (uintptr_t)steps, .count = count };

	for (unsigned int i = 0; i < count; i++)
		any_step(fuzzer, &steps[i], count, operations);
	if (pick(fuzzer, 3) == 0)
		list.count = count = overflow(fuzzer, is_handler);
	if (count && pick(fuzzer, 8) == 0)
		break_step(fuzzer, &steps[pick(fuzzer, count)]);
	if (pick(fuzzer, 20) == 0)
		list.steps = pick(fuzzer, 2) ? random_number(&fuzzer->random) | 1ULL << 62 :
					       (uintptr_t)(edge + PAGE) -
						       sizeof(steps[0]) * pick(fuzzer, SHORT);
	if (pick(fuzzer, 30) == 0)
		list.pad = (uint32_t)random_number(&fuzzer->random);
	if (pick(fuzzer, 30) == 0)
		list.count = (uint32_t)random_number(&fuzzer->random) | 1U << 10;
	return list;
}

/* Registers hold addresses of the kernel, and so do the records of NMIs: root may see them. */
static long take_nmis(struct fuzzer *fuzzer, int fd)
{
	struct pmu_nmis request = { .nmis = (uintptr_t)records,
				    .count = pick(fuzzer, RECORDS + 1) };

	if (pick(fuzzer, 8) == 0) {
		request.nmis = (uintptr_t)fuzz_slot_address(pick(fuzzer, SLOTS)) - 8;
		request.count = (uint32_t)random_number(&fuzzer->random);
	}
	memset(records, 0, sizeof(records));
	long result = ioctl(fd, PMU_IOC_NMIS, &request);

	if (result == 0)
		leak_check_unset(records, sizeof(records), "records of NMIs");
	return result;
}

static long use_steps(struct fuzzer *fuzzer, int fd)
{
	bool is_handler = pick(fuzzer, 4) == 0;
	struct pmu_steps list = any_list(fuzzer, is_handler);
	bool good = pick(fuzzer, 20) != 0;
	long result = ioctl(fd, is_handler ? PMU_IOC_HANDLER : PMU_IOC_RUN,
			    good ? (void *)&list : fuzz_any_pointer(fuzzer));

	if (result == 0 && good && !is_handler)
		leak_check_unset(steps, list.count * sizeof(steps[0]), "a list of steps");
	return result;
}

/* --- the other calls --- */

static long transfer(struct fuzzer *fuzzer, int fd)
{
	uint64_t words[16] = { 0 };
	size_t size = pick(fuzzer, 4) ? 8 * pick(fuzzer, COUNT(words) + 1) : pick(fuzzer, 64);
	off_t at = pick(fuzzer, 8) ? (off_t)any_register(fuzzer) : (off_t)fuzz_edge(fuzzer);
	void *memory = pick(fuzzer, 8) ? (void *)words : fuzz_any_pointer(fuzzer);

	switch (pick(fuzzer, 4)) {
	case 0:
		for (size_t i = 0; i < COUNT(words); i++)
			words[i] = any_value(fuzzer);
		return pwrite(fd, memory, size, PICK(fuzzer, registers));
	case 1:
		/* No more than LIST_MAX times the same register: the size is a worker's time. */
		return pread(fd, memory, pick(fuzzer, 2) ? size : 8 * LIST_MAX, at);
	case 2:
		lseek(fd, at, (int)pick(fuzzer, 5));
		return read(fd, memory, size);
	default:
		return pread(fd, memory, size, at);
	}
}

static long use_registers(struct fuzzer *fuzzer, int fd)
{
	uint32_t values[8] = { 0 };
	bool writes = pick(fuzzer, 2);
	void *memory = pick(fuzzer, 8) ? (void *)values : fuzz_any_pointer(fuzzer);

	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = (uint32_t)any_value(fuzzer);
	values[1] = writes ? PICK(fuzzer, registers) : any_register(fuzzer);
	/* A pointer to anything could name any register. */
	if (writes)
		memory = values;
	return ioctl(fd, writes ? X86_IOC_WRMSR_REGS : X86_IOC_RDMSR_REGS, memory);
}

static long use_otherwise(struct fuzzer *fuzzer, int fd)
{
	struct pollfd poller = { .fd = fd, .events = (short)pick(fuzzer, 1 << 15) };
	unsigned int slot = pick(fuzzer, SLOTS);

	switch (pick(fuzzer, 4)) {
	case 0:
		return poll(&poller, 1, 0);
	case 1:
		return ioctl(fd,
			     pick(fuzzer, 2) ? _IOC(pick(fuzzer, 4), 'P', pick(fuzzer, 5), 16) :
					       (unsigned int)random_number(&fuzzer->random),
			     NULL);
	case 2:
		return mmap(fuzz_slot_address(slot), PAGE, (int)pick(fuzzer, 8),
			    MAP_FIXED | (int)(1 + pick(fuzzer, 3)), fd,
			    (off_t)fuzz_edge(fuzzer)) == MAP_FAILED ?
			       -1 :
			       0;
	default:
		return ftruncate(fd, (off_t)fuzz_edge(fuzzer));
	}
}

static void use_any(struct fuzzer *fuzzer, const int *fds)
{
	/* The first one is a CPU's pmu. */
	int fd = fds[pick(fuzzer, FILES)], pmu = pick(fuzzer, 8) ? fds[0] : fd;

	switch (pick(fuzzer, 12)) {
	case 0:
	case 1:
		transfer(fuzzer, fd);
		break;
	case 2:
		use_registers(fuzzer, fd);
		break;
	case 3:
		use_otherwise(fuzzer, fd);
		break;
	case 4:
		take_nmis(fuzzer, pmu);
		break;
	default:
		use_steps(fuzzer, pmu);
	}
	count_calls(1);
	atomic_fetch_add(&fuzz_shared->operations, 1);
}

/* --- root's part --- */

/* Opens a CPU's pmu. It is busy while events count, so the first CPU with a chance is taken. */
static int open_pmu(struct fuzzer *fuzzer)
{
	int fd = -1;

	for (unsigned int i = 0; i < 20 && fd < 0; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/dev/cpu/%u/pmu", pick(fuzzer, CPUS));
		fd = open(path, pick(fuzzer, 8) ? O_RDWR | O_CLOEXEC : any_mode(fuzzer));
		count_calls(1);
		sched_yield();
	}
	return fd;
}

static void open_files(struct fuzzer *fuzzer, int *fds)
{
	char path[64];

	fds[0] = open_pmu(fuzzer);
	for (unsigned int i = 1; i < FILES; i++) {
		name_device(fuzzer, path, sizeof(path));
		fds[i] = open(path, any_mode(fuzzer));
	}
	count_calls(FILES);
}

/* Goes where a file's list may halt and interrupt, as long as the CPU is there. */
static void go_to_any_cpu(struct fuzzer *fuzzer)
{
	unsigned long set = 1UL << pick(fuzzer, CPUS);

	syscall(SYS_sched_setaffinity, 0, sizeof(set), &set);
	count_calls(1);
}

_Noreturn static void use_devices(struct random random)
{
	struct fuzzer fuzzer = { .random = random, .depth = 2 };
	int fds[FILES];

	for (int i = 0; i < DESCRIPTORS; i++)
		fuzzer.fds[i] = -1;
	fuzz_prepare();
	mprotect(edge + PAGE, PAGE, PROT_NONE);
	open_files(&fuzzer, fds);
	/* The other process has the same files. */
	bool shares = pick(&fuzzer, 2);
	pid_t child = shares ? fuzz_fork(&fuzzer) : -1;

	if (pick(&fuzzer, 3) == 0)
		tree_become_user(WORKER_UID);
	for (unsigned int i = 10 + pick(&fuzzer, 30); i > 0; i--) {
		if (pick(&fuzzer, 8) == 0)
			go_to_any_cpu(&fuzzer);
		if (pick(&fuzzer, 24) == 0)
			fuzz_change_cpus(&fuzzer.random);
		use_any(&fuzzer, fds);
	}
	if (child > 0)
		fuzz_reap(child, 200);
	_exit(0);
}

void fuzz_cpu_devices_administrate(struct random *random)
{
	struct random own = random_split(random);
	pid_t child = fork();

	if (child == 0)
		use_devices(own);
	if (child > 0)
		fuzz_reap(child, 1000);
}

/* --- a worker's part --- */

/* The kernel asks for CAP_SYS_RAWIO when msr and pmu are opened; cpuid's node alone protects it, as on Linux. */
static long open_without_right(struct fuzzer *fuzzer)
{
	char path[64];

	name_device(fuzzer, path, sizeof(path));
	int mode = any_mode(fuzzer), fd = open(path, mode);

	count_calls(1);
	if (fd < 0)
		return -1;
	if (!(mode & O_PATH) && !strstr(path, "cpuid"))
		fuzz_finding("%s is open without CAP_SYS_RAWIO", path);
	for (unsigned int i = pick(fuzzer, 4); i > 0; i--)
		transfer(fuzzer, fd);
	fuzz_remember(fuzzer, fd);
	return 0;
}

const struct operation fuzz_device_operations[] = {
	{ "open_without_right", open_without_right, 3 },
	{ 0 },
};
