// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench - the costs of the kernel's paths, those to the counters first, in instructions, measured by the counters.
 *
 *     bench [--only PATH]
 *     bench --perfctr       costs by perfctr beside those by perf_event (perfctr.c); needs -icount
 *
 * Prints one figure a line, "NAME VALUE"; a name ends in :u for instructions at user level, in :k
 * for those in the kernel that the counters see, and in :all for all of them. The difference is what
 * a kernel executes while it has stopped the counters, to change them or to write a sample; only the
 * time stamp sees that, and only in the emulator with -icount shift=0, which makes it count
 * instructions (and each pass of a rep instruction as one more). A path that could not be measured is a
 * line that begins with '#' and says why. The same static executable runs on Linux and on Tally, so
 * that the figures can be compared.
 *
 *     null_syscall       getppid()
 *     read_event         read() of one event on a counter
 *     self_read          the same through the mapped page (libperf)
 *     enable_disable     two ioctl() that start and stop one event
 *     open_close         perf_event_open() and close() of one event
 *     switch_pair_N      two context switches, there and back by sched_yield(), when both tasks
 *                        have N events; the two calls are included
 *     switch_open_N      the same, when both have N more events open than find a counter: every
 *                        other one is switched off, the rest wait
 *     switch_elsewhere   the same with 8 events, when both have 15 more for each of the machine's other CPUs
 *     switch_inherited_N the same, between two children of a task that has N events, which they inherited
 *     sample             one sample with its address, task and time, taken by the counter's interrupt
 *     pipe_round         a byte to another process through a pipe, and one back
 *     socket_round       the same through a pair of Unix sockets
 *     futex_round        FUTEX_WAKE of another process, which wakes this one
 *     page_fault         the first touch of a page of anonymous memory
 *     signal             kill() of oneself, the handler, and the return from it
 *     fork_exit_wait     fork(), the child's _exit(), waitpid()
 *     exec               execve() of this program, whose start and end are in it
 *
 * Exit status: 0 every figure could be measured or explained; 1 a measurement failed; 2 wrong use;
 * 3 there is no PMU, or no right to count a whole CPU.
 */
#include "bench.h"

#include <perf_ring.h>
#include <perf_self.h>
#include <spin.h>

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Events for tasks to have. None is the meter's, which needs a general counter, and the first two
 * need none. */
static const uint64_t task_events[] = {
	PERF_COUNT_HW_CPU_CYCLES,	   PERF_COUNT_HW_REF_CPU_CYCLES,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
};

#define TASK_EVENTS	 (sizeof(task_events) / sizeof(task_events[0]))

/* More events of a task: as many as there are descriptors. */
#define MORE_EVENTS_MAX	 1000
/* The number of these for each CPU where the tasks are not: 945 in all where there are 64. */
#define ELSEWHERE_EVENTS 15

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
	static uint64_t value;

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

int bench_explain(const char *name, const char *what)
{
	printf("# %s: %s: %s\n", name, what, strerror(errno));
	return 1;
}

int bench_print(const char *name, int failed, const struct meter_reading *cost)
{
	if (failed) {
		printf("# %s: no run could be measured\n", name);
		return -1;
	}
	printf("%s:u %" PRId64 "\n%s:k %" PRId64 "\n", name, cost->user, name, cost->kernel);
	if (meter_counts_all())
		printf("%s:all %" PRId64 "\n", name, cost->all);
	fflush(stdout);
	return 0;
}

static const char *only;

bool bench_selects(const char *name)
{
	return !only || strcmp(only, name) == 0;
}

int bench_plain(const char *name, void (*operation)(void *), void *context)
{
	struct meter_reading cost;
	if (!bench_selects(name))
		return 0;
	int failed = meter_cost(operation, context, 0, NULL, &cost);

	return bench_print(name, failed, &cost);
}

static int bench_one_event(void)
{
	struct perf_event_attr attr = count_user(PERF_COUNT_HW_CPU_CYCLES);
	struct perf_self event;
	int failures = 0;

	if (perf_self_open(&event, &attr, NULL) != 0)
		return bench_explain("read_event", "cycles:u cannot be opened");
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

/* Memory that both tasks of a switch see. */
struct shared {
	uint32_t passes; /* of the partner's loop */
	uint32_t stop;
};

struct progress {
	struct shared *shared;
	uint32_t passes; /* when the last run was judged */
};

static void yield(void *context)
{
	(void)context;
	sched_yield();
}

/* Did the partner do one pass, not less (it was somewhere in the kernel) and not more? */
static bool partner_passed_once(void *context)
{
	struct progress *progress = context;
	uint32_t before = progress->passes;

	progress->passes = __atomic_load_n(&progress->shared->passes, __ATOMIC_RELAXED);
	return progress->passes - before == 1;
}

static void pass_until_stopped(struct shared *shared)
{
	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
		__atomic_store_n(&shared->passes, shared->passes + 1, __ATOMIC_RELAXED);
		sched_yield();
	}
}

/* The events of one task of a pair. */
struct load {
	struct perf_self events[TASK_EVENTS];
	size_t count; /* of those */
	int more[MORE_EVENTS_MAX];
	size_t more_count;
};

static void close_load(struct load *load)
{
	while (load->more_count > 0)
		close(load->more[--load->more_count]);
	while (load->count > 0)
		perf_self_close(&load->events[--load->count]);
}

struct switching {
	const char *name;
	size_t events, more; /* of each task */
	bool inherited;	     /* both have them from the process that made them */
	bool elsewhere;	     /* ELSEWHERE_EVENTS for each CPU but this one */
};

/* One event more, for this task on CPU (-1: on any). */
static bool open_more(struct load *load, int cpu, bool disabled)
{
	struct perf_event_attr attr = count_user(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);

	attr.disabled = disabled;
	if (load->more_count == MORE_EVENTS_MAX)
		return false;
	int fd = (int)syscall(__NR_perf_event_open, &attr, 0, cpu, -1, 0ul);
	if (fd >= 0)
		load->more[load->more_count++] = fd;
	return fd >= 0;
}

/* Opens the events that KIND asks for. 0, or -1 and nothing is open. */
static int open_load(struct load *load, const struct switching *kind)
{
	int cpus = kind->elsewhere ? (int)sysconf(_SC_NPROCESSORS_ONLN) : 0;

	load->count = load->more_count = 0;
	while (load->count < kind->events) {
		struct perf_event_attr attr = count_user(task_events[load->count]);

		attr.inherit = kind->inherited;
		if (perf_self_open(&load->events[load->count], &attr, NULL) != 0) {
			/* Not every AMD CPU has reference cycles. */
			attr.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
			if (perf_self_open(&load->events[load->count], &attr, NULL) != 0)
				goto failed;
		}
		load->count++;
	}
	while (load->more_count < kind->more)
		if (!open_more(load, -1, load->more_count % 2))
			goto failed;
	for (int cpu = 0; cpu < cpus; cpu++)
		for (int n = 0; cpu != sched_getcpu() && n < ELSEWHERE_EVENTS; n++)
			if (!open_more(load, cpu, false))
				goto failed;
	return 0;
failed:
	close_load(load);
	return -1;
}

/* The partner: its own events, then passes until the stop. Does not return. */
static void be_partner(struct shared *shared, const struct switching *kind)
{
	static struct load load;

	if (!kind->inherited && open_load(&load, kind) != 0)
		_exit(EXIT_FAILED);
	pass_until_stopped(shared);
	_exit(EXIT_MEASURED);
}

static pid_t start_partner(struct shared *shared, const struct switching *kind)
{
	fflush(stdout);
	pid_t partner = fork();

	if (partner == 0)
		be_partner(shared, kind);
	return partner;
}

/* Measures and prints the cost of a switch to the partner and back. Returns how many failed. */
static int measure_switch(struct shared *shared, const struct switching *kind)
{
	struct progress progress = { .shared = shared, .passes = 0 };
	struct meter_reading cost;
	int failed = meter_cost(yield, &progress, 2, partner_passed_once, &cost);

	return bench_print(kind->name, failed, &cost) != 0;
}

/* From a process that has nothing of its own either. */
static int measure_as_child(struct shared *shared, const struct switching *kind)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(measure_switch(shared, kind) ? EXIT_FAILED : EXIT_MEASURED);
	return waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	       WEXITSTATUS(status) != EXIT_MEASURED;
}

static int bench_switch(const struct switching *kind)
{
	static struct load load;
	int failures = 1, status = 0;

	if (!bench_selects(kind->name))
		return 0;
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return bench_explain(kind->name, "no shared memory");
	/* Inherited events must exist before the partner, others only after it. */
	if (kind->inherited && open_load(&load, kind) != 0)
		return bench_explain(kind->name, "no events");
	pid_t partner = start_partner(shared, kind);
	if (partner < 0)
		return bench_explain(kind->name, "cannot fork");

	if (kind->inherited)
		failures = measure_as_child(shared, kind);
	else if (open_load(&load, kind) == 0)
		failures = measure_switch(shared, kind);
	close_load(&load);
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	waitpid(partner, &status, 0);
	munmap(shared, sizeof(*shared));
	if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_MEASURED)
		return bench_explain(kind->name, "the other task failed");
	return failures;
}

static const struct switching switches[] = {
	{ .name = "switch_pair_0" },
	{ .name = "switch_pair_1", .events = 1 },
	{ .name = "switch_pair_2", .events = 2 },
	{ .name = "switch_pair_4", .events = 4 },
	{ .name = "switch_pair_8", .events = 8 },
	{ .name = "switch_inherited_1", .events = 1, .inherited = true },
	{ .name = "switch_inherited_4", .events = 4, .inherited = true },
	{ .name = "switch_inherited_8", .events = 8, .inherited = true },
	{ .name = "switch_open_10", .events = 8, .more = 10 },
	{ .name = "switch_open_100", .events = 8, .more = 100 },
	{ .name = "switch_open_1000", .events = 8, .more = MORE_EVENTS_MAX },
	{ .name = "switch_elsewhere", .events = 8, .elsewhere = true },
};

/* spin_loop(n) retires 2n + 1 instructions: one sample, or now and then two. */
#define SAMPLE_PERIOD 10000
#define SAMPLE_LOOPS  (SAMPLE_PERIOD / 2)

struct sampler {
	struct perf_ring ring;
	uint64_t head; /* data_head when the last run was judged */
};

static void run_period(void *context)
{
	(void)context;
	spin_loop(SAMPLE_LOOPS, NULL);
}

/* The data of a sample, and the bytes of its record: each field is a word. */
#define SAMPLE_TYPE  (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
#define SAMPLE_BYTES (sizeof(struct perf_event_header) + 3 * sizeof(uint64_t))

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

static int bench_sample(void)
{
	struct perf_event_attr attr = count_user(PERF_COUNT_HW_INSTRUCTIONS);
	struct sampler sampler = { .head = 0 };
	struct meter_reading with, without;

	if (!bench_selects("sample"))
		return 0;
	attr.sample_period = SAMPLE_PERIOD;
	attr.sample_type = SAMPLE_TYPE;
	if (perf_ring_open(&sampler.ring, &attr, 8) != 0)
		return bench_explain("sample", "cannot be opened");
	int failed = meter_cost(run_period, &sampler, 0, took_one_sample, &with);
	ioctl(sampler.ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	samples_of_run(&sampler);
	failed |= meter_cost(run_period, &sampler, 0, took_no_sample, &without);
	perf_ring_close(&sampler.ring);

	with.user -= without.user;
	with.kernel -= without.kernel;
	with.all -= without.all;
	return bench_print("sample", failed, &with) != 0;
}

int main(int argc, char **argv)
{
	int failures = 0;

	if (argc == 2 && strcmp(argv[1], BENCH_NOTHING) == 0)
		return EXIT_MEASURED;
	if (argc == 2 && strcmp(argv[1], "--perfctr") == 0)
		return bench_perfctr() == 0 ? EXIT_MEASURED : EXIT_FAILED;
	if (argc == 3 && strcmp(argv[1], "--only") == 0) {
		only = argv[2];
	} else if (argc != 1) {
		fprintf(stderr, "bench: unexpected '%s'; usage: bench [--only PATH | --perfctr]\n",
			argv[1]);
		return EXIT_USAGE;
	}
	if (meter_open() != 0) {
		printf("# instructions of a whole CPU cannot be counted: %s\n", strerror(errno));
		return EXIT_NO_PMU;
	}
	if (!meter_counts_all())
		printf("# no figures ':all': the time stamp does not count instructions\n");
	failures += bench_plain("null_syscall", call_nothing, NULL) != 0;
	failures += bench_one_event();
	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		failures += bench_switch(&switches[i]);
	failures += bench_sample();
	failures += bench_calls(argv[0]);
	return failures == 0 ? EXIT_MEASURED : EXIT_FAILED;
}
