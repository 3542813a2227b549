/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control messages of Unix-domain sockets.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_UNIX_CONTROL_H
#define TESTS_UNIX_CONTROL_H

#include <sys/socket.h>
#include <sys/uio.h>

#include "observe.h"

static char buffer[8192];

/* Options are named by their numbers on x86_64, and are others on Alpha. */
#ifdef __alpha__
static const int options[][2] = {
	{ 2, SO_REUSEADDR },  { 3, SO_TYPE },	     { 4, SO_ERROR },	     { 5, SO_DONTROUTE },
	{ 6, SO_BROADCAST },  { 7, SO_SNDBUF },	     { 8, SO_RCVBUF },	     { 9, SO_KEEPALIVE },
	{ 10, SO_OOBINLINE }, { 15, SO_REUSEPORT },  { 16, SO_PASSCRED },    { 18, SO_RCVLOWAT },
	{ 19, SO_SNDLOWAT },  { 30, SO_ACCEPTCONN }, { 32, SO_SNDBUFFORCE }, { 33, SO_RCVBUFFORCE },
	{ 38, SO_PROTOCOL },  { 39, SO_DOMAIN },
};

static int other_number(int number, int from)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i][from] == number)
			return options[i][!from];
	return number;
}

#define OPTION(name)	other_number(name, 0)
#define NAME_OF(option) other_number(option, 1)
#else
#define OPTION(name)	(name)
#define NAME_OF(option) (option)
#endif

static union {
	char bytes[2048];
	struct cmsghdr align;
} control;

/* Receives up to BYTES bytes with ROOM bytes for control messages, and tells what came; new descriptors
 * are in RECEIVED, the number of which is returned. */
static int receive(int fd, size_t bytes, size_t room, int flags, int *received, const char *what)
{
	struct iovec part = { buffer, bytes };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = room ? control.bytes : NULL,
				  .msg_controllen = room,
				  .msg_flags = -1 };
	int count = 0;

	memset(control.bytes, 0, sizeof(control.bytes));
	long result = recvmsg(fd, &message, flags | MSG_DONTWAIT);

	if (result < 0) {
		show(error_name(errno), "%s", what);
		return 0;
	}
	printf("%s: %ld bytes, flags %#x, control %zu", what, result, message.msg_flags,
	       (size_t)message.msg_controllen);
	for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header;
	     header = CMSG_NXTHDR(&message, header)) {
		printf("; level %d type %d size %zu", header->cmsg_level, header->cmsg_type,
		       (size_t)header->cmsg_len);
		if (header->cmsg_type == SCM_RIGHTS) {
			count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
			memcpy(received, CMSG_DATA(header), (size_t)count * sizeof(int));
		} else if (header->cmsg_type == SCM_CREDENTIALS &&
			   header->cmsg_len == CMSG_LEN(sizeof(struct ucred))) {
			struct ucred sender;

			memcpy(&sender, CMSG_DATA(header), sizeof(sender));
			printf(" pid %s uid %u gid %u",
			       sender.pid == getpid() ? "own" :
			       sender.pid == 0	      ? "none" :
							"other",
			       sender.uid, sender.gid);
		}
	}
	printf("\n");
	return count;
}

#endif
