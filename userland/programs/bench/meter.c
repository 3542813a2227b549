// SPDX-License-Identifier: BSD-2-Clause
/*
 * meter.c - a group of three events on one CPU, read before and after the measured operation.
 */
#include "meter.h"

#include <isa.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <spin.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define METER_CPU   0
#define RUNS	    400
#define RUNS_MAX    20000 /* tried, when few of them count */
#define RESULTS_MAX 64

static int leader_fd = -1;
static bool counts_all;

#define TRIAL_LOOPS 1000
#define TRIALS	    20

/*
 * Ticks of a loop twice as long, less those of the loop: what the compiler puts between the time
 * stamps cancels out, and 2 * TRIAL_LOOPS instructions are left. The least of some trials is one
 * without an interrupt.
 */
static bool time_stamp_counts_instructions(void)
{
	uint64_t least[2] = { UINT64_MAX, UINT64_MAX };

	for (int trial = 0; trial < 2 * TRIALS; trial++) {
		int twice = trial % 2;
		uint64_t start = isa_read_timestamp();

		spin_loop(twice ? 2 * TRIAL_LOOPS : TRIAL_LOOPS, NULL);
		uint64_t ticks = isa_read_timestamp() - start;
		if (ticks < least[twice])
			least[twice] = ticks;
	}
	return least[1] - least[0] == 2 * TRIAL_LOOPS;
}

bool meter_counts_all(void)
{
	return counts_all;
}

/* read() of the leader with PERF_FORMAT_GROUP: how many values, and the values. */
struct group_values {
	uint64_t count;
	uint64_t values[3];
};

static int open_on_cpu(struct perf_event_attr attr, int group_fd)
{
	attr.size = sizeof(attr);
	attr.read_format = PERF_FORMAT_GROUP;
	return (int)syscall(__NR_perf_event_open, &attr, -1, METER_CPU, group_fd,
			    (unsigned long)PERF_FLAG_FD_CLOEXEC);
}

int meter_open(void)
{
	static const struct perf_event_attr attrs[] = {
		{ .type = PERF_TYPE_HARDWARE,
		  .config = PERF_COUNT_HW_INSTRUCTIONS,
		  .exclude_kernel = 1,
		  .exclude_hv = 1 },
		{ .type = PERF_TYPE_HARDWARE,
		  .config = PERF_COUNT_HW_INSTRUCTIONS,
		  .exclude_user = 1,
		  .exclude_hv = 1 },
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES },
	};
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(METER_CPU, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu) != 0)
		return -1;
	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		int fd = open_on_cpu(attrs[i], leader_fd);

		if (fd < 0)
			return -1;
		if (i == 0)
			leader_fd = fd;
	}
	counts_all = time_stamp_counts_instructions();
	return 0;
}

static bool take_reading(struct meter_reading *reading)
{
	struct group_values group;

	if (read(leader_fd, &group, sizeof(group)) != (ssize_t)sizeof(group) || group.count != 3)
		return false;
	*reading = (struct meter_reading){ .user = (int64_t)group.values[0],
					   .kernel = (int64_t)group.values[1],
					   .switches = (int64_t)group.values[2] };
	return true;
}

static void do_nothing(void *context)
{
	(void)context;
}

/* Distinct results of the runs, and how often each came. */
struct tally {
	struct {
		struct meter_reading reading;
		int times;
	} results[RESULTS_MAX];
	size_t count;
};

static void tally_add(struct tally *tally, const struct meter_reading *reading)
{
	for (size_t i = 0; i < tally->count; i++)
		if (tally->results[i].reading.user == reading->user &&
		    tally->results[i].reading.kernel == reading->kernel &&
		    tally->results[i].reading.all == reading->all) {
			tally->results[i].times++;
			return;
		}
	if (tally->count == RESULTS_MAX)
		return; /* what comes so late is rare */
	tally->results[tally->count].reading = *reading;
	tally->results[tally->count++].times = 1;
}

static struct meter_reading tally_commonest(const struct tally *tally)
{
	size_t best = 0;

	for (size_t i = 1; i < tally->count; i++)
		if (tally->results[i].times > tally->results[best].times)
			best = i;
	return tally->results[best].reading;
}

/* The usual cost of a run of @operation, readings included. */
static int measure(void (*operation)(void *), void *context, int64_t switches,
		   bool (*accept)(void *), struct meter_reading *common)
{
	struct meter_reading before, after;
	struct tally tally = { .count = 0 };
	int counted = 0;

	for (int run = 0; run < RUNS_MAX && counted < RUNS; run++) {
		if (!take_reading(&before))
			return -1;
		uint64_t start = isa_read_timestamp();
		operation(context);
		uint64_t ticks = isa_read_timestamp() - start;
		if (!take_reading(&after))
			return -1;
		bool accepted = accept == NULL || accept(context);
		if (!accepted || after.switches - before.switches != switches)
			continue;
		counted++;
		after.user -= before.user;
		after.kernel -= before.kernel;
		after.all = counts_all ? (int64_t)ticks : 0;
		tally_add(&tally, &after);
	}
	if (counted == 0)
		return -1;
	*common = tally_commonest(&tally);
	return 0;
}

int meter_cost(void (*operation)(void *), void *context, int64_t switches, bool (*accept)(void *),
	       struct meter_reading *cost)
{
	struct meter_reading empty;

	/* The operation first: the tasks it needs may not live long. */
	if (measure(operation, context, switches, accept, cost) != 0 ||
	    measure(do_nothing, NULL, 0, NULL, &empty) != 0)
		return -1;
	cost->user -= empty.user;
	cost->kernel -= empty.kernel;
	cost->all -= empty.all;
	return 0;
}

uint64_t meter_timestamp(void)
{
	return isa_read_timestamp();
}
