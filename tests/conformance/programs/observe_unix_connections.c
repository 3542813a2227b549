// SPDX-License-Identifier: BSD-2-Clause
/*
 * Unix-domain sockets: connections, their ends, and datagrams. Descriptors and credentials in messages are in
 * observe_unix_messages.c.
 */
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "unix_names.h"
#include "pair.h"

static long send_to(int fd, const char *path, size_t length, size_t bytes)
{
	struct sockaddr_un name;
	socklen_t size = make_name(&name, path, length);

	return sendto(fd, buffer, bytes, 0, (struct sockaddr *)&name, size);
}

static void observe_connections(int type)
{
	const char *what = type_names[type];
	int listener = must_socket(type), client = must_socket(type), server;
	struct sockaddr_un name;
	socklen_t size;

	bind_to(listener, NAME("\0listener"));
	show(outcome(connect_to(client, NAME("\0listener"))), "%s: connect to who does not listen",
	     what);
	show(outcome(listen(listener, 1)), "%s: listen", what);
	show(poll_bits(listener), "%s: poll of a listener", what);
	fcntl(listener, F_SETFL, O_NONBLOCK);
	show(outcome(accept(listener, NULL, NULL)), "%s: accept without a client", what);
	show(outcome(recv(listener, buffer, 1, 0)), "%s: recv from a listener", what);
	show(outcome(send(listener, buffer, 1, 0)), "%s: send to a listener", what);
	show(outcome(connect_to(listener, NAME("\0listener"))), "%s: a listener connects", what);
	show(outcome(bind_to(client, NAME("\0client"))), "%s: the client has a name", what);
	show(outcome(connect_to(client, NAME("\0listener"))), "%s: connect", what);
	show(outcome(connect_to(client, NAME("\0listener"))), "%s: connect again", what);
	show(outcome(connect_to(client, NAME("\0nobody"))), "%s: connect without a listener", what);
	show(outcome(listen(client, 1)), "%s: a client listens", what);
	show(poll_bits(client), "%s: poll of a client that was not accepted", what);
	show(poll_bits(listener), "%s: poll of a listener with a client", what);
	show(name_of(client, getpeername), "%s: the peer's name", what);
	show(outcome_value(send(client, "early", 5, 0)), "%s: send before accept", what);

	int second = must_socket(type), other = must_socket(type | SOCK_NONBLOCK);

	connect_to(second, NAME("\0listener"));
	show(outcome(connect_to(other, NAME("\0listener"))), "%s: connect to a full queue", what);
	show(outcome(listen(listener, 2)), "%s: a longer queue", what);
	show(outcome(connect_to(other, NAME("\0listener"))), "%s: connect to the longer queue",
	     what);
	size = sizeof(name);
	memset(&name, 0, sizeof(name));
	server = accept4(listener, (struct sockaddr *)&name, &size, SOCK_CLOEXEC);
	show(outcome(server), "%s: accept", what);
	printf("%s: accepted name: size %u %.*s\n", what, size, (int)size - HEAD - 1,
	       name.sun_path + 1);
	show(outcome_value(fcntl(server, F_GETFL)), "%s: flags of the accepted", what);
	show(outcome_value(fcntl(server, F_GETFD)), "%s: close-on-exec of the accepted", what);
	show(name_of(server, getsockname), "%s: name of the accepted", what);
	show(name_of(server, getpeername), "%s: name of its peer", what);
	show(outcome_value(recv(server, buffer, 100, 0)), "%s: what was sent before accept", what);
	show(outcome(accept(listener, NULL, (socklen_t *)1)), "%s: accept without an address",
	     what);
	show(outcome(close(other)), "%s: a client goes", what);
	close(second);
	show(outcome_value(send(client, "12345", 5, 0)), "%s: send", what);
	show(outcome_value(ioctl(server, SIOCINQ, buffer)), "%s: SIOCINQ", what);
	printf("%s: bytes to read: %d\n", what, *(int *)(void *)buffer);
	show(outcome_value(recv(server, buffer, 2, 0)), "%s: recv of a part", what);
	show(outcome_value(recv(server, buffer, 100, MSG_DONTWAIT)), "%s: recv of the rest", what);
	show(outcome(connect_to(server, NAME("\0listener"))), "%s: the accepted connects", what);
	show(outcome_value(send_to(client, NAME("\0listener"), 1)), "%s: sendto a name", what);

	other = must_socket(type | SOCK_NONBLOCK);
	show(outcome(connect_to(other, NAME("\0listener"))), "%s: another client", what);
	show(outcome(close(listener)), "%s: the listener goes", what);
	show(poll_bits(other), "%s: poll of the client it had", what);
	show(outcome_value(recv(other, buffer, 1, 0)), "%s: recv of the client it had", what);
	show(outcome_value(recv(other, buffer, 1, 0)), "%s: recv again", what);
	show(outcome_value(send(other, buffer, 1, MSG_NOSIGNAL)), "%s: send of the client it had",
	     what);
	close(other);
	show(outcome(shutdown(server, SHUT_WR)), "%s: shutdown for writing", what);
	show(poll_bits(client), "%s: poll of the client", what);
	show(poll_bits(server), "%s: poll of the server", what);
	show(outcome_value(recv(client, buffer, 1, 0)), "%s: the end", what);
	show(outcome_value(send(server, buffer, 1, MSG_NOSIGNAL)), "%s: send after shutdown", what);
	show(outcome_value(send(client, "more", 4, 0)), "%s: the other way", what);
	show(outcome(close(server)), "%s: the server goes with something unread", what);
	show(poll_bits(client), "%s: poll after the server went", what);
	show(outcome_value(recv(client, buffer, 1, 0)), "%s: recv after a reset", what);
	show(outcome_value(recv(client, buffer, 1, 0)), "%s: recv after the reset was reported",
	     what);
	show(outcome_value(send(client, buffer, 1, MSG_NOSIGNAL)), "%s: send to who is gone", what);
	show(name_of(client, getpeername), "%s: name of who is gone", what);
	close(client);
}

static int signals_seen;

static void count_signal(int signal)
{
	(void)signal;
	signals_seen++;
}

static void observe_ends(int type)
{
	const char *what = type_names[type];
	int fds[2];

	must_pair(type, fds);
	show(name_of(fds[0], getsockname), "%s: name of a pair", what);
	show(name_of(fds[0], getpeername), "%s: peer's name of a pair", what);
	show(outcome_value(send(fds[0], "abc", 3, 0)), "%s: send to the other end", what);
	show(outcome_value(send(fds[0], "de", 2, MSG_EOR)), "%s: send more", what);
	show(outcome_value(recv(fds[1], buffer, 1, MSG_PEEK)), "%s: peek a byte", what);
	show(outcome_value(recv(fds[1], buffer, 100, MSG_PEEK)), "%s: peek all", what);
	show(outcome_value(recv(fds[1], buffer, 1, MSG_TRUNC)), "%s: a byte with MSG_TRUNC", what);
	show(outcome_value(recv(fds[1], buffer, 100, MSG_WAITALL | MSG_DONTWAIT)), "%s: all of it",
	     what);
	show(outcome_value(recv(fds[1], buffer, 100, MSG_DONTWAIT)), "%s: nothing", what);
	show(outcome_value(send(fds[0], "abc", 3, MSG_DONTWAIT)), "%s: send again", what);
	show(outcome_value(recv(fds[1], buffer, 0, MSG_DONTWAIT)), "%s: recv of no bytes", what);
	show(outcome_value(recv(fds[1], buffer, 9, MSG_DONTWAIT)), "%s: recv after that", what);
	show(outcome_value(send(fds[0], "", 0, 0)), "%s: send no bytes", what);
	show(poll_bits(fds[1]), "%s: poll after no bytes", what);
	show(outcome_value(recv(fds[1], buffer, 9, MSG_DONTWAIT)), "%s: recv what was no bytes",
	     what);
	show(outcome_value(recv(fds[1], buffer, 0, MSG_DONTWAIT)), "%s: no bytes from nothing",
	     what);
	show(outcome_value(send(fds[0], (void *)8, 3, 0)), "%s: send from nowhere", what);
	send(fds[0], "abc", 3, 0);
	show(outcome_value(recv(fds[1], (void *)8, 3, MSG_DONTWAIT)), "%s: recv to nowhere", what);
	show(outcome_value(recv(fds[1], buffer, 9, MSG_DONTWAIT)), "%s: what is left after that",
	     what);
	show(outcome_value(send(fds[0], buffer, sizeof(buffer), MSG_DONTWAIT)),
	     "%s: send very much", what);
	show(poll_bits(fds[0]), "%s: poll when much is under way", what);
	show(outcome_value(send(fds[0], buffer, 1, MSG_DONTWAIT)), "%s: send when it is full",
	     what);

	signal(SIGPIPE, count_signal);
	show(outcome(shutdown(fds[1], SHUT_RD)), "%s: the other end reads no more", what);
	show(poll_bits(fds[0]), "%s: poll of who writes", what);
	show(poll_bits(fds[1]), "%s: poll of who reads no more", what);
	show(outcome_value(send(fds[0], "x", 1, MSG_NOSIGNAL)), "%s: send to it", what);
	printf("%s: signals: %d\n", what, signals_seen);
	show(outcome_value(write(fds[0], "x", 1)), "%s: write to it", what);
	printf("%s: signals after that: %d\n", what, signals_seen);
	signals_seen = 0;
	long received = recv(fds[1], buffer, sizeof(buffer), MSG_DONTWAIT);

	show(received > 0 ? "something" : outcome_value(received), "%s: what came before", what);
	close_pair(fds);

	must_pair(type, fds);
	send(fds[0], "last", 4, 0);
	close(fds[0]);
	show(poll_bits(fds[1]), "%s: poll of the end that is left", what);
	show(outcome_value(read(fds[1], buffer, 10)), "%s: the last words", what);
	show(outcome_value(recv(fds[1], buffer, 10, MSG_DONTWAIT)), "%s: after the last words",
	     what);
	show(outcome_value(send(fds[1], buffer, 10, MSG_NOSIGNAL)), "%s: an answer to it", what);
	show(outcome_value(send(fds[1], buffer, 10, MSG_NOSIGNAL)), "%s: another answer", what);
	show(poll_bits(fds[1]), "%s: poll after the answers", what);
	printf("%s: signals in the end: %d\n", what, signals_seen);
	close(fds[1]);
}

static void observe_datagrams(void)
{
	int a = must_socket(SOCK_DGRAM | SOCK_NONBLOCK),
	    b = must_socket(SOCK_DGRAM | SOCK_NONBLOCK);
	int c = must_socket(SOCK_DGRAM | SOCK_NONBLOCK), sent = 0;
	struct sockaddr_un name;
	socklen_t size = sizeof(name);

	bind_to(a, NAME("\0a"));
	SEE(send(b, "x", 1, 0));
	SEE(send_to(b, NAME("\0a"), 3));
	SEE(send_to(b, NAME("\0a"), 0));
	SEE(send_to(b, NAME("\0nobody"), 1));
	SEE(send_to(b, PATH("/nowhere"), 1));
	SEE(send_to(b, NAME(""), 1));
	SEE(recvfrom(a, buffer, 2, 0, (struct sockaddr *)&name, &size));
	printf("size of no name: %u\n", size);
	show(outcome_value(recv(a, buffer, 2, 0)), "the datagram of no bytes");
	show(outcome_value(recv(a, buffer, 2, 0)), "no more datagrams");
	bind_to(b, NAME("\0b"));
	send_to(b, NAME("\0a"), 1);
	size = 4;
	memset(&name, 0, sizeof(name));
	show(outcome_value(recvfrom(a, buffer, 2, 0, (struct sockaddr *)&name, &size)),
	     "recvfrom with room for a part of the name");
	printf("size and start of its name: %u %c\n", size,
	       name.sun_path[1] ? name.sun_path[1] : '-');
	SEE(connect_to(a, NAME("\0b")));
	show(name_of(a, getpeername), "peer of a datagram socket");
	SEE(connect_to(c, NAME("\0a")));
	show(outcome_value(send_to(c, NAME("\0a"), 1)), "send to who sends to another");
	SEE(send(a, buffer, 1, 0));
	SEE(send_to(c, NAME("\0b"), 1));
	SEE(connect_to(a, NAME("\0a")));
	SEE(send(a, buffer, 5, 0));
	SEE(recv(a, buffer, 9, 0));
	SEE(send_to(b, NAME("\0a"), 1));
	name.sun_family = AF_UNSPEC;
	SEE(connect(a, (struct sockaddr *)&name, 1));
	SEE(connect(a, (struct sockaddr *)&name, 2));
	SEE(getpeername(a, (struct sockaddr *)&name, &size));
	while (send_to(c, NAME("\0a"), 1) == 1)
		sent++;
	printf("datagrams until the queue is full: %d\n", sent);
	show(outcome_value(send_to(c, NAME("\0a"), 1)), "send to a full queue");
	show(outcome_value(connect_to(c, NAME("\0a"))), "connect to who has a full queue");
	show(poll_bits(c), "poll of who sends to a full queue");
	show(outcome_value(recv(a, buffer, 9, 0)), "recv from a full queue");
	show(poll_bits(c), "poll of who sends to a queue with room");
	SEE(close(a));
	show(poll_bits(c), "poll of a sender without a receiver");
	SEE(send(c, "x", 1, 0));
	show(outcome_value(send(c, "x", 1, 0)), "send after ECONNREFUSED");

	/* Both send to each other; then one connects to another socket. */
	a = must_socket(SOCK_DGRAM | SOCK_NONBLOCK);
	bind_to(a, NAME("\0a"));
	connect_to(a, NAME("\0b"));
	show(outcome(connect_to(b, NAME("\0a"))), "datagram sockets are each other's peers");
	sent = 0;
	while (send(a, "x", 1, 0) == 1)
		sent++;
	printf("datagrams between peers: %d\n", sent);
	bind_to(c, NAME("\0c"));
	show(outcome(connect_to(b, NAME("\0c"))), "one leaves");
	show(poll_bits(a), "poll of the one that is left");
	show(outcome_value(send(a, "x", 1, 0)), "its next call");
	show(outcome_value(send(a, "x", 1, 0)), "the one after that");
	show(outcome_value(recv(b, buffer, 1, 0)), "what it had sent");
	close(a);
	close(b);
	close(c);

	a = must_socket(SOCK_DGRAM);
	show(outcome_value(send_to(a, NAME("\0nobody"), 300000)), "a datagram that is too large");
	show(outcome_value(send_to(a, NAME("\0nobody"), 212960)), "the largest datagram");
	bind_to(a, PATH("/datagrams"));
	b = must_socket(SOCK_STREAM);
	SEE(connect_to(b, PATH("/datagrams")));
	SEE(unlink("/datagrams"));
	close(a);
	close(b);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	observe_connections(SOCK_STREAM);
	observe_connections(SOCK_SEQPACKET);
	for (int i = 0; i < TYPE_COUNT; i++)
		observe_ends(types[i]);
	observe_datagrams();
	return 0;
}
