// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of events on another task: they count from the moment of their attachment, whatever the task
 * does then, on the CPUs that they name, and obey their ioctls at once, also while the task runs on
 * another CPU.
 *
 * A running target makes absolute numbers impossible to derive. Two events of one group are read at one
 * moment there: they count the same, so their difference is what one of them missed while it was
 * disabled, and is constant while both are enabled.
 */
#include "child.h"
#include "task_state.h"

#include <poll.h>

#define ROUNDS 8

static void spin_endlessly(void *unused)
{
	(void)unused;
	for (;;)
		spin_loop(LEG_LOOPS, NULL);
}

/* A child that spins on the last CPU, while the parent is on the first: two CPUs, if there are two. */
static pid_t start_spinner(void)
{
	pid_t pid = child_start(spin_endlessly, NULL);

	pin(pid, cpu_count() - 1);
	run_on(0);
	return pid;
}

static void end_spinner(pid_t pid)
{
	child_end(pid);
	pin(0, -1);
}

/* --- which tasks accept an event --- */

static int errno_of_attaching(pid_t pid)
{
	struct perf_event_attr attr = timed_attr(INSTRUCTIONS);

	errno = 0;
	int fd = open_event(&attr, pid, -1, -1);
	if (fd >= 0)
		close(fd);
	return fd >= 0 ? 0 : errno;
}

static void end_at_once(void *unused)
{
	(void)unused;
}

/* Waits until PID has exited, but leaves it a zombie: the pipe that it holds closes only then. */
static pid_t start_zombie(void)
{
	int ends[2];
	char byte;

	EXPECT_EQ(pipe(ends), 0);
	pid_t pid = child_start(end_at_once, NULL);
	close(ends[1]);
	EXPECT_EQ(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	return pid;
}

static void check_ended(void)
{
	pid_t pid = start_zombie();
	int error;

	/* An exiting task closes its descriptors first: it is still a task for a moment. If it is one for good, the
	 * machine's time is up. */
	while ((error = errno_of_attaching(pid)) == 0)
		sched_yield();
	EXPECT_EQ_AT(error, ESRCH, "%s", "a zombie");
	EXPECT_EQ(child_wait(pid), 0);
	EXPECT_EQ_AT(errno_of_attaching(pid), ESRCH, "%s", "one that has been waited for");
	EXPECT_EQ_AT(errno_of_attaching(0x3ffffff), ESRCH, "%s", "one that never was");
}

static void read_endlessly(void *argument)
{
	const int *ends = argument;
	char byte;

	while (read(ends[0], &byte, 1) == 1)
		continue;
}

/* A task that sleeps in a system call executes nothing, and its time stands still. */
static void check_sleeping(void)
{
	struct perf_event_attr attr = timed_attr(INSTRUCTIONS);
	struct reading after;
	int ends[2];

	EXPECT_EQ(pipe(ends), 0);
	pid_t pid = child_start(read_endlessly, ends);
	attr.disabled = 0;
	int fd = must_open(&attr, pid, -1, -1);
	/* It sleeps, and then has left its CPU: a task that has not run yet stands still, too. */
	while (!task_sleeps(pid))
		sched_yield();
	struct reading before = child_settle(fd);

	for (int i = 0; i < ROUNDS; i++)
		after = read_event(fd);
	EXPECT_EQ(after.value, before.value);
	EXPECT_EQ(after.enabled_ns, before.enabled_ns);
	EXPECT_EQ(write(ends[1], "x", 1), 1);
	while (read_event(fd).value == before.value)
		sched_yield();
	close(fd);
	child_end(pid);
	close(ends[0]);
	close(ends[1]);
}

/* --- stopped targets: every number is derived --- */

static void check_stopped(void)
{
	for (int k = 0; k < kind_count(); k++) {
		struct perf_event_attr attr = timed_attr(&kinds[k]);
		pid_t pid = child_gate(leg_run, 3);
		int off = must_open(&attr, pid, -1, -1);

		attr.disabled = 0;
		int on = must_open(&attr, pid, -1, -1);
		child_step(pid);
		EXPECT_EQ_AT(read_event(on).value, derive_legs(&kinds[k], 1), "%s", kinds[k].name);
		EXPECT_EQ_AT(read_event(off).value, 0, "%s", kinds[k].name);
		control(on, PERF_EVENT_IOC_DISABLE, 0);
		control(off, PERF_EVENT_IOC_ENABLE, 0);
		child_step(pid);
		EXPECT_EQ_AT(read_event(on).value, derive_legs(&kinds[k], 1), "%s, disabled",
			     kinds[k].name);
		EXPECT_EQ_AT(read_event(off).value,
			     derive_legs(&kinds[k], 2) - derive_legs(&kinds[k], 1), "%s, enabled",
			     kinds[k].name);
		control(off, PERF_EVENT_IOC_RESET, 0);
		EXPECT_EQ_AT(read_event(off).value, 0, "%s, reset", kinds[k].name);
		child_step(pid);
		EXPECT_EQ_AT(read_event(off).value,
			     derive_legs(&kinds[k], 3) - derive_legs(&kinds[k], 2),
			     "%s, after the reset", kinds[k].name);
		close(on);
		close(off);
		child_end(pid);
	}
}

/* One event on all CPUs and one on each CPU, of another kind since not every PMU can count the same
 * twice. The task does each leg on another CPU. */
static void check_one_cpu_each(void)
{
	int cpus = cpu_count(), fds[64];
	struct perf_event_attr attr = timed_attr(INSTRUCTIONS);
	pid_t pid = child_gate(leg_run, 64);
	uint64_t last = 0;

	attr.disabled = 0;
	int everywhere = must_open(&attr, pid, -1, -1);
	attr.config = GENERAL->config;
	for (int cpu = 0; cpu < cpus; cpu++)
		fds[cpu] = must_open(&attr, pid, cpu, -1);
	/* Twice, so that each event is scheduled in again, too. */
	for (int leg = 1; leg <= 2 * cpus; leg++) {
		int here = leg % cpus;

		uint64_t before = read_event(fds[here]).value;
		pin(pid, here);
		child_step(pid);
		uint64_t now = derive_legs(GENERAL, (uint64_t)leg);
		EXPECT_EQ_AT(read_event(fds[here]).value - before, now - last, "leg %d on CPU %d",
			     leg, here);
		EXPECT_EQ_AT(read_event(everywhere).value, derive_legs(INSTRUCTIONS, (uint64_t)leg),
			     "leg %d", leg);
		last = now;
	}
	uint64_t sum = 0, running_ns = 0;
	for (int cpu = 0; cpu < cpus; cpu++) {
		struct reading reading = read_event(fds[cpu]);

		sum += reading.value;
		running_ns += reading.running_ns;
		EXPECT_AT(reading.running_ns > 0, "CPU %d", cpu);
		if (cpus > 1)
			EXPECT_AT(reading.running_ns < reading.enabled_ns, "CPU %d", cpu);
		close(fds[cpu]);
	}
	EXPECT_EQ(sum, last);
	EXPECT(running_ns <= read_event(everywhere).running_ns);
	close(everywhere);
	child_end(pid);
}

/* --- running targets --- */

#ifdef __x86_64__ /* Alpha counts instructions once at a time */
struct pair {
	uint64_t count, values[2];
};

static struct pair read_pair(int fd)
{
	struct pair pair = { 0 };

	EXPECT_EQ(read(fd, &pair, sizeof(pair)), sizeof(pair));
	EXPECT_EQ(pair.count, 2);
	return pair;
}

/* Lets the target run until its group, led by FD and enabled, has counted some more. */
static struct pair wait_for_progress(int fd)
{
	struct pair first = read_pair(fd), now = first;

	while (now.values[0] == first.values[0] && !tap_failed) {
		sched_yield();
		now = read_pair(fd);
	}
	return now;
}

static int64_t lead_of(struct pair pair)
{
	return (int64_t)(pair.values[0] - pair.values[1]);
}

static int open_group(pid_t pid, int *member)
{
	struct perf_event_attr attr = user_attr(INSTRUCTIONS);

	attr.read_format = PERF_FORMAT_GROUP;
	attr.disabled = 0;
	int leader = must_open(&attr, pid, -1, -1);
	*member = must_open(&attr, pid, -1, leader);
	return leader;
}

static void check_running(void)
{
	pid_t pid = start_spinner();
	int member, leader = open_group(pid, &member);
	struct pair first = wait_for_progress(leader);

	for (int round = 0; round < ROUNDS; round++)
		EXPECT_EQ_AT(lead_of(wait_for_progress(leader)), lead_of(first), "round %d", round);
	close(member);
	close(leader);
	end_spinner(pid);
}

/* Enabled, the member counts with its leader. Disabled, it stands still, and its leader's lead grows. */
static void check_switching(void)
{
	pid_t pid = start_spinner();
	int member, leader = open_group(pid, &member);

	for (int round = 0; round < ROUNDS; round++) {
		struct pair before = wait_for_progress(leader);
		control(member, PERF_EVENT_IOC_DISABLE, 0);
		struct pair off = wait_for_progress(leader), later = wait_for_progress(leader);
		EXPECT_EQ_AT(later.values[1], off.values[1], "round %d, off", round);
		control(member, PERF_EVENT_IOC_ENABLE, 0);
		struct pair on = wait_for_progress(leader);
		EXPECT_AT(lead_of(on) >=
				  lead_of(before) + (int64_t)(later.values[0] - off.values[0]),
			  "round %d, off", round);
		later = wait_for_progress(leader);
		EXPECT_EQ_AT(lead_of(later), lead_of(on), "round %d, on", round);
		EXPECT_AT(later.values[1] > on.values[1], "round %d, on", round);
	}
	close(member);
	close(leader);
	end_spinner(pid);
}

static void check_resetting(void)
{
	pid_t pid = start_spinner();
	int member, leader = open_group(pid, &member);

	for (int round = 0; round < ROUNDS; round++) {
		struct pair before = wait_for_progress(leader);
		control(member, PERF_EVENT_IOC_RESET, 0);
		struct pair reset = wait_for_progress(leader);
		/* The member has counted no more since than its leader has counted meanwhile. */
		EXPECT_AT(reset.values[1] <= reset.values[0] - before.values[0], "round %d", round);
		EXPECT_EQ_AT(lead_of(wait_for_progress(leader)), lead_of(reset), "round %d", round);
	}
	close(member);
	close(leader);
	end_spinner(pid);
}

/* Disabled, the whole group stands still; enabled again, its members go on together. Linux enables them
 * one after the other: its member may miss some counts of the leader in between. */
static void check_group_switching(void)
{
	bool tally = runs_tally();
	pid_t pid = start_spinner();
	int member, leader = open_group(pid, &member);

	if (!tally)
		printf("# not Tally: the members may start one after the other\n");

	for (int round = 0; round < ROUNDS; round++) {
		struct pair before = wait_for_progress(leader);
		control(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
		struct pair off = read_pair(leader);
		sched_yield();
		struct pair later = read_pair(leader);
		EXPECT_EQ_AT(later.values[0], off.values[0], "round %d", round);
		EXPECT_EQ_AT(later.values[1], off.values[1], "round %d", round);
		EXPECT_EQ_AT(lead_of(off), lead_of(before), "round %d, they stop at one moment",
			     round);
		control(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
		int64_t missed = lead_of(wait_for_progress(leader)) - lead_of(before);
		EXPECT_AT(missed >= 0, "round %d, %" PRId64, round, missed);
		if (tally)
			EXPECT_EQ_AT(missed, 0, "round %d, they start at one moment", round);
	}
	close(member);
	close(leader);
	end_spinner(pid);
}

#endif

/* A limit of overflows on a running target: the event is disabled after exactly so many periods, and
 * reports it. */
#define PERIOD 20011

static void check_refresh(void)
{
	struct perf_event_attr attr = timed_attr(INSTRUCTIONS);
	pid_t pid = start_spinner();
	uint64_t value = 0;

	attr.sample_period = PERIOD;
	attr.wakeup_events = 1;
	int fd = must_open(&attr, pid, -1, -1);
	for (int limit = 1; limit <= 5; limit++) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };

		control(fd, PERF_EVENT_IOC_REFRESH, (unsigned long)limit);
		value += (uint64_t)limit * PERIOD;
		/* Without a ring only the end of the limit wakes. */
		while (read_event(fd).value < value && !tap_failed)
			sched_yield();
		EXPECT_EQ_AT(read_event(fd).value, value, "limit %d", limit);
		sched_yield();
		EXPECT_EQ_AT(read_event(fd).value, value, "limit %d", limit);
		EXPECT(poll(&ready, 1, 0) >= 0);
	}
	close(fd);
	end_spinner(pid);
}

/* A new period begins when it is set: at a stop, so that the period is known when the last overflow of
 * the limit comes. */
static void check_period(void)
{
	struct perf_event_attr attr = timed_attr(INSTRUCTIONS);
	uint64_t period = 777, zero = 0, too_long = UINT64_C(1) << 63;
	pid_t pid = child_gate(leg_run, 3);

	attr.sample_period = UINT64_C(1) << 30;
	int fd = must_open(&attr, pid, -1, -1);
	control(fd, PERF_EVENT_IOC_REFRESH, 3);
	child_step(pid);
	EXPECT_EQ(read_event(fd).value, derive_legs(INSTRUCTIONS, 1));
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_PERIOD, &zero), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_PERIOD, &too_long), -1);
	EXPECT_EQ(errno, EINVAL);
	control(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period);
	child_step(pid);
	EXPECT_EQ(read_event(fd).value, derive_legs(INSTRUCTIONS, 1) + 3 * period);
	close(fd);
	child_end(pid);
}

static const struct tap_rule rules[] = {
	{ "nothing can be attached to what has ended", check_ended },
	{ "for a task that sleeps, nothing counts and no time passes", check_sleeping },
	{ "events on a stopped task are switched and reset between two instructions",
	  check_stopped },
	{ "an event of a task and a CPU counts that task on that CPU", check_one_cpu_each },
#ifdef __x86_64__
	{ "an event can be attached to a running task, and joins a group that counts",
	  check_running },
	{ "a member of a running group is switched by itself", check_switching },
	{ "a member of a running group is reset by itself", check_resetting },
	{ "a running group is switched whole", check_group_switching },
#endif
	{ "a limit of overflows stops a running task's event at exactly so many periods",
	  check_refresh },
	{ "a new period begins when it is set", check_period },
};

TAP_MAIN(rules)
