// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of a storm: an event with a period of 1 on every CPU, of user and kernel mode, so that each
 * instruction asks for an interrupt.
 *
 *	storm [COMMAND ARGUMENTS...]
 *
 * The COMMAND, or else some children, must come to an end in it: samples are throttled, and everything
 * goes on between.
 */
#include "child.h"

#include <fcntl.h>
#include <signal.h>

#include "perf_ring.h"

#define CPUS	 64
#define CHILDREN 20
#define PAGES	 8
#define LOOPS	 1000
#define LIMIT	 "1000"

static char **command;
static struct perf_ring rings[CPUS];

static void raise_storm(void)
{
	struct perf_event_attr attr = user_attr(INSTRUCTIONS);

	attr.exclude_kernel = 0;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.disabled = 0;
	for (int cpu = 0; cpu < cpu_count(); cpu++)
		EXPECT_EQ_AT(perf_ring_open_on(&rings[cpu], &attr, -1, cpu, PAGES), 0, "cpu %d",
			     cpu);
}

static void run_command(void)
{
	pid_t child = fork();

	if (child == 0) {
		execv(command[0], command);
		_exit(127);
	}
	EXPECT_EQ(child_wait(child), 0);
}

static void check_responsive(void)
{
	raise_storm();
	if (command) {
		run_command();
		return;
	}
	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(i);
		EXPECT_EQ_AT(child_wait(child), i << 8, "child %d", i);
	}
}

static void limit_samples(const char *per_second)
{
	int fd = open("/proc/sys/kernel/perf_event_max_sample_rate", O_WRONLY);

	EXPECT_EQ(write(fd, per_second, strlen(per_second)), strlen(per_second));
	close(fd);
}

/* With the limit of LIMIT a second, 4 in a tick, it comes however slow the host is: at the usual one, 400
 * interrupts may take more than a tick. */
static void check_throttled(void)
{
	const struct spin_work *loop = spin_find_work("loop");
	struct perf_event_header record;

	limit_samples(LIMIT);
	for (int cpu = 0; cpu < cpu_count(); cpu++)
		while (perf_ring_next(&rings[cpu], &record, sizeof(record)) > 0)
			;
	for (int cpu = 0; cpu < cpu_count(); cpu++) {
		unsigned int throttled = 0, samples = 0;

		pin(0, cpu);
		/* An event that is throttled when this begins goes on at a tick. The host decides at
		 * which: it may have let one interrupt take the time of many. If it never does, the
		 * machine's time is up. */
		while (!samples || !throttled) {
			loop->run(LOOPS, NULL);
			while (perf_ring_next(&rings[cpu], &record, sizeof(record)) > 0) {
				throttled += record.type == PERF_RECORD_THROTTLE;
				samples += record.type == PERF_RECORD_SAMPLE;
			}
		}
	}
	pin(0, -1);
}

static void check_calm(void)
{
	struct perf_event_attr attr = timed_attr(INSTRUCTIONS);
	const struct spin_work *loop = spin_find_work("loop");

	for (int cpu = 0; cpu < cpu_count(); cpu++)
		perf_ring_close(&rings[cpu]);
	int fd = must_open(&attr, 0, -1, -1);

	run_enabled(fd, loop, LOOPS, NULL);
	EXPECT_EQ(read_event(fd).value, derive_window(INSTRUCTIONS, loop, LOOPS));
	close(fd);
}

static const struct tap_rule rules[] = {
	{ "with a period of 1 on every CPU, programs are started and come to an end",
	  check_responsive },
	{ "each event of the storm is throttled", check_throttled },
	{ "after the storm counts are exact", check_calm },
};

int main(int argc, char **argv)
{
	command = argc > 1 ? argv + 1 : NULL;
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
