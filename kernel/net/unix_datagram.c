/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages that keep their bounds: SOCK_DGRAM, and SOCK_SEQPACKET, which connects as a stream does.
 *
 * A datagram is never lost in transit: a sender waits while the queue is full. The queue of a socket whose
 * peer is the sender is never full; the sender's own buffer is the limit then.
 */
#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/signal.h>

#include "unix.h"

/* Bytes of a buffer that Linux keeps for itself. */
#define BUFFER_RESERVE_BYTES 32

/* --- sending --- */

/* Waits until SOCKET may send, and makes a packet of MESSAGE. 0 or a negative error. */
static int make_packet(struct unix_socket *socket, struct socket_message *message,
		       struct socket_waiter *waiter, struct unix_packet **result)
{
	int error;

	for (;;) {
		error = socket_take_error(&socket->base);
		if (!error && (socket->shutdown & UNIX_NO_SEND))
			error = -EPIPE;
		if (error || unix_may_send_more(socket))
			break;
		error = socket_wait(waiter);
		if (error)
			break;
	}
	return error ? error : unix_packet_create(socket, message, message->data.left, result);
}

/* Puts PACKET into OTHER's queue. 0 or a negative error; -EAGAIN: the queue is full; -ECONNREFUSED: OTHER
 * is dead. */
static int append(struct unix_socket *socket, struct unix_socket *other, struct unix_packet *packet)
{
	/* Once in the queue, the packet belongs to the reader. */
	const struct unix_rights *rights = packet->rights;
	int error = 0;

	unix_queue_lock(other, rights);
	if (!unix_may_send_to(socket, other))
		error = -EPERM;
	else if (other->dead)
		error = socket->base.type == SOCK_DGRAM ? -ECONNREFUSED : -EPIPE;
	else if (other->shutdown & UNIX_NO_RECEIVE)
		error = -EPIPE;
	else if (other != socket && unix_queue_is_full(socket, other))
		error = -EAGAIN;
	else
		unix_queue_append(other, packet);
	unix_queue_unlock(other, rights);
	return error;
}

/* Disconnects SOCKET from OTHER, which turned out to be dead. */
static void forget_dead(struct unix_socket *socket, struct unix_socket *other)
{
	bool forget = false;

	mutex_lock(&unix_connection_mutex);
	spin_lock(&socket->base.lock);
	if (socket->peer == other) {
		socket->peer = NULL;
		socket->state = UNIX_UNCONNECTED;
		forget = true;
	}
	spin_unlock(&socket->base.lock);
	mutex_unlock(&unix_connection_mutex);
	if (!forget)
		return;
	unix_leave_peer(socket, other);
	unix_put(other);
}

/* Finds the receiver of MESSAGE. 0 and *RESULT with a reference, or a negative error. */
static int find_receiver(struct unix_socket *socket, const struct socket_message *message,
			 struct unix_socket **result)
{
	if (message->to)
		return unix_find(&message->to->un, message->to_size, socket->base.type, result);
	*result = unix_get_peer(socket);
	return *result ? 0 : -ENOTCONN;
}

/* Sends PACKET to the receiver of MESSAGE; waits for room there. 0 or a negative error. */
static int deliver(struct unix_socket *socket, const struct socket_message *message,
		   struct unix_packet *packet, uint64_t deadline_ns)
{
	struct socket_waiter waiter = { .queue = &unix_room, .deadline_ns = deadline_ns };
	struct unix_socket *other;
	int error;

	for (;;) {
		error = find_receiver(socket, message, &other);
		if (error)
			break;
		if (!packet->has_credentials && unix_needs_credentials(socket, other)) {
			packet->credentials = unix_real_credentials();
			packet->has_credentials = true;
		}
		error = append(socket, other, packet);
		if (error == -ECONNREFUSED)
			forget_dead(socket, other);
		else if (!error)
			unix_notify(other, POLL_IN);
		unix_put(other);
		if (error == -EAGAIN)
			error = socket_wait(&waiter);
		else
			break;
		if (error)
			break;
	}
	socket_wait_end(&waiter);
	return error;
}

ssize_t unix_datagram_send(struct unix_socket *socket, struct socket_message *message)
{
	struct unix_packet *packet;
	struct socket_waiter waiter;
	size_t size = message->data.left;
	int error = 0;

	if (socket->base.type == SOCK_SEQPACKET) {
		error = socket_take_error(&socket->base);
		if (!error && socket->state != UNIX_CONNECTED)
			error = -ENOTCONN;
		if (error)
			return error;
		message->to = NULL;
	}
	if (message->flags & MSG_OOB)
		return -EOPNOTSUPP;
	if (message->to)
		error = unix_check_name(&message->to->un, message->to_size);
	else if (!socket->peer)
		error = -ENOTCONN;
	if (!error && socket->base.pass_credentials)
		error = unix_bind_any(socket);
	if (!error && size > socket->base.send_buffer - BUFFER_RESERVE_BYTES)
		error = -EMSGSIZE;
	if (error)
		return error;
	socket_wait_begin(&waiter, &socket->base.changed, message->flags & MSG_DONTWAIT,
			  socket->base.send_timeout_ns);
	error = make_packet(socket, message, &waiter, &packet);
	socket_wait_end(&waiter);
	if (error)
		return error;
	packet->rights = message->rights;
	message->rights = NULL;
	error = deliver(socket, message, packet, waiter.deadline_ns);
	if (error)
		unix_packet_free(packet);
	return error ? error : (ssize_t)size;
}

/* --- receiving --- */

/* Copies as much of PACKET as MESSAGE has room for. Bytes, or a negative error. */
static ssize_t copy_out(const struct unix_packet *packet, struct socket_message *message)
{
	bool whole = message->flags & MSG_TRUNC;
	size_t size = packet->size < message->data.left ? packet->size : message->data.left;

	unix_packet_identify(packet, message);
	message->from = unix_get_address(packet->sender);
	message->flags_out = size < packet->size ? MSG_TRUNC : 0;
	if (vector_copy_to(&message->data, packet->bytes, size))
		return -EFAULT;
	return (ssize_t)(whole ? packet->size : size);
}

/* Copies the first packet, which stays. -EAGAIN: the queue is empty. */
static ssize_t peek_packet(struct unix_socket *socket, struct socket_message *message)
{
	ssize_t result = -EAGAIN;

	mutex_lock(&socket->read_mutex);
	spin_lock(&socket->base.lock);
	struct unix_packet *packet = STAILQ_FIRST(&socket->packets);

	spin_unlock(&socket->base.lock);
	if (packet) {
		result = copy_out(packet, message);
		if (result >= 0 && packet->rights) {
			message->rights = unix_rights_copy(packet->rights);
			if (!message->rights)
				result = -ENOMEM;
		}
	}
	mutex_unlock(&socket->read_mutex);
	return result;
}

/* Takes the first packet. -EAGAIN: the queue is empty. */
static ssize_t take_packet(struct unix_socket *socket, struct socket_message *message)
{
	mutex_lock(&socket->read_mutex);
	spin_lock(&socket->base.lock);
	struct unix_packet *packet = STAILQ_FIRST(&socket->packets);
	bool made_room = false;

	spin_unlock(&socket->base.lock);
	/* The queue may fill until it is locked, so unix_queue_remove checks that it was full. */
	if (packet)
		made_room = unix_queue_remove(socket, packet);
	mutex_unlock(&socket->read_mutex);
	if (!packet)
		return -EAGAIN;
	if (made_room)
		wait_queue_wake(&unix_room);
	/* The packet is lost even if the program's memory cannot take it. */
	ssize_t result = copy_out(packet, message);

	message->rights = packet->rights;
	packet->rights = NULL;
	unix_packet_free(packet);
	return result;
}

ssize_t unix_datagram_receive(struct unix_socket *socket, struct socket_message *message)
{
	bool peek = message->flags & MSG_PEEK, nonblock = message->flags & MSG_DONTWAIT;
	struct socket_waiter waiter;
	ssize_t result;

	if (socket->base.type == SOCK_SEQPACKET && socket->state != UNIX_CONNECTED)
		return -ENOTCONN;
	if (message->flags & MSG_OOB)
		return -EOPNOTSUPP;
	socket_wait_begin(&waiter, &socket->base.changed, nonblock,
			  socket->base.receive_timeout_ns);
	do {
		/* A shutdown that is seen before the queue is seen empty comes after all that was sent. */
		bool ended = socket->shutdown & UNIX_NO_RECEIVE;

		result = socket_take_error(&socket->base);
		if (!result)
			result = peek ? peek_packet(socket, message) : take_packet(socket, message);
		if (result != -EAGAIN)
			break;
		if (ended) {
			result = socket->base.type == SOCK_DGRAM && nonblock ? -EAGAIN : 0;
			break;
		}
		result = socket_wait(&waiter);
	} while (!result);
	socket_wait_end(&waiter);
	return result;
}
