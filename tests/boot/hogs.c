// SPDX-License-Identifier: BSD-2-Clause
/*
 * As much of everything as a program can have, and then the call that looks at all of it: nothing keeps
 * interrupts off for long. On the debug kernel with irqs-off-watchdog and virtual time
 * (tests/boot/irqs-off.t) that is a panic; this file has the expectations besides.
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "posix_timer.h"
#include "process.h"

enum { SIGNALS = 3000, TASKS = 1500, FILES = 4000, AREAS = 20000, TIMERS = 2000, ROBUST = 4000 };
enum { LIMIT_SIGPENDING = 11, MONOTONIC = 1, REALTIME = 0, FIRST_REAL_TIME = 32 };
enum { FUTEX_WAIT_PRIVATE = 128, FUTEX_WAKE_PRIVATE = 129, FUTEX_REQUEUE_PRIVATE = 131 };

static void set_limit(int limit, uint64_t most)
{
	const uint64_t limits[2] = { most, most };

	EXPECT_EQ(syscall(__NR_prlimit64, 0, limit, limits, NULL), 0);
}

/* --- signals --- */

static void block_all(void)
{
	const uint64_t all = ~(uint64_t)0;

	syscall(__NR_rt_sigprocmask, SIG_BLOCK, &all, NULL, sizeof(all));
}

static void queue_signals(void)
{
	siginfo_t info = { .si_code = SI_QUEUE };

	block_all();
	for (int i = 0; i < SIGNALS; i++)
		if (syscall(__NR_rt_sigqueueinfo, getpid(), FIRST_REAL_TIME + i % 30, &info))
			_exit(1);
}

static void end_with_signals(void)
{
	queue_signals();
}

static void ignore_signals(void)
{
	queue_signals();
	for (int i = 0; i < 30; i++) {
		/* handler, flags, mask, restorer, as either ISA has them. */
		const uint64_t ignore[4] = { 1 };

		syscall(__NR_rt_sigaction, FIRST_REAL_TIME + i, ignore, NULL, 8, 0);
	}
}

static void take_signals(void)
{
	uint64_t set = ~(uint64_t)0;
	const struct timespec now = { 0, 0 };
	int taken = 0;

	queue_signals();
	while (syscall(__NR_rt_sigtimedwait, &set, NULL, &now, sizeof(set)) > 0)
		taken++;
	_exit(taken != SIGNALS);
}

static void check_signals(void)
{
	set_limit(LIMIT_SIGPENDING, 65536);
	EXPECT_EQ(status_of(start(end_with_signals)), 0);
	EXPECT_EQ(status_of(start(ignore_signals)), 0);
	EXPECT_EQ(status_of(start(take_signals)), 0);
}

/* --- tasks --- */

static void wait_to_be_killed(void)
{
	for (;;)
		pause();
}

static void hold_tasks(void)
{
	int made = 0;

	setpgid(0, 0);
	for (; made < TASKS; made++) {
		pid_t child = fork();

		if (child < 0)
			break;
		if (child == 0)
			wait_to_be_killed();
	}
	shared[0] = made;
	/* To all, one after the other. */
	for (int i = 0; i < 3; i++)
		kill(0, SIGCHLD);
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGCONT);
	/* A process that is left is the first process's child. */
}

static void check_tasks(void)
{
	pid_t child = start(hold_tasks);

	EXPECT_EQ(status_of(child), 0);
	EXPECT(shared[0] >= TASKS / 2);
	EXPECT_EQ(kill(-child, SIGKILL), 0);
	for (int i = 0; i < shared[0]; i++)
		waitpid(-1, NULL, 0);
}

/* --- threads at one futex --- */

#define THREAD_FLAGS \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

static uint32_t futex_words[2];
static _Atomic int begun;

static int wait_at_futex(void *unused)
{
	(void)unused;
	begun++;
	syscall(__NR_futex, &futex_words[0], FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	syscall(__NR_exit, 0);
	return 0;
}

static void wake_all(void)
{
	int made = 0;

	for (; made < TASKS; made++) {
		char *stack = page_at(NULL, PROT_READ | PROT_WRITE, 0);

		if (stack == MAP_FAILED ||
		    clone(wait_at_futex, stack + PAGE, THREAD_FLAGS, NULL) < 0)
			break;
	}
	while (begun < made)
		sched_yield();
	pause_ms(50);
	syscall(__NR_futex, &futex_words[0], FUTEX_REQUEUE_PRIVATE, 0, (void *)(long)INT32_MAX,
		&futex_words[1], 0);
	syscall(__NR_futex, &futex_words[1], FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
	/* And leave while they do. */
}

static void check_futex(void)
{
	EXPECT_EQ(status_of(start(wake_all)), 0);
}

/* --- files --- */

static void hold_files(void)
{
	int ends[2], epoll = (int)syscall(__NR_epoll_create1, 0), made = 0;
	struct pollfd *all = calloc(FILES, sizeof(*all));
	/* The argument of epoll_ctl: events and data, as either ISA lays them out. */
	const uint32_t event[4] = { 1 };

	if (pipe(ends) < 0)
		_exit(1);
	for (; made < FILES; made++) {
		int fd = dup(ends[0]);

		if (fd < 0)
			break;
		all[made] = (struct pollfd){ .fd = fd, .events = POLLIN };
		syscall(__NR_epoll_ctl, epoll, 1, fd, event);
	}
	poll(all, (unsigned int)made, 0);
	/* Every waiter is notified. */
	if (write(ends[1], "x", 1) != 1)
		_exit(1);
	uint64_t room[1024];

	syscall(__NR_epoll_pwait, epoll, room, 64, 0, NULL, 8);
	_exit(made < FILES / 2);
}

static void check_files(void)
{
	set_limit(RLIMIT_NOFILE, 65536);
	EXPECT_EQ(status_of(start(hold_files)), 0);
}

/* --- memory --- */

static void hold_areas(void)
{
	char *memory = mmap(NULL, (size_t)AREAS * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		_exit(1);
	for (long i = 0; i < AREAS; i += 2)
		mprotect(memory + i * PAGE, PAGE, PROT_READ);
	for (long i = 1; i < AREAS; i += 2)
		memory[i * PAGE] = 1;
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	munmap(memory, (size_t)AREAS * PAGE / 2);
}

static void check_areas(void)
{
	EXPECT_EQ(status_of(start(hold_areas)), 0);
}

/* --- robust lists --- */

struct robust_head {
	uintptr_t first;
	long offset;
	uintptr_t pending;
};

/* Each entry is on a page of its own, which is not there yet. */
static void hold_robust_list(void)
{
	static struct robust_head head;
	char *memory = mmap(NULL, (size_t)ROBUST * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		_exit(1);
	for (long i = 0; i < ROBUST; i++)
		*(uintptr_t *)(memory + i * PAGE) = (uintptr_t)memory + (i + 1) % ROBUST * PAGE;
	head = (struct robust_head){ .first = (uintptr_t)memory, .offset = 8 };
	if (syscall(__NR_set_robust_list, &head, sizeof(head)) < 0)
		_exit(1);
}

static void check_robust(void)
{
	EXPECT_EQ(status_of(start(hold_robust_list)), 0);
}

/* --- timers --- */

static void hold_timers(void)
{
	const struct setting settings[] = { { { 0, 0 }, { 1000, 0 } }, { { 0, 1 }, { 0, 1 } } };

	block_all();
	for (int i = 0; i < TIMERS; i++) {
		/* Some that follow the real-time clock, and signals of their own. */
		const struct event event = { .signal = FIRST_REAL_TIME + i % 30 };
		struct setting setting = settings[i % 2];
		int timer;

		if (i % 2 == 0)
			clock_gettime(CLOCK_REALTIME, &setting.value), setting.value.tv_sec += 1000;
		if (syscall(__NR_timer_create, i % 2 ? MONOTONIC : REALTIME, &event, &timer) < 0 ||
		    syscall(__NR_timer_settime, timer, i % 2 == 0, &setting, NULL) < 0)
			_exit(1);
	}
	pause_ms(20);
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	syscall(__NR_clock_settime, REALTIME, &now);
}

static void check_timers(void)
{
	EXPECT_EQ(status_of(start(hold_timers)), 0);
}

static const struct tap_rule rules[] = {
	{ "thousands of pending signals", check_signals },
	{ "a thousand threads at one futex", check_futex },
	{ "thousands of descriptors of one file, watched", check_files },
	{ "thousands of mappings", check_areas },
	{ "an unlimited robust list", check_robust },
	{ "thousands of timers", check_timers },
	{ "a thousand processes, notified at once", check_tasks },
};

int main(void)
{
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
