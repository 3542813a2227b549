/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting windows with known instructions of their own: everything that user mode executes between the
 * kernel's enabling and its disabling of events, in assembly, so that the compiler adds nothing. For
 * tests with exact numbers.
 */
#ifndef TESTS_BOOT_EXACT_H
#define TESTS_BOOT_EXACT_H

#include <asm/unistd.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "page.h"
#include "spin.h"

/*
 * Two system calls, the first of which starts counting and the second stops it, and RUN(N, MEMORY)
 * between them. Both calls are NUMBER(FIRST, SECOND, 0), the second with STOP in place of START as
 * its second (ioctl) or first (prctl) argument.
 */
struct window {
	spin_function *run;
	uint64_t n;
	void *memory;
	uint64_t number;		    /* of the system call */
	uint64_t start_first, start_second; /* its arguments to start */
	uint64_t stop_first, stop_second;   /* … and to stop */
};

void window_run(const struct window *window);

/* WINDOW_ADDRESSES of them, each that of an instruction of the window. */
extern const uint64_t window_addresses[];

/* A kind of event, and how often it happens in a window. */
struct kind {
	const char *name;
	uint64_t config; /* PERF_TYPE_HARDWARE */
	uint64_t per_instruction, per_branch;
};

#ifdef __alpha__
#include "alpha/exact.h"
#else
#include "x86_64/exact.h"
#endif

/* The kinds of the ISA; kind_count() of them, the first, are this machine's. */
#define KINDS_MAX ((int)(sizeof(kinds) / sizeof(kinds[0])))

static inline uint64_t derive(const struct kind *kind, uint64_t instructions, uint64_t branches)
{
	return kind->per_instruction * instructions + kind->per_branch * branches;
}

/* The count of an event of KIND while a window runs WORK of size N. */
static inline uint64_t derive_window(const struct kind *kind, const struct spin_work *work,
				     uint64_t n)
{
	return derive(kind, WINDOW_INSTRUCTIONS + spin_derive(work->instructions, n),
		      WINDOW_BRANCHES + spin_derive(work->branches, n));
}

/* Runs WORK of size N while the event FD, or its group, is enabled. */
static inline void run_enabled(int fd, const struct spin_work *work, uint64_t n, void *memory)
{
	const struct window window = {
		work->run,    n,
		memory,	      __NR_ioctl,
		(uint64_t)fd, PERF_EVENT_IOC_ENABLE,
		(uint64_t)fd, PERF_EVENT_IOC_DISABLE,
	};

	window_run(&window);
}

/* Runs WORK of size N while every event that this process has opened is enabled. */
static inline void run_all_enabled(const struct spin_work *work, uint64_t n, void *memory)
{
	const struct window window = {
		work->run,
		n,
		memory,
		__NR_prctl,
		PR_TASK_PERF_EVENTS_ENABLE,
		0,
		PR_TASK_PERF_EVENTS_DISABLE,
		0,
	};

	window_run(&window);
}

/* An attribute for KIND in user mode only, disabled. */
static inline struct perf_event_attr user_attr(const struct kind *kind)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(struct perf_event_attr),
		.config = kind->config,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

static inline int open_event(const struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	return (int)syscall(__NR_perf_event_open, attr, pid, cpu, group, 0);
}

static int cpus_at_start;

/* Before main, because the C library counts the CPUs that the caller may run on: a test that has bound
 * itself to one CPU would see a machine of one. */
__attribute__((constructor)) static void count_cpus(void)
{
	cpus_at_start = (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* CPUs of the machine. */
static inline int cpu_count(void)
{
	return cpus_at_start;
}

static inline void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		abort();
}

/* Memory for WORK of size N, all pages untouched; NULL if it needs none. */
static inline void *map_memory(const struct spin_work *work, uint64_t n)
{
	size_t bytes = spin_memory_bytes(work, n);

	return bytes ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0) :
		       NULL;
}

static inline void unmap_memory(const struct spin_work *work, uint64_t n, void *memory)
{
	if (memory)
		munmap(memory, spin_memory_bytes(work, n));
}

#endif
