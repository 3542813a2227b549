/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of Unix sockets for the programs that observe those. */
#ifndef TESTS_PAIR_H
#define TESTS_PAIR_H

#include "observe.h"

#include <sys/socket.h>

/* Ends the program if there is no pair: nothing that follows would mean anything. */
static inline void must_pair(int type, int fds[2])
{
	if (socketpair(AF_UNIX, type, 0, fds) < 0) {
		show(error_name(errno), "a pair of sockets");
		exit(1);
	}
}

static inline void close_pair(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

#endif
