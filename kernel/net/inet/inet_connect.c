/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How TCP sockets connect: connect, listen, accept, and lwIP's news of connections.
 *
 * A connection belongs to lwIP: when it is reset or has ended on both sides, its socket lets it go. lwIP frees a
 * connection that ended only after a while, without a word; so a socket leaves it as soon as both sides have sent their
 * last byte.
 */
#include <lwip/priv/tcp_priv.h>

#include <kernel/mm/kmalloc.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/signal.h>

#include "inet.h"

/* Longest queue of connections: lwIP counts to 255. */
#define BACKLOG_MAX  254u
/* Ticks of 500 ms between two looks at a connection without a socket. */
#define ORPHAN_TICKS 240

/* --- lwIP's news; inet_mutex held --- */

/* A connection without a socket whose peer takes nothing would stay without a limit: its data count into the bound of all. */
static err_t give_up(void *unused, struct tcp_pcb *pcb)
{
	mutex_assert_held(&inet_mutex);
	if (!pcb->persist_backoff)
		return ERR_OK;
	tcp_abort(pcb);
	return ERR_ABRT;
}

/* lwIP takes data that come without a receiver, and answers them as for a closed connection. */
void inet_tcp_detach(struct inet_socket *socket)
{
	struct tcp_pcb *pcb = socket->tcp;

	mutex_assert_held(&inet_mutex);
	tcp_arg(pcb, NULL);
	tcp_recv(pcb, NULL);
	tcp_sent(pcb, NULL);
	tcp_err(pcb, NULL);
	tcp_poll(pcb, give_up, ORPHAN_TICKS);
	socket->tcp = NULL;
	socket->state = INET_CLOSED;
}

static err_t has_received(void *of_socket, struct tcp_pcb *pcb, struct pbuf *packet, err_t error)
{
	struct inet_socket *socket = of_socket;
	struct pbuf *whole = packet;

	mutex_assert_held(&inet_mutex);
	if (!packet) {
		socket->finished = true;
		socket->shutdown |= SOCKET_NO_RECEIVE;
		if (socket->shutdown & SOCKET_NO_SEND)
			inet_tcp_detach(socket);
		socket_notify(&socket->base, POLL_IN);
		return ERR_OK;
	}
	/* A segment of several fragments becomes one. The sender repeats what found no memory. */
	if (packet->next)
		whole = pbuf_clone(PBUF_RAW, PBUF_RAM, packet);
	if (!whole)
		return ERR_MEM;
	if (!inet_queue_append(socket, whole, NULL, 0)) {
		if (whole != packet)
			pbuf_free(whole);
		return ERR_MEM;
	}
	if (whole != packet)
		pbuf_free(packet);
	tcp_ack_now(pcb);
	socket_notify(&socket->base, POLL_IN);
	return ERR_OK;
}

static err_t has_sent(void *of_socket, struct tcp_pcb *pcb, u16_t size)
{
	struct inet_socket *socket = of_socket;
	bool had_room = socket->has_room;

	mutex_assert_held(&inet_mutex);
	inet_tcp_update_room(socket);
	if (!had_room && socket->has_room)
		socket_notify(&socket->base, POLL_OUT);
	return ERR_OK;
}

/* Called now and then, for a send that found no memory. */
static err_t try_again(void *of_socket, struct tcp_pcb *pcb)
{
	struct inet_socket *socket = of_socket;

	mutex_assert_held(&inet_mutex);
	if (socket->starved) {
		socket->starved = false;
		inet_tcp_update_room(socket);
		socket_notify(&socket->base, POLL_OUT);
	}
	return ERR_OK;
}

/* SOCKET's connection is gone, and ERROR is why; 0: without one. */
static void fail(struct inet_socket *socket, int error)
{
	bool was_connecting = socket->state == INET_CONNECTING;

	mutex_assert_held(&inet_mutex);
	socket->tcp = NULL;
	socket->state = INET_CLOSED;
	socket->connect_pending = false;
	if (error)
		socket->base.error = error;
	/* A socket whose attempt failed is as new. */
	if (!was_connecting)
		socket->shutdown |= SOCKET_NO_RECEIVE | SOCKET_NO_SEND;
	if (was_connecting && !socket->bound) {
		socket->local_port = 0;
		socket->local = *(socket->base.domain == AF_INET ? IP4_ADDR_ANY : IP6_ADDR_ANY);
	}
	socket_notify(&socket->base, POLL_HUP);
}

static void has_failed(void *of_socket, err_t error)
{
	struct inet_socket *socket = of_socket;

	mutex_assert_held(&inet_mutex);
	if (error == ERR_RST)
		fail(socket, socket->state == INET_CONNECTING ? ECONNREFUSED :
			     socket->finished		      ? EPIPE :
								ECONNRESET);
	else
		fail(socket, error == ERR_CLSD ? 0 : ETIMEDOUT);
}

static err_t has_connected(void *of_socket, struct tcp_pcb *pcb, err_t error)
{
	struct inet_socket *socket = of_socket;

	mutex_assert_held(&inet_mutex);
	socket->state = INET_CONNECTED;
	inet_tcp_update_room(socket);
	socket_notify(&socket->base, POLL_OUT);
	return ERR_OK;
}

void inet_tcp_attach(struct inet_socket *socket)
{
	mutex_assert_held(&inet_mutex);
	tcp_arg(socket->tcp, socket);
	tcp_recv(socket->tcp, has_received);
	tcp_sent(socket->tcp, has_sent);
	tcp_err(socket->tcp, has_failed);
	tcp_poll(socket->tcp, try_again, 1);
	inet_tcp_apply_options(socket);
}

void inet_tcp_unreachable(struct inet_socket *socket, int error, uint32_t number)
{
	struct tcp_pcb *pcb = socket->tcp;

	mutex_assert_held(&inet_mutex);
	/* A connection that stands waits for the way to come back. The attempt's only segment is the one before `lastack` + 1. */
	if (socket->state != INET_CONNECTING || number != pcb->lastack)
		return;
	inet_tcp_detach(socket);
	socket->state = INET_CONNECTING;
	fail(socket, error);
	tcp_abandon(pcb, 0);
}

/* --- ending --- */

/* Ends the connection of SOCKET, which goes on alone until its data are sent. inet_mutex held. */
static void end_connection(struct inet_socket *socket)
{
	struct tcp_pcb *pcb = socket->tcp;

	mutex_assert_held(&inet_mutex);
	if (!pcb)
		return;
	inet_tcp_detach(socket);
	/* A program that wants no time to linger, or has not read all, ends the connection by a reset. */
	if (socket_option_is_on(&socket->base, SO_LINGER) && !socket->base.linger_s)
		tcp_abort(pcb);
	else if (tcp_close(pcb) != ERR_OK)
		tcp_abort(pcb);
}

static void stop_listening(struct inet_socket *socket)
{
	struct inet_socket *waiting;
	struct tcp_pcb *pcb = socket->tcp;

	socket->base.listening = false;
	socket->state = INET_CLOSED;
	socket->tcp = NULL;
	tcp_arg(pcb, NULL);
	tcp_close(pcb);
	while ((waiting = TAILQ_FIRST(&socket->waiting))) {
		TAILQ_REMOVE(&socket->waiting, waiting, waiter);
		socket->waiting_count--;
		if (waiting->tcp) {
			pcb = waiting->tcp;
			inet_tcp_detach(waiting);
			tcp_abort(pcb);
		}
		inet_destroy(waiting);
	}
}

int inet_tcp_shut_down(struct inet_socket *socket, unsigned int how)
{
	int error = 0;

	inet_enter();
	if (socket->state == INET_LISTENING) {
		if (how & SOCKET_NO_RECEIVE)
			stop_listening(socket);
	} else if (socket->state != INET_CONNECTED) {
		/* As on Linux, in spite of the error. */
		if (socket->state == INET_CLOSED)
			socket->shutdown |= how;
		error = -ENOTCONN;
	} else {
		bool ends = how & SOCKET_NO_SEND && !(socket->shutdown & SOCKET_NO_SEND);

		socket->shutdown |= how;
		if (ends && tcp_shutdown(socket->tcp, 0, 1) == ERR_OK && socket->tcp &&
		    socket->finished)
			inet_tcp_detach(socket);
	}
	inet_deliver();
	inet_leave();
	if (!error)
		socket_notify(&socket->base, POLL_IN);
	return error;
}

void inet_tcp_close(struct inet_socket *socket)
{
	inet_enter();
	if (socket->state == INET_LISTENING)
		stop_listening(socket);
	else
		end_connection(socket);
	inet_destroy(socket);
	inet_leave();
}

/* --- connecting --- */

/* Makes a connection to lwIP for SOCKET, bound to its address and port. 0, -ENOBUFS. */
static int open_pcb(struct inet_socket *socket)
{
	struct tcp_pcb *pcb = tcp_new_ip_type(IP_IS_V4(&socket->local) ? IPADDR_TYPE_V4 :
					      socket->v6_only	       ? IPADDR_TYPE_V6 :
									 IPADDR_TYPE_ANY);

	if (!pcb)
		return -ENOBUFS;
	ip_set_option(pcb, SOF_REUSEADDR);
	tcp_bind(pcb,
		 ip_addr_isany(&socket->local) && IP_GET_TYPE(&pcb->local_ip) == IPADDR_TYPE_ANY ?
			 IP_ANY_TYPE :
			 &socket->local,
		 socket->local_port);
	socket->tcp = pcb;
	return 0;
}

static void close_pcb(struct inet_socket *socket)
{
	struct tcp_pcb *pcb = socket->tcp;

	inet_tcp_detach(socket);
	tcp_close(pcb);
}

/* Begins to connect SOCKET to TO and PORT. 0 or a negative error. read_mutex and inet_mutex held. */
static int begin(struct inet_socket *socket, const ip_addr_t *to, uint16_t port)
{
	mutex_assert_held(&socket->read_mutex);
	mutex_assert_held(&inet_mutex);
	ip_addr_t from;
	int error = inet_source(socket, to, &from);

	if (error)
		return error;
	if (!socket->local_port && inet_port_take(socket, &from, 0))
		return -EADDRNOTAVAIL;
	socket->local = from;
	/* lwIP's connections have two ends. */
	if (socket->local_port == port && ip_addr_cmp(&from, to))
		return -ECONNREFUSED;
	error = open_pcb(socket);
	if (error)
		return error;
	socket->remote = *to;
	socket->remote_port = port;
	socket->shutdown = 0;
	socket->finished = false;
	socket->base.error = 0;
	inet_queue_purge(socket);
	inet_tcp_attach(socket);
	socket->state = INET_CONNECTING;
	socket->connect_pending = true;
	err_t failed = tcp_connect(socket->tcp, to, port, has_connected);

	if (failed) {
		close_pcb(socket);
		socket->connect_pending = false;
		return failed == ERR_USE ? -EADDRNOTAVAIL : -ENOBUFS;
	}
	return 0;
}

/* Waits until SOCKET's attempt has ended. 0 or a negative error. */
static int wait_connected(struct inet_socket *socket)
{
	struct socket_waiter waiter;
	int error = 0;

	socket_wait_begin(&waiter, &socket->base.changed, false, socket->base.send_timeout_ns);
	while (socket->state == INET_CONNECTING && !error) {
		error = socket_wait(&waiter);
		if (error == -EAGAIN)
			error = -EINPROGRESS;
	}
	socket_wait_end(&waiter);
	return error;
}

/* Reports the result of an attempt that has ended. */
static int take_result(struct inet_socket *socket)
{
	int error = socket_take_error(&socket->base);

	inet_enter();
	socket->connect_pending = false;
	if (!error && socket->state != INET_CONNECTED && !socket->finished)
		error = -ECONNABORTED;
	inet_leave();
	return error;
}

/* connect(2) with AF_UNSPEC: ends the connection. */
static int disconnect(struct inet_socket *socket)
{
	inet_enter();
	if (socket->tcp && socket->state != INET_LISTENING) {
		struct tcp_pcb *pcb = socket->tcp;

		inet_tcp_detach(socket);
		tcp_abort(pcb);
	}
	bool listening = socket->state == INET_LISTENING;

	inet_leave();
	if (listening)
		inet_tcp_shut_down(socket, SOCKET_NO_RECEIVE);
	/* A reader may be copying from the queue. */
	mutex_lock(&socket->read_mutex);
	inet_enter();
	socket->connect_pending = false;
	socket->shutdown = 0;
	socket->remote_port = 0;
	if (!socket->bound)
		socket->local_port = 0;
	inet_queue_purge(socket);
	inet_leave();
	mutex_unlock(&socket->read_mutex);
	return 0;
}

int inet_tcp_connect(struct inet_socket *socket, const union socket_name *name, size_t size,
		     bool nonblock)
{
	ip_addr_t to;
	uint16_t port;

	if (size < sizeof(name->family))
		return -EINVAL;
	if (name->family == AF_UNSPEC)
		return disconnect(socket);
	int error = inet_name_read(socket, name, size, &to, &port);

	/* For begin, which empties the queue. */
	mutex_lock(&socket->read_mutex);
	inet_enter();
	int state = socket->state;
	bool pending = socket->connect_pending, fresh = false;

	if (state == INET_LISTENING || (state == INET_CONNECTED && !pending)) {
		error = -EISCONN;
	} else if (state == INET_CONNECTING) {
		error = nonblock ? -EALREADY : 0;
	} else if (state == INET_CLOSED && !socket->base.error && !error) {
		error = inet_destination(socket, &to);
		if (!error)
			error = begin(socket, &to, port);
		fresh = true;
	} else if (state == INET_CLOSED && socket->base.error) {
		/* The failure of the attempt before is this one's. */
		error = 0;
	}
	inet_leave();
	mutex_unlock(&socket->read_mutex);
	if (error)
		return error;
	if (fresh && nonblock)
		return -EINPROGRESS;
	error = wait_connected(socket);
	return error ? error : take_result(socket);
}

/* --- listening --- */

static err_t has_accepted(void *of_listener, struct tcp_pcb *pcb, err_t error)
{
	struct inet_socket *listener = of_listener;

	if (!pcb || error)
		return ERR_OK;
	struct inet_socket *socket = listener && listener->waiting_count <= listener->backlog ?
					     inet_create(listener->base.domain, SOCK_STREAM) :
					     NULL;

	if (!socket) {
		tcp_abort(pcb);
		return ERR_ABRT;
	}
	socket->tcp = pcb;
	socket->state = INET_CONNECTED;
	socket->local = pcb->local_ip;
	socket->local_port = pcb->local_port;
	socket->remote = pcb->remote_ip;
	socket->remote_port = pcb->remote_port;
	socket->bound = true;
	socket->base.switches = (uint32_t)listener->base.switches;
	socket->base.linger_s = (int32_t)listener->base.linger_s;
	socket->base.send_buffer = (uint32_t)listener->base.send_buffer;
	socket->base.receive_buffer = (uint32_t)listener->base.receive_buffer;
	socket->base.receive_least = (uint32_t)listener->base.receive_least;
	socket->base.send_timeout_ns = (uint64_t)listener->base.send_timeout_ns;
	socket->base.receive_timeout_ns = (uint64_t)listener->base.receive_timeout_ns;
	socket->v6_only = (bool)listener->v6_only;
	socket->no_delay = (bool)listener->no_delay;
	socket->buffer_chosen = (bool)listener->buffer_chosen;
	socket->keep_idle_s = (int32_t)listener->keep_idle_s;
	socket->keep_interval_s = (int32_t)listener->keep_interval_s;
	socket->keep_count = (int32_t)listener->keep_count;
	socket->tos = (int32_t)listener->tos;
	socket->ttl = (int32_t)listener->ttl;
	inet_tcp_attach(socket);
	inet_tcp_update_room(socket);
	tcp_backlog_delayed(pcb);
	socket->listener = listener;
	TAILQ_INSERT_TAIL(&listener->waiting, socket, waiter);
	listener->waiting_count++;
	socket_notify(&listener->base, POLL_IN);
	return ERR_OK;
}

int inet_tcp_listen(struct inet_socket *socket, unsigned int backlog)
{
	int error = 0;

	if (backlog > BACKLOG_MAX)
		backlog = BACKLOG_MAX;
	inet_enter();
	if (socket->state == INET_LISTENING) {
		tcp_backlog_set((struct tcp_pcb_listen *)socket->tcp, backlog + 1);
		socket->backlog = backlog;
	} else if (socket->state != INET_CLOSED || socket->tcp) {
		error = -EINVAL;
	} else {
		ip_addr_t any = socket->local;

		if (!socket->local_port)
			error = inet_port_take(socket, &any, 0);
		if (!error)
			error = open_pcb(socket);
		if (!error) {
			struct tcp_pcb *pcb =
				tcp_listen_with_backlog(socket->tcp, (u8_t)(backlog + 1));

			if (pcb) {
				socket->tcp = pcb;
				socket->backlog = backlog;
				socket->shutdown = 0;
				socket->state = INET_LISTENING;
				socket->base.listening = true;
				tcp_arg(pcb, socket);
				tcp_accept(pcb, has_accepted);
			} else {
				close_pcb(socket);
				error = -EADDRINUSE;
			}
		}
	}
	inet_leave();
	return error;
}

static struct inet_socket *take_waiting(struct inet_socket *listener)
{
	inet_enter();
	struct inet_socket *first = TAILQ_FIRST(&listener->waiting);

	if (first) {
		TAILQ_REMOVE(&listener->waiting, first, waiter);
		listener->waiting_count--;
		first->listener = NULL;
		if (first->tcp)
			tcp_backlog_accepted(first->tcp);
	}
	inet_leave();
	return first;
}

int inet_tcp_accept(struct inet_socket *listener, bool nonblock, struct socket **result)
{
	struct inet_socket *accepted;
	struct socket_waiter waiter;
	int error = 0;

	socket_wait_begin(&waiter, &listener->base.changed, nonblock,
			  listener->base.receive_timeout_ns);
	for (;;) {
		if (listener->state != INET_LISTENING) {
			error = -EINVAL;
			break;
		}
		accepted = take_waiting(listener);
		if (accepted)
			break;
		error = socket_wait(&waiter);
		if (error)
			break;
	}
	socket_wait_end(&waiter);
	if (!error)
		*result = &accepted->base;
	return error;
}

void inet_tcp_accept_back_out(struct inet_socket *listener, struct inet_socket *accepted)
{
	inet_enter();
	bool listening = listener->state == INET_LISTENING;

	if (listening) {
		accepted->listener = listener;
		TAILQ_INSERT_HEAD(&listener->waiting, accepted, waiter);
		listener->waiting_count++;
		if (accepted->tcp)
			tcp_backlog_delayed(accepted->tcp);
		socket_notify(&listener->base, POLL_IN);
	}
	inet_leave();
	if (!listening)
		inet_tcp_close(accepted);
}
