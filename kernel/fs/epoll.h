/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an epoll instance can do; the calls are in epoll_calls.c. Task context, all of it.
 */
#ifndef FS_EPOLL_H
#define FS_EPOLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uapi/linux/eventpoll.h>

struct epoll;
struct file;

/* A file of a new instance, or NULL. */
struct file *epoll_file_create(void);
/* FILE's instance; NULL: it is another kind of file. */
struct epoll *epoll_of_file(const struct file *file);

/* Watches FILE, which has a poll operation, as descriptor FD. 0; -EEXIST; -ELOOP: instances would watch
 * each other in a circle, or too deep; -ENOSPC: there are too many items; -ENOMEM. */
int epoll_add(struct epoll *epoll, struct file *file, int fd,
	      const struct kernel_epoll_event *event);
/* Watches it for something else. 0; -ENOENT; -EINVAL: it is exclusive, which cannot change. */
int epoll_modify(struct epoll *epoll, struct file *file, int fd,
		 const struct kernel_epoll_event *event);
/* Watches it no longer. 0, -ENOENT. */
int epoll_remove(struct epoll *epoll, struct file *file, int fd);

/* Waits until DEADLINE_NS of clock_ns() (0: not at all; UINT64_MAX: for ever) for something to be ready,
 * and copies 1 … MAX events to USER_EVENTS. How many, 0: the time is over, -EINTR, -EFAULT. */
long epoll_wait_user(struct epoll *epoll, uintptr_t user_events, size_t max, uint64_t deadline_ns);

#endif
