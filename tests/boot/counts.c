// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of counting: every event is exact, on every CPU, whatever else runs there and however it is
 * read. All numbers are derived from libspin's table and the windows of exact.h.
 */
#include <poll.h>

#include "perf_self.h"

#include "child.h"

#define SIZE 100

static void check_one_event(const struct kind *kind, const struct spin_work *work, int cpu)
{
	struct perf_event_attr attr = user_attr(kind);
	uint64_t value = 0;
	int fd = open_event(&attr, 0, -1, -1);
	void *memory = map_memory(work, SIZE);

	EXPECT_AT(fd >= 0, "%s", kind->name);
	run_enabled(fd, work, SIZE, memory);
	EXPECT_EQ(read(fd, &value, sizeof(value)), sizeof(value));
	EXPECT_EQ_AT(value, derive_window(kind, work, SIZE), "%s, %s, CPU %d", kind->name,
		     work->name, cpu);
	unmap_memory(work, SIZE, memory);
	close(fd);
}

static void check_every_event(void)
{
	for (int cpu = 0; cpu < cpu_count(); cpu++) {
		run_on(cpu);
		for (size_t i = 0; i < spin_works_count; i++)
			for (int k = 0; k < kind_count(); k++)
				check_one_event(&kinds[k], &spin_works[i], cpu);
	}
}

/* All kinds in a group: the leader's window is everybody's. */
static void check_one_group(int cpu, const struct spin_work *work, uint64_t n)
{
	struct {
		uint64_t count, enabled, running;
		uint64_t values[KINDS_MAX];
	} group = { 0 };
	int fds[KINDS_MAX];
	void *memory = map_memory(work, n);

	for (int k = 0; k < kind_count(); k++) {
		struct perf_event_attr attr = user_attr(&kinds[k]);
		attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				   PERF_FORMAT_TOTAL_TIME_RUNNING;
		attr.disabled = k == 0;
		fds[k] = open_event(&attr, 0, -1, k ? fds[0] : -1);
		EXPECT_AT(fds[k] >= 0, "%s", kinds[k].name);
	}
	run_enabled(fds[0], work, n, memory);
	EXPECT_EQ(read(fds[0], &group, sizeof(group)), (3 + kind_count()) * sizeof(uint64_t));
	EXPECT_EQ(group.count, kind_count());
	EXPECT_EQ_AT(group.running, group.enabled, "CPU %d", cpu);
	for (int k = 0; k < kind_count(); k++) {
		EXPECT_EQ_AT(group.values[k], derive_window(&kinds[k], work, n), "%s, %s, CPU %d",
			     kinds[k].name, work->name, cpu);
		close(fds[k]);
	}
	unmap_memory(work, n, memory);
}

static void check_group(void)
{
	for (int cpu = 0; cpu < cpu_count(); cpu++) {
		run_on(cpu);
		for (size_t i = 0; i < spin_works_count; i++)
			check_one_group(cpu, &spin_works[i], SIZE);
	}
}

static void count_for_a_while(int number)
{
	/* Long enough to be preempted: about 10 ms each. */
	for (int i = 0; i < 4; i++) {
		check_one_group(number, spin_find_work("loop"), 100000 + (uint64_t)number);
		check_one_group(number, spin_find_work("yields"), 50);
	}
}

static void check_all_cpus(void)
{
	children_run(cpu_count(), count_for_a_while);
}

static void check_more_tasks(void)
{
	children_run(3 * cpu_count(), count_for_a_while);
}

#ifdef __x86_64__
static void compare_both_ways(int rounds)
{
	for (int k = 0; k < kind_count(); k++) {
		struct perf_event_attr attr = user_attr(&kinds[k]);
		uint64_t called = 0, raw, offset;

		attr.disabled = 0;
		int fd = open_event(&attr, 0, -1, -1);
		struct perf_event_mmap_page *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
		EXPECT_AT(page != MAP_FAILED, "%s", kinds[k].name);
		unsigned int shift = 64 - page->pmc_width;
		for (int i = 0; i < rounds; i++) {
			EXPECT_EQ_AT(read_both_ways(page, fd, &called, &raw, &offset), 0, "%s",
				     kinds[k].name);
			uint64_t direct = offset + (uint64_t)((int64_t)(raw << shift) >> shift);
			EXPECT_EQ_AT(called - direct,
				     derive(&kinds[k], BETWEEN_INSTRUCTIONS, BETWEEN_BRANCHES),
				     "%s, round %d", kinds[k].name, i);
		}
		munmap(page, PAGE);
		close(fd);
	}
}

static void check_both_ways(void)
{
	compare_both_ways(2000);
}

static void compare_beside_others(int number)
{
	(void)number;
	for (int i = 0; i < 10; i++) {
		compare_both_ways(200);
		check_one_group(number, spin_find_work("loop"), 20000);
	}
}

static void check_both_ways_beside_others(void)
{
	children_run(3 * cpu_count(), compare_beside_others);
}
#endif

/* Far more than the rotations, of 4 ms each, that it takes. */
#define MULTIPLEXING_WINDOWS_MAX 2000

/* One event more than there are counters: each branch is counted by as many events as there are
 * counters, whichever those are. */
static void check_multiplexing(void)
{
	const struct spin_work *work = spin_find_work("loop");
	const uint64_t n = 1000000;
	int counters = general_counters(), fds[17];
	uint64_t values[17], windows = 0, all, sum;
	bool all_rotated;

	for (int i = 0; i <= counters; i++) {
		struct perf_event_attr attr = user_attr(&kinds[1]);
		fds[i] = open_event(&attr, 0, -1, -1);
		EXPECT_AT(fds[i] >= 0, "event %d", i);
	}
	do {
		run_all_enabled(work, n, NULL);
		all = ++windows * derive_window(&kinds[1], work, n);
		sum = 0;
		all_rotated = true;
		for (int i = 0; i <= counters; i++) {
			EXPECT_EQ(read(fds[i], &values[i], sizeof(values[i])), sizeof(values[i]));
			sum += values[i];
			all_rotated &= values[i] != 0 && values[i] != all;
		}
	} while (!all_rotated && windows < MULTIPLEXING_WINDOWS_MAX);
	EXPECT(all_rotated);
	EXPECT_EQ_AT(sum, (uint64_t)counters * all, "%d counters", counters);
	for (int i = 0; i <= counters; i++)
		close(fds[i]);
}

static const char *own_path;

/*
 * A child that executes this program anew, which then does nothing but N passes of a loop; counted from
 * the execve to its exit. Two such children get words of the same length, so they differ by the cost of
 * N.
 */
static uint64_t count_child(const struct kind *kind, const char *passes)
{
	struct perf_event_attr attr = user_attr(kind);
	uint64_t value = 0;
	int status = -1, gate[2];

	EXPECT_EQ(pipe(gate), 0);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		char byte;
		if (read(gate[0], &byte, 1) == 1)
			execv(own_path, (char *const[]){ (char *)own_path, "--passes",
							 (char *)passes, NULL });
		_exit(1);
	}
	attr.enable_on_exec = 1;
	int fd = open_event(&attr, pid, -1, -1);
	EXPECT(fd >= 0);
	EXPECT_EQ(write(gate[1], "g", 1), 1);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(read(fd, &value, sizeof(value)), sizeof(value));
	close(fd);
	close(gate[0]);
	close(gate[1]);
	return value;
}

static void check_other_task(void)
{
	for (int k = 0; k < kind_count(); k++)
		EXPECT_EQ_AT(count_child(&kinds[k], "50000") - count_child(&kinds[k], "10000"),
			     derive(&kinds[k], 2 * 40000, 40000), "%s", kinds[k].name);
}

/* A task that wanders takes its count along; one bound to a CPU counts there only. */
static void check_migration(void)
{
	const struct spin_work *work = spin_find_work("loop");
	struct perf_event_attr attr = user_attr(&kinds[0]);
	int cpus = cpu_count(), everywhere = open_event(&attr, 0, -1, -1), fds[64];
	uint64_t value;

	for (int cpu = 0; cpu < cpus; cpu++)
		fds[cpu] = open_event(&attr, 0, cpu, -1);
	for (int round = 0; round < 3; round++) {
		for (int cpu = 0; cpu < cpus; cpu++) {
			run_on(cpu);
			run_enabled(everywhere, work, 1000, NULL);
			for (int other = 0; other < cpus; other++)
				run_enabled(fds[other], work, 10, NULL);
		}
	}
	EXPECT_EQ(read(everywhere, &value, sizeof(value)), sizeof(value));
	EXPECT_EQ(value, 3 * (uint64_t)cpus * derive_window(&kinds[0], work, 1000));
	close(everywhere);
	for (int cpu = 0; cpu < cpus; cpu++) {
		EXPECT_EQ(read(fds[cpu], &value, sizeof(value)), sizeof(value));
		EXPECT_EQ_AT(value, 3 * derive_window(&kinds[0], work, 10), "CPU %d", cpu);
		close(fds[cpu]);
	}
}

static const struct tap_rule rules[] = {
	{ "every event counts every kind of work exactly, on every CPU", check_every_event },
	{ "a group of all events counts the same window, all the time", check_group },
	{ "counts are exact on all CPUs at once", check_all_cpus },
	{ "counts are exact with three tasks that count on each CPU", check_more_tasks },
#ifdef __x86_64__ /* no instruction of Alpha reads a counter */
	{ "rdpmc and read() agree to the instruction", check_both_ways },
	{ "rdpmc and read() agree while other tasks count on the same CPU",
	  check_both_ways_beside_others },
#endif
	{ "with one event more than counters, every counter counts all the time",
	  check_multiplexing },
	{ "another task's events are counted exactly from its execve to its end",
	  check_other_task },
	{ "a count follows its task, or stays on its CPU", check_migration },
};

int main(int argc, char **argv)
{
	own_path = argv[0];
	if (argc == 3 && strcmp(argv[1], "--passes") == 0) {
		spin_loop(strtoul(argv[2], NULL, 10), NULL);
		_exit(0);
	}
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
