/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of an observing program that run in a child, or as another user. */
#ifndef TESTS_CHILD_H
#define TESTS_CHILD_H

#include "observe.h"

#include <signal.h>
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

/* A child that waits to be killed. */
static inline pid_t child_that_sleeps(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		for (;;)
			pause();
	}
	return pid;
}

static inline void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
}

/* Takes UID for good. */
static inline void become(uid_t uid)
{
	if (setresuid(uid, uid, uid) < 0)
		show(error_name(errno), "becoming a user");
}

/* As become, with the group of the same number. */
static inline void become_user_and_group(uid_t id)
{
	if (setresgid(id, id, id) < 0)
		show(error_name(errno), "taking a user's group");
	become(id);
}

#endif
