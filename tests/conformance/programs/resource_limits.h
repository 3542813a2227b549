/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Setting and showing resource limits.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_RESOURCE_LIMITS_H
#define TESTS_RESOURCE_LIMITS_H

#include <signal.h>
#include <sys/resource.h>

#include "observe.h"

enum { USER = 1000, ANOTHER = 2000 };

static long set(int which, rlim_t soft, rlim_t hard)
{
	const struct rlimit limit = { soft, hard };

	return setrlimit((__rlimit_resource_t)which, &limit);
}

static const char *value(rlim_t limit)
{
	static char text[2][32];
	static int turn;

	turn = !turn;
	if (limit == RLIM_INFINITY)
		return "infinity";
	snprintf(text[turn], sizeof(text[turn]), "%lu", (unsigned long)limit);
	return text[turn];
}

static void show_limit(const char *name, int which)
{
	struct rlimit limit = { 0 };
	char text[80];

	getrlimit((__rlimit_resource_t)which, &limit);
	snprintf(text, sizeof(text), "%s %s", value(limit.rlim_cur), value(limit.rlim_max));
	show(text, "%s", name);
}

static volatile sig_atomic_t exceeded, exceeded_code;

static void note(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	exceeded++;
	exceeded_code = info->si_code;
}

static void handle(int signal)
{
	struct sigaction action = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };

	sigaction(signal, &action, NULL);
}

#endif
