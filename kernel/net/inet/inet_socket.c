/* SPDX-License-Identifier: BSD-2-Clause */
/* Internet sockets as objects: their life, and the queue of received bytes. */
#include <lwip/pbuf.h>
#include <string.h>

#include <kernel/mm/kmalloc.h>
#include <kernel/sched/task.h>
#include <kernel/task/signal.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/signal.h>

#include "inet.h"

/* Segments up to this size are copied into a common buffer, so that a stream of single bytes costs what its bytes cost. */
#define SMALL_BYTES		512
#define COMMON_BYTES		2048
/* Linux's charge for a datagram, beyond its bytes. */
#define DATAGRAM_CHARGE		768

/* Linux's defaults: net.ipv4.tcp_wmem and tcp_rmem. */
#define TCP_SEND_BUFFER		16384
#define TCP_RECEIVE_BUFFER	131072
#define TTL_DEFAULT		64
#define KEEP_IDLE_DEFAULT_S	7200
#define KEEP_INTERVAL_DEFAULT_S 75
#define KEEP_COUNT_DEFAULT	9

struct inet_sockets inet_sockets = TAILQ_HEAD_INITIALIZER(inet_sockets);

/* --- received bytes --- */

const char *inet_chunk_bytes(const struct inet_chunk *chunk)
{
	return chunk->packet ? chunk->packet->payload : chunk->bytes;
}

/* Copies PACKET, small, to the end of the last chunk if it has room. */
static bool append_to_last(struct inet_socket *socket, struct pbuf *packet)
{
	struct inet_chunk *last = STAILQ_LAST(&socket->chunks, inet_chunk, link);

	if (!last || last->packet || last->size + packet->tot_len > COMMON_BYTES)
		return false;
	pbuf_copy_partial(packet, last->bytes + last->size, packet->tot_len, 0);
	last->size += packet->tot_len;
	return true;
}

bool inet_queue_append(struct inet_socket *socket, struct pbuf *packet, const ip_addr_t *from,
		       uint16_t from_port)
{
	mutex_assert_held(&inet_mutex);
	bool stream = socket->base.type == SOCK_STREAM,
	     small = stream && packet->tot_len <= SMALL_BYTES;
	size_t size = packet->tot_len;

	if (!small || !append_to_last(socket, packet)) {
		size_t bytes = sizeof(struct inet_chunk) + (small ? COMMON_BYTES : 0);

		if (!inet_charge(bytes))
			return false;
		struct inet_chunk *chunk = kzalloc(bytes);

		if (!chunk) {
			inet_uncharge(bytes);
			return false;
		}
		chunk->size = size;
		if (small)
			pbuf_copy_partial(packet, chunk->bytes, packet->tot_len, 0);
		else
			chunk->packet = packet;
		if (from)
			chunk->from = *from;
		chunk->from_port = from_port;
		STAILQ_INSERT_TAIL(&socket->chunks, chunk, link);
		socket->unread_count++;
	}
	socket->unread_bytes += stream ? size : size + DATAGRAM_CHARGE;
	if (small)
		pbuf_free(packet);
	return true;
}

void inet_queue_remove(struct inet_socket *socket, struct inet_chunk *chunk)
{
	mutex_assert_held(&inet_mutex);
	STAILQ_REMOVE_HEAD(&socket->chunks, link);
	socket->unread_count--;
	socket->unread_bytes -= socket->base.type == SOCK_STREAM ? chunk->size - chunk->taken :
								   chunk->size + DATAGRAM_CHARGE;
	inet_uncharge(sizeof(*chunk) + (chunk->packet ? 0 : COMMON_BYTES));
	if (chunk->packet)
		pbuf_free(chunk->packet);
	kfree(chunk);
}

void inet_queue_purge(struct inet_socket *socket)
{
	struct inet_chunk *chunk;

	mutex_assert_held(&inet_mutex);
	while ((chunk = STAILQ_FIRST(&socket->chunks)))
		inet_queue_remove(socket, chunk);
}

struct inet_chunk *inet_queue_next(struct inet_socket *socket, struct inet_chunk *last,
				   size_t *size)
{
	mutex_assert_held(&socket->read_mutex);
	mutex_lock(&inet_mutex);
	struct inet_chunk *chunk = last ? STAILQ_NEXT(last, link) : STAILQ_FIRST(&socket->chunks);

	*size = chunk ? chunk->size - chunk->taken : 0;
	mutex_unlock(&inet_mutex);
	return chunk;
}

/* --- sockets --- */

struct inet_socket *inet_create(int domain, int type)
{
	mutex_assert_held(&inet_mutex);
	if (!inet_charge(sizeof(struct inet_socket)))
		return NULL;
	struct inet_socket *socket = kzalloc(sizeof(*socket));

	if (!socket) {
		inet_uncharge(sizeof(*socket));
		return NULL;
	}
	socket_init(&socket->base, domain, type, type == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP);
	mutex_init(&socket->read_mutex);
	STAILQ_INIT(&socket->chunks);
	TAILQ_INIT(&socket->waiting);
	socket->has_room = true;
	socket->local = socket->remote = *(domain == AF_INET ? IP4_ADDR_ANY : IP6_ADDR_ANY);
	socket->ttl = TTL_DEFAULT;
	socket->keep_idle_s = KEEP_IDLE_DEFAULT_S;
	socket->keep_interval_s = KEEP_INTERVAL_DEFAULT_S;
	socket->keep_count = KEEP_COUNT_DEFAULT;
	if (type == SOCK_STREAM) {
		socket->base.send_buffer = TCP_SEND_BUFFER;
		socket->base.receive_buffer = TCP_RECEIVE_BUFFER;
	}
	TAILQ_INSERT_TAIL(&inet_sockets, socket, all);
	return socket;
}

void inet_destroy(struct inet_socket *socket)
{
	mutex_assert_held(&inet_mutex);
	inet_queue_purge(socket);
	TAILQ_REMOVE(&inet_sockets, socket, all);
	inet_uncharge(sizeof(*socket));
	kfree(socket);
}

int inet_broken_pipe(unsigned int flags)
{
	if (!(flags & MSG_NOSIGNAL))
		task_signal(task_current(), SIGPIPE);
	return -EPIPE;
}
