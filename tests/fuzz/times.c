// SPDX-License-Identifier: BSD-2-Clause
/*
 * Operations with timers: of the shortest periods, many at once, on any clock, with signals that are ignored,
 * blocked or caught; in a child, which is killed when it had some time.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static void any_time(struct fuzzer *fuzzer, struct itimerspec *when)
{
	static const long ns[] = { 0, 1, 1, 1, 100, 1000, 100000, 1000000000, -1 };

	when->it_value = (struct timespec){ pick(fuzzer, 8) ? 0 : (time_t)fuzz_edge(fuzzer),
					    PICK(fuzzer, ns) };
	when->it_interval = (struct timespec){ pick(fuzzer, 8) ? 0 : (time_t)fuzz_edge(fuzzer),
					       PICK(fuzzer, ns) };
}

_Noreturn static void run_timers(struct fuzzer *fuzzer)
{
	static const int clocks[] = { CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_PROCESS_CPUTIME_ID,
				      CLOCK_THREAD_CPUTIME_ID, CLOCK_BOOTTIME };
	unsigned int count = pick(fuzzer, 8) ? pick(fuzzer, 40) : 1500;
	struct sigevent event = { .sigev_notify = pick(fuzzer, 3) ? SIGEV_SIGNAL : SIGEV_NONE,
				  .sigev_signo = SIGUSR2 };
	struct itimerspec when = { { 0, 1 }, { 0, 1 } };
	struct itimerval interval = { { 0, 1 }, { 0, 1 } };

	if (pick(fuzzer, 2))
		signal(SIGUSR2, SIG_IGN);
	for (unsigned int i = 0; i < count; i++) {
		int id;

		if (syscall(SYS_timer_create, PICK(fuzzer, clocks), &event, &id) < 0)
			break;
		if (count < 100)
			any_time(fuzzer, &when);
		syscall(SYS_timer_settime, id, pick(fuzzer, 2), &when, NULL);
		if (pick(fuzzer, 4) == 0)
			syscall(SYS_timer_gettime, id, fuzz_good_memory());
		if (pick(fuzzer, 8) == 0)
			syscall(SYS_timer_delete, id);
	}
	for (int i = 0; i < 3; i++)
		setitimer((__itimer_which_t)pick(fuzzer, 3), &interval, NULL);
	for (int i = 0; i < 8; i++) {
		int fd = timerfd_create(pick(fuzzer, 2), TFD_NONBLOCK | TFD_CLOEXEC);
		uint64_t count_of;

		any_time(fuzzer, &when);
		timerfd_settime(fd, (int)pick(fuzzer, 4), &when, NULL);
		if (read(fd, &count_of, sizeof(count_of)) < 0)
			fuzz_work(100);
	}
	count_calls(2 * count);
	leak_check(fuzz_good_memory(), PAGE, "timer_gettime");
	fuzz_work(20000);
	_exit(0);
}

static long make_timers(struct fuzzer *fuzzer)
{
	pid_t child = fuzz_fork(fuzzer);

	if (child == 0)
		run_timers(fuzzer);
	return child < 0 ? -1 : fuzz_reap(child, 30);
}

const struct operation fuzz_time_operations[] = {
	{ "make_timers", make_timers, 1 },
	{ 0 },
};
