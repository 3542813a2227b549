/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes of TCP sockets: send and receive.
 *
 * A send copies the program's bytes into a buffer and gives that to lwIP, which copies them into segments: so no user
 * memory is touched under inet_mutex.
 */
#include <lwip/priv/tcp_priv.h>

#include <kernel/mm/kmalloc.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/signal.h>

#include "inet.h"

/* Most bytes of one piece, and those that fit on the stack. */
#define PIECE_BYTES 32768u
#define STACK_BYTES 1024u

/* --- sending --- */

/* Bytes of the segments that lwIP makes for PCB: the peer chooses them. */
static size_t segment_size(const struct tcp_pcb *pcb)
{
	size_t half = pcb->snd_wnd_max / 2;

	return half && half < pcb->mss ? half : pcb->mss;
}

/* Returns how many bytes lwIP takes for SOCKET now. A listening pcb ends before the members that are read. inet_mutex held. */
static size_t room(const struct inet_socket *socket)
{
	const struct tcp_pcb *pcb = socket->tcp;

	mutex_assert_held(&inet_mutex);
	if (!pcb || socket->state == INET_LISTENING || tcp_sndqueuelen(pcb) >= TCP_SND_QUEUELEN - 2)
		return 0;
	size_t free = tcp_sndbuf(pcb), used = TCP_SND_BUF - free;
	/* lwIP has a bound of segments, too, and takes all bytes of a call or none. */
	size_t fits = (TCP_SND_QUEUELEN - 2 - tcp_sndqueuelen(pcb)) * segment_size(pcb);

	if (free > fits)
		free = fits;
	if (socket->buffer_chosen) {
		size_t most = socket->base.send_buffer;

		if (used >= most)
			return 0;
		if (free > most - used)
			free = most - used;
	}
	return free;
}

void inet_tcp_update_room(struct inet_socket *socket)
{
	size_t most = socket->buffer_chosen && socket->base.send_buffer < TCP_SND_BUF ?
			      socket->base.send_buffer :
			      TCP_SND_BUF;

	if (socket->tcp && socket->state != INET_LISTENING) {
		size_t fits = (TCP_SND_QUEUELEN - 2) * segment_size(socket->tcp);

		if (most > fits)
			most = fits;
	}
	/* As on Linux, room is worth a wake-up when a third of the buffer is free. */
	socket->has_room = !socket->starved && room(socket) >= most / 3;
}

/* Passes on to lwIP as many of the SIZE BYTES as it takes. Returns their number, or a negative error; -EAGAIN: none. */
static ssize_t pass_on(struct inet_socket *socket, const char *bytes, size_t size)
{
	ssize_t result = 0;

	inet_enter();
	if (socket->base.error)
		result = socket_take_error(&socket->base);
	else if (socket->shutdown & SOCKET_NO_SEND)
		result = -EPIPE;
	else if (socket->state == INET_CONNECTING)
		result = -EAGAIN;
	else if (!socket->tcp || socket->state != INET_CONNECTED)
		result = -EPIPE;
	if (!result) {
		size_t most = room(socket);

		if (size > most)
			size = most;
		err_t failed =
			size ? tcp_write(socket->tcp, bytes, (u16_t)size, TCP_WRITE_FLAG_COPY) :
			       ERR_MEM;

		if (failed) {
			result = -EAGAIN;
			socket->starved = size != 0;
		} else {
			result = (ssize_t)size;
			tcp_output(socket->tcp);
			inet_deliver();
		}
		if (socket->tcp)
			inet_tcp_update_room(socket);
	}
	inet_leave();
	return result;
}

/* Sends SIZE BYTES; waits for room. Returns how many were sent; *ERROR: why not all. */
static size_t send_piece(struct inet_socket *socket, const char *bytes, size_t size, bool nonblock,
			 int *error)
{
	struct socket_waiter waiter;
	size_t sent = 0;

	*error = 0;
	socket_wait_begin(&waiter, &socket->base.changed, nonblock, socket->base.send_timeout_ns);
	while (sent < size && !*error) {
		ssize_t part = pass_on(socket, bytes + sent, size - sent);

		if (part == -EAGAIN)
			*error = socket_wait(&waiter);
		else if (part < 0)
			*error = (int)part;
		else
			sent += (size_t)part;
	}
	socket_wait_end(&waiter);
	return sent;
}

ssize_t inet_tcp_send(struct inet_socket *socket, struct socket_message *message)
{
	bool nonblock = message->flags & MSG_DONTWAIT;
	char small[STACK_BYTES], *large = NULL, *bytes = small;
	size_t most = message->data.left, sent = 0;
	int error = 0;

	/* lwIP has no urgent data. */
	if (message->flags & MSG_OOB)
		return -EOPNOTSUPP;
	if (most > sizeof(small)) {
		most = most < PIECE_BYTES ? most : PIECE_BYTES;
		bytes = large = kzalloc(most);
		if (!large)
			return -ENOBUFS;
	} else {
		most = sizeof(small);
	}
	do {
		size_t size = message->data.left < most ? message->data.left : most;

		error = vector_copy_from(&message->data, bytes, size);
		if (error)
			break;
		/* Even nothing is not sent without a connection. */
		if (!size)
			error = socket->state == INET_CONNECTED &&
						!(socket->shutdown & SOCKET_NO_SEND) ?
					0 :
					-EPIPE;
		else
			sent += send_piece(socket, bytes, size, nonblock, &error);
	} while (!error && message->data.left);
	kfree(large);
	if (sent)
		return (ssize_t)sent;
	return error == -EPIPE ? inet_broken_pipe(message->flags) : error;
}

/* --- receiving --- */

/* Marks SIZE more bytes of CHUNK, the first, as read, and lets the peer send as many. read_mutex held. */
static void consume(struct inet_socket *socket, struct inet_chunk *chunk, size_t size)
{
	mutex_assert_held(&socket->read_mutex);
	inet_enter();
	chunk->taken += size;
	socket->unread_bytes -= size;
	if (chunk->taken == chunk->size)
		inet_queue_remove(socket, chunk);
	/* Bytes of a connection that has failed stay while the socket listens. */
	if (socket->tcp && socket->state != INET_LISTENING)
		tcp_recved(socket->tcp, (u16_t)size);
	inet_leave();
}

/* Reads the bytes in the queue. Returns them, or a negative error. */
static ssize_t read_present(struct inet_socket *socket, struct socket_message *message)
{
	bool peek = message->flags & MSG_PEEK, drop = message->flags & MSG_TRUNC;
	struct inet_chunk *chunk = NULL;
	ssize_t done = 0;
	size_t size;

	mutex_lock(&socket->read_mutex);
	while (message->data.left &&
	       (chunk = inet_queue_next(socket, peek ? chunk : NULL, &size))) {
		if (size > message->data.left)
			size = message->data.left;
		if (drop && !peek) {
			message->data.left -= size;
		} else if (vector_copy_to(&message->data, inet_chunk_bytes(chunk) + chunk->taken,
					  size)) {
			done = done ? done : -EFAULT;
			break;
		}
		if (!peek)
			consume(socket, chunk, size);
		done += (ssize_t)size;
	}
	mutex_unlock(&socket->read_mutex);
	return done;
}

ssize_t inet_tcp_receive(struct inet_socket *socket, struct socket_message *message)
{
	size_t least = message->flags & MSG_WAITALL ? message->data.left :
						      socket->base.receive_least;
	bool nonblock = message->flags & MSG_DONTWAIT;
	struct socket_waiter waiter;
	ssize_t done = 0;
	int error = 0;

	if (message->flags & MSG_ERRQUEUE)
		return -EAGAIN;
	if (message->flags & MSG_OOB)
		return -EINVAL;
	if (socket->state == INET_LISTENING)
		return -ENOTCONN;
	if (least > message->data.left)
		least = message->data.left;
	socket_wait_begin(&waiter, &socket->base.changed, nonblock,
			  socket->base.receive_timeout_ns);
	for (;;) {
		/* An end that is seen before the queue is seen empty comes after all that was sent. */
		bool failed = socket->base.error, ended = socket->shutdown & SOCKET_NO_RECEIVE;
		bool closed = socket->state == INET_CLOSED;
		ssize_t part = read_present(socket, message);

		if (part < 0)
			error = (int)part;
		else
			done += part;
		if (error || (done && ((size_t)done >= least || (message->flags & MSG_PEEK))) ||
		    !message->data.left)
			break;
		if (!done && failed)
			error = socket_take_error(&socket->base);
		else if (!done && closed && !ended)
			error = -ENOTCONN;
		if (error || failed || ended || closed)
			break;
		error = socket_wait(&waiter);
		if (error)
			break;
	}
	socket_wait_end(&waiter);
	return done ? done : error;
}
