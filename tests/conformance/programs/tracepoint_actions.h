/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Actions that hit tracepoints.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_TRACEPOINT_ACTIONS_H
#define TESTS_TRACEPOINT_ACTIONS_H

#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tracepoint.h"

/* Filters name calls and signals by their numbers on x86_64; on Alpha they have others. */
#ifdef __alpha__
static inline const char *HERE(const char *filter)
{
	static const char *const numbers[][2] = {
		{ "id == 110", "id == 532" }, { "id == 121", "id == 233" },
		{ "id == 59", "id == 59" },   { "id == 57 || id == 56", "id == 2 || id == 312" },
		{ "sig == 10", "sig == 30" }, { "sig == 17", "sig == 20" },
	};
	static char text[256];

	snprintf(text, sizeof(text), "%s", filter);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		for (char *at = text; (at = strstr(at, numbers[i][0]));
		     at += strlen(numbers[i][1])) {
			char rest[256];

			snprintf(rest, sizeof(rest), "%s", at + strlen(numbers[i][0]));
			snprintf(at, sizeof(text) - (size_t)(at - text), "%s%s", numbers[i][1],
				 rest);
		}
	return text;
}
#else
#define HERE(filter) (filter)
#endif

static void run_child(void (*function)(void))
{
	pid_t child = fork();

	if (child == 0) {
		function();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static inline void five_calls(void)
{
	call_getppid(5);
}

static inline void nothing_to_do(void)
{
}

static inline void set_a_name(void)
{
	prctl(PR_SET_NAME, "another");
	prctl(PR_SET_NAME, "observe");
}

static inline void fork_once(void)
{
	run_child(nothing_to_do);
}

static void handle(int signal)
{
	(void)signal;
}

static inline void signal_once(void)
{
	kill(getpid(), SIGUSR1);
}

static inline void set_itimer(void)
{
	struct itimerval value = { .it_value = { 100, 5 }, .it_interval = { 1, 7 } };

	setitimer(ITIMER_REAL, &value, NULL);
	value = (struct itimerval){ 0 };
	setitimer(ITIMER_REAL, &value, NULL);
}

static inline void touch_pages(void)
{
	char *memory = mmap(NULL, 16 * PAGE_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, 16 * PAGE_BYTES, MADV_NOHUGEPAGE);
	for (int i = 0; i < 16; i++)
		memory[i * PAGE_BYTES] = 1;
	munmap(memory, 16 * PAGE_BYTES);
}

#endif
