/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of calls with placeholders among their arguments, and a function that tries each call.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_REFUSED_CALLS_H
#define TESTS_REFUSED_CALLS_H

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "observe.h"

/* Placeholders among the arguments. */
enum {
	DESCRIPTOR = 0x70000001, /* tried */
	NUMBER,			 /* tried */
	FILE_FD,		 /* a file of 8 bytes, readable and writable */
	READ_FD,		 /* a pipe with 8 bytes in it, not blocking */
	WRITE_FD,
	SOCKET_FD, /* one end of a pair, not blocking, with 8 bytes to read */
	DIRECTORY_FD,
	EPOLL_FD,
	BUFFER,	 /* a zeroed page that ends before one that is not mapped */
	VECTOR,	 /* one piece of 8 bytes */
	NAME,	 /* of an existing file */
	MAPPING, /* four mapped pages */
};

/* The same calls under other names. */
#ifndef SYS_newfstatat
#define SYS_newfstatat SYS_fstatat64
#endif

struct call {
	const char *name;
	long number;
	long arguments[6];
};

#define CALL(call, ...)                                 \
	{                                               \
#call "(" #__VA_ARGS__ ")", SYS_##call, \
		{                                       \
			__VA_ARGS__                     \
		}                                       \
	}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NAME_TEXT    "refusals"

static int file_fd, pipe_fds[2], pair[2], directory_fd, epoll_fd;
static char *buffer, *mapping;
static struct iovec vector;

/* Maps COUNT pages, at NEAR if the place is free. */
static void *map_pages(size_t count, void *near)
{
	return mmap(near, count * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
}

/* Makes all arguments anew: the last call may have changed them. */
static void prepare(void)
{
	syscall(SYS_close_range, 3, ~0u, 0);
	file_fd = open(NAME_TEXT, O_RDWR | O_CREAT | O_TRUNC, 0600);
	write(file_fd, "contents", 8);
	lseek(file_fd, 0, SEEK_SET);
	pipe2(pipe_fds, O_NONBLOCK);
	write(pipe_fds[1], "contents", 8);
	socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair);
	write(pair[1], "contents", 8);
	directory_fd = open("/", O_RDONLY | O_DIRECTORY);
	epoll_fd = epoll_create1(0);
	memset(buffer, 0, PAGE_BYTES);
	vector = (struct iovec){ buffer, 8 };
}

static long value_of(long argument, long tried)
{
	switch (argument) {
	case DESCRIPTOR:
	case NUMBER:
		return tried;
	case FILE_FD:
		return file_fd;
	case READ_FD:
		return pipe_fds[0];
	case WRITE_FD:
		return pipe_fds[1];
	case SOCKET_FD:
		return pair[0];
	case DIRECTORY_FD:
		return directory_fd;
	case EPOLL_FD:
		return epoll_fd;
	case BUFFER:
		return (long)buffer;
	case VECTOR:
		return (long)&vector;
	case NAME:
		return (long)NAME_TEXT;
	case MAPPING:
		return (long)mapping;
	default:
		return argument;
	}
}

static const char *call_with(const struct call *call, long tried)
{
	long a[6];

	for (int i = 0; i < 6; i++)
		a[i] = value_of(call->arguments[i], tried);
	return outcome(syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

/* Tries every call in a process of its own: a call may kill its process. */
static void try_all(const struct call *calls, size_t count, void (*try)(const struct call *call))
{
	for (size_t i = 0; i < count; i++) {
		int status = 0;

		fflush(stdout);
		pid_t child = fork();

		if (child == 0) {
			alarm(5);
			printf("%s:", calls[i].name);
			try(&calls[i]);
			printf("\n");
			fflush(stdout);
			_exit(0);
		}
		waitpid(child, &status, 0);
		if (status)
			show(WIFSIGNALED(status) ? "by a signal" : "with a status", "%s ended",
			     calls[i].name);
	}
}

#endif
