// SPDX-License-Identifier: BSD-2-Clause
/*
 * perfctr.c - selfmon's table by perfctr: the work counted by its a-mode counters, through the mapped state and by
 * system call.
 *
 * The code around the work is compiled, and not derived. Its cost is that of the same code around `nothing`, whose
 * own count is derived.
 */
#include "perfctr.h"

#include <errno.h>
#include <inttypes.h>
#include <libperfctr.h>
#include <spin.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Instructions and branches retired in user mode. */
struct perfctr_event {
	const char *name;
	unsigned int evntsel;
	bool counts_branches;
};

struct counts {
	int64_t direct, call;
};

/* EN, USR. */
#define USER_SELECT(code) (0x410000u | (code))

static unsigned int branches_code(const struct perfctr_info *info)
{
	/* AMD: retired branch instructions; Intel: the architectural event. */
	return strcmp(info->cpu_name, "AMD") == 0 ? 0xc2 : 0xc4;
}

/* The measured code, the same for each work: so it is a function of its own. Returns false if a switch or a tick
 * changed the state during a reading. */
static __attribute__((noinline)) bool count_call(const struct vperfctr *set, unsigned int counter,
						 spin_function *run, uint64_t n, void *memory,
						 struct counts *counts)
{
	unsigned long long direct[2] = { 0, 0 };
	struct perfctr_sum_ctrs before, after;

	vperfctr_read_sums(set, &before);
	bool is_settled = vperfctr_try_read_pmc(set, counter, &direct[0]);

	run(n, memory);
	is_settled &= vperfctr_try_read_pmc(set, counter, &direct[1]);
	vperfctr_read_sums(set, &after);
	counts->direct = (int64_t)(direct[1] - direct[0]);
	counts->call = (int64_t)(after.pmc[counter] - before.pmc[counter]);
	return is_settled;
}

static bool try_count(const struct vperfctr *set, unsigned int counter,
		      const struct spin_work *work, uint64_t n, struct counts *counts)
{
	size_t bytes = spin_memory_bytes(work, n);
	void *memory = NULL;

	if (bytes)
		memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
	bool is_settled = count_call(set, counter, work->run, n, memory, counts);

	if (bytes)
		munmap(memory, bytes);
	return is_settled;
}

static struct counts count(const struct vperfctr *set, unsigned int counter,
			   const struct spin_work *work, uint64_t n)
{
	struct counts counts;

	while (!try_count(set, counter, work, n, &counts))
		;
	return counts;
}

/* Prints one row; returns whether it is exact. */
static bool report(const struct vperfctr *set, unsigned int counter,
		   const struct perfctr_event *event, const struct spin_work *work, uint64_t n)
{
	const struct spin_work *nothing = spin_find_work("nothing");
	struct spin_count of_work = event->counts_branches ? work->branches : work->instructions;
	struct spin_count of_nothing = event->counts_branches ? nothing->branches :
								nothing->instructions;
	int64_t expected = (int64_t)spin_derive(of_work, n);
	struct counts empty = count(set, counter, nothing, 1), full = count(set, counter, work, n);

	full.direct += (int64_t)spin_derive(of_nothing, 1) - empty.direct;
	full.call += (int64_t)spin_derive(of_nothing, 1) - empty.call;
	bool exact = full.direct == expected && full.call == expected;

	printf("  %-16s %13" PRId64 " %13" PRId64 " %13" PRId64 "  %s\n", event->name, full.direct,
	       full.call, expected, exact ? "exact" : "WRONG");
	return exact;
}

static bool report_all(const struct vperfctr *set, const struct perfctr_event *events,
		       unsigned int event_count)
{
	static const struct {
		const char *work;
		uint64_t n;
	} jobs[] = { { "nothing", 1 },	   { "loop", 1000 },	{ "straight", 1000 },
		     { "branches", 1000 }, { "calls", 1000 },	{ "stores", 1000 },
		     { "touches", 64 },	   { "syscalls", 1000 } };
	unsigned int exact = 0, rows = 0;

	printf("\n%-18s %13s %13s %13s\n", "", "rdpmc", "by call", "by hand");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		const struct spin_work *work = spin_find_work(jobs[i].work);

		printf("%s: %s\n", work->name, work->what);
		for (unsigned int event = 0; event < event_count; event++, rows++)
			exact += report(set, event, &events[event], work, jobs[i].n);
	}
	printf("\n%u of %u counts are exact.\n", exact, rows);
	return exact == rows;
}

int perfctr_report(void)
{
	struct vperfctr_control control = { .cpu_control = { .tsc_on = 1 } };
	struct vperfctr set;

	if (vperfctr_open(&set) != 0) {
		printf("perfctr gives no counters: %s.\n", strerror(errno));
		return -1;
	}
	if (!(set.info.cpu_features & PERFCTR_FEATURE_RDPMC)) {
		printf("The counters cannot be read in user mode, or count the kernel too.\n");
		vperfctr_close(&set);
		return -1;
	}

	const struct perfctr_event events[] = {
		{ "instructions:u", USER_SELECT(0xc0), false },
		{ "branches:u", USER_SELECT(branches_code(&set.info)), true },
	};
	unsigned int count = set.info.nrctrs < 2 ? set.info.nrctrs : 2;

	/* Counters 0 and 1 are general ones, as far as there are two. */
	for (unsigned int i = 0; i < count; i++) {
		control.cpu_control.nractrs++;
		control.cpu_control.pmc_map[i] = i;
		control.cpu_control.evntsel[i] = events[i].evntsel;
	}
	if (vperfctr_control(&set, &control) != 0) {
		control.cpu_control.nractrs = count = 1;
		if (vperfctr_control(&set, &control) != 0) {
			printf("perfctr refuses the control data: %s.\n", strerror(errno));
			vperfctr_close(&set);
			return -1;
		}
	}
	printf("perfctr      %s, %u counters, %u bits\n", set.info.cpu_name, set.info.nrctrs,
	       set.info.width_bits);
	bool exact = report_all(&set, events, count);

	vperfctr_close(&set);
	return exact ? 0 : 1;
}
