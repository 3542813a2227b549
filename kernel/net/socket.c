/* SPDX-License-Identifier: BSD-2-Clause */
/* The common part of the sockets of every family: the table of families, errors, notices, waiting. */
#include "socket.h"

#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

/* Linux's sysctl_wmem_default and sysctl_rmem_default. */
#define BUFFER_DEFAULT_BYTES 212992

/* Written at start. */
static const struct socket_family *families[AF_MAX];

long (*socket_interface_request)(unsigned int command, unsigned long argument, bool inet);

void socket_family_add(int domain, const struct socket_family *family)
{
	families[domain] = family;
}

const struct socket_family *socket_family_of(int domain)
{
	return families[domain];
}

void socket_init(struct socket *socket, int domain, int type, int protocol)
{
	socket->family = families[domain];
	socket->domain = domain;
	socket->type = type;
	socket->protocol = protocol;
	spin_init(&socket->lock);
	wait_queue_init(&socket->changed);
	socket->send_buffer = socket->receive_buffer = BUFFER_DEFAULT_BYTES;
	socket->receive_least = 1;
	socket->send_timeout_ns = socket->receive_timeout_ns = UINT64_MAX;
}

int socket_take_error(struct socket *socket)
{
	return socket->error ? -atomic_exchange(&socket->error, 0) : 0;
}

void socket_notify(struct socket *socket, int poll_code)
{
	wait_queue_wake(&socket->changed);
	spin_lock(&socket->lock);
	if (socket->file && (socket->file->flags & FASYNC))
		file_notify(socket->file, poll_code);
	spin_unlock(&socket->lock);
}

/* --- waiting --- */

void socket_wait_begin(struct socket_waiter *waiter, struct wait_queue *queue, bool nonblock,
		       uint64_t timeout_ns)
{
	waiter->queue = queue;
	waiter->waiting = false;
	waiter->deadline_ns = nonblock		       ? 0 :
			      timeout_ns == UINT64_MAX ? UINT64_MAX :
							 clock_deadline(timeout_ns);
}

int socket_wait(struct socket_waiter *waiter)
{
	if (!waiter->deadline_ns)
		return -EAGAIN;
	if (!waiter->waiting) {
		wait_queue_add(waiter->queue, &waiter->entry);
		waiter->waiting = true;
		return 0;
	}
	int error = wait_sleep(waiter->deadline_ns);

	if (error == -EINTR && waiter->deadline_ns != UINT64_MAX)
		return -EINTR_ENDS;
	return error == -ETIMEDOUT ? -EAGAIN : error;
}

void socket_wait_end(struct socket_waiter *waiter)
{
	if (waiter->waiting)
		wait_queue_remove(waiter->queue, &waiter->entry);
}
