/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses and ports of internet sockets. This machine has 127.0.0.0/8, ::1 and the address of its network
 * device; an IPv6 socket also uses IPv4 by mapped
 * addresses, ::ffff:a.b.c.d, unless it is IPV6_V6ONLY. Source: ip(7), ipv6(7), inet_bind's order of checks as observed.
 *
 * lwIP takes any binding; the rules of SO_REUSEADDR are Linux's, and are kept here.
 */
#include <lwip/priv/tcp_priv.h>
#include <lwip/udp.h>
#include <string.h>

#include <kernel/random/random.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/errno.h>

#include "inet.h"

/* Ports below it are for tasks with CAP_NET_BIND_SERVICE: Linux's net.ipv4.ip_unprivileged_port_start. */
#define PORT_FREE_FIRST 1024
/* Linux's net.ipv4.ip_local_port_range. */
#define CHOSEN_FIRST	32768u
#define CHOSEN_LAST	60999u
#define CHOSEN_PORTS	(CHOSEN_LAST - CHOSEN_FIRST + 1)

/* The bits of ports in use while one is chosen. I. */
static uint64_t used_ports[(CHOSEN_PORTS + 63) / 64];

/* --- names --- */

static bool is_mapped(const ip_addr_t *address)
{
	return ip6_addr_isipv4mappedipv6(ip_2_ip6(address));
}

/* Makes ADDRESS, mapped, IPv4. */
static void unmap(ip_addr_t *address)
{
	const uint32_t ip4 = ip_2_ip6(address)->addr[3];

	memset(address, 0, sizeof(*address));
	IP_SET_TYPE_VAL(*address, IPADDR_TYPE_V4);
	ip_2_ip4(address)->addr = ip4;
}

int inet_name_read(const struct inet_socket *socket, const union socket_name *name, size_t size,
		   ip_addr_t *address, uint16_t *port)
{
	memset(address, 0, sizeof(*address));
	if (socket->base.domain == AF_INET) {
		if (size < sizeof(name->in))
			return -EINVAL;
		if (name->family != AF_INET)
			return -EAFNOSUPPORT;
		IP_SET_TYPE_VAL(*address, IPADDR_TYPE_V4);
		ip_2_ip4(address)->addr = name->in.sin_addr;
		*port = lwip_ntohs(name->in.sin_port);
		return 0;
	}
	if (size < SOCKADDR_IN6_LEAST)
		return -EINVAL;
	if (name->family != AF_INET6)
		return -EAFNOSUPPORT;
	IP_SET_TYPE_VAL(*address, IPADDR_TYPE_V6);
	memcpy(ip_2_ip6(address)->addr, name->in6.sin6_addr, sizeof(name->in6.sin6_addr));
	*port = lwip_ntohs(name->in6.sin6_port);
	if (is_mapped(address))
		unmap(address);
	return 0;
}

size_t inet_name_write(const struct inet_socket *socket, const ip_addr_t *address, uint16_t port,
		       void *name)
{
	if (socket->base.domain == AF_INET) {
		struct kernel_sockaddr_in *in = name;

		*in = (struct kernel_sockaddr_in){ .sin_family = AF_INET,
						   .sin_port = lwip_htons(port),
						   .sin_addr = ip_2_ip4(address)->addr };
		return sizeof(*in);
	}
	struct kernel_sockaddr_in6 *in6 = name;

	*in6 = (struct kernel_sockaddr_in6){ .sin6_family = AF_INET6,
					     .sin6_port = lwip_htons(port) };
	if (IP_IS_V4(address)) {
		in6->sin6_addr[2] = PP_HTONL(0xffff);
		in6->sin6_addr[3] = ip_2_ip4(address)->addr;
	} else {
		memcpy(in6->sin6_addr, ip_2_ip6(address)->addr, sizeof(in6->sin6_addr));
	}
	return sizeof(*in6);
}

bool inet_is_here(const ip_addr_t *address)
{
	if (IP_IS_V4(address))
		return (ip4_addr_isloopback(ip_2_ip4(address)) &&
			ip_2_ip4(address)->addr != PP_HTONL(0x7fffffffu) &&
			ip_2_ip4(address)->addr != PP_HTONL(0x7f000000u)) ||
		       inet_is_own(ip_2_ip4(address));
	return ip6_addr_isloopback(ip_2_ip6(address));
}

int inet_destination(struct inet_socket *socket, ip_addr_t *address)
{
	if (socket->base.domain == AF_INET6 && IP_IS_V4(address) && socket->v6_only)
		return -ENETUNREACH;
	/* The unspecified address is the machine itself. */
	if (ip_addr_isany(address)) {
		if (IP_IS_V4(address))
			ip_2_ip4(address)->addr = PP_HTONL(IPADDR_LOOPBACK);
		else
			ip_2_ip6(address)->addr[3] = PP_HTONL(1);
	}
	if (inet_is_here(address))
		return 0;
	if (!inet_has_way(address) || ip4_addr_isloopback(ip_2_ip4(address)))
		return -ENETUNREACH;
	bool to_all = inet_is_broadcast(ip_2_ip4(address));

	if (socket->base.type == SOCK_STREAM)
		return to_all || ip_addr_ismulticast(address) ? -ENETUNREACH : 0;
	return to_all && !socket_option_is_on(&socket->base, SO_BROADCAST) ? -EACCES : 0;
}

int inet_source(const struct inet_socket *socket, const ip_addr_t *to, ip_addr_t *from)
{
	if (!ip_addr_isany(&socket->local) &&
	    (socket->address_bound || socket->base.type == SOCK_STREAM)) {
		*from = socket->local;
		/* Other machines cannot answer to the loopback. */
		return IP_IS_V4(from) != IP_IS_V4(to) || (IP_IS_V4(to) && !inet_is_here(to) &&
							  ip4_addr_isloopback(ip_2_ip4(from))) ?
			       -EINVAL :
			       0;
	}
	if (!IP_IS_V4(to))
		*from = *to;
	else if (ip4_addr_isloopback(ip_2_ip4(to)))
		*from = (ip_addr_t)IPADDR4_INIT(PP_HTONL(IPADDR_LOOPBACK));
	else
		*from = inet_own_address();
	return 0;
}

/* --- ports --- */

/* True if a packet may be for both addresses. BOTH_A, BOTH_B: as the unspecified address, A or B is also that of the other
 * version. */
static bool overlap(const ip_addr_t *a, bool both_a, const ip_addr_t *b, bool both_b)
{
	if (ip_addr_isany(a) &&
	    (both_a || IP_IS_V4(a) == IP_IS_V4(b) || (ip_addr_isany(b) && both_b)))
		return true;
	if (ip_addr_isany(b) && (both_b || IP_IS_V4(a) == IP_IS_V4(b)))
		return true;
	return IP_IS_V4(a) == IP_IS_V4(b) && ip_addr_cmp(a, b);
}

static bool covers_both(const struct inet_socket *socket, const ip_addr_t *address)
{
	return socket->base.domain == AF_INET6 && !IP_IS_V4(address) && !socket->v6_only;
}

/* True if OTHER's port cannot be SOCKET's, with ADDRESS, too. */
static bool conflicts(struct inet_socket *socket, const ip_addr_t *address,
		      struct inet_socket *other)
{
	if (!overlap(address, covers_both(socket, address), &other->local,
		     covers_both(other, &other->local)))
		return false;
	return other->base.listening || !socket_option_is_on(&socket->base, SO_REUSEADDR) ||
	       !socket_option_is_on(&other->base, SO_REUSEADDR);
}

/* True if a connection without a socket keeps PORT from SOCKET. */
static bool conflicts_with_remains(struct inet_socket *socket, uint16_t port)
{
	struct tcp_pcb *pcb;

	if (socket->base.type != SOCK_STREAM || socket_option_is_on(&socket->base, SO_REUSEADDR))
		return false;
	for (pcb = tcp_tw_pcbs; pcb; pcb = pcb->next)
		if (pcb->local_port == port)
			return true;
	for (pcb = tcp_active_pcbs; pcb; pcb = pcb->next)
		if (pcb->local_port == port && !pcb->callback_arg)
			return true;
	return false;
}

static void mark_used(uint16_t port)
{
	if (port >= CHOSEN_FIRST && port <= CHOSEN_LAST)
		used_ports[(port - CHOSEN_FIRST) / 64] |= (uint64_t)1
							  << ((port - CHOSEN_FIRST) % 64);
}

/* Returns a port that no socket of TYPE uses, 0: there is none. */
static uint16_t choose_port(int type)
{
	struct inet_socket *other;
	uint32_t first;

	memset(used_ports, 0, sizeof(used_ports));
	TAILQ_FOREACH(other, &inet_sockets, all)
		if (other->base.type == type)
			mark_used(other->local_port);
	if (type == SOCK_STREAM) {
		for (struct tcp_pcb *pcb = tcp_tw_pcbs; pcb; pcb = pcb->next)
			mark_used(pcb->local_port);
		for (struct tcp_pcb *pcb = tcp_active_pcbs; pcb; pcb = pcb->next)
			mark_used(pcb->local_port);
	}
	random_bytes(&first, sizeof(first));
	for (unsigned int i = 0; i < CHOSEN_PORTS; i++) {
		unsigned int index = (first % CHOSEN_PORTS + i) % CHOSEN_PORTS;

		if (!(used_ports[index / 64] >> (index % 64) & 1))
			return (uint16_t)(CHOSEN_FIRST + index);
	}
	return 0;
}

int inet_port_take(struct inet_socket *socket, const ip_addr_t *address, uint16_t port)
{
	struct inet_socket *other;

	if (!port) {
		port = choose_port(socket->base.type);
		if (!port)
			return -EADDRINUSE;
	} else {
		TAILQ_FOREACH(other, &inet_sockets, all)
			if (other != socket && other->base.type == socket->base.type &&
			    other->local_port == port && conflicts(socket, address, other))
				return -EADDRINUSE;
		if (conflicts_with_remains(socket, port))
			return -EADDRINUSE;
	}
	socket->local = *address;
	socket->local_port = port;
	return 0;
}

/* --- bind --- */

int inet_bind(struct inet_socket *socket, const union socket_name *name, size_t size)
{
	union socket_name any = *name;
	ip_addr_t address;
	uint16_t port;

	/* Programs that are older than the check of AF_INET leave the family 0. */
	if (socket->base.domain == AF_INET && size >= sizeof(any.in) && any.family == AF_UNSPEC &&
	    !any.in.sin_addr)
		any.family = AF_INET;
	int error = inet_name_read(socket, &any, size, &address, &port);

	if (error)
		return error;
	if (IP_IS_V4(&address) && socket->base.domain == AF_INET6 && socket->v6_only)
		return -EINVAL;
	if (!ip_addr_isany(&address) && !inet_is_here(&address))
		return -EADDRNOTAVAIL;
	if (port && port < PORT_FREE_FIRST && !capable(CAP_NET_BIND_SERVICE))
		return -EACCES;
	inet_enter();
	if (socket->local_port)
		error = -EINVAL;
	else
		error = inet_port_take(socket, &address, port);
	if (!error) {
		socket->bound = true;
		socket->address_bound = !ip_addr_isany(&address);
		if (socket->base.type == SOCK_DGRAM)
			udp_bind(socket->udp,
				 ip_addr_isany(&address) && covers_both(socket, &address) ?
					 IP_ANY_TYPE :
					 &address,
				 socket->local_port);
	}
	inet_leave();
	return error;
}
