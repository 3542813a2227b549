/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading and writing the files of tracefs, and showing the results.
 */
#ifndef TESTS_TRACEFS_H
#define TESTS_TRACEFS_H

#include <sys/mount.h>

#include "observe.h"

#define ROOT "/sys/kernel/tracing/"

/* Reads the file PATH of tracefs; how many bytes, or -1. */
static inline ssize_t read_file(const char *path, char *text, size_t size)
{
	char full[256];
	size_t done = 0;
	ssize_t got;

	snprintf(full, sizeof(full), ROOT "%s", path);
	int fd = open(full, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return -1;
	while ((got = read(fd, text + done, size - 1 - done)) > 0)
		done += (size_t)got;
	int error = errno;

	close(fd);
	errno = error;
	text[done] = '\0';
	return got < 0 && !done ? -1 : (ssize_t)done;
}

static inline long write_with(const char *path, const char *text, int flags)
{
	char full[256];

	snprintf(full, sizeof(full), ROOT "%s", path);
	int fd = open(full, O_WRONLY | flags);

	if (fd < 0)
		return -1;
	long result = write(fd, text, strlen(text));
	int error = errno;

	close(fd);
	errno = error;
	return result;
}

static char contents[1 << 20];

/* Shows the text of PATH in one line, its line ends as "|". */
static inline void see_file(const char *path, const char *when)
{
	if (read_file(path, contents, 4096) < 0) {
		show(error_name(errno), "%s, %s", path, when);
		return;
	}
	for (char *at = contents; *at; at++)
		if (*at == '\n')
			*at = '|';
	show(contents, "%s, %s", path, when);
}

static inline void see_write(const char *path, const char *text)
{
	show(outcome_value(write_with(path, text, 0)), "write \"%s\" to %s", text, path);
	see_file(path, text);
}

/* Linux leaves it to user space to mount it. */
static inline bool have_tracefs(void)
{
	if (!access(ROOT "trace", F_OK) || !mount("nodev", ROOT, "tracefs", 0, NULL))
		return true;
	show(error_name(errno), "tracefs");
	return false;
}

#endif
