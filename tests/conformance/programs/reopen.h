/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening a descriptor's file once more, by its name in /proc: the right is judged anew. Include it in one file of a
 * program, after attackers.h.
 */
#ifndef TESTS_REOPEN_H
#define TESTS_REOPEN_H

static inline long reopen(int fd, int flags)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int again = open(path, flags);

	if (again < 0)
		return -errno;
	close(again);
	return 0;
}

#endif
