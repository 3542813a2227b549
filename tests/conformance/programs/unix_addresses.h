/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses of Unix-domain sockets.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_UNIX_ADDRESSES_H
#define TESTS_UNIX_ADDRESSES_H

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "observe.h"

static char buffer[65536];

static socklen_t make_name(struct sockaddr_un *name, const char *path)
{
	memset(name, 0, sizeof(*name));
	name->sun_family = AF_UNIX;
	strcpy(name->sun_path, path);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) + 1);
}

static long bind_to(int fd, const char *path)
{
	struct sockaddr_un name;
	socklen_t size = make_name(&name, path);

	return bind(fd, (struct sockaddr *)&name, size);
}

static long connect_to(int fd, const char *path)
{
	struct sockaddr_un name;
	socklen_t size = make_name(&name, path);

	return connect(fd, (struct sockaddr *)&name, size);
}

#endif
