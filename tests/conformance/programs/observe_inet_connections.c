// SPDX-License-Identifier: BSD-2-Clause
/*
 * Connections of internet sockets inside one machine: connecting, data, ends, events.
 *
 * No port is printed: the kernel chooses them.
 */
#include <sys/epoll.h>

#include "inet.h"

static char buffer[70000];

/* A listener on 127.0.0.1; its name in *NAME. */
static int listener(struct sockaddr_in *name)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*name = at("127.0.0.1", 0);
	BIND(fd, *name);
	listen(fd, 5);
	name->sin_port = htons((uint16_t)port_of(fd));
	return fd;
}

/* A connection: fds[0] is the client. */
static void connection(int fds[2])
{
	struct sockaddr_in name;
	int server = listener(&name);

	fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (CONNECT(fds[0], name))
		perror("connect");
	fds[1] = accept(server, NULL, NULL);
	close(server);
}

static void observe_connecting(void)
{
	struct sockaddr_in name, closed;
	int server = listener(&name), fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in6 mapped = at6("::ffff:127.0.0.1", ntohs(name.sin_port)), peer;
	socklen_t size = sizeof(peer);

	show_events(fd, "events of a new socket");
	SEE(send(fd, buffer, 1, MSG_NOSIGNAL));
	SEE(recv(fd, buffer, 1, 0));
	SEE(shutdown(fd, SHUT_WR));
	SEE(accept(fd, NULL, NULL));
	closed = at("127.0.0.1", 1);
	SEE(CONNECT(fd, closed));
	show_events(fd, "events after a refusal");
	SEE(CONNECT(fd, name));
	SEE(CONNECT(fd, name));
	show_events(server, "events of a listener with a connection");
	fcntl(server, F_SETFL, O_NONBLOCK);
	int accepted = accept(server, NULL, NULL);

	show_number(accepted >= 0, "accepted");
	SEE(accept(server, NULL, NULL));
	show_number(fcntl(accepted, F_GETFL) & O_NONBLOCK, "O_NONBLOCK is inherited");
	SEE(CONNECT(server, name));
	SEE(recv(server, buffer, 1, 0));
	SEE(listen(fd, 1));
	close(fd);
	close(accepted);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	SEE(CONNECT(fd, name));
	struct pollfd one = { fd, POLLOUT, 0 };

	SEE(poll(&one, 1, 1000));
	SEE(option(fd, SOL_SOCKET, SO_ERROR));
	SEE(CONNECT(fd, name));
	SEE(CONNECT(fd, name));
	close(fd);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	SEE(CONNECT(fd, closed));
	SEE(poll(&one, 1, 1000));
	show(error_name((int)option(fd, SOL_SOCKET, SO_ERROR)),
	     "SO_ERROR after a refused connection");
	SEE(option(fd, SOL_SOCKET, SO_ERROR));
	close(fd);
	close(accept(server, NULL, NULL));
	fd = socket(AF_INET6, SOCK_STREAM, 0);
	SEE(CONNECT(fd, mapped));
	SEE(getpeername(fd, (struct sockaddr *)&peer, &size));
	show_number(size, "size of an IPv6 name");
	show_number(!memcmp(&peer, &mapped, sizeof(peer)), "the peer has the mapped name");
	SEE(shutdown(server, SHUT_RD));
	SEE(accept(server, NULL, NULL));
	show_events(server, "events of a listener that was shut down");
	close(fd);
	close(server);
}

static void observe_data(void)
{
	int fds[2], value;

	connection(fds);
	show_events(fds[0], "events of a connection");
	SEE(send(fds[0], buffer, 100, 0));
	SEE(ioctl(fds[1], FIONREAD, &value));
	show_number(value, "bytes to read");
	show_events(fds[1], "events with data");
	SEE(recv(fds[1], buffer, 10, MSG_PEEK));
	SEE(recv(fds[1], buffer, 10, 0));
	SEE(recv(fds[1], NULL, 20, MSG_TRUNC));
	SEE(recv(fds[1], (void *)8, 20, 0));
	SEE(recv(fds[1], buffer, 100, 0));
	SEE(recv(fds[1], buffer, 100, MSG_DONTWAIT));
	SEE(recv(fds[1], buffer, 1, MSG_OOB));
	SEE(send(fds[0], (void *)8, 20, 0));
	SEE(send(fds[0], buffer, 0, 0));
	SEE(recv(fds[1], buffer, 1, MSG_DONTWAIT));
	SEE(send(fds[0], buffer, 60000, 0));
	SEE(recv(fds[1], buffer, 60000, MSG_WAITALL));
	close(fds[0]);
	close(fds[1]);
}

static void observe_ends(void)
{
	struct linger now = { 1, 0 };
	int fds[2];

	connection(fds);
	send(fds[0], buffer, 5, 0);
	SEE(shutdown(fds[0], SHUT_WR));
	SEE(send(fds[0], buffer, 5, MSG_NOSIGNAL));
	show_events(fds[0], "events after SHUT_WR");
	show_events(fds[1], "events after the peer's");
	SEE(recv(fds[1], buffer, 100, 0));
	SEE(recv(fds[1], buffer, 100, 0));
	SEE(send(fds[1], buffer, 7, 0));
	SEE(shutdown(fds[1], SHUT_WR));
	SEE(recv(fds[0], buffer, 100, 0));
	SEE(recv(fds[0], buffer, 100, 0));
	show_events(fds[0], "events after both ends");
	SEE(shutdown(fds[0], 3));
	close(fds[0]);
	close(fds[1]);

	connection(fds);
	setsockopt(fds[0], SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	send(fds[0], buffer, 3, 0);
	close(fds[0]);
	show_events(fds[1], "events after a reset");
	SEE(send(fds[1], buffer, 1, MSG_NOSIGNAL));
	SEE(send(fds[1], buffer, 1, MSG_NOSIGNAL));
	close(fds[1]);

	connection(fds);
	send(fds[0], buffer, 3, 0);
	close(fds[1]);
	SEE(recv(fds[0], buffer, 3, 0));
	SEE(recv(fds[0], buffer, 3, 0));
	close(fds[0]);

	connection(fds);
	SEE(shutdown(fds[0], SHUT_RD));
	SEE(recv(fds[0], buffer, 3, 0));
	close(fds[0]);
	close(fds[1]);
}

static void observe_edges(void)
{
	struct epoll_event event = { EPOLLIN | EPOLLET, { .u32 = 1 } };
	int fds[2], epoll = epoll_create1(0);

	connection(fds);
	SEE(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[1], &event));
	SEE(epoll_wait(epoll, &event, 1, 0));
	send(fds[0], buffer, 5, 0);
	SEE(epoll_wait(epoll, &event, 1, 1000));
	SEE(epoll_wait(epoll, &event, 1, 0));
	send(fds[0], buffer, 5, 0);
	SEE(epoll_wait(epoll, &event, 1, 1000));
	SEE(recv(fds[1], buffer, 100, 0));
	SEE(epoll_wait(epoll, &event, 1, 0));
	close(fds[0]);
	close(fds[1]);
	close(epoll);
}

int main(void)
{
	bring_loopback_up();
	observe_connecting();
	observe_data();
	observe_ends();
	observe_edges();
	return 0;
}
