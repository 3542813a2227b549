/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epoll. Source: Linux's uapi/linux/eventpoll.h.
 */
#ifndef _UAPI_LINUX_EVENTPOLL_H
#define _UAPI_LINUX_EVENTPOLL_H

#include <stdint.h>

#include "../asm/fcntl.h"

#define EPOLL_CLOEXEC  O_CLOEXEC

#define EPOLL_CTL_ADD  1
#define EPOLL_CTL_DEL  2
#define EPOLL_CTL_MOD  3

/* The rest are POLL*'s numbers. */
#define EPOLLIN	       0x001u
#define EPOLLOUT       0x004u
#define EPOLLERR       0x008u
#define EPOLLHUP       0x010u
#define EPOLLRDNORM    0x040u
#define EPOLLWRNORM    0x100u
#define EPOLLRDHUP     0x2000u
#define EPOLLEXCLUSIVE (1u << 28)
#define EPOLLWAKEUP    (1u << 29)
#define EPOLLONESHOT   (1u << 30)
#define EPOLLET	       (1u << 31)

/* On x86_64, as on i386, the structure has no hole. */
#ifdef __x86_64__
#define EPOLL_PACKED __attribute__((packed))
#else
#define EPOLL_PACKED
#endif

struct kernel_epoll_event {
	uint32_t events;
	uint64_t data;
} EPOLL_PACKED;

#endif
