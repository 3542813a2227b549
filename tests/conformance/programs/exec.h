/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starting this program anew.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_EXEC_H
#define TESTS_EXEC_H

#include <sys/wait.h>

#include "observe.h"

enum { LONGEST = 131072, FAILED = 100, NOT_SHOWN = 7 };

#define SELF "/proc/self/exe"

static char *plain_environment[] = { "A=1", "B=", NULL };

/* Runs BODY in a child, which ends with FAILED + errno if no program was started. */
static const char *in_child(int (*body)(const void *argument), const void *argument)
{
	static char text[32];
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		body(argument);
		_exit(FAILED + errno);
	}
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status)) {
		snprintf(text, sizeof(text), "killed by %d", WTERMSIG(status));
		return text;
	}
	if (WEXITSTATUS(status) >= FAILED)
		return error_name(WEXITSTATUS(status) - FAILED);
	snprintf(text, sizeof(text), "exit status %d", WEXITSTATUS(status));
	return text;
}

#endif
