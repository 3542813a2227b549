/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the programs about timers. Include it in one file of a program, before all others. */
#ifndef TESTS_TIMING_H
#define TESTS_TIMING_H

#include "observe.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>

#define MS 1000000l

/* Signals since handle(), and the last one's information. */
static volatile sig_atomic_t caught;
static siginfo_t caught_info;

static void catch_signal(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	caught++;
	caught_info = *info;
}

static inline void handle(int signal)
{
	struct sigaction action = { .sa_sigaction = catch_signal, .sa_flags = SA_SIGINFO };

	sigaction(signal, &action, NULL);
	caught = 0;
}

static inline struct itimerspec spec(long value_ns, long interval_ns)
{
	return (struct itimerspec){ { interval_ns / 1000000000, interval_ns % 1000000000 },
				    { value_ns / 1000000000, value_ns % 1000000000 } };
}

static inline void sleep_ms(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * MS };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &time))
		;
}

static inline void burn_ms(long ms)
{
	struct timespec now;

	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000 + now.tv_nsec / MS < ms);
}

static inline const char *number(long value)
{
	static char text[24];

	snprintf(text, sizeof(text), "%ld", value);
	return text;
}

/* Whether A is set and at most LIMIT. */
static inline const char *within(const struct timespec *a, long seconds)
{
	if (!a->tv_sec && !a->tv_nsec)
		return "zero";
	return a->tv_sec < seconds || (a->tv_sec == seconds && a->tv_nsec == 0) ? "within" :
										  "beyond";
}

static inline const char *within_us(const struct timeval *a, long seconds)
{
	struct timespec time = { a->tv_sec, a->tv_usec };

	return within(&time, seconds);
}

/* No address of anything. */
static void *volatile const bad = (void *)8;

#endif
