/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How Unix sockets connect: connect, listen, accept.
 *
 * connect creates the other end of a connection at once, and both ends can send from then on; the new end
 * waits in the listener's queue until accept gives it a file. A datagram socket only stores its destination.
 *
 * Every change that concerns two sockets happens under N, so that it need not hold the locks of both.
 */
#include <kernel/base/start.h>
#include <kernel/fs/file.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/signal.h>

#include "unix.h"

/* Longest queue of connections: Linux's net.core.somaxconn. */
#define BACKLOG_MAX 4096u

struct mutex unix_connection_mutex;
struct wait_queue unix_room;

static void sockets_init(void)
{
	mutex_init(&unix_connection_mutex);
	wait_queue_init(&unix_room);
}

START(START_FILES, sockets_init);

static void set_peer(struct unix_socket *socket, struct unix_socket *peer)
{
	spin_lock(&socket->base.lock);
	socket->peer = peer;
	socket->state = peer ? UNIX_CONNECTED : UNIX_UNCONNECTED;
	spin_unlock(&socket->base.lock);
}

void unix_connect_pair(struct unix_socket *a, struct unix_socket *b)
{
	unix_get(a);
	unix_get(b);
	a->peer_credentials = b->peer_credentials = unix_effective_credentials();
	set_peer(a, b);
	set_peer(b, a);
}

/* --- listening --- */

int unix_listen(struct unix_socket *socket, unsigned int backlog)
{
	int error = 0;

	if (socket->base.type == SOCK_DGRAM)
		return -EOPNOTSUPP;
	if (!socket->address)
		return -EINVAL;
	mutex_lock(&unix_connection_mutex);
	spin_lock(&socket->base.lock);
	if (socket->state == UNIX_CONNECTED) {
		error = -EINVAL;
	} else {
		socket->backlog = backlog < BACKLOG_MAX ? backlog : BACKLOG_MAX;
		socket->state = UNIX_LISTENING;
		socket->base.listening = true;
		socket->peer_credentials = unix_effective_credentials();
	}
	spin_unlock(&socket->base.lock);
	mutex_unlock(&unix_connection_mutex);
	wait_queue_wake(&unix_room);
	return error;
}

/* Takes the connection that has waited longest, with its reference. 0, -EAGAIN. */
static int take_waiting(struct unix_socket *listener, struct unix_socket **result)
{
	int error = 0;

	spin_lock(&listener->waiting_lock);
	struct unix_socket *first = TAILQ_FIRST(&listener->waiting);
	bool was_full = listener->waiting_count > listener->backlog;

	if (first) {
		TAILQ_REMOVE(&listener->waiting, first, waiter);
		listener->waiting_count--;
	} else {
		error = -EAGAIN;
	}
	spin_unlock(&listener->waiting_lock);
	if (first && was_full)
		wait_queue_wake(&unix_room);
	*result = first;
	return error;
}

int unix_accept(struct unix_socket *listener, bool nonblock, struct unix_socket **result)
{
	struct socket_waiter waiter;
	int error;

	if (listener->base.type == SOCK_DGRAM)
		return -EOPNOTSUPP;
	if (listener->state != UNIX_LISTENING)
		return -EINVAL;
	socket_wait_begin(&waiter, &listener->base.changed, nonblock,
			  listener->base.receive_timeout_ns);
	while ((error = take_waiting(listener, result)) == -EAGAIN) {
		/* Only a call that would wait gets the error that no connection will come. */
		if (!nonblock && (listener->shutdown & UNIX_NO_RECEIVE)) {
			error = -EINVAL;
			break;
		}
		error = socket_wait(&waiter);
		if (error)
			break;
	}
	socket_wait_end(&waiter);
	if (!error)
		(*result)->base.pass_credentials = (bool)listener->base.pass_credentials;
	return error;
}

void unix_accept_back_out(struct unix_socket *listener, struct unix_socket *accepted)
{
	spin_lock(&listener->waiting_lock);
	TAILQ_INSERT_HEAD(&listener->waiting, accepted, waiter);
	listener->waiting_count++;
	spin_unlock(&listener->waiting_lock);
	unix_notify(listener, POLL_IN);
}

/* --- connecting --- */

/* Connects SOCKET to END, new, and puts END into LISTENER's queue. 0, or a negative error; -EAGAIN: the
 * queue is full. unix_connection_mutex held. */
static int enter_queue(struct unix_socket *socket, struct unix_socket *listener,
		       struct unix_socket *end)
{
	if (listener->dead || listener->state != UNIX_LISTENING ||
	    (listener->shutdown & UNIX_NO_RECEIVE))
		return -ECONNREFUSED;
	if (listener->waiting_count > listener->backlog)
		return -EAGAIN;
	if (socket->state != UNIX_UNCONNECTED)
		return socket->state == UNIX_CONNECTED ? -EISCONN : -EINVAL;
	end->address = unix_get_address(listener);
	end->peer_credentials = unix_effective_credentials();
	socket->peer_credentials = listener->peer_credentials;
	unix_get(socket);
	set_peer(end, socket);
	unix_get(end);
	set_peer(socket, end);
	spin_lock(&listener->waiting_lock);
	unix_get(end);
	TAILQ_INSERT_TAIL(&listener->waiting, end, waiter);
	listener->waiting_count++;
	spin_unlock(&listener->waiting_lock);
	return 0;
}

/* Makes one attempt to connect to the socket that has NAME now. */
static int try_connect(struct unix_socket *socket, const struct kernel_sockaddr_un *name,
		       size_t size)
{
	struct unix_socket *listener;
	int error = unix_find(name, size, socket->base.type, &listener);

	if (error)
		return error;
	struct unix_socket *end = unix_create(socket->base.type);

	if (end) {
		mutex_lock(&unix_connection_mutex);
		error = enter_queue(socket, listener, end);
		mutex_unlock(&unix_connection_mutex);
		unix_put(end);
	} else {
		error = -ENOMEM;
	}
	if (!error)
		unix_notify(listener, POLL_IN);
	unix_put(listener);
	return error;
}

static int connect_stream(struct unix_socket *socket, const struct kernel_sockaddr_un *name,
			  size_t size, bool nonblock)
{
	struct socket_waiter waiter;
	int error = unix_check_name(name, size);

	if (error)
		return error;
	socket_wait_begin(&waiter, &unix_room, nonblock, socket->base.send_timeout_ns);
	while ((error = try_connect(socket, name, size)) == -EAGAIN) {
		error = socket_wait(&waiter);
		if (error)
			break;
	}
	socket_wait_end(&waiter);
	return error;
}

/* --- datagrams: the destination --- */

bool unix_may_send_to(struct unix_socket *socket, struct unix_socket *other)
{
	return !other->peer || other->peer == socket;
}

/* Makes PEER (NULL: none), whose reference moves in, the destination of SOCKET. *OLD: the former one, with
 * its reference. 0, -EPERM, -ECONNREFUSED: PEER is dead. unix_connection_mutex held. */
static int change_peer(struct unix_socket *socket, struct unix_socket *peer,
		       struct unix_socket **old)
{
	if (peer && peer->dead)
		return -ECONNREFUSED;
	if (peer && !unix_may_send_to(socket, peer))
		return -EPERM;
	*old = socket->peer;
	set_peer(socket, peer);
	return 0;
}

void unix_leave_peer(struct unix_socket *socket, struct unix_socket *old)
{
	spin_lock(&socket->base.lock);
	bool lost = socket->packet_count != 0;

	spin_unlock(&socket->base.lock);
	if (!lost)
		return;
	/* Datagrams from the old peer are lost; if it still sends here, it gets an error. */
	unix_queue_purge(socket);
	wait_queue_wake(&unix_room);
	mutex_lock(&unix_connection_mutex);
	bool notify = !old->dead && old->peer == socket;

	if (notify)
		old->base.error = ECONNRESET;
	mutex_unlock(&unix_connection_mutex);
	if (notify)
		unix_notify(old, POLL_HUP);
}

static int connect_datagram(struct unix_socket *socket, const struct kernel_sockaddr_un *name,
			    size_t size)
{
	struct unix_socket *peer = NULL, *old = NULL;
	int error = 0;

	if (size < sizeof(name->sun_family))
		return -EINVAL;
	if (name->sun_family != AF_UNSPEC) {
		error = unix_check_name(name, size);
		if (!error && socket->base.pass_credentials)
			error = unix_bind_any(socket);
		if (!error)
			error = unix_find(name, size, socket->base.type, &peer);
		if (error)
			return error;
	}
	mutex_lock(&unix_connection_mutex);
	error = change_peer(socket, peer, &old);
	mutex_unlock(&unix_connection_mutex);
	if (error && peer)
		unix_put(peer);
	if (old) {
		if (old != peer)
			unix_leave_peer(socket, old);
		unix_put(old);
	}
	return error;
}

int unix_connect(struct unix_socket *socket, const struct kernel_sockaddr_un *name, size_t size,
		 bool nonblock)
{
	if (socket->base.type == SOCK_DGRAM)
		return connect_datagram(socket, name, size);
	if (socket->base.pass_credentials && !unix_check_name(name, size)) {
		int error = unix_bind_any(socket);

		if (error)
			return error;
	}
	return connect_stream(socket, name, size, nonblock);
}
