/* SPDX-License-Identifier: BSD-2-Clause */
/* Internet sockets as families: AF_INET and AF_INET6, in the form that the system calls know. */
#include <lwip/udp.h>

#include <kernel/base/start.h>
#include <kernel/fs/file.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/poll.h>

#include "inet.h"

/* The socket that begins with SOCKET. */
static struct inet_socket *inet_of(struct socket *socket)
{
	return (struct inet_socket *)socket;
}

static bool is_tcp(const struct socket *socket)
{
	return socket->type == SOCK_STREAM;
}

static int create(int domain, int type, int protocol, struct socket **result)
{
	if (type == SOCK_RAW)
		return -EPROTONOSUPPORT;
	if (type != SOCK_STREAM && type != SOCK_DGRAM)
		return -ESOCKTNOSUPPORT;
	if (protocol && protocol != (type == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP))
		return -EPROTONOSUPPORT;
	inet_enter();
	struct inet_socket *socket = inet_create(domain, type);
	int error = socket ? 0 : -ENOBUFS;

	if (socket && type == SOCK_DGRAM) {
		error = inet_udp_open(socket);
		if (error)
			inet_destroy(socket);
	}
	inet_leave();
	if (!error)
		*result = &socket->base;
	return error;
}

static void end(struct socket *socket)
{
	if (is_tcp(socket))
		inet_tcp_close(inet_of(socket));
	else
		inet_udp_close(inet_of(socket));
}

static int bind(struct socket *socket, const union socket_name *name, size_t size)
{
	return inet_bind(inet_of(socket), name, size);
}

static int connect(struct socket *socket, const union socket_name *name, size_t size, bool nonblock)
{
	return is_tcp(socket) ? inet_tcp_connect(inet_of(socket), name, size, nonblock) :
				inet_udp_connect(inet_of(socket), name, size);
}

static int listen(struct socket *socket, unsigned int backlog)
{
	return is_tcp(socket) ? inet_tcp_listen(inet_of(socket), backlog) : -EOPNOTSUPP;
}

static int accept(struct socket *listener, bool nonblock, struct socket **result)
{
	return is_tcp(listener) ? inet_tcp_accept(inet_of(listener), nonblock, result) :
				  -EOPNOTSUPP;
}

static void accept_back_out(struct socket *listener, struct socket *accepted)
{
	inet_tcp_accept_back_out(inet_of(listener), inet_of(accepted));
}

static int get_name(struct socket *base, enum socket_side side, union socket_name *name,
		    size_t *size)
{
	struct inet_socket *socket = inet_of(base);
	int error = 0;

	inet_enter();
	if (side == SOCKET_OWN)
		*size = inet_name_write(socket, &socket->local, socket->local_port, name);
	else if (!socket->remote_port || (side == SOCKET_PEER && socket->state != INET_CONNECTED))
		error = -ENOTCONN;
	else
		*size = inet_name_write(socket, &socket->remote, socket->remote_port, name);
	inet_leave();
	return error;
}

static int shut_down(struct socket *socket, unsigned int how)
{
	return is_tcp(socket) ? inet_tcp_shut_down(inet_of(socket), how) :
				inet_udp_shut_down(inet_of(socket), how);
}

static ssize_t send(struct socket *socket, struct socket_message *message)
{
	return is_tcp(socket) ? inet_tcp_send(inet_of(socket), message) :
				inet_udp_send(inet_of(socket), message);
}

static ssize_t receive(struct socket *socket, struct socket_message *message)
{
	return is_tcp(socket) ? inet_tcp_receive(inet_of(socket), message) :
				inet_udp_receive(inet_of(socket), message);
}

static unsigned int poll_socket(struct socket *base, struct poll_table *table)
{
	struct inet_socket *socket = inet_of(base);
	unsigned int ready = 0, shutdown = socket->shutdown;
	int state = socket->state;
	bool tcp = is_tcp(base);

	if (state == INET_LISTENING)
		return socket->waiting_count ? POLLIN | POLLRDNORM : 0;
	if (base->error)
		ready |= POLLERR;
	if (shutdown == (SOCKET_NO_RECEIVE | SOCKET_NO_SEND) || (tcp && state == INET_CLOSED))
		ready |= POLLHUP;
	if (shutdown & SOCKET_NO_RECEIVE)
		ready |= POLLRDHUP | POLLIN | POLLRDNORM;
	if (tcp && state == INET_CONNECTING)
		return ready;
	if (socket->unread_count && (!tcp || socket->unread_bytes >= base->receive_least))
		ready |= POLLIN | POLLRDNORM;
	if (!tcp)
		ready |= POLLOUT | POLLWRNORM | POLLWRBAND;
	else if ((shutdown & SOCKET_NO_SEND) || state == INET_CLOSED || socket->has_room)
		ready |= POLLOUT | POLLWRNORM;
	return ready;
}

static int get_bytes(struct socket *base, unsigned int command, int *value)
{
	struct inet_socket *socket = inet_of(base);
	size_t size;

	if (command != SIOCINQ && command != SIOCOUTQ)
		return -ENOTTY;
	if (socket->state == INET_LISTENING)
		return -EINVAL;
	*value = 0;
	if (command == SIOCOUTQ)
		return 0;
	if (is_tcp(base)) {
		*value = (int)socket->unread_bytes;
	} else {
		mutex_lock(&socket->read_mutex);
		inet_queue_next(socket, NULL, &size);
		mutex_unlock(&socket->read_mutex);
		*value = (int)size;
	}
	return 0;
}

static const struct socket_family inet_family = {
	.create = create,
	.put = end,
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
	.get_option = inet_get_option,
	.set_option = inet_set_option,
	.option_changed = inet_option_changed,
	.release = end,
};

static void add_families(void)
{
	socket_family_add(AF_INET, &inet_family);
	socket_family_add(AF_INET6, &inet_family);
}

START(START_FILES, add_families);
