// SPDX-License-Identifier: BSD-2-Clause
/*
 * CPUs go off line and come on line: root's part, with events of those CPUs, and workers that want to run there.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CPUS   4
#define EVENTS 6

static void name_cpu(unsigned int cpu, char *path, size_t size)
{
	snprintf(path, size, "/sys/devices/system/cpu/cpu%u/online", cpu);
}

static void switch_cpu(unsigned int cpu, const char *text)
{
	char path[64];

	name_cpu(cpu, path, sizeof(path));
	tree_write_text(path, text);
	count_calls(1);
}

void fuzz_reset_cpus(void)
{
	for (unsigned int cpu = 1; cpu < CPUS; cpu++)
		switch_cpu(cpu, "1");
}

/* --- root's part --- */

/* Opens an event of CPU, in the group of LEADER or none (-1), and looks at it while CPUs change. */
static int open_cpu_event(struct random *random, int cpu, int leader)
{
	static const struct {
		uint32_t type;
		uint64_t config;
	} kinds[] = {
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ PERF_TYPE_BREAKPOINT, 0 },
	};
	unsigned int kind = random_below(random, COUNT(kinds));
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = kinds[kind].type,
					.config = kinds[kind].config,
					.read_format = random_below(random, 16),
					.disabled = random_once_in(random, 4),
					.pinned = leader < 0 && random_once_in(random, 4),
					.exclusive = leader < 0 && random_once_in(random, 8) };

	if (attr.type == PERF_TYPE_BREAKPOINT) {
		attr.bp_type = 3;
		attr.bp_addr = (uintptr_t)&fuzz_watched;
		attr.bp_len = 4;
	}
	if (random_once_in(random, 2)) {
		attr.sample_period = 1000 + random_below(random, 100000);
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_READ;
	}
	return (int)syscall(SYS_perf_event_open, &attr, random_once_in(random, 4) ? 0 : -1, cpu,
			    leader, PERF_FLAG_FD_CLOEXEC);
}

static void use_event(struct random *random, int fd, int other)
{
	static const unsigned long requests[] = { PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE,
						  PERF_EVENT_IOC_RESET, PERF_EVENT_IOC_REFRESH };
	static uint64_t counts[64];

	switch (random_below(random, 4)) {
	case 0:
		ioctl(fd, requests[random_below(random, COUNT(requests))],
		      random_once_in(random, 2) ? PERF_IOC_FLAG_GROUP : 0);
		break;
	case 1:
		ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, random_once_in(random, 4) ? -1 : other);
		break;
	default:
		if (read(fd, counts, sizeof(counts)) < 0)
			break;
	}
	count_calls(1);
}

/* Uses events of CPUs that go and come, whether these are off or not. */
static void change_cpus_with_events(struct random *random)
{
	int fds[EVENTS];
	void *ring = MAP_FAILED;

	for (unsigned int i = 0; i < EVENTS; i++) {
		int leader = i && random_once_in(random, 2) ? fds[random_below(random, i)] : -1;

		fds[i] = open_cpu_event(random, (int)random_below(random, CPUS), leader);
		if (fds[i] >= 0 && ring == MAP_FAILED)
			ring = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fds[i], 0);
	}
	for (unsigned int i = 0; i < 12; i++) {
		if (random_once_in(random, 3))
			switch_cpu(random_below(random, CPUS),
				   random_once_in(random, 2) ? "0" : "1");
		use_event(random, fds[random_below(random, EVENTS)],
			  fds[random_below(random, EVENTS)]);
	}
	if (ring != MAP_FAILED)
		munmap(ring, 3 * PAGE);
	for (unsigned int i = 0; i < EVENTS; i++)
		close(fds[i]);
}

void fuzz_change_cpus(struct random *random)
{
	static const char *const texts[] = {
		"0", "0", "0", "1", "1", "1", "2", "", "-1", "0\n", "x"
	};

	if (random_once_in(random, 3))
		change_cpus_with_events(random);
	else
		switch_cpu(random_below(random, CPUS + 1),
			   texts[random_below(random, COUNT(texts))]);
}

/* --- a worker's part --- */

/* Wants to run on one CPU, or on a set, which can go off line. */
static long run_there(struct fuzzer *fuzzer)
{
	unsigned long set = pick(fuzzer, 2) ? 1UL << pick(fuzzer, CPUS) : pick(fuzzer, 1 << CPUS);
	long result = syscall(SYS_sched_setaffinity, 0, sizeof(set), &set);

	fuzz_work(pick(fuzzer, 2000));
	sched_yield();
	return result;
}

static long run_anywhere(struct fuzzer *fuzzer)
{
	unsigned long set = ~0UL;

	(void)fuzzer;
	return syscall(SYS_sched_setaffinity, 0, sizeof(set), &set);
}

const struct operation fuzz_cpu_operations[] = {
	{ "run_there", run_there, 4 },
	{ "run_anywhere", run_anywhere, 2 },
	{ 0 },
};
