// SPDX-License-Identifier: BSD-2-Clause
/*
 * Floods: a process asks for more interrupts than a CPU can serve, or for more work than a time slice
 * holds. It leaves the other tasks of the CPU a part of their speed, and can be killed. The speed is a
 * number of rounds in so much virtual time (tests/boot/icount.t), so it is the same on every host.
 */
#include <fcntl.h>
#include <signal.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "child.h"
#include "clock.h"
#include "posix_timer.h"

/* More timers than one tick serves. */
enum { TIMERS = 2000, FEW_TIMERS = 300, EVENTS = 200 };
enum { MONOTONIC = 1, PROCESS_TIME = 2, EVENT_SIGNAL = 0, LIMIT_SIGPENDING = 11 };
/* The time of a measurement, and the least speed that is left: half, less the cost of a context switch. */
enum { WINDOW_MS = 16, SETTLE_MS = 12, LEAST_PERCENT = 30 };

/* Memory that long calls fill; and a file without pages. */
#define FILLED_BYTES ((size_t)64 << 20)
#define HOLE_BYTES   ((long)1 << 31)

static const struct setting each_nanosecond = { { 0, 1 }, { 0, 1 } };
static _Atomic int *ready;

static void must(long result)
{
	if (result < 0)
		abort();
}

static void raise_limits(void)
{
	const struct rlimit many = { 65536, 65536 };

	setrlimit(RLIMIT_NOFILE, &many);
	setrlimit(LIMIT_SIGPENDING, &many);
}

static void make_timers(int clock, int count, int signal, const struct setting *setting)
{
	const struct event event = { .signal = signal, .notify = EVENT_SIGNAL };

	for (int i = 0; i < count; i++) {
		int timer;

		must(syscall(__NR_timer_create, clock, &event, &timer));
		must(syscall(__NR_timer_settime, timer, 0, setting, NULL));
	}
}

static void rest(void)
{
	*ready = 1;
	for (;;)
		pause();
}

static void ignored_timers(void *unused)
{
	(void)unused;
	signal(SIGALRM, SIG_IGN);
	make_timers(MONOTONIC, TIMERS, SIGALRM, &each_nanosecond);
	rest();
}

/* The same, with a signal for each timer, which has to wait. */
static void blocked_timers(void *unused)
{
	sigset_t set;

	(void)unused;
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	make_timers(MONOTONIC, TIMERS, SIGALRM, &each_nanosecond);
	rest();
}

static void note(int signal)
{
	(void)signal;
}

static void handled_timers(void *unused)
{
	(void)unused;
	signal(SIGALRM, note);
	*ready = 1;
	make_timers(MONOTONIC, FEW_TIMERS, SIGALRM, &each_nanosecond);
	rest();
}

/* CPU time that does not come nearer, since no task runs. */
static void cpu_timers(void *unused)
{
	const struct setting soon = { { 0, 1 }, { 0, 10000000 } };

	(void)unused;
	signal(SIGALRM, SIG_IGN);
	make_timers(PROCESS_TIME, FEW_TIMERS, SIGALRM, &soon);
	rest();
}

static void timer_files(void *unused)
{
	(void)unused;
	for (int i = 0; i < TIMERS; i++) {
		int fd = (int)syscall(__NR_timerfd_create, MONOTONIC, 0);

		must(fd);
		must(syscall(__NR_timerfd_settime, fd, 0, &each_nanosecond, NULL));
	}
	rest();
}

static void interval_timer(void *unused)
{
	const struct timeval each[2] = { { 0, 1 }, { 0, 1 } };

	(void)unused;
	signal(SIGALRM, SIG_IGN);
	signal(SIGVTALRM, SIG_IGN);
	signal(SIGPROF, SIG_IGN);
	for (int which = 0; which < 3; which++)
		must(syscall(__NR_setitimer, which, each, NULL));
	rest();
}

/* Runs as fast as its events of its own time let it. */
static void clock_events(void *unused)
{
	(void)unused;
	for (int i = 0; i < EVENTS; i++) {
		struct perf_event_attr attr =
			software_attr(i % 2 ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_SW_TASK_CLOCK);

		attr.sample_period = 1;
		must_open(&attr, 0, -1, -1);
	}
	*ready = 1;
	for (;;)
		;
}

/* --- long calls: each is many slices of work --- */

static char *make_room(void)
{
	char *room = mmap(NULL, FILLED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	if (room == MAP_FAILED)
		abort();
	return room;
}

static void random_bytes(void *unused)
{
	char *room = make_room();

	(void)unused;
	*ready = 1;
	for (;;)
		must(syscall(__NR_getrandom, room, FILLED_BYTES, 0));
}

static void zeros(void *unused)
{
	char *room = make_room();
	int fd = open("/dev/zero", O_RDONLY);

	(void)unused;
	must(fd);
	*ready = 1;
	for (;;)
		must(read(fd, room, FILLED_BYTES));
}

static void hole_to_nowhere(void *unused)
{
	int from = (int)syscall(__NR_memfd_create, "hole", 0), to = open("/dev/null", O_WRONLY);

	(void)unused;
	must(from);
	must(to);
	must(ftruncate(from, HOLE_BYTES));
	*ready = 1;
	for (;;) {
		must(lseek(from, 0, SEEK_SET));
		must(syscall(__NR_sendfile, to, from, NULL, HOLE_BYTES));
	}
}

static void pages(void *unused)
{
	(void)unused;
	*ready = 1;
	for (;;) {
		char *room = make_room();

		must(syscall(__NR_madvise, room, FILLED_BYTES, MADV_POPULATE_WRITE));
		must(munmap(room, FILLED_BYTES));
		room = mmap(NULL, FILLED_BYTES, PROT_READ,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		must(munmap(room, FILLED_BYTES));
	}
}

/* Rounds in WINDOW_MS. */
static uint64_t measure(void)
{
	uint64_t rounds = 0;

	for (uint64_t end_ns = now_ns() + WINDOW_MS * NS_PER_MS; now_ns() < end_ns; rounds++)
		;
	return rounds;
}

static const struct {
	const char *name;
	void (*body)(void *unused);
	/* The speed of one process that is alone there. */
	int share_percent;
} floods[] = {
	{ "timers whose signal is ignored", ignored_timers, 100 },
	{ "timers whose signal is blocked", blocked_timers, 100 },
	{ "timers whose signal is handled", handled_timers, 50 },
	{ "timers of CPU time", cpu_timers, 100 },
	{ "timers that are files", timer_files, 100 },
	{ "setitimer's timers", interval_timer, 100 },
	{ "events of clocks", clock_events, 50 },
	{ "random bytes", random_bytes, 50 },
	{ "zeros", zeros, 50 },
	{ "a file's hole sent to nowhere", hole_to_nowhere, 50 },
	{ "pages that are made present", pages, 50 },
};

static void check_floods(void)
{
	pin(0, 0);
	uint64_t alone = measure();

	for (size_t i = 0; i < sizeof(floods) / sizeof(floods[0]); i++) {
		*ready = 0;
		pid_t child = child_start(floods[i].body, NULL);

		while (!*ready)
			sched_yield();
		pause_ms(SETTLE_MS);
		uint64_t rounds = measure();
		uint64_t least =
			alone * (uint64_t)floods[i].share_percent / 100 * LEAST_PERCENT / 100;

		printf("# %s: %d percent\n", floods[i].name, (int)(rounds * 100 / alone));
		if (rounds < least)
			printf("# %s: expected %lu rounds at least, got %lu\n", floods[i].name,
			       (unsigned long)least, (unsigned long)rounds);
		EXPECT(rounds >= least);
		child_end(child);
	}
}

static const struct tap_rule rules[] = {
	{ "a flood of timers or a long call leaves others a part of the CPU, and its process can be killed",
	  check_floods },
};

int main(void)
{
	ready = share(PAGE);
	raise_limits();
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
