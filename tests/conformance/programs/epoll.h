/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epoll sets, and the files that are ready in them.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_EPOLL_H
#define TESTS_EPOLL_H

#include <sys/epoll.h>

#include "observe.h"

/* The compiler is not to know that these are wrong. */
static void *volatile nowhere = (void *)8;

static int ctl(int epoll, int operation, int fd, uint32_t events, uint64_t data)
{
	struct epoll_event event = { .events = events, .data.u64 = data };

	return epoll_ctl(epoll, operation, fd, &event);
}

static int add(int epoll, int fd, uint32_t events)
{
	return ctl(epoll, EPOLL_CTL_ADD, fd, events, (uint64_t)fd);
}

/* "events of data, …" of what is ready now, or the error. */
static const char *ready(int epoll, int max, int timeout_ms)
{
	static char text[400];
	struct epoll_event events[16];
	int count = epoll_wait(epoll, events, max, timeout_ms);
	size_t length = 0;

	if (count < 0)
		return error_name(errno);
	length += (size_t)snprintf(text, sizeof(text), "%d", count);
	for (int i = 0; i < count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, ", %x of %llu",
					   events[i].events,
					   (unsigned long long)events[i].data.u64);
	return text;
}

#define READY(epoll, what) show(ready(epoll, 16, 0), "ready: %s", what)

#endif
