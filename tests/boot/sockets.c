// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of Unix-domain sockets that need several processes at once: nothing is lost, doubled or torn, a
 * waiter wakes up, and unreachable sockets are freed, but nothing else.
 *
 * tests/conformance/programs/observe_unix*.c have the answers of each call, beside Linux's.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include <linux/socket.h>

#include "tidiness.h"

#define WRITERS	     3
#define RECORDS	     400
#define RECORD_BYTES 64
#define CONNECTIONS  200
#define DEEP	     200 /* more than a stack of the kernel has room for */
#define CYCLES	     75

static int make_socket(int type)
{
	return (int)syscall(__NR_socket, AF_UNIX, type, 0);
}

static void make_pair(int type, int fds[2])
{
	EXPECT_EQ(syscall(__NR_socketpair, AF_UNIX, type, 0, fds), 0);
}

/* An abstract name; its size. */
static size_t make_name(struct kernel_sockaddr_un *name, const char *text)
{
	memset(name, 0, sizeof(*name));
	name->sun_family = AF_UNIX;
	strcpy(name->sun_path + 1, text);
	return SOCKADDR_UN_HEAD + 1 + strlen(text);
}

static int bind_to(int fd, const char *text)
{
	struct kernel_sockaddr_un name;
	size_t size = make_name(&name, text);

	return (int)syscall(__NR_bind, fd, &name, size);
}

static int connect_to(int fd, const char *text)
{
	struct kernel_sockaddr_un name;
	size_t size = make_name(&name, text);

	return (int)syscall(__NR_connect, fd, &name, size);
}

static void close_pair(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

/* Sends a byte and COUNT (at most 2) descriptors. */
static long send_fds(int to, const int *fds, unsigned int count)
{
	struct {
		struct kernel_cmsghdr header;
		int fds[2];
	} control = { { sizeof(control.header) + count * sizeof(int), SOL_SOCKET, SCM_RIGHTS },
		      { 0 } };
	struct iovec part = { "x", 1 };
	struct kernel_msghdr message = { .msg_iov = (uintptr_t)&part,
					 .msg_iovlen = 1,
					 .msg_control = (uintptr_t)&control,
					 .msg_controllen = control.header.cmsg_len };

	memcpy(control.fds, fds, count * sizeof(int));
	return syscall(__NR_sendmsg, to, &message, MSG_NOSIGNAL);
}

/* Receives a byte and a descriptor: the descriptor, or -1. */
static int receive_fd(int from)
{
	struct {
		struct kernel_cmsghdr header;
		int fd;
	} control = { 0 };
	char byte;
	struct iovec part = { &byte, 1 };
	struct kernel_msghdr message = { .msg_iov = (uintptr_t)&part,
					 .msg_iovlen = 1,
					 .msg_control = (uintptr_t)&control,
					 .msg_controllen = sizeof(control) };

	if (syscall(__NR_recvmsg, from, &message, 0) != 1 ||
	    control.header.cmsg_len != sizeof(control.header) + sizeof(int))
		return -1;
	return control.fd;
}

/* --- memory --- */

static void (*children_work)(void);

static void work_in_children(void)
{
	pid_t children[WRITERS];

	for (int i = 0; i < WRITERS; i++)
		children[i] = start(children_work);
	for (int i = 0; i < WRITERS; i++)
		EXPECT_EQ(status_of(children[i]), 0);
}

/* WORK in some children at once leaves nothing. */
static void expect_tidy(void (*work)(void))
{
	children_work = work;
	state_expect_kept(work_in_children, 1, 1);
}

/* --- data --- */

struct record {
	int writer, number;
	char rest[RECORD_BYTES - 2 * sizeof(int)];
};

static int ends[2];

static void write_records(int writer)
{
	struct record record = { .writer = writer };

	for (record.number = 0; record.number < RECORDS; record.number++) {
		memset(record.rest, writer + record.number, sizeof(record.rest));
		if (write(ends[0], &record, sizeof(record)) != sizeof(record))
			_exit(1);
	}
}

/* Writers write at once; the bytes of one writer come whole and in order. */
static void check_records(int type)
{
	int next[WRITERS] = { 0 };
	pid_t writers[WRITERS];
	struct record record;

	make_pair(type, ends);
	for (int i = 0; i < WRITERS; i++) {
		fflush(stdout);
		writers[i] = fork();
		if (writers[i] == 0) {
			write_records(i);
			_exit(0);
		}
	}
	close(ends[0]);
	while (syscall(__NR_recvfrom, ends[1], &record, sizeof(record), MSG_WAITALL, NULL, NULL) ==
	       sizeof(record)) {
		if (record.writer < 0 || record.writer >= WRITERS)
			break;
		EXPECT_EQ(record.number, next[record.writer]);
		EXPECT_EQ(record.rest[0], (char)(record.writer + record.number));
		EXPECT_EQ(record.rest[sizeof(record.rest) - 1],
			  (char)(record.writer + record.number));
		next[record.writer]++;
		/* There is no end of datagrams that could be read. */
		if (type == SOCK_DGRAM && next[0] + next[1] + next[2] == WRITERS * RECORDS)
			break;
	}
	for (int i = 0; i < WRITERS; i++) {
		EXPECT_EQ(next[i], RECORDS);
		EXPECT_EQ(status_of(writers[i]), 0);
	}
	close(ends[1]);
}

static void check_stream_records(void)
{
	check_records(SOCK_STREAM);
}

static void check_packet_records(void)
{
	check_records(SOCK_SEQPACKET);
}

static void check_datagram_records(void)
{
	check_records(SOCK_DGRAM);
}

/* A queue of ten datagrams: senders wait for room in it all the time, in send and in poll alternately. */
static void send_to_full_queue(void)
{
	int fd = make_socket(SOCK_DGRAM | SOCK_NONBLOCK);

	if (connect_to(fd, "narrow"))
		_exit(1);
	for (int i = 0; i < RECORDS; i++) {
		struct pollfd polled = { fd, POLLOUT, 0 };

		if (i & 1)
			fcntl(fd, F_SETFL, 0);
		while (write(fd, &i, sizeof(i)) != sizeof(i)) {
			if (errno != EAGAIN || poll(&polled, 1, -1) != 1)
				_exit(2);
		}
		fcntl(fd, F_SETFL, O_NONBLOCK);
	}
}

static void check_full_queue(void)
{
	int fd = make_socket(SOCK_DGRAM), number, sum = 0;
	pid_t senders[WRITERS];

	EXPECT_EQ(bind_to(fd, "narrow"), 0);
	for (int i = 0; i < WRITERS; i++)
		senders[i] = start(send_to_full_queue);
	for (int i = 0; i < WRITERS * RECORDS && !tap_failed; i++) {
		EXPECT_EQ(read(fd, &number, sizeof(number)), sizeof(number));
		sum += number;
	}
	for (int i = 0; i < WRITERS; i++)
		EXPECT_EQ(status_of(senders[i]), 0);
	EXPECT_EQ(sum, WRITERS * RECORDS * (RECORDS - 1) / 2);
	close(fd);
}

/* --- connections --- */

static void connect_often(void)
{
	for (int i = 0; i < CONNECTIONS; i++) {
		int fd = make_socket(SOCK_STREAM), answer = -1;

		if (connect_to(fd, "busy") || write(fd, &i, sizeof(i)) != sizeof(i) ||
		    read(fd, &answer, sizeof(answer)) != sizeof(answer) || answer != i + 1)
			_exit(1);
		close(fd);
	}
}

static void serve(void)
{
	for (int i = 0; i < WRITERS * CONNECTIONS / 2; i++) {
		int fd = (int)syscall(__NR_accept, ends[0], NULL, NULL), number;

		if (read(fd, &number, sizeof(number)) != sizeof(number))
			_exit(1);
		number++;
		if (write(fd, &number, sizeof(number)) != sizeof(number))
			_exit(2);
		close(fd);
	}
}

/* Two processes accept from one queue of one what others connect to. */
static void check_connections(void)
{
	pid_t clients[WRITERS], servers[2];

	ends[0] = make_socket(SOCK_STREAM);
	EXPECT_EQ(bind_to(ends[0], "busy"), 0);
	EXPECT_EQ(syscall(__NR_listen, ends[0], 0), 0);
	for (int i = 0; i < 2; i++)
		servers[i] = start(serve);
	for (int i = 0; i < WRITERS; i++)
		clients[i] = start(connect_often);
	for (int i = 0; i < WRITERS; i++)
		EXPECT_EQ(status_of(clients[i]), 0);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(status_of(servers[i]), 0);
	close(ends[0]);
}

/* The listener goes while others connect, or wait for room: they get an error. */
static void connect_until_refused(void)
{
	close(ends[0]);
	for (;;) {
		int fd = make_socket(SOCK_STREAM);

		if (connect_to(fd, "fleeting")) {
			if (errno != ECONNREFUSED)
				_exit(1);
			close(fd);
			return;
		}
		char byte;
		long got = read(fd, &byte, 1);

		if (got != 0 && !(got < 0 && errno == ECONNRESET))
			_exit(2);
		close(fd);
	}
}

static void check_fleeting_listener(void)
{
	for (int round = 0; round < 20; round++) {
		pid_t clients[WRITERS];

		ends[0] = make_socket(SOCK_STREAM);
		EXPECT_EQ(bind_to(ends[0], "fleeting"), 0);
		EXPECT_EQ(syscall(__NR_listen, ends[0], 0), 0);
		for (int i = 0; i < WRITERS; i++)
			clients[i] = start(connect_until_refused);
		close((int)syscall(__NR_accept, ends[0], NULL, NULL));
		close(ends[0]);
		for (int i = 0; i < WRITERS; i++)
			EXPECT_EQ(status_of(clients[i]), 0);
	}
}

/* --- descriptors in sockets --- */

/* Makes garbage of every kind: a pair through itself, one socket in itself, a ring of three, a listener in the queue of
 * a connection that it never accepted. */
static void make_garbage(void)
{
	int a[2], b[2], c[2], self = make_socket(SOCK_DGRAM);
	char name[16];

	make_pair(SOCK_STREAM, a);
	send_fds(a[0], &a[0], 1);
	send_fds(a[1], &a[1], 1);
	close_pair(a);
	snprintf(name, sizeof(name), "self%d", getpid());
	bind_to(self, name);
	connect_to(self, name);
	send_fds(self, &self, 1);
	close(self);
	make_pair(SOCK_DGRAM, a);
	make_pair(SOCK_STREAM, b);
	make_pair(SOCK_SEQPACKET, c);
	send_fds(a[0], b, 2);
	send_fds(b[0], c, 2);
	send_fds(c[0], a, 2);
	close_pair(a);
	close_pair(b);
	close_pair(c);
	int listener = make_socket(SOCK_STREAM), client = make_socket(SOCK_STREAM);

	snprintf(name, sizeof(name), "listener%d", getpid());
	bind_to(listener, name);
	syscall(__NR_listen, listener, 1);
	connect_to(client, name);
	int both[2] = { listener, client };

	send_fds(client, both, 2);
	close_pair(both);
}

static void make_much_garbage(void)
{
	for (int i = 0; i < CYCLES; i++)
		make_garbage();
}

static void check_garbage(void)
{
	expect_tidy(make_much_garbage);
}

/* A socket in a socket in a socket …: they go one after the other, however deep. */
static void nest_deeply(void)
{
	int inner = -1;

	for (int i = 0; i < DEEP; i++) {
		int fds[2];

		make_pair(SOCK_STREAM, fds);
		if (inner >= 0) {
			send_fds(fds[0], &inner, 1);
			close(inner);
		}
		close(fds[0]);
		inner = fds[1];
	}
	close(inner);
}

static void check_deep_nesting(void)
{
	expect_tidy(nest_deeply);
}

/* Sockets that are alive travel while others make garbage: none of them is taken for it. */
static void send_travellers(void)
{
	for (int i = 0; i < CYCLES; i++) {
		int first[2], second[2];

		make_pair(SOCK_STREAM, first);
		make_pair(SOCK_STREAM, second);
		/* For a while only the first's queue has the second, and the first is in a queue only. */
		if (write(second[0], &i, sizeof(i)) != sizeof(i) ||
		    send_fds(first[0], &second[1], 1) != 1 || send_fds(ends[0], &first[1], 1) != 1)
			_exit(1);
		close_pair(first);
		close_pair(second);
	}
}

static void receive_travellers(void)
{
	for (int i = 0; i < CYCLES; i++) {
		int outer = receive_fd(ends[1]), inner = receive_fd(outer), number = -1;

		if (outer < 0 || inner < 0 ||
		    read(inner, &number, sizeof(number)) != sizeof(number) || number != i ||
		    read(inner, &number, 1) != 0)
			_exit(1);
		close(outer);
		close(inner);
	}
}

static void check_travellers(void)
{
	make_pair(SOCK_SEQPACKET, ends);
	pid_t garbage = start(make_much_garbage), sender = start(send_travellers),
	      receiver = start(receive_travellers);

	EXPECT_EQ(status_of(sender), 0);
	EXPECT_EQ(status_of(receiver), 0);
	EXPECT_EQ(status_of(garbage), 0);
	close_pair(ends);
}

/* --- everything at once --- */

/* Sockets that several processes have. */
enum { SHARED = 8 };
static int common[SHARED];

static void do_anything(void)
{
	static char buffer[5000];
	uint32_t random = (uint32_t)getpid() * 2654435761u;

	for (int i = 0; i < 3000; i++) {
		random = random * 1664525 + 1013904223;
		int fd = common[random >> 8 & (SHARED - 1)],
		    other = common[random >> 12 & (SHARED - 1)], got;
		struct pollfd polled = { fd, POLLIN | POLLOUT, 0 };
		struct kernel_sockaddr_un disconnect = { .sun_family = AF_UNSPEC };

		switch (random >> 16 & 15) {
		case 0 ... 3:
			syscall(__NR_sendto, fd, buffer, random >> 20 & 4095,
				MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
			break;
		case 4 ... 6:
			syscall(__NR_recvfrom, fd, buffer, random >> 20 & 4095, MSG_DONTWAIT, NULL,
				NULL);
			break;
		case 7:
			syscall(__NR_recvfrom, fd, buffer, sizeof(buffer), MSG_PEEK | MSG_DONTWAIT,
				NULL, NULL);
			break;
		case 8 ... 10:
			send_fds(fd, &other, 1);
			break;
		case 11 ... 12:
			poll(&polled, 1, 0);
			if ((polled.revents & POLLIN) && (got = receive_fd(fd)) >= 0)
				close(got);
			break;
		case 13:
			connect_to(fd, "anything");
			break;
		case 14:
			if ((random >> 24 & 15) == 0)
				syscall(__NR_shutdown, fd, random >> 28 & 1);
			break;
		case 15:
			syscall(__NR_connect, fd, &disconnect, sizeof(disconnect));
			break;
		}
	}
}

/* Processes do anything with sockets that they share; in the end all of it is free. */
static void mix(void)
{
	char name[] = "anything";
	pid_t children[WRITERS];

	for (int i = 0; i < SHARED; i += 2)
		syscall(__NR_socketpair, AF_UNIX,
			(i == 0 ? SOCK_STREAM :
			 i == 2 ? SOCK_SEQPACKET :
				  SOCK_DGRAM) |
				SOCK_NONBLOCK,
			0, &common[i]);
	bind_to(common[SHARED - 1], name);
	for (int i = 0; i < WRITERS; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			do_anything();
			_exit(0);
		}
	}
	for (int i = 0; i < WRITERS; i++)
		waitpid(children[i], NULL, 0);
	for (int i = 0; i < SHARED; i++)
		close(common[i]);
}

static void check_mix(void)
{
	expect_tidy(mix);
}

/* A task that sleeps in a call on a socket wakes up by what others do to it. */
static void sleep_in_calls(void)
{
	struct pollfd polled = { ends[1], POLLIN, 0 };
	char byte;

	for (int i = 0; i < 50; i++) {
		if (read(ends[1], &byte, 1) != 1)
			_exit(1);
		if (poll(&polled, 1, -1) != 1 || read(ends[1], &byte, 1) != 1)
			_exit(2);
		if (write(ends[1], &byte, 1) != 1)
			_exit(3);
	}
	if (read(ends[1], &byte, 1) != 0)
		_exit(4);
}

static void check_sleepers(void)
{
	char byte = 'x';

	make_pair(SOCK_STREAM, ends);
	pid_t child = start(sleep_in_calls);

	for (int i = 0; i < 50 && !tap_failed; i++) {
		EXPECT_EQ(write(ends[0], &byte, 1), 1);
		sched_yield();
		EXPECT_EQ(write(ends[0], &byte, 1), 1);
		EXPECT_EQ(read(ends[0], &byte, 1), 1);
	}
	EXPECT_EQ(syscall(__NR_shutdown, ends[0], SHUT_WR), 0);
	EXPECT_EQ(status_of(child), 0);
	close_pair(ends);
}

/* --- limits --- */

/* More pairs than a user may fill. */
#define PAIRS 1000
#define USER  1000
#ifdef __alpha__
#define LIMIT_NOFILE 6
#else
#define LIMIT_NOFILE 7
#endif

static char page[PAGE];

/* Writes to PAIR until it takes no more; the error. */
static int fill(const int pair[2])
{
	long result;

	do
		result = write(pair[0], page, sizeof(page));
	while (result > 0);
	return errno;
}

/* Status 0: ENOBUFS came before anything else, and one message that was read makes room for another. */
static void fill_as_user(void)
{
	const uint64_t files[2] = { 4096, 4096 };
	int pairs[PAIRS][2], error = EAGAIN;
	unsigned int count = 0;

	if (syscall(__NR_prlimit64, 0, LIMIT_NOFILE, files, NULL) ||
	    syscall(__NR_setresuid, USER, USER, USER))
		_exit(1);
	while (count < PAIRS && error == EAGAIN) {
		if (syscall(__NR_socketpair, AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pairs[count]))
			_exit(2);
		error = fill(pairs[count++]);
	}
	if (error != ENOBUFS)
		_exit(3);
	if (read(pairs[0][1], page, sizeof(page)) != sizeof(page))
		_exit(4);
	if (write(pairs[count - 1][0], page, sizeof(page)) != sizeof(page))
		_exit(5);
	_exit(0);
}

static void fill_in_child(void)
{
	EXPECT_EQ(status_of(start(fill_as_user)), 0);
}

static void check_user_limit(void)
{
	state_expect_kept(fill_in_child, 1, 1);
}

static const struct tap_rule rules[] = {
	{ "records of several writers come whole and in order: stream", check_stream_records },
	{ "records of several writers come whole and in order: packets", check_packet_records },
	{ "records of several writers come whole and in order: datagrams", check_datagram_records },
	{ "senders wait for room in a queue of ten", check_full_queue },
	{ "two servers and three clients over a queue of one", check_connections },
	{ "clients hear that a listener went", check_fleeting_listener },
	{ "a task that sleeps in a call is woken", check_sleepers },
	{ "unreachable sockets are freed", check_garbage },
	{ "sockets in sockets are freed, however deep", check_deep_nesting },
	{ "sockets on their way are not taken for garbage", check_travellers },
	{ "a user's unread messages have a limit", check_user_limit },
	{ "whatever several processes do, all of it is free in the end", check_mix },
};

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
