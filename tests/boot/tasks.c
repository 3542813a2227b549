// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of per-task counting: a task's events count that task's own work to the instruction, however
 * many tasks alternate, wherever it is moved, whichever task opened the events, and whether it still
 * exists.
 *
 * Each child measures itself and leaves its results in shared memory; the parent judges.
 */
#include "child.h"

#define TASKS_MAX    8
#define WORKS	     4
#define ROUNDS_MAX   3

/* N times: moves the calling task to the next of two CPUs and executes WANDER_LOOPS loops there.
 * MEMORY is two masks. */
#define WANDER_LOOPS 2000
void wander_run(uint64_t n, void *memory);

/* N times one after the other: a child that executes FAMILY_LOOPS loops and exits, for which the
 * parent waits. */
#define FAMILY_LOOPS 5000
void family_run(uint64_t n, void *memory);

#ifdef __alpha__
#include "alpha/tasks.h"
#else
#include "x86_64/tasks.h"
#endif

/* --- several tasks that count at once --- */

/* The group of one child: instructions lead, the general kind and both software events follow. */
enum { MEMBER_INSTRUCTIONS, MEMBER_GENERAL, MEMBER_SWITCHES, MEMBER_MIGRATIONS, MEMBERS };

struct group_reading {
	uint64_t count, enabled_ns, running_ns;
	uint64_t values[MEMBERS];
};

/* One child: what it is to do, and what it saw. */
struct counting_child {
	spin_function *run;
	uint64_t n;
	void *memory;
	int rounds;
	int cpu; /* where it stays; -1: anywhere */
	struct group_reading got;
	bool failed; /* something could not be opened or read */
};

static int open_group(void)
{
	struct perf_event_attr attrs[MEMBERS] = {
		user_attr(INSTRUCTIONS),
		user_attr(GENERAL),
		software_attr(PERF_COUNT_SW_CONTEXT_SWITCHES),
		software_attr(PERF_COUNT_SW_CPU_MIGRATIONS),
	};
	int leader = -1;

	for (int i = 0; i < MEMBERS; i++) {
		attrs[i].read_format = FORMAT_TIMES | PERF_FORMAT_GROUP;
		attrs[i].disabled = i == 0;
		int fd = open_event(&attrs[i], 0, -1, leader);
		if (fd < 0)
			return -1;
		if (i == 0)
			leader = fd;
	}
	return leader;
}

static void count_myself(void *argument)
{
	struct counting_child *child = argument;
	int fd = open_group();
	const struct window window = {
		child->run,    child->n,
		child->memory, __NR_ioctl,
		(uint64_t)fd,  PERF_EVENT_IOC_ENABLE,
		(uint64_t)fd,  PERF_EVENT_IOC_DISABLE,
	};

	if (child->cpu >= 0)
		run_on(child->cpu);
	for (int round = 0; round < child->rounds; round++)
		window_run(&window);
	child->failed = fd < 0 || read(fd, &child->got, sizeof(child->got)) != sizeof(child->got);
}

/* Runs the first COUNT of CHILDREN, which are shared memory, at the same time. */
static void run_children(struct counting_child *children, int count)
{
	pid_t pids[TASKS_MAX];

	for (int i = 0; i < count; i++)
		pids[i] = child_start(count_myself, &children[i]);
	for (int i = 0; i < count; i++)
		EXPECT_EQ_AT(child_wait(pids[i]), 0, "task %d of %d", i, count);
}

/* Each round is a window around the child's work. */
static void check_child(const struct counting_child *child, const struct spin_work *work,
			int number, int count)
{
	EXPECT_AT(!child->failed, "task %d of %d", number, count);
	EXPECT_EQ(child->got.count, MEMBERS);
	EXPECT_EQ_AT(child->got.running_ns, child->got.enabled_ns, "task %d of %d", number, count);
	for (int k = 0; k <= MEMBER_GENERAL; k++)
		EXPECT_EQ_AT(child->got.values[k],
			     (uint64_t)child->rounds * derive_window(&kinds[k], work, child->n),
			     "%s, %s of size %" PRIu64 ", task %d of %d", kinds[k].name, work->name,
			     child->n, number, count);
}

/* Different work for each: a count that went to the wrong task is a wrong number. */
static struct counting_child *plan_children(const struct spin_work *work, uint64_t n, int cpu)
{
	struct counting_child *children = share(TASKS_MAX * sizeof(*children));

	for (int i = 0; i < TASKS_MAX; i++)
		children[i] = (struct counting_child){
			.run = work->run,
			.n = n + n / 10 * (uint64_t)i,
			.rounds = 1 + i % ROUNDS_MAX,
			.cpu = cpu,
		};
	return children;
}

static void check_tasks(const char *name, uint64_t n, int cpu, int count)
{
	const struct spin_work *work = spin_find_work(name);
	struct counting_child *children = plan_children(work, n, cpu);

	run_children(children, count);
	for (int i = 0; i < count; i++)
		check_child(&children[i], work, i, count);
}

/* Longer than a time slice, so that they are preempted within the work. */
#define LONG_LOOPS 700000

static void check_on_one_cpu(void)
{
	check_tasks("loop", LONG_LOOPS, 0, 2);
	check_tasks("loop", LONG_LOOPS, cpu_count() - 1, 5);
}

static void check_on_all_cpus(void)
{
	check_tasks("loop", LONG_LOOPS, -1, TASKS_MAX);
}

static void check_yields(void)
{
	check_tasks("yields", 200, 0, 4);
	check_tasks("yields", 100, -1, TASKS_MAX);
}

/* --- migration --- */

static const struct spin_work wander = {
	.name = "moves",
	.run = wander_run,
	.instructions = { 3, WANDER_INSTRUCTIONS },
	.branches = { 1, WANDER_BRANCHES },
};

#define WANDERINGS 10

/* Each move is to the CPU where the task is not: it begins on that of mask 1, and ends there,
 * because WANDERINGS is even. */
static void check_wanderers(int count)
{
	struct counting_child *children = plan_children(&wander, WANDERINGS, 0);
	int cpus = cpu_count();

	for (int i = 0; i < count; i++) {
		uint64_t *masks = share(2 * sizeof(*masks));

		masks[0] = UINT64_C(1) << (i + 1) % cpus;
		masks[1] = UINT64_C(1) << i % cpus;
		children[i].cpu = i % cpus;
		children[i].n = WANDERINGS;
		children[i].memory = masks;
	}
	run_children(children, count);
	for (int i = 0; i < count; i++) {
		uint64_t moves = cpus == 1 ? 0 : (uint64_t)children[i].rounds * WANDERINGS;

		check_child(&children[i], &wander, i, count);
		EXPECT_EQ_AT(children[i].got.values[MEMBER_MIGRATIONS], moves,
			     "task %d of %d, %d CPUs", i, count, cpus);
	}
}

static void check_migration(void)
{
	check_wanderers(1);
	check_wanderers(TASKS_MAX);
}

/* Another task moves it, while it stands still and while it runs. */
static void check_moved_by_parent(void)
{
	const struct spin_work *work = spin_find_work("loop");
	struct perf_event_attr attr = timed_attr(INSTRUCTIONS);
	int cpus = cpu_count();

	attr.disabled = 0;
	pid_t pid = child_gate(work->run, LONG_LOOPS);
	int fd = must_open(&attr, pid, -1, -1);
	pin(pid, cpus - 1);
	child_continue(pid);
	for (int i = 0; i < WANDERINGS; i++)
		pin(pid, i % cpus);
	child_wait_stopped(pid);
	EXPECT_EQ_AT(read_event(fd).value, derive_window(INSTRUCTIONS, work, LONG_LOOPS), "%d CPUs",
		     cpus);
	close(fd);
	child_end(pid);
}

/* --- tasks that do not count --- */

static void spin_for_ever(void *unused)
{
	(void)unused;
	for (;;)
		spin_loop(LONG_LOOPS, NULL);
}

static void check_beside_bystanders(void)
{
	struct perf_event_attr attr = timed_attr(INSTRUCTIONS);
	pid_t bystanders[2], stopped;

	run_on(0);
	for (int i = 0; i < 2; i++)
		bystanders[i] = child_start(spin_for_ever, NULL);
	stopped = child_gate(spin_loop, 1);
	int fd = must_open(&attr, stopped, -1, -1);
	control(fd, PERF_EVENT_IOC_ENABLE, 0);
	check_tasks("loop", LONG_LOOPS, 0, 2);
	check_tasks("yields", 10, 0, 2);
	struct reading reading = read_event(fd);
	EXPECT_EQ(reading.value, 0);
	EXPECT_EQ_AT(reading.enabled_ns, 0, "%s",
		     "time passes for a task's events only while it runs");
	close(fd);
	child_end(stopped);
	for (int i = 0; i < 2; i++)
		child_end(bystanders[i]);
	pin(0, -1);
}

/* --- the owners of events --- */

static void check_two_observers(void)
{
	const struct spin_work *work = spin_find_work("branches");
	struct perf_event_attr attr = timed_attr(INSTRUCTIONS);
	uint64_t *seen = share(2 * sizeof(*seen));

	attr.disabled = 0;
	pid_t pid = child_gate(work->run, 1000);
	fflush(stdout);
	pid_t observer = fork();
	if (observer == 0) {
		/* Another kind: not every PMU can count the same twice. */
		attr.config = GENERAL->config;
		int fd = open_event(&attr, pid, -1, -1);
		raise(SIGSTOP);
		seen[1] = read(fd, seen, sizeof(*seen)) < 0 ? (uint64_t)errno : 0;
		struct reading reading = { 0 };
		if (read(fd, &reading, sizeof(reading)) == sizeof(reading))
			seen[0] = reading.value;
		_exit(0);
	}
	child_wait_stopped(observer);
	int fd = must_open(&attr, pid, -1, -1);
	child_step(pid);
	child_continue(observer);
	EXPECT_EQ(child_wait(observer), 0);
	EXPECT_EQ(read_event(fd).value, derive_window(INSTRUCTIONS, work, 1000));
	EXPECT_EQ(seen[0], derive_window(GENERAL, work, 1000));
	EXPECT_EQ_AT(seen[1], ENOSPC, "%s", "a buffer that is too short");
	close(fd);
	child_end(pid);
}

static void check_after_the_end(void)
{
	const struct spin_work *work = spin_find_work("calls");
	struct perf_event_attr attr = timed_attr(INSTRUCTIONS);
	int fds[2];

	attr.disabled = 0;
	pid_t pid = child_gate_to_end(work->run, 5000);
	fds[0] = must_open(&attr, pid, -1, -1);
	attr = timed_attr(GENERAL);
	attr.disabled = 0;
	fds[1] = must_open(&attr, pid, -1, -1);
	child_continue(pid);
	EXPECT_EQ(child_wait(pid), SIGKILL);
	for (int k = 0; k < 2; k++) {
		struct reading first = read_event(fds[k]), second = read_event(fds[k]);

		EXPECT_EQ_AT(first.value, derive_window(&kinds[k], work, 5000), "%s",
			     kinds[k].name);
		EXPECT_EQ(second.value, first.value);
		EXPECT_EQ(second.enabled_ns, first.enabled_ns);
		EXPECT_EQ(second.running_ns, first.running_ns);
		EXPECT(first.running_ns > 0);
		control(fds[k], PERF_EVENT_IOC_ENABLE, 0);
		control(fds[k], PERF_EVENT_IOC_DISABLE, 0);
		EXPECT_EQ_AT(read_event(fds[k]).value, first.value, "%s",
			     "ioctls on what has ended");
		control(fds[k], PERF_EVENT_IOC_RESET, 0);
		EXPECT_EQ(read_event(fds[k]).value, 0);
		close(fds[k]);
	}
}

/* --- inheritance --- */

#define FAMILY 10

static const struct spin_work parent_alone = {
	.name = "fork and wait",
	.run = family_run,
	.instructions = { 2, PARENT_INSTRUCTIONS },
	.branches = { 1, PARENT_BRANCHES },
};

static const struct spin_work whole_family = {
	.name = "fork and wait, and the child",
	.run = family_run,
	.instructions = { 2, PARENT_INSTRUCTIONS + CHILD_INSTRUCTIONS },
	.branches = { 1, PARENT_BRANCHES + CHILD_BRANCHES },
};

static void check_family(bool inherit)
{
	const struct spin_work *work = inherit ? &whole_family : &parent_alone;

	for (int k = 0; k < 2; k++) {
		struct perf_event_attr attr = timed_attr(&kinds[k]);

		attr.inherit = inherit;
		int fd = must_open(&attr, 0, -1, -1);
		run_enabled(fd, work, FAMILY, NULL);
		EXPECT_EQ_AT(read_event(fd).value, derive_window(&kinds[k], work, FAMILY), "%s",
			     kinds[k].name);
		close(fd);
	}
}

static void check_not_inherited(void)
{
	check_family(false);
}

static void check_inherited(void)
{
	check_family(true);
}

static const struct tap_rule rules[] = {
	{ "tasks that take turns on one CPU count their own work exactly", check_on_one_cpu },
	{ "eight tasks on all CPUs count their own work exactly", check_on_all_cpus },
	{ "a storm of sched_yield loses no count", check_yields },
	{ "a task that moves itself from CPU to CPU counts exactly, moves included",
	  check_migration },
	{ "a task that is moved by another counts exactly", check_moved_by_parent },
	{ "tasks without events are not counted, and a stopped one's time stands still",
	  check_beside_bystanders },
	{ "two observers of one task see what it does", check_two_observers },
	{ "what a task counted stays readable after its end", check_after_the_end },
	{ "an event without inherit does not count children", check_not_inherited },
	{ "an event with inherit counts the children that have ended", check_inherited },
};

TAP_MAIN(rules)
