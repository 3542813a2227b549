// SPDX-License-Identifier: BSD-2-Clause
/*
 * Internet sockets inside one machine: names, ports, connecting, data, ends, events, options, datagrams.
 *
 * No port is printed: the kernel chooses them.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "observe.h"

static char buffer[70000];

/* Prints a NUMBER, called NAME. */
static void show_number(long number, const char *name)
{
	show(outcome_value(number), "%s", name);
}

static struct sockaddr_in at(const char *address, int port)
{
	struct sockaddr_in name = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	inet_pton(AF_INET, address, &name.sin_addr);
	return name;
}

static struct sockaddr_in6 at6(const char *address, int port)
{
	struct sockaddr_in6 name = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };

	inet_pton(AF_INET6, address, &name.sin6_addr);
	return name;
}

#define BIND(fd, name)	  bind(fd, (struct sockaddr *)&(name), sizeof(name))
#define CONNECT(fd, name) connect(fd, (struct sockaddr *)&(name), sizeof(name))

static int port_of(int fd)
{
	struct sockaddr_in name;
	socklen_t size = sizeof(name);

	return getsockname(fd, (struct sockaddr *)&name, &size) ? -1 : ntohs(name.sin_port);
}

/* Prints the events of FD. */
static void show_events(int fd, const char *when)
{
	struct pollfd one = { fd, POLLIN | POLLOUT | POLLRDHUP, 0 };

	poll(&one, 1, 0);
	show_number(one.revents, when);
}

static long option(int fd, int level, int name)
{
	int value = 0;
	socklen_t size = sizeof(value);

	return getsockopt(fd, level, name, &value, &size) ? -1 : value;
}

static long set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

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

static void observe_sockets(void)
{
	SEE(socket(AF_INET, SOCK_STREAM, IPPROTO_UDP));
	SEE(socket(AF_INET, SOCK_DGRAM, IPPROTO_TCP));
	SEE(socket(AF_INET, SOCK_SEQPACKET, 0));
	SEE(socketpair(AF_INET, SOCK_STREAM, 0, (int[2]){ 0 }));
	int fd = socket(AF_INET6, SOCK_STREAM, 0);

	SEE(option(fd, SOL_SOCKET, SO_TYPE));
	SEE(option(fd, SOL_SOCKET, SO_DOMAIN));
	SEE(option(fd, SOL_SOCKET, SO_PROTOCOL));
	SEE(option(fd, SOL_SOCKET, SO_ACCEPTCONN));
	SEE(listen(fd, 1));
	SEE(option(fd, SOL_SOCKET, SO_ACCEPTCONN));
	show_number(port_of(fd) >= 32768, "listen has chosen a port");
	close(fd);
}

static void observe_names(void)
{
	struct sockaddr_in any = at("0.0.0.0", 0), local = at("127.0.0.1", 0),
			   far = at("192.0.2.1", 80);
	struct sockaddr_in6 local6 = at6("::1", 0), mapped = at6("::ffff:127.0.0.1", 0),
			    far6 = at6("2001:db8::1", 80);
	int fd = socket(AF_INET, SOCK_STREAM, 0), six = socket(AF_INET6, SOCK_STREAM, 0), other;
	socklen_t size = sizeof(any);

	SEE(bind(fd, (struct sockaddr *)&local, 15));
	SEE(BIND(fd, far));
	SEE(BIND(fd, local6));
	local.sin_family = AF_UNSPEC;
	SEE(BIND(fd, local));
	local.sin_family = AF_INET;
	SEE(getpeername(fd, (struct sockaddr *)&any, &size));
	SEE(BIND(fd, local));
	SEE(BIND(fd, local));
	size = sizeof(any);
	SEE(getsockname(fd, (struct sockaddr *)&any, &size));
	show_number(size, "size of an IPv4 name");
	show_number(any.sin_addr.s_addr == htonl(INADDR_LOOPBACK), "bound to 127.0.0.1");
	local.sin_port = any.sin_port;
	other = socket(AF_INET, SOCK_STREAM, 0);
	SEE(BIND(other, local));
	any = at("0.0.0.0", ntohs(local.sin_port));
	SEE(BIND(other, any));
	SEE(set(other, SOL_SOCKET, SO_REUSEADDR, 1));
	SEE(BIND(other, any));
	SEE(set(fd, SOL_SOCKET, SO_REUSEADDR, 1));
	SEE(BIND(other, any));
	close(other);
	SEE(listen(fd, 1));
	other = socket(AF_INET, SOCK_STREAM, 0);
	SEE(set(other, SOL_SOCKET, SO_REUSEADDR, 1));
	SEE(BIND(other, local));
	SEE(CONNECT(other, far));
	SEE(CONNECT(other, local6));
	SEE(set(six, IPPROTO_IPV6, IPV6_V6ONLY, 1));
	SEE(BIND(six, mapped));
	SEE(CONNECT(six, far6));
	SEE(BIND(six, local6));
	SEE(set(six, IPPROTO_IPV6, IPV6_V6ONLY, 0));
	close(fd);
	close(six);
	close(other);
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

static void observe_options(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0);

	SEE(option(fd, IPPROTO_TCP, TCP_NODELAY));
	SEE(set(fd, IPPROTO_TCP, TCP_NODELAY, 7));
	SEE(option(fd, IPPROTO_TCP, TCP_NODELAY));
	SEE(option(fd, IPPROTO_TCP, TCP_KEEPIDLE));
	SEE(option(fd, IPPROTO_TCP, TCP_KEEPINTVL));
	SEE(option(fd, IPPROTO_TCP, TCP_KEEPCNT));
	SEE(set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 0));
	SEE(set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 32768));
	SEE(set(fd, IPPROTO_TCP, TCP_KEEPCNT, 127));
	SEE(option(fd, IPPROTO_TCP, TCP_KEEPCNT));
	SEE(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, buffer, 3));
	SEE(set(fd, IPPROTO_TCP, 12345, 1));
	SEE(option(fd, IPPROTO_TCP, 12345));
	SEE(option(fd, 12345, 1));
	SEE(option(udp, 12345, 1));
	SEE(option(udp, IPPROTO_TCP, TCP_NODELAY));
	SEE(option(fd, IPPROTO_IP, IP_TTL));
	SEE(set(fd, IPPROTO_IP, IP_TTL, 0));
	SEE(set(fd, IPPROTO_IP, IP_TTL, 256));
	SEE(option(fd, SOL_SOCKET, SO_KEEPALIVE));
	SEE(set(fd, SOL_SOCKET, SO_KEEPALIVE, 5));
	SEE(option(fd, SOL_SOCKET, SO_KEEPALIVE));
	SEE(option(fd, SOL_SOCKET, SO_SNDBUF));
	SEE(option(fd, SOL_SOCKET, SO_RCVBUF));
	SEE(option(udp, SOL_SOCKET, SO_RCVBUF));
	SEE(set(fd, SOL_SOCKET, SO_SNDBUF, 10000));
	SEE(option(fd, SOL_SOCKET, SO_SNDBUF));
	close(fd);
	close(udp);
}

static void observe_datagrams(void)
{
	struct sockaddr_in name = at("127.0.0.1", 0), far = at("192.0.2.1", 80), from,
			   none = { .sin_family = AF_UNSPEC };
	int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0), value;
	socklen_t size = sizeof(from);

	show_events(a, "events of a new socket for datagrams");
	SEE(send(a, buffer, 1, 0));
	SEE(recv(a, buffer, 1, MSG_DONTWAIT));
	SEE(listen(a, 1));
	SEE(shutdown(b, 5));
	BIND(b, name);
	name.sin_port = htons((uint16_t)port_of(b));
	SEE(sendto(a, buffer, 1, 0, (struct sockaddr *)&far, sizeof(far)));
	SEE(sendto(a, buffer, 10, 0, (struct sockaddr *)&name, 15));
	SEE(sendto(a, buffer, 10, 0, (struct sockaddr *)&name, sizeof(name)));
	SEE(sendto(a, buffer, 0, 0, (struct sockaddr *)&name, sizeof(name)));
	SEE(sendto(a, buffer, 65507, 0, (struct sockaddr *)&name, sizeof(name)));
	SEE(sendto(a, buffer, 65508, 0, (struct sockaddr *)&name, sizeof(name)));
	show_events(b, "events with a datagram");
	SEE(ioctl(b, FIONREAD, &value));
	show_number(value, "bytes of the first datagram");
	SEE(recv(b, buffer, 5, MSG_PEEK | MSG_TRUNC));
	SEE(recvfrom(b, buffer, 5, 0, (struct sockaddr *)&from, &size));
	show_number(size, "size of the sender's name");
	show_number(from.sin_port == htons((uint16_t)port_of(a)), "the sender's port");
	show_number(from.sin_addr.s_addr == htonl(INADDR_LOOPBACK), "the sender's address");
	SEE(recv(b, buffer, 5, 0));
	SEE(recv(b, buffer, sizeof(buffer), 0));
	SEE(CONNECT(a, name));
	SEE(send(a, buffer, 3, 0));
	SEE(recv(b, buffer, 9, 0));
	close(b);
	SEE(send(a, buffer, 3, 0));
	show_events(a, "events after a datagram to a port without a socket");
	SEE(recv(a, buffer, 3, MSG_DONTWAIT));
	SEE(recv(a, buffer, 3, MSG_DONTWAIT));
	SEE(CONNECT(a, none));
	SEE(send(a, buffer, 3, 0));
	SEE(shutdown(a, SHUT_RDWR));
	close(a);
}

/* Ports below 1024 need CAP_NET_BIND_SERVICE. */
static void observe_privileges(void)
{
	struct sockaddr_in low = at("127.0.0.1", 1023), high = at("127.0.0.1", 1024);
	int fd = socket(AF_INET, SOCK_STREAM, 0), six = socket(AF_INET6, SOCK_DGRAM, 0);
	struct sockaddr_in6 low6 = at6("::1", 1);

	SEE(BIND(fd, low));
	close(fd);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	SEE(setresuid(1000, 1000, 1000));
	SEE(BIND(fd, low));
	SEE(BIND(six, low6));
	SEE(BIND(fd, high));
	close(fd);
	close(six);
}

int main(void)
{
	struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	/* Linux begins with its loopback down; Tally's is always up, and has no such request. */
	ioctl(fd, SIOCSIFFLAGS, &up);
	close(fd);
	observe_sockets();
	observe_names();
	observe_connecting();
	observe_data();
	observe_ends();
	observe_edges();
	observe_options();
	observe_datagrams();
	observe_privileges();
	return 0;
}
