/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of Unix-domain sockets, and the calls that take them.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_UNIX_NAMES_H
#define TESTS_UNIX_NAMES_H

#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "observe.h"

static char buffer[300000];

static const char *const type_names
	[] = { [SOCK_STREAM] = "stream", [SOCK_DGRAM] = "dgram", [SOCK_SEQPACKET] = "seqpacket" };

static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET };
enum { TYPE_COUNT = 3, HEAD = offsetof(struct sockaddr_un, sun_path) };

/* An address with the LENGTH bytes of path at PATH; its size. */
static socklen_t make_name(struct sockaddr_un *name, const char *path, size_t length)
{
	memset(name, 0, sizeof(*name));
	name->sun_family = AF_UNIX;
	memcpy(name->sun_path, path, length);
	return (socklen_t)(HEAD + length);
}

static long bind_to(int fd, const char *path, size_t length)
{
	struct sockaddr_un name;
	socklen_t size = make_name(&name, path, length);

	return bind(fd, (struct sockaddr *)&name, size);
}

static long connect_to(int fd, const char *path, size_t length)
{
	struct sockaddr_un name;
	socklen_t size = make_name(&name, path, length);

	return connect(fd, (struct sockaddr *)&name, size);
}

/* An abstract name, or a path with its end, as literal. */
#define NAME(text) text, sizeof(text) - 1

#define PATH(text) text, sizeof(text)

static int must_socket(int type)
{
	int fd = socket(AF_UNIX, type, 0);

	if (fd < 0) {
		show(error_name(errno), "a socket");
		exit(1);
	}
	return fd;
}

/* The result of poll on FD now. */
static const char *poll_bits(int fd)
{
	static char text[64];
	static const struct {
		int bit;
		const char *name;
	} bits[] = { { POLLIN, "in " },		{ POLLOUT, "out " },
		     { POLLERR, "err " },	{ POLLHUP, "hup " },
		     { POLLRDHUP, "rdhup " },	{ POLLRDNORM, "rdnorm " },
		     { POLLWRNORM, "wrnorm " }, { POLLWRBAND, "wrband " },
		     { POLLPRI, "pri " } };
	struct pollfd polled = { fd, (short)0xffff, 0 };

	poll(&polled, 1, 0);
	text[0] = '\0';
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		if (polled.revents & bits[i].bit)
			strcat(text, bits[i].name);
	return text[0] ? text : "nothing";
}

/* The name of FD that CALL, getsockname or getpeername, returns; zero bytes are shown as @. */
static const char *name_of(int fd, int (*call)(int, struct sockaddr *, socklen_t *))
{
	static char text[160];
	struct sockaddr_un name;
	socklen_t size = sizeof(name);

	memset(&name, 0, sizeof(name));
	if (call(fd, (struct sockaddr *)&name, &size) < 0)
		return error_name(errno);
	int at = snprintf(text, sizeof(text), "size %u family %u ", size, name.sun_family);

	for (socklen_t i = HEAD; i < size && i < sizeof(name); i++)
		text[at++] = name.sun_path[i - HEAD] ? name.sun_path[i - HEAD] : '@';
	text[at] = '\0';
	return text;
}

#endif
