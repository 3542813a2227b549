/* SPDX-License-Identifier: BSD-2-Clause */
/* UDP sockets: datagrams, their destination, the errors of ports without a socket. */
#include <lwip/pbuf.h>
#include <lwip/udp.h>

#include <uapi/linux/errno.h>
#include <uapi/linux/signal.h>

#include "inet.h"

/* Largest datagram: what a packet has room for. */
#define IP4_DATAGRAM_MAX (65535u - 20 - UDP_HLEN)
#define IP6_DATAGRAM_MAX (65535u - 40 - UDP_HLEN)

/* A datagram has come; it is lost when the buffer is full. inet_mutex held. */
static void has_received(void *of_socket, struct udp_pcb *pcb, struct pbuf *packet,
			 const ip_addr_t *from, u16_t port)
{
	mutex_assert_held(&inet_mutex);
	struct inet_socket *socket = of_socket;
	/* lwIP has taken the header off and does not look at its length. */
	const struct udp_hdr *header =
		(const struct udp_hdr *)((const char *)packet->payload - UDP_HLEN);
	size_t size = lwip_ntohs(header->len);

	if (size < UDP_HLEN || size - UDP_HLEN > packet->tot_len ||
	    (IP_IS_V4(from) && size - UDP_HLEN > IP4_DATAGRAM_MAX)) {
		pbuf_free(packet);
		return;
	}
	pbuf_realloc(packet, (u16_t)(size - UDP_HLEN));
	/* A datagram of several fragments becomes one, if there is memory. */
	packet = pbuf_coalesce(packet, PBUF_RAW);
	if (packet->next || socket->unread_bytes >= socket->base.receive_buffer ||
	    !inet_queue_append(socket, packet, from, port)) {
		pbuf_free(packet);
		return;
	}
	socket_notify(&socket->base, POLL_IN);
}

int inet_udp_open(struct inet_socket *socket)
{
	mutex_assert_held(&inet_mutex);
	struct udp_pcb *pcb =
		udp_new_ip_type(socket->base.domain == AF_INET ? IPADDR_TYPE_V4 : IPADDR_TYPE_ANY);

	if (!pcb)
		return -ENOBUFS;
	if (socket->udp)
		udp_remove(socket->udp);
	socket->udp = pcb;
	ip_set_option(socket->udp, SOF_REUSEADDR);
	udp_recv(socket->udp, has_received, socket);
	return 0;
}

/* Gives SOCKET a port if it has none. inet_mutex held. */
static int bind_any(struct inet_socket *socket)
{
	mutex_assert_held(&inet_mutex);
	ip_addr_t any = socket->local;

	if (socket->local_port)
		return 0;
	int error = inet_port_take(socket, &any, 0);

	if (error)
		return -EAGAIN;
	udp_bind(socket->udp, IP_IS_V4(&any) || socket->v6_only ? &any : IP_ANY_TYPE,
		 socket->local_port);
	return 0;
}

int inet_udp_connect(struct inet_socket *socket, const union socket_name *name, size_t size)
{
	ip_addr_t to, from;
	uint16_t port;

	if (size < sizeof(name->family))
		return -EINVAL;
	inet_enter();
	int error = 0;

	if (name->family == AF_UNSPEC) {
		if (socket->bound)
			udp_disconnect(socket->udp);
		else
			error = inet_udp_open(socket);
		if (!error) {
			socket->state = INET_CLOSED;
			socket->remote_port = 0;
			if (!socket->bound) {
				socket->local_port = 0;
				socket->local = *(socket->base.domain == AF_INET ? IP4_ADDR_ANY :
										   IP6_ADDR_ANY);
			}
		}
	} else {
		error = inet_name_read(socket, name, size, &to, &port);
		if (!error)
			error = inet_destination(socket, &to);
		if (!error && !ip_addr_isany(&socket->local) &&
		    IP_IS_V4(&socket->local) != IP_IS_V4(&to))
			error = -EINVAL;
		if (!error)
			error = inet_source(socket, &to, &from);
		if (!error)
			error = bind_any(socket);
		if (!error) {
			socket->local = from;
			ip_addr_copy(socket->udp->local_ip, socket->local);
			udp_connect(socket->udp, &to, port);
			socket->remote = to;
			socket->remote_port = port;
			socket->state = INET_CONNECTED;
		}
	}
	inet_leave();
	return error;
}

/* True if a datagram from SOCKET to TO and PORT has a receiver; Linux would hear of it by ICMP. inet_mutex held. */
static bool has_receiver(const struct inet_socket *socket, const ip_addr_t *to, uint16_t port)
{
	mutex_assert_held(&inet_mutex);
	for (struct udp_pcb *pcb = udp_pcbs; pcb; pcb = pcb->next) {
		if (pcb->local_port != port)
			continue;
		if (IP_IS_ANY_TYPE_VAL(pcb->local_ip) ||
		    (IP_IS_V4_VAL(pcb->local_ip) == IP_IS_V4(to) &&
		     (ip_addr_isany(&pcb->local_ip) || ip_addr_cmp(&pcb->local_ip, to))))
			return true;
	}
	return false;
}

/* Sends PACKET to TO and PORT. inet_mutex held. */
static int send_packet(struct inet_socket *socket, struct pbuf *packet, const ip_addr_t *to,
		       uint16_t port)
{
	mutex_assert_held(&inet_mutex);
	int error = socket_take_error(&socket->base);
	ip_addr_t from;

	if (!error && (socket->shutdown & SOCKET_NO_SEND))
		error = -EPIPE;
	if (!error)
		error = inet_source(socket, to, &from);
	if (!error)
		error = bind_any(socket);
	if (error)
		return error;
	struct netif *interface = IP_IS_V4(to) ? inet_lwip_route(ip_2_ip4(to)) : inet_loopback();

	if (!interface)
		return -ENETUNREACH;
	if (inet_is_here(to) && !has_receiver(socket, to, port)) {
		if (socket->state == INET_CONNECTED) {
			socket->base.error = ECONNREFUSED;
			socket_notify(&socket->base, POLL_IN);
		}
		return 0;
	}
	socket->udp->tos = (u8_t)socket->tos;
	socket->udp->ttl = (u8_t)socket->ttl;
	err_t failed = udp_sendto_if_src(socket->udp, packet, to, port, interface, &from);

	/* A device without room loses the datagram, as any station on its way may. */
	return failed && interface == inet_loopback() ? -ENOBUFS : 0;
}

ssize_t inet_udp_send(struct inet_socket *socket, struct socket_message *message)
{
	size_t size = message->data.left;
	int error = 0;

	if (message->flags & MSG_OOB)
		return -EOPNOTSUPP;
	mutex_lock(&inet_mutex);

	ip_addr_t to = socket->remote;
	uint16_t port = socket->remote_port;
	bool connected = socket->state == INET_CONNECTED;

	mutex_unlock(&inet_mutex);
	if (message->to) {
		union socket_name name = *message->to;

		if (socket->base.domain == AF_INET && name.family == AF_UNSPEC)
			name.family = AF_INET;
		error = inet_name_read(socket, &name, message->to_size, &to, &port);
		if (!error && !port)
			error = -EINVAL;
		if (!error)
			error = inet_destination(socket, &to);
	} else if (!connected) {
		error = -EDESTADDRREQ;
	}
	if (!error && !ip_addr_isany(&socket->local) && IP_IS_V4(&socket->local) != IP_IS_V4(&to))
		error = -ENETUNREACH;
	if (!error && size > (IP_IS_V4(&to) ? IP4_DATAGRAM_MAX : IP6_DATAGRAM_MAX))
		error = -EMSGSIZE;
	if (error)
		return error;
	struct pbuf *packet = pbuf_alloc(PBUF_TRANSPORT, (u16_t)size, PBUF_RAM);

	if (!packet)
		return -ENOBUFS;
	error = vector_copy_from(&message->data, packet->payload, size);
	if (!error) {
		inet_enter();
		error = send_packet(socket, packet, &to, port);
		inet_leave();
	}
	pbuf_free(packet);
	if (error == -EPIPE)
		return inet_broken_pipe(message->flags);
	return error ? error : (ssize_t)size;
}

/* --- receiving --- */

/* Reads the first datagram. Bytes, or a negative error; -EAGAIN: there is none. */
static ssize_t read_datagram(struct inet_socket *socket, struct socket_message *message)
{
	ssize_t result = -EAGAIN;
	size_t size;

	mutex_lock(&socket->read_mutex);
	struct inet_chunk *chunk = inet_queue_next(socket, NULL, &size);

	if (chunk) {
		size_t copied = size < message->data.left ? size : message->data.left;
		int error = vector_copy_to(&message->data, inet_chunk_bytes(chunk), copied);

		if (copied < size)
			message->flags_out |= MSG_TRUNC;
		message->from_inet_size = inet_name_write(socket, &chunk->from, chunk->from_port,
							  &message->from_inet);
		if (!(message->flags & MSG_PEEK)) {
			inet_enter();
			inet_queue_remove(socket, chunk);
			inet_leave();
		}
		result = error ? error : (ssize_t)(message->flags & MSG_TRUNC ? size : copied);
	}
	mutex_unlock(&socket->read_mutex);
	return result;
}

ssize_t inet_udp_receive(struct inet_socket *socket, struct socket_message *message)
{
	struct socket_waiter waiter;
	ssize_t result;

	if (message->flags & (MSG_ERRQUEUE | MSG_OOB))
		return message->flags & MSG_OOB ? -EINVAL : -EAGAIN;
	socket_wait_begin(&waiter, &socket->base.changed, message->flags & MSG_DONTWAIT,
			  socket->base.receive_timeout_ns);
	for (;;) {
		bool ended = socket->shutdown & SOCKET_NO_RECEIVE;

		result = socket_take_error(&socket->base);
		if (result)
			break;
		result = read_datagram(socket, message);
		if (result != -EAGAIN)
			break;
		if (ended && !(message->flags & MSG_DONTWAIT)) {
			result = 0;
			break;
		}
		result = socket_wait(&waiter);
		if (result)
			break;
	}
	socket_wait_end(&waiter);
	return result;
}

/* --- ending --- */

int inet_udp_shut_down(struct inet_socket *socket, unsigned int how)
{
	socket->shutdown |= how;
	socket_notify(&socket->base, POLL_IN);
	return socket->state == INET_CONNECTED ? 0 : -ENOTCONN;
}

void inet_udp_close(struct inet_socket *socket)
{
	inet_enter();
	udp_remove(socket->udp);
	inet_destroy(socket);
	inet_leave();
}
