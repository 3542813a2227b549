// SPDX-License-Identifier: BSD-2-Clause
/*
 * meter.c - a group of three events on one CPU, read before and after what is to be measured.
 */
#include "meter.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define METER_CPU 0
#define RUNS	  400
#define RUNS_MAX  20000 /* tried, when few of them count */

static int leader_fd = -1;

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
	return 0;
}

static bool take_reading(struct meter_reading *reading)
{
	struct group_values group;

	if (read(leader_fd, &group, sizeof(group)) != (ssize_t)sizeof(group) || group.count != 3)
		return false;
	*reading = (struct meter_reading){ (int64_t)group.values[0], (int64_t)group.values[1],
					   (int64_t)group.values[2] };
	return true;
}

static void do_nothing(void *context)
{
	(void)context;
}

static void keep_least(int64_t *least, int64_t value)
{
	if (value < *least)
		*least = value;
}

/* The least that a run of @operation takes, readings included. */
static int measure(void (*operation)(void *), void *context, int64_t switches,
		   bool (*accept)(void *), struct meter_reading *least)
{
	struct meter_reading before, after;
	int counted = 0;

	*least = (struct meter_reading){ INT64_MAX, INT64_MAX, switches };
	for (int run = 0; run < RUNS_MAX && counted < RUNS; run++) {
		if (!take_reading(&before))
			return -1;
		operation(context);
		if (!take_reading(&after))
			return -1;
		bool accepted = accept == NULL || accept(context);
		if (!accepted || after.switches - before.switches != switches)
			continue;
		counted++;
		keep_least(&least->user, after.user - before.user);
		keep_least(&least->kernel, after.kernel - before.kernel);
	}
	return counted > 0 ? 0 : -1;
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
	return 0;
}
