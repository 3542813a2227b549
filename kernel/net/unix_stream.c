/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams of bytes: SOCK_STREAM. A send is cut into packets. A receive may take bytes of several packets, but
 * stops at a packet that came with descriptors, and, if the program requests credentials, where the sender
 * changes.
 */
#include <kernel/sched/task.h>
#include <kernel/task/signal.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/signal.h>

#include "unix.h"

/* Largest packet: as on Linux, one that fits into a page with its overhead and 8 more pages. */
#define STREAM_PACKET_BYTES 36544u

/* Waits until SOCKET may send. 0 or a negative error. */
static int wait_for_room(struct unix_socket *socket, bool nonblock)
{
	struct socket_waiter waiter;
	int error;

	socket_wait_begin(&waiter, &socket->base.changed, nonblock, socket->base.send_timeout_ns);
	do {
		error = socket_take_error(&socket->base);
		if (!error && (socket->shutdown & UNIX_NO_SEND))
			error = -EPIPE;
		if (error || unix_may_send_more(socket))
			break;
		error = socket_wait(&waiter);
	} while (!error);
	socket_wait_end(&waiter);
	return error;
}

/* Puts PACKET into PEER's queue; -EPIPE: PEER will not read. */
static int append(struct unix_socket *peer, struct unix_packet *packet)
{
	/* Once in the queue, the packet belongs to the reader. */
	const struct unix_rights *rights = packet->rights;
	int error = 0;

	unix_queue_lock(peer, rights);
	if (peer->dead || (peer->shutdown & UNIX_NO_RECEIVE))
		error = -EPIPE;
	else
		unix_queue_append(peer, packet);
	unix_queue_unlock(peer, rights);
	return error;
}

/* Sends the next piece of MESSAGE, at most one packet. Returns its bytes, or a negative error; *BROKEN:
 * the peer does not read any more. */
static ssize_t send_piece(struct unix_socket *socket, struct unix_socket *peer,
			  struct socket_message *message, bool *broken)
{
	struct unix_packet *packet;
	size_t size = message->data.left, most = socket->base.send_buffer / 2 - 64;

	if (size > most)
		size = most;
	if (size > STREAM_PACKET_BYTES)
		size = STREAM_PACKET_BYTES;
	int error = wait_for_room(socket, message->flags & MSG_DONTWAIT);

	if (error)
		return error;
	error = unix_packet_create(socket, message, size, &packet);
	if (error)
		return error;
	packet->rights = message->rights;
	message->rights = NULL;
	error = append(peer, packet);
	if (error) {
		*broken = true;
		unix_packet_free(packet);
		return error;
	}
	unix_notify(peer, POLL_IN);
	return (ssize_t)size;
}

ssize_t unix_stream_send(struct unix_socket *socket, struct socket_message *message)
{
	ssize_t sent = 0, part = 0;
	bool broken = false;

	if (message->flags & MSG_OOB)
		return -EOPNOTSUPP;
	if (message->to)
		return socket->state == UNIX_CONNECTED ? -EISCONN : -EOPNOTSUPP;
	struct unix_socket *peer = unix_get_peer(socket);

	if (!peer)
		return -ENOTCONN;
	if (socket->shutdown & UNIX_NO_SEND) {
		broken = true;
		part = -EPIPE;
	}
	if (!message->has_credentials && unix_needs_credentials(socket, peer)) {
		message->credentials = unix_real_credentials();
		message->has_credentials = true;
	}
	while (message->data.left && part >= 0) {
		part = send_piece(socket, peer, message, &broken);
		sent += part > 0 ? part : 0;
	}
	unix_put(peer);
	if (broken && !sent && !(message->flags & MSG_NOSIGNAL))
		task_signal(task_current(), SIGPIPE);
	return sent ? sent : part;
}

/* --- receiving --- */

/* True if A and B are the same credentials. */
static bool is_same_sender(const struct kernel_ucred *a, const struct kernel_ucred *b)
{
	return a->pid == b->pid && a->uid == b->uid && a->gid == b->gid;
}

/* Returns the packet to read after LAST (NULL: the first), or NULL. */
static struct unix_packet *next_packet(struct unix_socket *socket, struct unix_packet *last)
{
	spin_lock(&socket->base.lock);
	struct unix_packet *packet = last ? STAILQ_NEXT(last, link) :
					    STAILQ_FIRST(&socket->packets);

	spin_unlock(&socket->base.lock);
	return packet;
}

/* Marks SIZE more bytes of PACKET, the first, as read. True if nothing is left of it. read_mutex held. */
static bool consume(struct unix_socket *socket, struct unix_packet *packet, size_t size)
{
	spin_lock(&socket->base.lock);
	packet->taken += size;
	socket->unread_bytes -= size;
	spin_unlock(&socket->base.lock);
	return packet->taken == packet->size;
}

/* Reads on from PACKET; *MORE: a further packet may follow. Bytes, or a negative error. read_mutex held. */
static ssize_t read_packet(struct unix_socket *socket, struct unix_packet *packet,
			   struct socket_message *message, bool first, bool *more)
{
	size_t size = packet->size - packet->taken;
	bool peek = message->flags & MSG_PEEK;
	struct socket_message sender;

	*more = false;
	unix_packet_identify(packet, &sender);
	if (first) {
		message->credentials = sender.credentials;
		message->from = unix_get_address(packet->sender);
	} else if (socket->base.pass_credentials &&
		   !is_same_sender(&message->credentials, &sender.credentials)) {
		return 0;
	}
	if (size > message->data.left)
		size = message->data.left;
	if (vector_copy_to(&message->data, packet->bytes + packet->taken, size))
		return -EFAULT;
	if (peek) {
		message->rights = packet->rights ? unix_rights_copy(packet->rights) : NULL;
		*more = !packet->rights;
		return (ssize_t)size;
	}
	message->rights = unix_queue_take_rights(socket, packet);
	if (consume(socket, packet, size)) {
		unix_queue_remove(socket, packet);
		unix_packet_free(packet);
		*more = !message->rights;
	}
	return (ssize_t)size;
}

/* Reads the bytes in the queue. Bytes; *MORE: as above. */
static ssize_t read_present(struct unix_socket *socket, struct socket_message *message, bool first,
			    bool *more)
{
	bool peek = message->flags & MSG_PEEK;
	struct unix_packet *packet = NULL;
	ssize_t done = 0;

	*more = true;
	mutex_lock(&socket->read_mutex);
	while (*more && (packet = next_packet(socket, peek ? packet : NULL))) {
		ssize_t part = read_packet(socket, packet, message, first, more);

		if (part < 0) {
			*more = false;
			done = done ? done : part;
			break;
		}
		first = false;
		done += part;
		if (!message->data.left)
			*more = false;
	}
	mutex_unlock(&socket->read_mutex);
	/* MSG_PEEK does not wait for more bytes than it found. */
	if (peek && !first)
		*more = false;
	return done;
}

ssize_t unix_stream_receive(struct unix_socket *socket, struct socket_message *message)
{
	size_t least = message->flags & MSG_WAITALL ? message->data.left :
						      socket->base.receive_least;
	bool nonblock = message->flags & MSG_DONTWAIT, first = true, more;
	struct socket_waiter waiter;
	ssize_t done = 0;
	int error = 0;

	/* Unix sockets never send out-of-band data. */
	if (message->flags & MSG_OOB)
		return -EINVAL;
	if (socket->state != UNIX_CONNECTED)
		return -EINVAL;
	if (least > message->data.left)
		least = message->data.left;
	if (!least)
		least = 1;
	socket_wait_begin(&waiter, &socket->base.changed, nonblock,
			  socket->base.receive_timeout_ns);
	for (;;) {
		/* An error or a shutdown that is seen before the queue is seen empty comes after all that
		 * was sent. */
		bool failed = socket->base.error, ended = socket->shutdown & UNIX_NO_RECEIVE;
		ssize_t part = read_present(socket, message, first, &more);

		if (part < 0)
			error = (int)part;
		else
			done += part;
		if (!more || (size_t)done >= least)
			break;
		first = first && !done;
		if (failed)
			error = socket_take_error(&socket->base);
		if (error || ended)
			break;
		error = socket_wait(&waiter);
		if (error)
			break;
	}
	socket_wait_end(&waiter);
	return done ? done : error;
}
