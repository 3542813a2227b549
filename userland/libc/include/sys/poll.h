/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/poll.h - waiting for several descriptors, with Linux's numbers (asm-generic/poll.h).
 */
#ifndef _SYS_POLL_H
#define _SYS_POLL_H

#include <sys/types.h>
#include <sys/_timespec.h>
#include <signal.h>

#define POLLIN	 0x0001
#define POLLPRI	 0x0002
#define POLLOUT	 0x0004
#define POLLERR	 0x0008
#define POLLHUP	 0x0010
#define POLLNVAL 0x0020

typedef unsigned long nfds_t;

struct pollfd {
	int fd;
	short events;
	short revents;
};

#ifdef __cplusplus
extern "C" {
#endif

/* @timeout_ms: -1 waits for ever. Returns the number of ready entries, 0 at the time-out, -1. */
int poll(struct pollfd *fds, nfds_t count, int timeout_ms);

#ifdef __cplusplus
}
#endif

#endif /* _SYS_POLL_H */
