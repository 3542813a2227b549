/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu_counts: the EV67's two counters as a program finds them: exact counts over many wraps, and over every way into
 * the kernel; which events go together; turns of those that do not. Rules of both architectures
 * are in tests/boot/.
 *
 * After it prints "# type" it waits for interrupts of the serial line, until the next rule's result.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../boot/child.h"
#include "proc.h"
#include "traps.h"

#define RANGE	   (1ul << 20)
#define RAW_EVENTS 5 /* numbers 1 … 4: docs/alpha.md */

enum { CYCLES = 1, INSTRUCTIONS_RETIRED, BCACHE_MISSES, REPLAY_TRAPS };

/* HRM table 6-11: whether the counters have a row with both. */
static bool go_together(uint64_t a, uint64_t b)
{
	static const uint8_t rows[][2] = { { INSTRUCTIONS_RETIRED, CYCLES },
					   { INSTRUCTIONS_RETIRED, BCACHE_MISSES },
					   { CYCLES, REPLAY_TRAPS } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((rows[i][0] == a && rows[i][1] == b) || (rows[i][0] == b && rows[i][1] == a))
			return true;
	return false;
}

static struct perf_event_attr raw_attr(uint64_t event)
{
	return (struct perf_event_attr){ .type = PERF_TYPE_RAW,
					 .size = sizeof(struct perf_event_attr),
					 .config = event,
					 .read_format = FORMAT_TIMES,
					 .disabled = 1 };
}

/* --- exact counts --- */

/* Instructions and cycles, as a group, of WORK of size N. */
static void check_work(const struct spin_work *work, uint64_t n)
{
	void *memory = map_memory(work, n);
	struct perf_event_attr attr = user_attr(INSTRUCTIONS);
	uint64_t instructions = 0, cycles = 0;
	int leader = open_event(&attr, 0, -1, -1);

	attr = user_attr(GENERAL);
	attr.disabled = 0;
	int member = open_event(&attr, 0, -1, leader);

	EXPECT_AT(leader >= 0 && member >= 0, "%s", work->name);
	run_enabled(leader, work, n, memory);
	EXPECT_EQ(read(leader, &instructions, sizeof(instructions)), sizeof(instructions));
	EXPECT_EQ(read(member, &cycles, sizeof(cycles)), sizeof(cycles));
	EXPECT_EQ_AT(instructions, derive_window(INSTRUCTIONS, work, n), "%s, %" PRIu64, work->name,
		     n);
	EXPECT_EQ_AT(cycles, derive_window(GENERAL, work, n), "%s, %" PRIu64, work->name, n);
	close(member);
	close(leader);
	unmap_memory(work, n, memory);
}

/* 102 instructions a pass. */
static void wrap(unsigned int times, int number)
{
	uint64_t passes = times * RANGE / 102 + 1 + (uint64_t)number;

	EXPECT(spin_derive(spin_find_work("straight")->instructions, passes) >= times * RANGE);
	check_work(spin_find_work("straight"), passes);
}

static void wrap_often(int number)
{
	wrap(100, number);
}

static void check_wraps(void)
{
	children_run(cpu_count(), wrap_often);
}

static void wrap_and_yield(int number)
{
	for (unsigned int i = 0; i < 3; i++) {
		wrap(3, number);
		check_work(spin_find_work("yields"), 100);
		check_work(spin_find_work("syscalls"), 100 + (uint64_t)number);
		check_work(spin_find_work("touches"), 30);
	}
}

static void check_many_tasks(void)
{
	children_run(3 * cpu_count(), wrap_and_yield);
}

/* --- every way into the kernel --- */

static void check_traps(void)
{
	catch_traps();
	for (int cpu = 0; cpu < cpu_count(); cpu++) {
		run_on(cpu);
		for (int i = 0; i < TRAP_WORKS; i++)
			check_work(&traps[i], 50);
	}
}

/* The test types until this program has seen enough. */
#define DEVICE_INTERRUPTS 20
#define DEVICE_WINDOWS	  20000

static void check_device(void)
{
	uint64_t before = interrupts_of("ttyS0"), windows = 0;

	run_on(0);
	puts("# type");
	fflush(stdout);
	while (interrupts_of("ttyS0") < before + DEVICE_INTERRUPTS && windows++ < DEVICE_WINDOWS)
		check_work(spin_find_work("loop"), 100000);
	EXPECT_AT(interrupts_of("ttyS0") >= before + DEVICE_INTERRUPTS, "%" PRIu64 " windows",
		  windows);
}

/* --- what goes together --- */

static void check_pairs(void)
{
	for (uint64_t a = 1; a < RAW_EVENTS; a++) {
		for (uint64_t b = 1; b < RAW_EVENTS; b++) {
			struct perf_event_attr attr = raw_attr(a);
			int leader = must_open(&attr, 0, -1, -1);

			attr = raw_attr(b);
			attr.disabled = 0;
			int member = open_event(&attr, 0, -1, leader);
			EXPECT_EQ_AT(member < 0 ? errno : 0, go_together(a, b) ? 0 : EINVAL,
				     "events %" PRIu64 ", %" PRIu64, a, b);
			run_enabled(leader, spin_find_work("loop"), 1000, NULL);
			close(member);
			close(leader);
		}
	}
}

/* EVENT, of user mode where the PMU can count that. */
static struct perf_event_attr exact_attr(uint64_t event)
{
	struct perf_event_attr attr = raw_attr(event);

	attr.exclude_kernel = event == CYCLES || event == INSTRUCTIONS_RETIRED;
	return attr;
}

/* The count of FD, of EVENT, for a window with WORK of size N, for TIME_NS. */
static void check_reading(int fd, uint64_t event, uint64_t time_ns, const struct spin_work *work,
			  uint64_t n)
{
	struct reading reading = read_event(fd);

	EXPECT_EQ_AT(reading.enabled_ns, time_ns, "event %" PRIu64, event);
	EXPECT_EQ_AT(reading.running_ns, time_ns, "event %" PRIu64, event);
	if (event == CYCLES)
		EXPECT_EQ(reading.value, derive_window(GENERAL, work, n));
	if (event == INSTRUCTIONS_RETIRED)
		EXPECT_EQ(reading.value, derive_window(INSTRUCTIONS, work, n));
}

/* Both count all the time that they are enabled. */
static void check_pairs_count(void)
{
	const struct spin_work *work = spin_find_work("loop");

	for (uint64_t a = 1; a < RAW_EVENTS; a++) {
		for (uint64_t b = 1; b < RAW_EVENTS; b++) {
			if (!go_together(a, b))
				continue;
			struct perf_event_attr attr = exact_attr(a);
			int leader = must_open(&attr, 0, -1, -1);

			attr = exact_attr(b);
			attr.disabled = 0;
			int member = must_open(&attr, 0, -1, leader);
			run_enabled(leader, work, RANGE, NULL);
			uint64_t time_ns = read_event(leader).enabled_ns;
			check_reading(leader, a, time_ns, work, RANGE);
			check_reading(member, b, time_ns, work, RANGE);
			close(member);
			close(leader);
		}
	}
}

static const struct {
	const char *what;
	struct perf_event_attr attr;
	int error;
} refused[] = {
#define ATTR(type_, config_, ...)                                                         \
	{                                                                                 \
		.type = type_, .size = sizeof(struct perf_event_attr), .config = config_, \
		__VA_ARGS__                                                               \
	}
	{ "cache references", ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES), EPERM },
	{ "branches", ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS), EINVAL },
	{ "reference cycles", ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES), EINVAL },
	{ "a cache event", ATTR(PERF_TYPE_HW_CACHE, 0), EOPNOTSUPP },
	{ "raw event 0", ATTR(PERF_TYPE_RAW, 0), EINVAL },
	{ "raw event 5", ATTR(PERF_TYPE_RAW, 5), EINVAL },
	{ "the kernel alone", ATTR(PERF_TYPE_RAW, CYCLES, .exclude_user = 1), EINVAL },
	{ "without idle time", ATTR(PERF_TYPE_RAW, CYCLES, .exclude_idle = 1), EINVAL },
	{ "guests alone", ATTR(PERF_TYPE_RAW, CYCLES, .exclude_host = 1), EINVAL },
	{ "user mode's misses", ATTR(PERF_TYPE_RAW, BCACHE_MISSES, .exclude_kernel = 1), EINVAL },
	{ "user mode's replay traps", ATTR(PERF_TYPE_RAW, REPLAY_TRAPS, .exclude_kernel = 1),
	  EINVAL },
	{ "branch stacks",
	  ATTR(PERF_TYPE_RAW, CYCLES, .sample_period = 100, .sample_type = PERF_SAMPLE_BRANCH_STACK,
	       .branch_sample_type = PERF_SAMPLE_BRANCH_ANY),
	  EOPNOTSUPP },
#undef ATTR
};

static void check_refused(void)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		EXPECT_EQ_AT(open_event(&refused[i].attr, 0, -1, -1), -1, "%s", refused[i].what);
		EXPECT_EQ_AT(errno, refused[i].error, "%s", refused[i].what);
	}
}

static void check_three(void)
{
	struct perf_event_attr attr = raw_attr(INSTRUCTIONS_RETIRED);
	int leader = must_open(&attr, 0, -1, -1);

	attr = raw_attr(CYCLES);
	int member = must_open(&attr, 0, -1, leader);
	for (uint64_t third = 1; third < RAW_EVENTS; third++) {
		attr = raw_attr(third);
		attr.disabled = 0;
		int fd = open_event(&attr, 0, -1, leader);

		/* The second one is off and takes no counter: with the leader alone the third may go together. */
		EXPECT_EQ_AT(fd < 0 ? errno : 0,
			     go_together(INSTRUCTIONS_RETIRED, third) ? 0 : EINVAL,
			     "event %" PRIu64, third);
		if (fd >= 0)
			close(fd);
		control(member, PERF_EVENT_IOC_ENABLE, 0);
		EXPECT_EQ_AT(open_event(&attr, 0, -1, leader), -1, "event %" PRIu64, third);
		EXPECT_EQ_AT(errno, EINVAL, "event %" PRIu64, third);
		control(member, PERF_EVENT_IOC_DISABLE, 0);
	}
	close(member);
	close(leader);
}

/* --- turns --- */

/* Far more than the turns, of 4 ms, that it takes. */
#define LEGS_MAX 2000

/* Two events on a gated child: they count at the same time, or each while the other does not. */
static void check_rotation_of(uint64_t a, uint64_t b)
{
	pid_t pid = child_gate(leg_run, LEGS_MAX + 1);
	struct perf_event_attr attr = raw_attr(a);
	struct reading first, second;
	bool together = go_together(a, b), done;
	uint64_t legs = 0;

	attr.disabled = 0;
	int fds[] = { must_open(&attr, pid, -1, -1), -1 };
	attr.config = b;
	fds[1] = must_open(&attr, pid, -1, -1);
	do {
		child_step(pid);
		legs++;
		child_settle(fds[0]);
		first = read_event(fds[0]);
		second = read_event(fds[1]);
		done = together || (first.running_ns && second.running_ns);
	} while (!done && legs < LEGS_MAX);
	EXPECT_AT(done, "events %" PRIu64 ", %" PRIu64 ": no turn in %d legs", a, b, LEGS_MAX);
	EXPECT_EQ_AT(first.enabled_ns, second.enabled_ns, "events %" PRIu64 ", %" PRIu64, a, b);
	EXPECT_EQ_AT(first.running_ns + second.running_ns,
		     together ? 2 * first.enabled_ns : first.enabled_ns,
		     "events %" PRIu64 ", %" PRIu64, a, b);
	close(fds[0]);
	close(fds[1]);
	child_end(pid);
}

static void check_rotation(void)
{
	for (uint64_t a = 1; a < RAW_EVENTS; a++)
		for (uint64_t b = a; b < RAW_EVENTS; b++)
			check_rotation_of(a, b);
}

/* Events of user mode that cannot count at the same time: none of the child's instructions is lost, none counted
 * twice. */
static void check_shares_of(const struct kind *kind)
{
	pid_t pid = child_gate(leg_run, LEGS_MAX + 1);
	struct perf_event_attr attr = timed_attr(kind);
	struct reading readings[3], sum;
	bool turned;
	int fds[3];
	uint64_t legs = 0;

	attr.disabled = 0;
	for (int i = 0; i < 3; i++)
		fds[i] = must_open(&attr, pid, -1, -1);
	do {
		child_step(pid);
		legs++;
		child_settle(fds[0]);
		sum = (struct reading){ 0 };
		turned = true;
		for (int i = 0; i < 3; i++) {
			readings[i] = read_event(fds[i]);
			sum.value += readings[i].value;
			sum.running_ns += readings[i].running_ns;
			turned &= readings[i].running_ns > 0;
		}
	} while (!turned && legs < LEGS_MAX);
	EXPECT_AT(turned, "%s: a turn for everybody in %d legs", kind->name, LEGS_MAX);
	EXPECT_EQ_AT(sum.value, derive_legs(kind, legs), "%s, %" PRIu64 " legs", kind->name, legs);
	EXPECT_EQ_AT(sum.running_ns, readings[0].enabled_ns, "%s", kind->name);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ_AT(readings[i].enabled_ns, readings[0].enabled_ns, "%s", kind->name);
		close(fds[i]);
	}
	child_end(pid);
}

static void check_shares(void)
{
	check_shares_of(INSTRUCTIONS);
	check_shares_of(GENERAL);
}

static const struct tap_rule rules[] = {
	{ "instructions and cycles, together, are exact over 100 wraps of the counter, on all CPUs at once",
	  check_wraps },
	{ "... and beside others on the same CPU, with system calls, switches and page faults",
	  check_many_tasks },
	{ "... over every kind of exception, on every CPU", check_traps },
	{ "... and a device's interrupts", check_device },
	{ "each pair of events makes a group, or EINVAL", check_pairs },
	{ "a pair counts at the same time", check_pairs_count },
	{ "a group of three is refused, but for what is off", check_three },
	{ "what the counters do not have is refused, with Linux's error", check_refused },
	{ "events that do not go together rotate: their times add up to all of it",
	  check_rotation },
	{ "... and together they count each instruction of user mode once", check_shares },
};

TAP_MAIN(rules)
