/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options of internet sockets: tcp(7), ip(7), ipv6(7). Tables say where a number is kept and which are taken; an option that
 * is not listed does not exist.
 */
#include <lwip/priv/tcp_priv.h>

#include <uapi/linux/errno.h>

#include "inet.h"

#define MS_PER_S 1000u

struct number_option {
	int level, name;
	int32_t least, most;
	size_t offset; /* of an _Atomic int32_t in the socket */
	bool tcp_only;
};

#define MEMBER(name) offsetof(struct inet_socket, name)

/* Linux's ranges; of IP_TOS only the lowest byte counts. */
static const struct number_option numbers[] = {
	{ IPPROTO_TCP, TCP_KEEPIDLE, 1, 32767, MEMBER(keep_idle_s), true },
	{ IPPROTO_TCP, TCP_KEEPINTVL, 1, 32767, MEMBER(keep_interval_s), true },
	{ IPPROTO_TCP, TCP_KEEPCNT, 1, 127, MEMBER(keep_count), true },
	{ IPPROTO_IP, IP_TOS, INT32_MIN, INT32_MAX, MEMBER(tos), false },
	{ IPPROTO_IP, IP_TTL, 1, 255, MEMBER(ttl), false },
	{ IPPROTO_IPV6, IPV6_UNICAST_HOPS, 0, 255, MEMBER(ttl), false },
	{ IPPROTO_IPV6, IPV6_TCLASS, 0, 255, MEMBER(tos), false },
};

static const struct number_option *find_number(const struct inet_socket *socket, int level,
					       int name)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].level == level && numbers[i].name == name)
			return numbers[i].tcp_only && socket->base.type != SOCK_STREAM ?
				       NULL :
				       &numbers[i];
	return NULL;
}

static _Atomic int32_t *number_of(struct inet_socket *socket, const struct number_option *option)
{
	return (_Atomic int32_t *)((char *)socket + option->offset);
}

/* Options that are on or off; NULL: no such option. */
static _Atomic bool *find_switch(struct inet_socket *socket, int level, int name)
{
	bool tcp = socket->base.type == SOCK_STREAM;

	if (level == IPPROTO_TCP && tcp)
		return name == TCP_NODELAY ? &socket->no_delay :
		       name == TCP_CORK	   ? &socket->cork :
					     NULL;
	if (level == IPPROTO_IPV6 && name == IPV6_V6ONLY)
		return &socket->v6_only;
	return NULL;
}

/* 0, or why there is no LEVEL for SOCKET. */
static int check_level(const struct inet_socket *socket, int level)
{
	if (level == IPPROTO_IP || (level == IPPROTO_TCP && socket->base.type == SOCK_STREAM) ||
	    (level == IPPROTO_UDP && socket->base.type == SOCK_DGRAM))
		return 0;
	return level == IPPROTO_IPV6 && socket->base.domain == AF_INET6 ? 0 : -EOPNOTSUPP;
}

/* --- states --- */

unsigned int inet_tcp_state(const struct inet_socket *socket)
{
	mutex_assert_held(&inet_mutex);
	/* By lwIP's number. */
	static const uint8_t states[] = { [CLOSED] = TCP_CLOSE,
					  [LISTEN] = TCP_LISTEN,
					  [SYN_SENT] = TCP_SYN_SENT,
					  [SYN_RCVD] = TCP_SYN_RECV,
					  [ESTABLISHED] = TCP_ESTABLISHED,
					  [FIN_WAIT_1] = TCP_FIN_WAIT1,
					  [FIN_WAIT_2] = TCP_FIN_WAIT2,
					  [CLOSE_WAIT] = TCP_CLOSE_WAIT,
					  [CLOSING] = TCP_CLOSING,
					  [LAST_ACK] = TCP_LAST_ACK,
					  [TIME_WAIT] = TCP_TIME_WAIT };

	if (socket->base.type == SOCK_DGRAM)
		return socket->state == INET_CONNECTED ? TCP_ESTABLISHED : TCP_CLOSE;
	return socket->tcp ? states[socket->tcp->state] : TCP_CLOSE;
}

static void get_info(struct inet_socket *socket, struct kernel_tcp_info *info)
{
	inet_enter();
	*info = (struct kernel_tcp_info){ .tcpi_state = (uint8_t)inet_tcp_state(socket) };
	if (socket->tcp && socket->state != INET_LISTENING) {
		info->tcpi_snd_mss = info->tcpi_rcv_mss = socket->tcp->mss;
		info->tcpi_retransmits = socket->tcp->nrtx;
	}
	inet_leave();
}

/* --- calls --- */

int inet_get_option(struct socket *base, int level, int name, union option_value *value,
		    size_t *size)
{
	struct inet_socket *socket = (struct inet_socket *)base;
	const struct number_option *number = find_number(socket, level, name);
	_Atomic bool *on = find_switch(socket, level, name);
	int error = check_level(socket, level);

	if (error)
		return error;
	*size = sizeof(value->number);
	if (number) {
		value->number = *number_of(socket, number);
	} else if (on) {
		value->number = *on;
	} else if (level == IPPROTO_TCP && name == TCP_MAXSEG) {
		inet_enter();
		value->number = socket->tcp && socket->state == INET_CONNECTED ? socket->tcp->mss :
				socket->most_segment ? (int32_t)socket->most_segment :
						       536;
		inet_leave();
	} else if (level == IPPROTO_TCP && name == TCP_INFO) {
		get_info(socket, &value->tcp_info);
		*size = sizeof(value->tcp_info);
	} else if (level == IPPROTO_TCP && name == TCP_QUICKACK) {
		value->number = 1;
	} else {
		return -ENOPROTOOPT;
	}
	return 0;
}

void inet_tcp_apply_options(struct inet_socket *socket)
{
	struct tcp_pcb *pcb = socket->tcp;

	mutex_assert_held(&inet_mutex);
	if (!pcb || socket->state == INET_LISTENING)
		return;
	if (socket->no_delay)
		tcp_nagle_disable(pcb);
	else
		tcp_nagle_enable(pcb);
	if (socket_option_is_on(&socket->base, SO_KEEPALIVE))
		ip_set_option(pcb, SOF_KEEPALIVE);
	else
		ip_reset_option(pcb, SOF_KEEPALIVE);
	pcb->keep_idle = (u32_t)socket->keep_idle_s * MS_PER_S;
	pcb->keep_intvl = (u32_t)socket->keep_interval_s * MS_PER_S;
	pcb->keep_cnt = (u32_t)socket->keep_count;
	pcb->tos = (u8_t)socket->tos;
	pcb->ttl = (u8_t)socket->ttl;
}

int inet_set_option(struct socket *base, int level, int name, const union option_value *value,
		    size_t size)
{
	struct inet_socket *socket = (struct inet_socket *)base;
	const struct number_option *number = find_number(socket, level, name);
	_Atomic bool *on = find_switch(socket, level, name);
	int error = check_level(socket, level);

	if (error)
		return error;
	int32_t asked = value->number;

	/* IPv4's may be a byte, or nothing. */
	if (size < sizeof(asked) && level == IPPROTO_IP)
		asked = size ? (uint8_t)asked : 0;
	else if (size < sizeof(asked))
		return -EINVAL;
	/* -1: the default. */
	if (number && asked == -1 && level != IPPROTO_TCP && name != IP_TOS)
		asked = name == IPV6_TCLASS ? 0 : 64;
	/* The lowest two bits are TCP's own. */
	if (number && level == IPPROTO_IP && name == IP_TOS)
		asked &= socket->base.type == SOCK_STREAM ? 0xfc : 0xff;
	if (number && (asked < number->least || asked > number->most))
		return -EINVAL;
	if (on == &socket->v6_only && socket->local_port)
		return -EINVAL;
	if (number)
		*number_of(socket, number) = asked;
	else if (on)
		*on = asked != 0;
	/* Acknowledgements are always sent at once. */
	else if (!(level == IPPROTO_TCP && name == TCP_QUICKACK))
		return -ENOPROTOOPT;
	inet_enter();
	if (socket->base.type == SOCK_STREAM)
		inet_tcp_apply_options(socket);
	inet_leave();
	return 0;
}

void inet_option_changed(struct socket *base, int name)
{
	struct inet_socket *socket = (struct inet_socket *)base;

	if (base->type != SOCK_STREAM)
		return;
	inet_enter();
	if (name == SO_SNDBUF || name == SO_SNDBUFFORCE)
		socket->buffer_chosen = true;
	inet_tcp_apply_options(socket);
	inet_tcp_update_room(socket);
	inet_leave();
}
