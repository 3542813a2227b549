// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench - what the kernel's ways to the counters cost, in instructions, measured by the counters.
 *
 *     bench
 *
 * Prints one figure a line, "NAME VALUE"; a name ends in :u for instructions at user level and in
 * :k for those in the kernel. What could not be measured is a line that begins with '#' and says
 * why. The same static executable runs on Linux and on Tally, so that the figures can be compared.
 *
 *     null_syscall       getppid()
 *     read_event         read() of one event on a counter
 *     self_read          the same through the mapped page (libperf)
 *     enable_disable     two ioctl() that start and stop one event
 *     open_close         perf_event_open() and close() of one event
 *     switch_pair_N      two context switches, there and back by sched_yield(), when both tasks
 *                        have N events; the two calls are included
 *     sample_counted     one sample, as the counters see it: the kernel stops them while it writes
 *     sample             one sample, by the time stamp, where that counts instructions (the
 *                        emulator with -icount shift=0); :u and :k cannot be told apart
 *
 * Exit status: 0 every figure could be measured or explained; 1 a measurement failed; 2 wrong use;
 * 3 there is no PMU, or no right to count a whole CPU.
 */
#include "meter.h"

#include <isa.h>
#include <perf_ring.h>
#include <perf_self.h>
#include <spin.h>

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum exit_status { EXIT_MEASURED, EXIT_FAILED, EXIT_USAGE, EXIT_NO_PMU };

/* Events for tasks to have; none is the meter's, and the first two need no general counter. */
static const uint64_t task_events[] = { PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_REF_CPU_CYCLES,
					PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
					PERF_COUNT_HW_BRANCH_INSTRUCTIONS };

static struct perf_event_attr count_user(uint64_t config)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.config = config,
		.size = sizeof(struct perf_event_attr),
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

static void call_nothing(void *context)
{
	(void)context;
	syscall(__NR_getppid);
}

static void read_event(void *context)
{
	const struct perf_self *event = context;
	uint64_t words[3];

	if (read(event->fd, words, sizeof(words)) < 0)
		perror("bench: read");
}

static void self_read(void *context)
{
	uint64_t value;

	perf_self_read_value(context, &value);
}

static void enable_disable(void *context)
{
	const struct perf_self *event = context;

	ioctl(event->fd, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(event->fd, PERF_EVENT_IOC_DISABLE, 0);
}

static void open_close(void *context)
{
	close((int)syscall(__NR_perf_event_open, context, 0, -1, -1, 0ul));
}

static void yield(void *context)
{
	(void)context;
	sched_yield();
}

static int print_cost(const char *name, int failed, const struct meter_reading *cost)
{
	if (failed) {
		printf("# %s: no run could be measured\n", name);
		return -1;
	}
	printf("%s:u %" PRId64 "\n%s:k %" PRId64 "\n", name, cost->user, name, cost->kernel);
	fflush(stdout);
	return 0;
}

static int bench_plain(const char *name, void (*operation)(void *), void *context)
{
	struct meter_reading cost;
	int failed = meter_cost(operation, context, 0, NULL, &cost);

	return print_cost(name, failed, &cost);
}

static int bench_one_event(void)
{
	struct perf_event_attr attr = count_user(PERF_COUNT_HW_CPU_CYCLES);
	struct perf_self event;
	int failures = 0;

	if (perf_self_open(&event, &attr, NULL) != 0) {
		printf("# cycles:u cannot be opened: %s\n", strerror(errno));
		return 1;
	}
	failures += bench_plain("read_event", read_event, &event) != 0;
	if (perf_self_reads_directly(&event))
		failures += bench_plain("self_read", self_read, &event) != 0;
	else
		printf("# self_read: the page does not allow rdpmc\n");
	perf_self_disable(&event);
	failures += bench_plain("enable_disable", enable_disable, &event) != 0;
	perf_self_close(&event);

	attr = count_user(PERF_COUNT_HW_CPU_CYCLES);
	failures += bench_plain("open_close", open_close, &attr) != 0;
	return failures;
}

/* Yields of the other task: enough for every run that the meter tries. */
#define PARTNER_YIELDS 20000

static int open_events(struct perf_self *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct perf_event_attr attr = count_user(task_events[i]);

		if (perf_self_open(&events[i], &attr, NULL) != 0) {
			while (i-- > 0)
				perf_self_close(&events[i]);
			return -1;
		}
	}
	return 0;
}

static int bench_switch(size_t events_each)
{
	struct perf_self events[sizeof(task_events) / sizeof(task_events[0])];
	struct meter_reading cost;
	char name[32];

	snprintf(name, sizeof(name), "switch_pair_%zu", events_each);
	fflush(stdout);
	pid_t partner = fork();
	if (partner == 0) {
		if (open_events(events, events_each) != 0)
			_exit(EXIT_FAILED);
		spin_yields(PARTNER_YIELDS, NULL);
		_exit(EXIT_MEASURED);
	}
	if (partner < 0 || open_events(events, events_each) != 0) {
		printf("# %s: cannot fork or open: %s\n", name, strerror(errno));
		return 1;
	}
	/* The partner's start-up is over once it has yielded back. */
	for (int i = 0; i < 10; i++)
		sched_yield();
	int failed = meter_cost(yield, NULL, 2, NULL, &cost);
	for (size_t i = 0; i < events_each; i++)
		perf_self_close(&events[i]);

	int status = 0;
	waitpid(partner, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_MEASURED) {
		printf("# %s: the other task could not open its events\n", name);
		return 1;
	}
	return print_cost(name, failed, &cost) != 0;
}

/* spin_loop(n) retires 2n + 1 instructions: one sample, or now and then two. */
#define SAMPLE_PERIOD 10000
#define SAMPLE_LOOPS  (SAMPLE_PERIOD / 2)

struct sampler {
	struct perf_ring ring;
	uint64_t head;	/* data_head when the last run was judged */
	uint64_t loops; /* of a run */
	uint64_t ticks; /* that it took */
};

static void run_period(void *context)
{
	struct sampler *sampler = context;

	uint64_t start = isa_read_timestamp();
	spin_loop(sampler->loops, NULL);
	sampler->ticks = isa_read_timestamp() - start;
}

/* Bytes of a record with PERF_SAMPLE_IP alone. */
#define SAMPLE_BYTES (sizeof(struct perf_event_header) + sizeof(uint64_t))

static uint64_t samples_of_run(struct sampler *sampler)
{
	uint64_t head = __atomic_load_n(&sampler->ring.page->data_head, __ATOMIC_ACQUIRE);
	uint64_t bytes = head - sampler->head;

	sampler->head = head;
	sampler->ring.page->data_tail = head;
	return bytes / SAMPLE_BYTES;
}

static bool took_one_sample(void *context)
{
	return samples_of_run(context) == 1;
}

static bool took_no_sample(void *context)
{
	return samples_of_run(context) == 0;
}

#define TIMED_RUNS 400

static uint64_t least_ticks(struct sampler *sampler, bool (*accept)(void *))
{
	uint64_t least = UINT64_MAX;

	for (int run = 0; run < TIMED_RUNS; run++) {
		run_period(sampler);
		if (accept(sampler) && sampler->ticks < least)
			least = sampler->ticks;
	}
	return least;
}

static int bench_sample(void)
{
	struct perf_event_attr attr = count_user(PERF_COUNT_HW_INSTRUCTIONS);
	struct sampler sampler = { .loops = SAMPLE_LOOPS };
	struct meter_reading with, without;

	attr.sample_period = SAMPLE_PERIOD;
	attr.sample_type = PERF_SAMPLE_IP;
	if (perf_ring_open(&sampler.ring, &attr, 8) != 0) {
		printf("# sample: cannot be opened: %s\n", strerror(errno));
		return 1;
	}
	int failed = meter_cost(run_period, &sampler, 0, took_one_sample, &with);
	uint64_t ticks_with = least_ticks(&sampler, took_one_sample);

	ioctl(sampler.ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	samples_of_run(&sampler);
	failed |= meter_cost(run_period, &sampler, 0, took_no_sample, &without);
	uint64_t ticks_without = least_ticks(&sampler, took_no_sample);
	/* What lies between the two time stamps besides the loop is the same for twice the loop. */
	sampler.loops = 2 * SAMPLE_LOOPS;
	uint64_t ticks_of_loops = least_ticks(&sampler, took_no_sample) - ticks_without;
	perf_ring_close(&sampler.ring);

	with.user -= without.user;
	with.kernel -= without.kernel;
	if (print_cost("sample_counted", failed, &with) != 0)
		return 1;
	if (ticks_of_loops != 2 * SAMPLE_LOOPS)
		printf("# sample: the time stamp does not count instructions (%" PRIu64
		       " for %d); run with -icount shift=0\n",
		       ticks_of_loops, 2 * SAMPLE_LOOPS);
	else
		printf("sample %" PRIu64 "\n", ticks_with - ticks_without);
	return 0;
}

int main(int argc, char **argv)
{
	int failures = 0;

	if (argc != 1) {
		fprintf(stderr, "bench: unexpected '%s'; usage: bench\n", argv[1]);
		return EXIT_USAGE;
	}
	if (meter_open() != 0) {
		printf("# instructions of a whole CPU cannot be counted: %s\n", strerror(errno));
		return EXIT_NO_PMU;
	}
	failures += bench_plain("null_syscall", call_nothing, NULL) != 0;
	failures += bench_one_event();
	failures += bench_switch(0);
	failures += bench_switch(1);
	failures += bench_switch(4);
	failures += bench_sample();
	return failures == 0 ? EXIT_MEASURED : EXIT_FAILED;
}
