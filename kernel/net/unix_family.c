/* SPDX-License-Identifier: BSD-2-Clause */
/* Unix sockets as a family: their operations in the form that the system calls know. */
#include <string.h>

#include <kernel/base/start.h>
#include <kernel/fs/file.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/poll.h>

#include "unix.h"

/* The socket that begins with SOCKET. */
static struct unix_socket *unix_of(struct socket *socket)
{
	return (struct unix_socket *)socket;
}

static int create(int domain, int type, int protocol, struct socket **result)
{
	if (protocol && protocol != AF_UNIX)
		return -EPROTONOSUPPORT;
	/* As in BSD, whose Unix sockets have no raw type. */
	if (type == SOCK_RAW)
		type = SOCK_DGRAM;
	if (type != SOCK_STREAM && type != SOCK_DGRAM && type != SOCK_SEQPACKET)
		return -ESOCKTNOSUPPORT;
	struct unix_socket *socket = unix_create(type);

	*result = socket ? &socket->base : NULL;
	return socket ? 0 : -ENOMEM;
}

static void put(struct socket *socket)
{
	unix_put(unix_of(socket));
}

static void connect_pair(struct socket *a, struct socket *b)
{
	unix_connect_pair(unix_of(a), unix_of(b));
}

static int bind(struct socket *socket, const union socket_name *name, size_t size)
{
	return unix_bind(unix_of(socket), &name->un, size);
}

static int connect(struct socket *socket, const union socket_name *name, size_t size, bool nonblock)
{
	return unix_connect(unix_of(socket), &name->un, size, nonblock);
}

static int listen(struct socket *socket, unsigned int backlog)
{
	return unix_listen(unix_of(socket), backlog);
}

static int accept(struct socket *listener, bool nonblock, struct socket **result)
{
	struct unix_socket *accepted = NULL;
	int error = unix_accept(unix_of(listener), nonblock, &accepted);

	*result = error ? NULL : &accepted->base;
	return error;
}

static void accept_back_out(struct socket *listener, struct socket *accepted)
{
	unix_accept_back_out(unix_of(listener), unix_of(accepted));
}

static int get_name(struct socket *base, enum socket_side side, union socket_name *name,
		    size_t *size)
{
	struct unix_socket *socket = unix_of(base),
			   *other = side == SOCKET_OWN ? NULL : unix_get_peer(socket);

	if (side != SOCKET_OWN && !other)
		return -ENOTCONN;
	const struct unix_address *address = (other ? other : socket)->address;

	/* A socket without a name reports its family. */
	name->un.sun_family = AF_UNIX;
	*size = address ? address->size : SOCKADDR_UN_HEAD;
	if (address)
		memcpy(&name->un, &address->sockaddr, address->size);
	if (other)
		unix_put(other);
	return 0;
}

static int shut_down(struct socket *socket, unsigned int how)
{
	unix_shut_down(unix_of(socket), how);
	return 0;
}

static ssize_t send(struct socket *socket, struct socket_message *message)
{
	return socket->type == SOCK_STREAM ? unix_stream_send(unix_of(socket), message) :
					     unix_datagram_send(unix_of(socket), message);
}

static ssize_t receive(struct socket *socket, struct socket_message *message)
{
	return socket->type == SOCK_STREAM ? unix_stream_receive(unix_of(socket), message) :
					     unix_datagram_receive(unix_of(socket), message);
}

/* True if SOCKET's peer, if any, has room for a datagram from it. */
static bool peer_has_room(struct unix_socket *socket)
{
	struct unix_socket *peer = unix_get_peer(socket);

	if (!peer)
		return true;
	spin_lock(&peer->base.lock);
	bool full = unix_queue_is_full(socket, peer);

	spin_unlock(&peer->base.lock);
	unix_put(peer);
	return !full;
}

static unsigned int poll_socket(struct socket *base, struct poll_table *table)
{
	struct unix_socket *socket = unix_of(base);
	unsigned int ready = 0;

	if (socket->base.type != SOCK_STREAM)
		poll_wait(table, &unix_room);
	spin_lock(&socket->base.lock);
	unsigned int shutdown = socket->shutdown;

	if (socket->base.error)
		ready |= POLLERR;
	if (shutdown == (UNIX_NO_RECEIVE | UNIX_NO_SEND))
		ready |= POLLHUP;
	if (shutdown & UNIX_NO_RECEIVE)
		ready |= POLLRDHUP | POLLIN | POLLRDNORM;
	if (!STAILQ_EMPTY(&socket->packets) || socket->waiting_count)
		ready |= POLLIN | POLLRDNORM;
	if (socket->base.type != SOCK_DGRAM && socket->state == UNIX_UNCONNECTED)
		ready |= POLLHUP;
	if (unix_is_writable(socket))
		ready |= POLLOUT | POLLWRNORM | POLLWRBAND;
	spin_unlock(&socket->base.lock);
	if ((ready & POLLOUT) && socket->base.type != SOCK_STREAM && !peer_has_room(socket))
		ready &= ~(unsigned int)(POLLOUT | POLLWRNORM | POLLWRBAND);
	return ready;
}

/* Returns the bytes that the next read may get: all of a stream, one datagram. */
static long readable_bytes(struct unix_socket *socket)
{
	spin_lock(&socket->base.lock);
	const struct unix_packet *first = STAILQ_FIRST(&socket->packets);
	size_t bytes = socket->base.type != SOCK_DGRAM ? socket->unread_bytes :
		       first			       ? first->size :
							 0;

	spin_unlock(&socket->base.lock);
	return (long)bytes;
}

static int get_bytes(struct socket *base, unsigned int command, int *value)
{
	struct unix_socket *socket = unix_of(base);

	switch (command) {
	case SIOCINQ:
		if (socket->state == UNIX_LISTENING)
			return -EINVAL;
		*value = (int)readable_bytes(socket);
		return 0;
	case SIOCOUTQ:
		*value = (int)socket->charged;
		return 0;
	default:
		return -ENOTTY;
	}
}

static struct kernel_ucred peer_credentials(struct socket *base)
{
	struct unix_socket *socket = unix_of(base);

	mutex_lock(&unix_connection_mutex);
	const struct kernel_ucred credentials = socket->peer_credentials;

	mutex_unlock(&unix_connection_mutex);
	return credentials;
}

static void release(struct socket *base)
{
	struct unix_socket *socket = unix_of(base);

	unix_close(socket);
	unix_put(socket);
	unix_flight_collect();
}

static const struct socket_family unix_family = {
	.create = create,
	.put = put,
	.connect_pair = connect_pair,
	.bind = bind,
	.connect = connect,
	.listen = listen,
	.accept = accept,
	.accept_back_out = accept_back_out,
	.name = get_name,
	.shut_down = shut_down,
	.send = send,
	.receive = receive,
	.poll = poll_socket,
	.bytes = get_bytes,
	.peer_credentials = peer_credentials,
	.release = release,
};

struct unix_socket *unix_socket_of_file(const struct file *file)
{
	struct socket *socket = socket_of_file(file);

	return socket && socket->family == &unix_family ? unix_of(socket) : NULL;
}

static void add_family(void)
{
	socket_family_add(AF_UNIX, &unix_family);
}

START(START_FILES, add_family);
