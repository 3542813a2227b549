// SPDX-License-Identifier: BSD-2-Clause
/*
 * CPUs go off line and come on line again: tasks, timers and the events of tasks lose nothing, the events of the CPU
 * end, and the CPU is as good as new when it comes back.
 *
 * The first rules look at one step after the other. The hammer then toggles the CPUs while tasks count exactly,
 * sample, switch, wander, make others and exit; the numbers of operations end it, and no time.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "perf_ring.h"

#include "child.h"

#define TOGGLES 200
#define ROUNDS	200
#define PERIOD	1000

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	int result = fd < 0 ? -1 : (int)write(fd, text, strlen(text));
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return result;
}

static int set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return write_text(path, online ? "1" : "0") > 0 ? 0 : -errno;
}

static bool is_alone(void)
{
	if (cpu_count() > 1)
		return false;
	printf("# skipped: no other CPU\n");
	return true;
}

/* As run_on, but for a CPU that may be off line. */
static int try_run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

/* The CPUs that the caller may run on; bit n: CPU n. */
static uint64_t cpu_set_here(void)
{
	uint64_t set = 0;

	EXPECT(syscall(__NR_sched_getaffinity, 0, sizeof(set), &set) > 0);
	return set;
}

static uint64_t value_of(int fd)
{
	uint64_t value = UINT64_MAX;

	EXPECT_EQ(read(fd, &value, sizeof(value)), sizeof(value));
	return value;
}

/* --- one step after the other --- */

static void check_tasks(void)
{
	uint64_t others = cpu_set_here();

	if (is_alone())
		return;
	others &= ~(uint64_t)2;
	run_on(1);
	EXPECT_EQ(set_online(1, false), 0);
	EXPECT(sched_getcpu() != 1);
	EXPECT_EQ(cpu_set_here(), others);
	EXPECT_EQ(try_run_on(1), -EINVAL);
	EXPECT_EQ(sysconf(_SC_NPROCESSORS_ONLN), cpu_count() - 1);
	EXPECT_EQ(set_online(1, false), 0);
	EXPECT_EQ(set_online(1, true), 0);
	EXPECT_EQ(set_online(1, true), 0);
	/* The task was let run everywhere: so also on the CPU that is back. */
	EXPECT_EQ(cpu_set_here(), others | 2);
	run_on(1);
	EXPECT_EQ(sched_getcpu(), 1);
	run_on(0);
}

static void sleep_on_1(void *began)
{
	struct timespec time = { .tv_nsec = 50000000 };

	run_on(1);
	atomic_store((_Atomic int *)began, 1);
	nanosleep(&time, NULL);
}

static void check_timers(void)
{
	_Atomic int *began = share(sizeof(*began));

	if (is_alone())
		return;
	run_on(0);
	pid_t pid = child_start(sleep_on_1, (void *)began);

	while (!atomic_load(began))
		sched_yield();
	EXPECT_EQ(set_online(1, false), 0);
	EXPECT_EQ(child_wait(pid), 0);
	EXPECT_EQ(set_online(1, true), 0);
}

static void check_cpu_events(void)
{
	struct perf_event_attr attr = user_attr(&kinds[0]);
	struct perf_event_attr clock = software_attr(PERF_COUNT_SW_CPU_CLOCK);

	if (is_alone())
		return;
	run_on(1);
	attr.disabled = clock.disabled = 0;
	int leader = must_open(&attr, -1, 1, -1), member = must_open(&clock, -1, 1, leader);

	spin_loop(1000, NULL);
	EXPECT_EQ(set_online(1, false), 0);
	uint64_t value = value_of(leader);

	EXPECT_AT(value >= 1000, "%" PRIu64 " instructions", value);
	EXPECT_EQ(open_event(&attr, -1, 1, -1), -1);
	EXPECT_EQ(errno, ENODEV);
	EXPECT_EQ(ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP), 0);
	EXPECT_EQ(set_online(1, true), 0);
	run_on(1);
	EXPECT_EQ(ioctl(member, PERF_EVENT_IOC_ENABLE, 0), 0);
	spin_loop(1000, NULL);
	EXPECT_EQ(value_of(leader), value);
	value = read_event(member).value;
	EXPECT_EQ(read_event(member).value, value);

	int fresh = must_open(&attr, -1, 1, -1);

	spin_loop(1000, NULL);
	EXPECT(value_of(fresh) >= 1000);
	close(member);
	close(leader);
	EXPECT(value_of(fresh) >= 1000);
	close(fresh);
	run_on(0);
}

static void check_task_events(void)
{
	const struct spin_work *work = spin_find_work("loop");
	struct perf_event_attr attr = user_attr(&kinds[0]);

	if (is_alone())
		return;
	run_on(0);
	EXPECT_EQ(set_online(1, false), 0);
	int bound = must_open(&attr, 0, 1, -1), free = must_open(&attr, 0, -1, -1);

	run_enabled(bound, work, 1000, NULL);
	run_enabled(free, work, 1000, NULL);
	EXPECT_EQ(value_of(bound), 0);
	EXPECT_EQ(value_of(free), derive_window(&kinds[0], work, 1000));
	EXPECT_EQ(set_online(1, true), 0);
	run_on(1);
	run_enabled(bound, work, 1000, NULL);
	run_enabled(free, work, 1000, NULL);
	EXPECT_EQ(value_of(bound), derive_window(&kinds[0], work, 1000));
	EXPECT_EQ(value_of(free), 2 * derive_window(&kinds[0], work, 1000));
	close(bound);
	close(free);
	run_on(0);
}

/* --- the hammer --- */

static uint64_t random_state;
static _Atomic int *running; /* tasks that have not finished */

/* Marsaglia's xorshift64. */
static uint64_t draw(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

static int draw_cpu(void)
{
	return (int)draw((uint64_t)cpu_count());
}

static int windowed, cpu_event = -1;
static uint64_t windowed_expected;

static void do_window(void)
{
	const struct spin_work *work = spin_find_work(draw(2) ? "loop" : "calls");
	uint64_t n = draw(3000) + 1;

	run_enabled(windowed, work, n, NULL);
	windowed_expected += derive_window(&kinds[1], work, n);
	EXPECT_EQ(value_of(windowed), windowed_expected);
}

static void do_wander(void)
{
	int error = try_run_on(draw_cpu());

	EXPECT_AT(error == 0 || error == -EINVAL, "%s", strerror(-error));
}

static void do_yield(void)
{
	sched_yield();
}

static void do_sleep(void)
{
	struct timespec time = { .tv_nsec = 100000 };

	nanosleep(&time, NULL);
}

/* A sampling event on a CPU, kernel included. */
static void do_cpu_event(void)
{
	struct perf_event_attr attr = user_attr(&kinds[0]);

	if (cpu_event >= 0) {
		value_of(cpu_event);
		EXPECT_EQ(ioctl(cpu_event, PERF_EVENT_IOC_RESET, 0), 0);
		EXPECT_EQ(ioctl(cpu_event, PERF_EVENT_IOC_ENABLE, 0), 0);
		close(cpu_event);
		cpu_event = -1;
		return;
	}
	attr.disabled = 0;
	attr.exclude_kernel = (uint32_t)draw(2);
	attr.sample_period = 100 * PERIOD;
	attr.sample_type = PERF_SAMPLE_IP;
	cpu_event = open_event(&attr, -1, draw_cpu(), -1);
	EXPECT_AT(cpu_event >= 0 || errno == ENODEV, "%s", strerror(errno));
}

/* More groups than counters: they rotate. */
static void do_crowd(void)
{
	int fds[16];

	for (int i = 0; i < 16; i++) {
		struct perf_event_attr attr = timed_attr(&kinds[1]);

		attr.disabled = 0;
		fds[i] = must_open(&attr, 0, -1, -1);
	}
	spin_loop(draw(20000), NULL);
	for (int i = 0; i < 16; i++)
		close(fds[i]);
}

static void do_fork(void)
{
	struct perf_event_attr attr = user_attr(&kinds[0]);
	uint64_t n = draw(5000) + 1;

	attr.inherit = 1;
	attr.inherit_stat = 1;
	attr.sample_type = PERF_SAMPLE_TID;
	attr.disabled = 0;
	int bound = must_open(&attr, 0, draw_cpu(), -1);
	pid_t pid = fork();

	if (pid == 0) {
		do_wander();
		spin_loop(n, NULL);
		_exit(0);
	}
	EXPECT_EQ(child_wait(pid), 0);
	close(bound);
}

static void (*const deeds[])(void) = {
	do_window, do_window, do_wander, do_wander,    do_yield,
	do_sleep,  do_fork,   do_crowd,	 do_cpu_event, do_cpu_event,
};

static void hammer(int number)
{
	struct perf_event_attr attr = user_attr(&kinds[1]);

	random_state = 0x9e3779b97f4a7c15 * (uint64_t)(number + 1);
	attr.pinned = 1;
	windowed = must_open(&attr, 0, -1, -1);
	for (int round = 0; round < ROUNDS && !tap_failed; round++)
		deeds[draw(sizeof(deeds) / sizeof(deeds[0]))]();
	EXPECT_EQ_AT(value_of(windowed), windowed_expected, "task %d", number);
	atomic_fetch_sub(running, 1);
}

/* Toggles at least TOGGLES times, and until the tasks have finished. */
static void toggle(void)
{
	random_state = 1;
	for (int i = 0; i < TOGGLES || atomic_load(running); i++) {
		int cpu = 1 + (int)draw((uint64_t)cpu_count() - 1);

		EXPECT_EQ(set_online(cpu, draw(2)), 0);
	}
	for (int cpu = 1; cpu < cpu_count(); cpu++)
		EXPECT_EQ(set_online(cpu, true), 0);
}

static void check_hammer(void)
{
	int status, count = 2 * cpu_count() + 1, left = count;

	if (is_alone())
		return;
	running = share(sizeof(*running));
	*running = count;
	fflush(stdout);
	for (int i = 0; i < count; i++) {
		if (fork() == 0) {
			hammer(i);
			fflush(stdout);
			_exit(tap_failed);
		}
	}
	toggle();
	while (left-- && wait(&status) > 0)
		EXPECT_EQ(status, 0);
}

/* Two at once: each change is whole. */
static void check_togglers(void)
{
	if (is_alone())
		return;
	running = share(sizeof(*running));
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		random_state = 7;
		for (int i = 0; i < TOGGLES; i++)
			EXPECT_EQ(set_online(1, i & 1), 0);
		fflush(stdout);
		_exit(tap_failed);
	}
	toggle();
	EXPECT_EQ(child_wait(pid), 0);
	toggle();
}

/* Afterwards all counters of each CPU are free and exact. */
static void check_nothing_left(void)
{
	const struct spin_work *work = spin_find_work("loop");
	int counters = general_counters(), fds[16];

	for (int cpu = 0; cpu < cpu_count(); cpu++) {
		run_on(cpu);
		for (int i = 0; i < counters; i++) {
			struct perf_event_attr attr = user_attr(GENERAL);

			attr.disabled = i == 0;
			fds[i] = must_open(&attr, 0, -1, i ? fds[0] : -1);
		}
		run_enabled(fds[0], work, 1000, NULL);
		for (int i = 0; i < counters; i++)
			EXPECT_EQ_AT(value_of(fds[i]), derive_window(GENERAL, work, 1000),
				     "CPU %d, event %d", cpu, i);
		for (int i = 0; i < counters; i++)
			close(fds[i]);
	}
}

static const struct tap_rule rules[] = {
	{ "a task leaves its CPU, and may run everywhere afterwards", check_tasks },
	{ "a sleep that began on the CPU ends in time", check_timers },
	{ "events of the CPU keep their counts and count no more", check_cpu_events },
	{ "a task's event bound to the CPU counts once it is back", check_task_events },
	{ "tasks count exactly while CPUs come and go", check_hammer },
	{ "two tasks change the same CPUs at once", check_togglers },
	{ "afterwards every counter is free and exact", check_nothing_left },
};

TAP_MAIN(rules)
