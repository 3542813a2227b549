// SPDX-License-Identifier: BSD-2-Clause
/*
 * Unix-domain sockets in epoll sets, and listening sockets as poll reports them.
 */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "unix_addresses.h"
#include "pair.h"

static const char *wait_once(int epoll)
{
	static char text[80];
	struct epoll_event event;
	int count = epoll_wait(epoll, &event, 1, 0);

	if (count <= 0)
		return count ? error_name(errno) : "nothing";
	snprintf(text, sizeof(text), "%#x", event.events);
	return text;
}

static void observe_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET };
	int epoll = epoll_create1(0), fds[2];

	must_pair(SOCK_STREAM | SOCK_NONBLOCK, fds);
	SEE(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[0], &event));
	show(wait_once(epoll), "edges: a new one");
	show(wait_once(epoll), "edges: the same again");
	send(fds[1], "abc", 3, 0);
	show(wait_once(epoll), "edges: something came");
	recv(fds[0], buffer, 1, 0);
	show(wait_once(epoll), "edges: a part was read");
	send(fds[1], "abc", 3, 0);
	show(wait_once(epoll), "edges: more came");
	recv(fds[0], buffer, 100, 0);
	while (send(fds[0], buffer, sizeof(buffer), 0) > 0)
		;
	show(wait_once(epoll), "edges: it is full");
	recv(fds[1], buffer, 100, 0);
	show(wait_once(epoll), "edges: a little room");
	while (recv(fds[1], buffer, sizeof(buffer), 0) > 0)
		;
	show(wait_once(epoll), "edges: all room");
	shutdown(fds[1], SHUT_WR);
	show(wait_once(epoll), "edges: the end");
	close(fds[1]);
	show(wait_once(epoll), "edges: the other is gone");
	close(fds[0]);
	show(wait_once(epoll), "edges: closed");
	close(epoll);
}

static const char *poll_bits(int fd)
{
	static char text[16];
	struct pollfd polled = { fd, (short)0xffff, 0 };

	poll(&polled, 1, 0);
	snprintf(text, sizeof(text), "%#x", polled.revents);
	return text;
}

static void observe_listener(int type, const char *what)
{
	int listener = socket(AF_UNIX, type | SOCK_NONBLOCK, 0);
	int client = socket(AF_UNIX, type | SOCK_NONBLOCK, 0), server;

	bind_to(listener, "/shut");
	listen(listener, 3);
	show(outcome(connect_to(client, "/shut")), "%s: connect", what);
	show(outcome(shutdown(listener, SHUT_WR)), "%s: a listener is shut for writing", what);
	server = socket(AF_UNIX, type, 0);
	show(outcome(connect_to(server, "/shut")), "%s: connect after that", what);
	close(server);
	show(outcome(shutdown(listener, SHUT_RD)), "%s: a listener is shut for reading", what);
	show(poll_bits(listener), "%s: poll of the listener", what);
	server = socket(AF_UNIX, type, 0);
	show(outcome(connect_to(server, "/shut")), "%s: connect to the shut one", what);
	close(server);
	server = accept(listener, NULL, NULL);
	show(outcome(server), "%s: accept what came before", what);
	show(outcome_value(send(client, "abc", 3, 0)), "%s: send to it", what);
	show(outcome_value(recv(server, buffer, 100, 0)), "%s: recv from it", what);
	close(server);
	server = accept(listener, NULL, NULL);
	show(outcome(server), "%s: accept the next", what);
	close(server);
	show(outcome(accept(listener, NULL, NULL)), "%s: accept when there is none", what);
	show(outcome(listen(listener, 3)), "%s: listen again", what);
	show(outcome(connect_to(socket(AF_UNIX, type, 0), "/shut")), "%s: connect in the end",
	     what);
	close(client);
	close(listener);
	unlink("/shut");

	/* An accept that does not fit into the table; it is still there afterwards. */
	struct rlimit limit, old;

	getrlimit(RLIMIT_NOFILE, &old);
	limit = old;
	listener = socket(AF_UNIX, type, 0);
	client = socket(AF_UNIX, type, 0);
	bind_to(listener, "/shut");
	listen(listener, 3);
	connect_to(client, "/shut");
	int next = dup(0);

	close(next);
	limit.rlim_cur = (rlim_t)next;
	setrlimit(RLIMIT_NOFILE, &limit);
	show(outcome(accept(listener, NULL, NULL)), "%s: accept without room", what);
	show(outcome(socket(AF_UNIX, type, 0)), "%s: socket without room", what);
	int fds[2];

	limit.rlim_cur = (rlim_t)next + 1;
	setrlimit(RLIMIT_NOFILE, &limit);
	show(outcome(socketpair(AF_UNIX, type, 0, fds)), "%s: a pair where one fits", what);
	server = accept(listener, NULL, NULL);
	show(outcome(server), "%s: accept with room", what);
	setrlimit(RLIMIT_NOFILE, &old);
	close(server);
	/* An address that cannot be written. */
	close(client);
	client = socket(AF_UNIX, type, 0);
	connect_to(client, "/shut");
	show(outcome(accept(listener, (struct sockaddr *)8, &(socklen_t){ 20 })),
	     "%s: accept with a bad address", what);
	show(outcome_value(recv(client, buffer, 1, 0)), "%s: what the client sees of that", what);
	close(client);
	close(listener);
	unlink("/shut");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	observe_epoll();
	observe_listener(SOCK_STREAM, "stream");
	observe_listener(SOCK_SEQPACKET, "seqpacket");
	return 0;
}
