/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/poll.h - waiting for several descriptors.
 */
#ifndef _SYS_POLL_H
#define _SYS_POLL_H

#include <linux/poll.h>

typedef unsigned long nfds_t;

struct pollfd {
	int fd;
	short events;
	short revents;
};

#ifdef __cplusplus
extern "C" {
#endif

/* @timeout_ms: -1 waits without a limit. Returns the number of ready entries, 0 at the time-out, -1. */
int poll(struct pollfd *fds, nfds_t count, int timeout_ms);

#ifdef __cplusplus
}
#endif

#endif /* _SYS_POLL_H */
