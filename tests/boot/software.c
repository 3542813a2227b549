// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the events that the kernel counts itself: page faults, context switches, migrations, the
 * two clocks, and those that never happen; and of groups in which they stand beside hardware
 * events, as members and as leaders.
 */
#include "child.h"

#include <sys/resource.h>
#include <time.h>

/* --- page faults --- */

static void touch(int fd, uint64_t pages, char *memory)
{
	run_enabled(fd, spin_find_work("touches"), pages, memory);
}

static char *map_pages(uint64_t pages)
{
	char *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	EXPECT(memory != MAP_FAILED);
	return memory;
}

/* All kinds of faults as a group, of which user mode makes as many as it touches pages. */
enum { FAULTS, FAULTS_MINOR, FAULTS_MAJOR, FAULT_KINDS };

struct fault_counts {
	uint64_t count, values[FAULT_KINDS];
};

static int open_faults(int *fds)
{
	static const uint64_t configs[FAULT_KINDS] = {
		PERF_COUNT_SW_PAGE_FAULTS,
		PERF_COUNT_SW_PAGE_FAULTS_MIN,
		PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	};

	for (int i = 0; i < FAULT_KINDS; i++) {
		struct perf_event_attr attr = software_attr(configs[i]);

		attr.read_format = PERF_FORMAT_GROUP;
		attr.disabled = i == 0;
		attr.exclude_kernel = 1;
		fds[i] = must_open(&attr, 0, -1, i ? fds[0] : -1);
	}
	return fds[0];
}

static void expect_faults(int fd, uint64_t expected, const char *where)
{
	struct fault_counts counts = { 0 };

	EXPECT_EQ(read(fd, &counts, sizeof(counts)), sizeof(counts));
	EXPECT_EQ(counts.count, FAULT_KINDS);
	EXPECT_EQ_AT(counts.values[FAULTS], expected, "%s", where);
	EXPECT_EQ_AT(counts.values[FAULTS_MINOR], expected, "%s", where);
	EXPECT_EQ_AT(counts.values[FAULTS_MAJOR], 0, "%s", where);
	control(fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
}

#define PAGES 50

static void check_faults(void)
{
	int fds[FAULT_KINDS], fd = open_faults(fds);
	char *memory = map_pages(PAGES);

	/* The window's own code and stack have been touched before. */
	touch(fd, 1, memory);
	control(fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	touch(fd, PAGES, memory);
	expect_faults(fd, PAGES - 1, "one was there already");
	touch(fd, PAGES, memory);
	expect_faults(fd, 0, "all were there");
	EXPECT_EQ(munmap(memory + PAGE, PAGE), 0);
	EXPECT_EQ(mmap(memory + PAGE, PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
		  memory + PAGE);
	touch(fd, PAGES, memory);
	expect_faults(fd, 1, "one was mapped anew");
	munmap(memory, PAGES * PAGE);
	for (int i = 0; i < FAULT_KINDS; i++)
		close(fds[i]);
}

/* After fork, the first write copies each page, which is a fault of the task that writes first. */
static void check_copies(void)
{
	int fds[FAULT_KINDS], fd = open_faults(fds);
	char *memory = map_pages(PAGES);

	touch(fd, PAGES, memory);
	pid_t pid = child_gate(spin_loop, 1);
	/* The pages that the window itself needs are copied first. */
	touch(fd, 1, memory);
	control(fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	touch(fd, PAGES, memory);
	expect_faults(fd, PAGES - 1, "copied on write");
	child_end(pid);
	munmap(memory, PAGES * PAGE);
	for (int i = 0; i < FAULT_KINDS; i++)
		close(fds[i]);
}

/* Reads do not fault in what is there, nor do system calls count where the kernel is excluded. */
static void check_faults_of_kernel(void)
{
	struct perf_event_attr attr = software_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fds[2], ends[2];
	char *memory = map_pages(2), byte = 0;

	EXPECT_EQ(pipe(ends), 0);
	fds[0] = must_open(&attr, 0, -1, -1);
	attr.exclude_kernel = 1;
	fds[1] = must_open(&attr, 0, -1, -1);
	EXPECT_EQ(write(ends[1], &byte, 1), 1);
	control(fds[1], PERF_EVENT_IOC_ENABLE, 0);
	control(fds[0], PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_EQ(read(ends[0], memory, 1),
		  1); /* the kernel writes into a page that is not there */
	control(fds[0], PERF_EVENT_IOC_DISABLE, 0);
	control(fds[1], PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(read_event(fds[0]).value, 1);
	EXPECT_EQ(read_event(fds[1]).value, 0);
	for (int i = 0; i < 2; i++) {
		close(fds[i]);
		close(ends[i]);
	}
	munmap(memory, 2 * PAGE);
}

/* --- switches and migrations --- */

static void check_switches(void)
{
	struct perf_event_attr attr = software_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);
	bool alone = runs_tally() && cpu_count() > 1;
	struct rusage before, after;

	attr.disabled = 0;
	run_on(0);
	pid_t pid = child_gate(leg_run, 4);
	pin(pid, cpu_count() - 1);
	int fd = must_open(&attr, pid, -1, -1);
	child_settle(fd);
	control(fd, PERF_EVENT_IOC_RESET, 0);
	for (uint64_t leg = 1; leg <= 3; leg++) {
		child_step(pid);
		uint64_t switches = child_settle(fd).value;

		EXPECT_AT(switches >= leg, "leg %" PRIu64, leg);
		if (alone)
			EXPECT_EQ_AT(switches, leg, "leg %" PRIu64, leg);
	}
	if (!alone)
		printf("# the child may have had to share its CPU: %s\n",
		       cpu_count() == 1 ? "there is only one" : "with threads of Linux's");
	close(fd);
	child_end(pid);

	/* The caller's own context switches are those of getrusage: one for a sleep, unless its time is
	 * over before it could begin. On Linux others may come between the two ways of asking. */
	attr.disabled = 1;
	fd = must_open(&attr, 0, -1, -1);
	for (int i = 0; i < 10; i++) {
		const struct timespec pause = { 0, 1000000 };

		EXPECT_EQ(getrusage(RUSAGE_SELF, &before), 0);
		control(fd, PERF_EVENT_IOC_RESET, 0);
		control(fd, PERF_EVENT_IOC_ENABLE, 0);
		nanosleep(&pause, NULL);
		control(fd, PERF_EVENT_IOC_DISABLE, 0);
		EXPECT_EQ(getrusage(RUSAGE_SELF, &after), 0);
		uint64_t switches = (uint64_t)(after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw -
					       before.ru_nivcsw);
		uint64_t counted = read_event(fd).value;
		EXPECT_AT(counted <= switches, "%" PRIu64 " of %" PRIu64, counted, switches);
		if (runs_tally())
			EXPECT_EQ_AT(counted, switches, "sleep %d", i);
	}
	close(fd);
	pin(0, -1);
}

static void check_migrations(void)
{
	struct perf_event_attr attr = software_attr(PERF_COUNT_SW_CPU_MIGRATIONS);
	int cpus = cpu_count();

	run_on(0);
	int fd = must_open(&attr, 0, -1, -1);
	control(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 1; i <= 20; i++) {
		run_on(i % cpus);
		run_on(i % cpus);
		EXPECT_EQ_AT(read_event(fd).value, cpus == 1 ? 0 : i, "move %d, %d CPUs", i, cpus);
	}
	close(fd);
	pin(0, -1);
}

/* --- clocks --- */

static uint64_t now_ns(void)
{
	struct timespec now;

	EXPECT_EQ(clock_gettime(CLOCK_MONOTONIC, &now), 0);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A task's clocks run while it runs: not longer than the world's, and not at all while it is
 * stopped. */
static void check_clocks(void)
{
	static const uint64_t configs[] = { PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_CPU_CLOCK };

	for (int i = 0; i < 2; i++) {
		struct perf_event_attr attr = software_attr(configs[i]);
		pid_t pid = child_gate(leg_run, 3);

		attr.disabled = 0;
		uint64_t start_ns = now_ns();
		int fd = must_open(&attr, pid, -1, -1);
		child_step(pid);
		struct reading first = child_settle(fd);
		uint64_t end_ns = now_ns();
		EXPECT_AT(first.value > 0 && first.value <= end_ns - start_ns,
			  "clock %d: %" PRIu64 " of %" PRIu64, i, first.value, end_ns - start_ns);
		EXPECT_EQ(first.running_ns, first.enabled_ns);
		if (runs_tally())
			EXPECT_EQ_AT(first.value, first.running_ns, "clock %d", i);
		spin_loop(100000, NULL);
		EXPECT_EQ_AT(read_event(fd).value, first.value, "clock %d, stopped", i);
		close(fd);
		child_end(pid);
	}
}

/* A CPU's clock runs all the time; its tasks' clocks share it. */
static void check_clock_shares(void)
{
	struct perf_event_attr attr = software_attr(PERF_COUNT_SW_TASK_CLOCK);
	pid_t pids[3];
	int cpu = cpu_count() - 1, fds[3];
	uint64_t sum = 0;

	for (int i = 0; i < 3; i++) {
		pids[i] = child_gate(leg_run, 2);
		pin(pids[i], cpu);
		fds[i] = must_open(&attr, pids[i], -1, -1);
		control(fds[i], PERF_EVENT_IOC_ENABLE, 0);
		/* The CPU's clock does not count what is left of the child's stop. */
		child_settle(fds[i]);
		control(fds[i], PERF_EVENT_IOC_RESET, 0);
	}
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.disabled = 0;
	int cpu_fd = must_open(&attr, -1, cpu, -1);
	for (int i = 0; i < 3; i++)
		child_continue(pids[i]);
	for (int i = 0; i < 3; i++)
		child_wait_stopped(pids[i]);
	for (int i = 0; i < 3; i++) {
		control(fds[i], PERF_EVENT_IOC_DISABLE, 0);
		uint64_t share = read_event(fds[i]).value;

		EXPECT_AT(share > 0, "task %d", i);
		sum += share;
		close(fds[i]);
		child_end(pids[i]);
	}
	struct reading whole = read_event(cpu_fd);
	EXPECT_AT(sum <= whole.value, "%" PRIu64 " of %" PRIu64, sum, whole.value);
	EXPECT_EQ(whole.running_ns, whole.enabled_ns);
	close(cpu_fd);
}

/* --- events that never happen --- */

static void check_nothing(void)
{
	static const uint64_t configs[] = {
		PERF_COUNT_SW_DUMMY,
		PERF_COUNT_SW_ALIGNMENT_FAULTS,
		PERF_COUNT_SW_EMULATION_FAULTS,
		PERF_COUNT_SW_BPF_OUTPUT,
	};

	for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		struct perf_event_attr attr = software_attr(configs[i]);
		char *memory = map_pages(10);
		int fd = must_open(&attr, 0, -1, -1);

		touch(fd, 10, memory);
		struct reading reading = read_event(fd);
		EXPECT_EQ_AT(reading.value, 0, "event %" PRIu64, configs[i]);
		EXPECT_AT(reading.enabled_ns > 0, "event %" PRIu64, configs[i]);
		EXPECT_EQ_AT(reading.running_ns, reading.enabled_ns, "event %" PRIu64, configs[i]);
		close(fd);
		munmap(memory, 10 * PAGE);
	}
}

/* --- beside hardware events --- */

struct mixed_counts {
	uint64_t count, enabled_ns, running_ns, values[3];
};

/* Members 0 to 2, of which the first leads: instructions, branches and faults, in the order given. */
static void check_mixed_order(const int order[3])
{
	const struct spin_work *work = spin_find_work("touches");
	const uint64_t expected[3] = {
		derive_window(INSTRUCTIONS, work, PAGES),
		derive_window(GENERAL, work, PAGES),
		PAGES,
	};
	struct mixed_counts counts = { 0 };
	char *memory = map_pages(PAGES);
	int fds[3];

	for (int i = 0; i < 3; i++) {
		struct perf_event_attr attr = order[i] < 2 ?
						      user_attr(&kinds[order[i]]) :
						      software_attr(PERF_COUNT_SW_PAGE_FAULTS);

		attr.exclude_kernel = 1;
		attr.disabled = i == 0;
		attr.read_format = FORMAT_TIMES | PERF_FORMAT_GROUP;
		fds[i] = must_open(&attr, 0, -1, i ? fds[0] : -1);
	}
	touch(fds[0], PAGES, memory);
	EXPECT_EQ(read(fds[0], &counts, sizeof(counts)), sizeof(counts));
	EXPECT_EQ(counts.count, 3);
	EXPECT_EQ(counts.running_ns, counts.enabled_ns);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ_AT(counts.values[i], expected[order[i]], "event %d, member %d", order[i],
			     i);
		close(fds[i]);
	}
	munmap(memory, PAGES * PAGE);
}

static void check_mixed(void)
{
	static const int orders[][3] = { { 0, 1, 2 }, { 2, 0, 1 }, { 0, 2, 1 }, { 1, 2, 0 } };

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		check_mixed_order(orders[i]);
}

/* Groups that a software event leads compete for counters as others do, and count whole or not at all. */
static void check_mixed_rotation(void)
{
	int counters = general_counters(), groups = counters + 1, leaders[17], members[17];
	pid_t pid = child_gate(leg_run, 2000);
	struct reading leader, member = { 0 };
	uint64_t legs = 0, sum, running_ns;
	bool rotated;

	for (int i = 0; i < groups; i++) {
		struct perf_event_attr attr = software_attr(PERF_COUNT_SW_TASK_CLOCK);

		attr.disabled = 0;
		leaders[i] = must_open(&attr, pid, -1, -1);
		attr = timed_attr(GENERAL);
		attr.disabled = 0;
		members[i] = must_open(&attr, pid, -1, leaders[i]);
	}
	do {
		child_step(pid);
		legs++;
		rotated = true;
		sum = running_ns = 0;
		for (int i = 0; i < groups; i++) {
			leader = child_settle(leaders[i]);
			member = read_event(members[i]);
			EXPECT_EQ_AT(member.running_ns, leader.running_ns, "group %d of %d", i,
				     groups);
			rotated &= member.running_ns > 0 && member.running_ns < member.enabled_ns;
			sum += member.value;
			running_ns += member.running_ns;
		}
	} while (!rotated && legs < 1999 && !tap_failed);
	EXPECT(rotated);
	EXPECT_EQ_AT(sum, (uint64_t)counters * derive_legs(GENERAL, legs), "%d counters", counters);
	EXPECT_EQ_AT(running_ns, (uint64_t)counters * member.enabled_ns, "%d counters", counters);
	for (int i = 0; i < groups; i++) {
		close(members[i]);
		close(leaders[i]);
	}
	child_end(pid);
}

static const struct tap_rule rules[] = {
	{ "each page that is touched first is one minor fault", check_faults },
	{ "each page that is copied on write is one minor fault", check_copies },
	{ "faults of the kernel count where it is not excluded", check_faults_of_kernel },
	{ "each time the CPU is given up is one context switch", check_switches },
	{ "each move to another CPU is one migration", check_migrations },
	{ "a task's clocks run while it runs", check_clocks },
	{ "the clocks of tasks share their CPU's", check_clock_shares },
	{ "an event that never happens counts 0, and its time goes on", check_nothing },
	{ "groups of hardware and software events count exactly, whichever event leads",
	  check_mixed },
	{ "a software event may lead a group that waits for counters", check_mixed_rotation },
};

TAP_MAIN(rules)
