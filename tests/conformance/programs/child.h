/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of an observing program that run in a child, or as somebody. Include it after observe.h. */
#ifndef TESTS_CHILD_H
#define TESTS_CHILD_H

#include "observe.h"

#include <sys/types.h>
#include <sys/wait.h>

/* Runs FUNCTION in a child that prints; shows how the child ended if that was not well. */
static inline void in_child(void (*function)(void))
{
	int status;

	fflush(stdout);
	pid_t child = fork();

	if (child == 0) {
		function();
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, &status, 0);
	if (status)
		show(WIFSIGNALED(status) ? "by a signal" : "with a status", "a child ended");
}

/* Takes UID for good. */
static inline void become(uid_t uid)
{
	if (setresuid(uid, uid, uid) < 0)
		show(error_name(errno), "becoming somebody");
}

#endif
