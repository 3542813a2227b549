// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of events on a CPU: they count all that any task executes there, and nothing that other CPUs
 * execute.
 *
 * The work of a CPU in user mode is known when every task on it does known work: the children are gated
 * (child.h), and the task that lets them go does so in assembly, between two system calls that enable
 * and disable the CPU's events. Kernel threads, where there are any, execute nothing in user mode.
 */
#include "child.h"

#define CHILDREN_MAX 4
#define CPUS	     64

/*
 * N times: lets a stopped child, whose number is the next of the list at MEMORY, continue, and
 * waits until it has stopped again. It stops by itself, so each of the calls is one system call
 * however long it takes.
 */
void release_run(uint64_t n, void *memory);

#ifdef __alpha__
#include "alpha/cpuwide.h"
#else
#include "x86_64/cpuwide.h"
#endif

static const struct spin_work release = {
	.name = "lets children go",
	.run = release_run,
	.instructions = { 3, RELEASE_INSTRUCTIONS },
	.branches = { 1, RELEASE_BRANCHES },
};

/* Work for child I, different for each. */
static uint64_t size_of(int i)
{
	return 100000 + 10000 * (uint64_t)i;
}

static uint64_t derive_child(const struct kind *kind, int i)
{
	return derive_window(kind, spin_find_work("loop"), size_of(i));
}

/* Gated children, stopped before their work, all on CPU. */
static void gate_children(uint64_t *pids, int count, int cpu)
{
	for (int i = 0; i < count; i++) {
		pid_t pid = child_gate(spin_loop, size_of(i));

		pin(pid, cpu);
		pids[i] = (uint64_t)pid;
	}
}

static void end_children(const uint64_t *pids, int count)
{
	for (int i = 0; i < count; i++)
		child_end((pid_t)pids[i]);
}

/* --- one task --- */

static void check_alone(void)
{
	const struct spin_work *work = spin_find_work("calls");

	for (int cpu = 0; cpu < cpu_count(); cpu++) {
		run_on(cpu);
		for (int k = 0; k < kind_count(); k++) {
			struct perf_event_attr attr = timed_attr(&kinds[k]);
			int fd = must_open(&attr, -1, cpu, -1);

			run_enabled(fd, work, 1000, NULL);
			struct reading reading = read_event(fd);
			EXPECT_EQ_AT(reading.value, derive_window(&kinds[k], work, 1000),
				     "%s, CPU %d", kinds[k].name, cpu);
			EXPECT_EQ_AT(reading.running_ns, reading.enabled_ns, "%s, CPU %d",
				     kinds[k].name, cpu);
			close(fd);
		}
	}
	pin(0, -1);
}

/* --- several tasks --- */

/* Events on CPU, and on the parent, on PARENT_CPU, while COUNT children work on CPU. */
static void check_children(int cpu, int parent_cpu, int count)
{
	uint64_t pids[CHILDREN_MAX];

	for (int k = 0; k < 2; k++) {
		struct perf_event_attr attr = timed_attr(&kinds[k]);
		uint64_t expected =
			parent_cpu == cpu ? derive_window(&kinds[k], &release, (uint64_t)count) : 0;

		gate_children(pids, count, cpu);
		for (int i = 0; i < count; i++)
			expected += derive_child(&kinds[k], i);
		run_on(parent_cpu);
		int fd = must_open(&attr, -1, cpu, -1);
		run_enabled(fd, &release, (uint64_t)count, pids);
		struct reading reading = read_event(fd);
		EXPECT_EQ_AT(reading.value, expected,
			     "%s, %d tasks on CPU %d, their parent on CPU %d", kinds[k].name, count,
			     cpu, parent_cpu);
		EXPECT_EQ(reading.running_ns, reading.enabled_ns);
		close(fd);
		end_children(pids, count);
	}
	pin(0, -1);
}

static void check_same_cpu(void)
{
	check_children(0, 0, 1);
	check_children(cpu_count() - 1, cpu_count() - 1, CHILDREN_MAX);
}

static void check_other_cpu(void)
{
	if (cpu_count() == 1) {
		printf("# one CPU: there is no other to look from\n");
		check_children(0, 0, 2);
		return;
	}
	check_children(cpu_count() - 1, 0, CHILDREN_MAX);
	check_children(0, cpu_count() - 1, CHILDREN_MAX);
}

/* Each CPU counts its own child, at the same time; together they count all. */
static void check_all_cpus(void)
{
	struct perf_event_attr attr = timed_attr(INSTRUCTIONS);
	int cpus = cpu_count(), fds[CPUS] = { 0 };
	uint64_t pids[CPUS];

	for (int cpu = 0; cpu < cpus; cpu++) {
		pid_t pid = child_gate(spin_loop, size_of(cpu));

		pin(pid, cpu);
		pids[cpu] = (uint64_t)pid;
		fds[cpu] = must_open(&attr, -1, cpu, -1);
	}
	run_on(0);
	for (int cpu = 1; cpu < cpus; cpu++)
		control(fds[cpu], PERF_EVENT_IOC_ENABLE, 0);
	run_enabled(fds[0], &release, (uint64_t)cpus, pids);
	for (int cpu = 0; cpu < cpus; cpu++) {
		uint64_t parent = cpu ? 0 : derive_window(INSTRUCTIONS, &release, (uint64_t)cpus);

		EXPECT_EQ_AT(read_event(fds[cpu]).value, parent + derive_child(INSTRUCTIONS, cpu),
			     "CPU %d of %d", cpu, cpus);
		close(fds[cpu]);
	}
	end_children(pids, cpus);
	pin(0, -1);
}

/* --- together with events of tasks --- */

static void check_with_task_events(void)
{
	struct perf_event_attr attr = timed_attr(INSTRUCTIONS);
	int cpu = cpu_count() - 1, task_fds[CHILDREN_MAX], own_fd;
	uint64_t pids[CHILDREN_MAX], sum = 0;

	gate_children(pids, CHILDREN_MAX, cpu);
	run_on(cpu);
	int fd = must_open(&attr, -1, cpu, -1);
	/* Another kind: not every PMU can count the same twice. */
	attr.config = GENERAL->config;
	own_fd = must_open(&attr, 0, -1, -1);
	attr.disabled = 0;
	for (int i = 0; i < CHILDREN_MAX; i++)
		task_fds[i] = must_open(&attr, (pid_t)pids[i], i % 2 ? cpu : -1, -1);
	run_all_enabled(&release, CHILDREN_MAX, pids);
	for (int i = 0; i < CHILDREN_MAX; i++) {
		struct reading reading = read_event(task_fds[i]);

		EXPECT_EQ_AT(reading.value, derive_child(GENERAL, i), "task %d", i);
		EXPECT_EQ_AT(reading.running_ns, reading.enabled_ns, "task %d", i);
		sum += derive_child(INSTRUCTIONS, i);
		close(task_fds[i]);
	}
	EXPECT_EQ(read_event(own_fd).value, derive_window(GENERAL, &release, CHILDREN_MAX));
	EXPECT_EQ(read_event(fd).value, sum + derive_window(INSTRUCTIONS, &release, CHILDREN_MAX));
	close(fd);
	close(own_fd);
	end_children(pids, CHILDREN_MAX);
	pin(0, -1);
}

/* --- idle, and the kernel --- */

static void check_idle(void)
{
	struct perf_event_attr attr = timed_attr(INSTRUCTIONS);
	int cpu = cpu_count() - 1;

	if (cpu == 0) {
		printf("# one CPU: it is never idle while a test looks\n");
		return;
	}
	run_on(0);
	attr.disabled = 0;
	int fd = must_open(&attr, -1, cpu, -1);
	struct reading first = read_event(fd);
	spin_loop(size_of(0), NULL);
	struct reading second = read_event(fd);
	EXPECT_EQ(first.value, 0);
	EXPECT_EQ(second.value, 0);
	EXPECT_AT(second.enabled_ns > first.enabled_ns, "%s", "its time goes on all the same");
	EXPECT_EQ(second.running_ns, second.enabled_ns);
	close(fd);
	pin(0, -1);
}

/* User and kernel mode, counted apart and together: the whole is the sum, to the instruction. */
static void check_modes(void)
{
	struct {
		uint64_t count, values[3];
	} group = { 0 };
	struct perf_event_attr attr = user_attr(INSTRUCTIONS);
	int cpu = cpu_count() - 1;

	if (general_counters() < 2) {
		printf("# 1 general counter: there is none for a third event of instructions\n");
		return;
	}
	run_on(cpu);
	attr.read_format = PERF_FORMAT_GROUP;
	int user = must_open(&attr, -1, cpu, -1);
	attr.disabled = 0;
	attr.exclude_kernel = 0;
	int both = must_open(&attr, -1, cpu, user);
	attr.exclude_user = 1;
	int kernel = must_open(&attr, -1, cpu, user);
	run_enabled(user, spin_find_work("syscalls"), 100, NULL);
	EXPECT_EQ(read(user, &group, sizeof(group)), sizeof(group));
	EXPECT_EQ(group.count, 3);
	EXPECT_EQ(group.values[0], derive_window(INSTRUCTIONS, spin_find_work("syscalls"), 100));
	EXPECT_EQ(group.values[1], group.values[0] + group.values[2]);
	EXPECT(group.values[2] > 0);
	close(kernel);
	close(both);
	close(user);
	pin(0, -1);
}

/* --- refusals --- */

static void check_refused(void)
{
	static const struct {
		pid_t pid;
		int cpu, error;
	} tries[] = {
		{ -1, -1, EINVAL },	     { -1, -2, EINVAL }, { 0, -2, EINVAL },
		{ -1, CPUS * CPUS, EINVAL }, { -2, 0, ESRCH },
	};
	struct perf_event_attr attr = timed_attr(INSTRUCTIONS);

	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		errno = 0;
		EXPECT_EQ_AT(open_event(&attr, tries[i].pid, tries[i].cpu, -1), -1,
			     "pid %d, cpu %d", (int)tries[i].pid, tries[i].cpu);
		EXPECT_EQ_AT(errno, tries[i].error, "pid %d, cpu %d", (int)tries[i].pid,
			     tries[i].cpu);
	}
}

static const struct tap_rule rules[] = {
	{ "an event of the CPU counts the only task that runs there exactly", check_alone },
	{ "an event of the CPU counts every task that runs there exactly", check_same_cpu },
	{ "an event of another CPU counts its tasks exactly, and not the observer",
	  check_other_cpu },
	{ "every CPU counts its own tasks, all at once", check_all_cpus },
	{ "tasks' events count beside it, and add up to it", check_with_task_events },
	{ "an idle CPU executes nothing in user mode, and its time goes on", check_idle },
	{ "user and kernel mode add up, to the instruction", check_modes },
	{ "a target that is neither task nor CPU is refused", check_refused },
};

TAP_MAIN(rules)
