/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the programs that observe internet sockets: names, events, options, and a loopback that is up. */
#ifndef TESTS_INET_H
#define TESTS_INET_H

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "observe.h"

#define BIND(fd, name)	  bind(fd, (struct sockaddr *)&(name), sizeof(name))
#define CONNECT(fd, name) connect(fd, (struct sockaddr *)&(name), sizeof(name))

/* Prints a NUMBER, called NAME. */
static inline void show_number(long number, const char *name)
{
	show(outcome_value(number), "%s", name);
}

static inline struct sockaddr_in at(const char *address, int port)
{
	struct sockaddr_in name = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	inet_pton(AF_INET, address, &name.sin_addr);
	return name;
}

static inline struct sockaddr_in6 at6(const char *address, int port)
{
	struct sockaddr_in6 name = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };

	inet_pton(AF_INET6, address, &name.sin6_addr);
	return name;
}

static inline int port_of(int fd)
{
	struct sockaddr_in name;
	socklen_t size = sizeof(name);

	return getsockname(fd, (struct sockaddr *)&name, &size) ? -1 : ntohs(name.sin_port);
}

/* Prints the events of FD. */
static inline void show_events(int fd, const char *when)
{
	struct pollfd one = { fd, POLLIN | POLLOUT | POLLRDHUP, 0 };

	poll(&one, 1, 0);
	show_number(one.revents, when);
}

static inline long option(int fd, int level, int name)
{
	int value = 0;
	socklen_t size = sizeof(value);

	return getsockopt(fd, level, name, &value, &size) ? -1 : value;
}

static inline long set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

/* Linux begins with its loopback down; Tally's is always up, and has no such request. */
static inline void bring_loopback_up(void)
{
	struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	ioctl(fd, SIOCSIFFLAGS, &up);
	close(fd);
}

#endif
