/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Making files and reading them back.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_FILES_H
#define TESTS_FILES_H

#include <fcntl.h>
#include <sys/stat.h>

#include "observe.h"

static char buffer[2 * PAGE_BYTES];

/* The compiler is not to know that these are wrong. */
static void *volatile nowhere = (void *)8;

static char long_name[300], long_path[PAGE_BYTES + 10];

static struct stat of(const char *path)
{
	struct stat stat = { 0 };

	lstat(path, &stat);
	return stat;
}

static int make(const char *path, const char *text)
{
	int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0644);

	if (write(fd, text, strlen(text)) < 0)
		show(error_name(errno), "writing %s", path);
	return fd;
}

#endif
