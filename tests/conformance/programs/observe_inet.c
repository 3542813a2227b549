// SPDX-License-Identifier: BSD-2-Clause
/*
 * Internet sockets inside one machine: kinds, names, ports, options, datagrams. Connections are in
 * observe_inet_connections.c.
 *
 * No port is printed: the kernel chooses them.
 */
#include <netinet/tcp.h>

#include "inet.h"

static char buffer[70000];

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
	bring_loopback_up();
	observe_sockets();
	observe_names();
	observe_options();
	observe_datagrams();
	observe_privileges();
	return 0;
}
