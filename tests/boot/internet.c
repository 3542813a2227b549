// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of internet sockets that need several tasks at once: what one does to a socket does not take its queue or its
 * connection from under another's call.
 *
 * tests/conformance/programs/observe_inet*.c have the answers of each call, beside Linux's.
 */
#include <signal.h>
#include <string.h>

#include <linux/inet.h>
#include <linux/socket.h>

#include "tidiness.h"

#define ROUNDS	  300
#define READERS	  3
#define BYTES	  200000
#define LISTENERS 4
#define LOOPBACK  0x0100007fu /* 127.0.0.1 as it stands in memory */

static char bytes[BYTES];
static int at; /* the socket that two tasks use */

static int make_socket(void)
{
	int fd = (int)syscall(__NR_socket, AF_INET, SOCK_STREAM, 0);

	EXPECT(fd >= 0);
	return fd;
}

/* A listener on a free port, which NAME is then. */
static int make_listener(struct kernel_sockaddr_in *name, int backlog)
{
	int size = sizeof(*name), fd = make_socket();

	*name = (struct kernel_sockaddr_in){ .sin_family = AF_INET, .sin_addr = LOOPBACK };
	EXPECT_EQ(syscall(__NR_bind, fd, name, sizeof(*name)), 0);
	EXPECT_EQ(syscall(__NR_getsockname, fd, name, &size), 0);
	EXPECT_EQ(syscall(__NR_listen, fd, backlog), 0);
	return fd;
}

static long connect_to(int fd, const struct kernel_sockaddr_in *name)
{
	return syscall(__NR_connect, fd, name, sizeof(*name));
}

/* Closes FD by a reset. */
static void reset(int fd)
{
	const int linger[2] = { 1, 0 };

	EXPECT_EQ(syscall(__NR_setsockopt, fd, SOL_SOCKET, SO_LINGER, linger, sizeof(linger)), 0);
	close(fd);
}

/* Each page of the buffer is new, so a copy takes long. */
static void read_for_ever(void)
{
	for (;;) {
		char *buffer = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		syscall(__NR_recvfrom, at, buffer, BYTES, 0, NULL, NULL);
		munmap(buffer, BYTES);
	}
}

static void end_reader(pid_t reader)
{
	EXPECT_EQ(kill(reader, SIGKILL), 0);
	EXPECT_EQ(status_of(reader), SIGKILL);
}

static void check_disconnect(void)
{
	struct kernel_sockaddr_in name, none = { .sin_family = AF_UNSPEC };
	int listener = make_listener(&name, 1);

	at = make_socket();
	pid_t readers[READERS];

	for (int i = 0; i < READERS; i++)
		readers[i] = start(read_for_ever);
	for (int i = 0; i < ROUNDS; i++) {
		EXPECT_EQ(connect_to(at, &name), 0);
		int peer = (int)syscall(__NR_accept, listener, NULL, NULL);

		EXPECT(syscall(__NR_sendto, peer, bytes, sizeof(bytes), MSG_DONTWAIT, NULL, 0) > 0);
		EXPECT_EQ(connect_to(at, &none), 0);
		close(peer);
	}
	for (int i = 0; i < READERS; i++)
		end_reader(readers[i]);
	close(at);
	close(listener);
}

/* The same socket connects, is reset, and listens, with bytes unread. */
static void check_listen_after_reset(void)
{
	struct kernel_sockaddr_in name;
	int listener = make_listener(&name, 1);

	for (int i = 0; i < ROUNDS; i++) {
		at = make_socket();
		EXPECT_EQ(connect_to(at, &name), 0);
		int peer = (int)syscall(__NR_accept, listener, NULL, NULL);
		int room = 4096 + i;

		EXPECT(syscall(__NR_sendto, peer, bytes, sizeof(bytes), MSG_DONTWAIT, NULL, 0) > 0);
		pid_t reader = start(read_for_ever);

		reset(peer);
		syscall(__NR_listen, at, 1);
		EXPECT_EQ(syscall(__NR_setsockopt, at, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)),
			  0);
		end_reader(reader);
		close(at);
	}
	close(listener);
}

/* Connections that were reset wait to be accepted, without a limit but the backlogs': their sockets count. */
static void fill_queues(void)
{
	struct kernel_sockaddr_in names[LISTENERS];

	for (int i = 0; i < LISTENERS; i++)
		make_listener(&names[i], 254);
	for (int i = 0; i < LISTENERS * 254; i++) {
		int fd = make_socket();

		if (connect_to(fd, &names[i / 254]))
			_exit(1);
		reset(fd);
	}
}

static void fill_in_child(void)
{
	EXPECT_EQ(status_of(start(fill_queues)), 0);
}

static void check_queues_are_freed(void)
{
	state_expect_kept(fill_in_child, 1, 1);
}

/* A datagram of SIZE bytes from FROM to the port of TO, by IPv4: the bytes that arrive, or a negative error. */
static long pass(int from, int to)
{
	struct kernel_sockaddr_in6 name;
	int size = sizeof(name);

	EXPECT_EQ(syscall(__NR_getsockname, to, &name, &size), 0);
	const struct kernel_sockaddr_in four = { .sin_family = AF_INET,
						 .sin_port = name.sin6_port,
						 .sin_addr = LOOPBACK };

	EXPECT_EQ(syscall(__NR_sendto, from, bytes, 4, 0, &four, sizeof(four)), 4);
	long got = syscall(__NR_recvfrom, to, bytes, 9, MSG_DONTWAIT, NULL, NULL);

	return got < 0 ? -errno : got;
}

static void check_both_versions(void)
{
	const struct kernel_sockaddr_in6 any = { .sin6_family = AF_INET6 };
	int four = (int)syscall(__NR_socket, AF_INET, SOCK_DGRAM, 0), on = 1;

	for (int only = 0; only < 2; only++) {
		int six = (int)syscall(__NR_socket, AF_INET6, SOCK_DGRAM, 0);

		if (only)
			EXPECT_EQ(syscall(__NR_setsockopt, six, IPPROTO_IPV6, IPV6_V6ONLY, &on, 4),
				  0);
		EXPECT_EQ(syscall(__NR_bind, six, &any, sizeof(any)), 0);
		EXPECT_EQ_AT(pass(four, six), only ? -EAGAIN : 4, "IPV6_V6ONLY %d", only);
		close(six);
	}
	close(four);
}

/* lwIP cannot: docs/abi-differences.md. */
static void check_self(void)
{
	struct kernel_sockaddr_in name = { .sin_family = AF_INET, .sin_addr = LOOPBACK };
	int fd = make_socket(), size = sizeof(name);

	EXPECT_EQ(syscall(__NR_bind, fd, &name, sizeof(name)), 0);
	EXPECT_EQ(syscall(__NR_getsockname, fd, &name, &size), 0);
	EXPECT_EQ(connect_to(fd, &name), -1);
	EXPECT_EQ(errno, ECONNREFUSED);
	close(fd);
}

static const struct tap_rule rules[] = {
	{ "a socket of IPv6 without an address takes datagrams of IPv4, unless it is IPV6_V6ONLY",
	  check_both_versions },
	{ "a connection to itself is refused at once", check_self },
	{ "a reader and the end of its connection exclude each other", check_disconnect },
	{ "a socket listens while the bytes of its former connection are read",
	  check_listen_after_reset },
	{ "connections that wait to be accepted are freed with their listener",
	  check_queues_are_freed },
};

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
