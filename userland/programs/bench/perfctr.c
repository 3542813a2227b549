// SPDX-License-Identifier: BSD-2-Clause
/*
 * perfctr.c - the costs of a self-read and of a context switch by perfctr and by perf_event, side by side.
 *
 * Only one of the two can have the counters, so the meter, which is an event, cannot measure perfctr. The time stamp
 * does: with -icount it counts all instructions. A cost is the least of many runs less the least of as many empty
 * ones.
 */
#include "bench.h"

#include <libperfctr.h>
#include <perf_self.h>

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNS	     400
#define LOAD_MAX     4

/* EN, USR, instructions: the same on Intel's CPUs and AMD's. */
#define INSTRUCTIONS 0x4100c0u

/* Counters of one task, by either interface. */
struct load {
	bool by_perfctr;
	unsigned int count;
	struct vperfctr set;
	struct perf_self events[LOAD_MAX];
};

static bool open_set(struct load *load)
{
	struct vperfctr_control control = { .cpu_control = { .tsc_on = 1,
							     .nractrs = load->count } };

	for (unsigned int i = 0; i < load->count; i++) {
		control.cpu_control.pmc_map[i] = i;
		control.cpu_control.evntsel[i] = INSTRUCTIONS;
	}
	return vperfctr_open(&load->set) == 0 && vperfctr_control(&load->set, &control) == 0;
}

static bool open_load(struct load *load)
{
	if (load->count == 0)
		return true;
	if (load->by_perfctr)
		return open_set(load);
	for (unsigned int i = 0; i < load->count; i++) {
		struct perf_event_attr attr = { .type = PERF_TYPE_RAW,
						.config = INSTRUCTIONS & 0xffff,
						.exclude_kernel = 1,
						.exclude_hv = 1 };

		if (perf_self_open(&load->events[i], &attr, NULL) != 0)
			return false;
	}
	return true;
}

static void close_load(struct load *load)
{
	if (load->count && load->by_perfctr)
		vperfctr_close(&load->set);
	for (unsigned int i = 0; i < load->count && !load->by_perfctr; i++)
		perf_self_close(&load->events[i]);
}

static uint64_t least(void (*operation)(struct load *), struct load *load)
{
	uint64_t least_ticks = UINT64_MAX;

	for (unsigned int run = 0; run < RUNS; run++) {
		uint64_t start = meter_timestamp();

		operation(load);
		uint64_t ticks = meter_timestamp() - start;

		if (ticks < least_ticks)
			least_ticks = ticks;
	}
	return least_ticks;
}

static void nothing(struct load *load)
{
	(void)load;
}

static void read_self(struct load *load)
{
	static uint64_t value;

	if (load->by_perfctr)
		vperfctr_read_pmc(&load->set, 0);
	else
		perf_self_read_value(&load->events[0], &value);
}

static void read_by_call(struct load *load)
{
	struct perfctr_sum_ctrs sums;
	uint64_t words[3];

	if (load->by_perfctr)
		vperfctr_read_sums(&load->set, &sums);
	else if (read(load->events[0].fd, words, sizeof(words)) < 0)
		perror("bench: read");
}

static void yield(struct load *load)
{
	(void)load;
	sched_yield();
}

static void print(const char *name, const struct load *load, uint64_t ticks)
{
	printf("%s_%s_%u:all %" PRIu64 "\n", load->by_perfctr ? "perfctr" : "perf_event", name,
	       load->count, ticks);
	fflush(stdout);
}

/* A switch to a partner with the same load and back. */
static int bench_switch(struct load *load)
{
	_Atomic int *stop = mmap(NULL, sizeof(*stop), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t partner = stop == MAP_FAILED ? -1 : fork();
	int status = 0;

	if (partner < 0)
		return bench_explain("switch", "no partner");
	if (partner == 0) {
		if (!open_load(load))
			_exit(EXIT_FAILED);
		while (!*stop)
			sched_yield();
		_exit(EXIT_MEASURED);
	}
	if (!open_load(load))
		return bench_explain("switch", "cannot count");
	/* The partner opens its own counters first. */
	for (unsigned int i = 0; i < RUNS; i++)
		sched_yield();
	print("switch_pair", load, least(yield, load) - least(nothing, load));
	close_load(load);
	*stop = 1;
	waitpid(partner, &status, 0);
	return !WIFEXITED(status) || WEXITSTATUS(status) != EXIT_MEASURED;
}

static int bench_reads(struct load *load)
{
	if (!open_load(load))
		return bench_explain("self_read", "cannot count");
	print("self_read", load, least(read_self, load) - least(nothing, load));
	print("read_by_call", load, least(read_by_call, load) - least(nothing, load));
	close_load(load);
	return 0;
}

int bench_perfctr(void)
{
	static const unsigned int counts[] = { 0, 1, 2, 4 };
	cpu_set_t cpu;
	int failures = 0;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	for (int by_perfctr = 0; by_perfctr < 2; by_perfctr++) {
		struct load load = { .by_perfctr = by_perfctr, .count = 1 };

		failures += bench_reads(&load);
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			load.count = counts[i];
			failures += bench_switch(&load);
		}
	}
	return failures;
}
