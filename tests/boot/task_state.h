// SPDX-License-Identifier: BSD-2-Clause
/*
 * The state of another task, by its line in /proc: for tests in which one task has to wait until another one sleeps,
 * and not for a time.
 */
#ifndef TESTS_BOOT_TASK_STATE_H
#define TESTS_BOOT_TASK_STATE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The letter of task PID's state, as ps shows it; 0 if there is no such task. */
static inline char task_state(pid_t pid)
{
	char path[32], text[256] = "";

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	int fd = open(path, O_RDONLY);
	ssize_t size = read(fd, text, sizeof(text) - 1);
	const char *after_name = strrchr(text, ')');

	close(fd);
	return size > 0 && after_name ? after_name[2] : 0;
}

/* Whether task PID waits in a call for what another task does, or for a time. */
static inline bool task_sleeps(pid_t pid)
{
	return task_state(pid) == 'S';
}

#endif
