/* SPDX-License-Identifier: BSD-2-Clause */
/* Unix sockets as objects: their life, closing, waiting. Connecting them is in unix_connect.c. */
#include <kernel/base/assert.h>
#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/signal.h>

#include "unix.h"

/* Linux's sysctl_wmem_default and sysctl_rmem_default; max_dgram_qlen. */
#define BUFFER_DEFAULT_BYTES 212992
#define DATAGRAMS_DEFAULT    10

/* SO_PEERCRED without a peer. */
static const struct kernel_ucred no_credentials = { 0, UINT32_MAX, UINT32_MAX };

struct unix_socket *unix_create(int type)
{
	struct unix_socket *socket = kzalloc(sizeof(*socket));

	if (!socket)
		return NULL;
	socket->references = 1;
	socket->type = type;
	socket->account = credentials_current()->account;
	user_account_get(socket->account);
	spin_init(&socket->lock);
	spin_init(&socket->waiting_lock);
	mutex_init(&socket->read_mutex);
	STAILQ_INIT(&socket->packets);
	TAILQ_INIT(&socket->waiting);
	wait_queue_init(&socket->changed);
	socket->peer_credentials = no_credentials;
	socket->backlog = DATAGRAMS_DEFAULT;
	socket->send_buffer = socket->receive_buffer = BUFFER_DEFAULT_BYTES;
	socket->receive_least = 1;
	socket->send_timeout_ns = socket->receive_timeout_ns = UINT64_MAX;
	return socket;
}

void unix_get(struct unix_socket *socket)
{
	unsigned int before = atomic_fetch_add(&socket->references, 1);

	ASSERT(before != 0);
}

void unix_put(struct unix_socket *socket)
{
	unsigned int before = atomic_fetch_sub(&socket->references, 1);

	ASSERT(before != 0);
	if (before != 1)
		return;
	ASSERT(STAILQ_EMPTY(&socket->packets) && !socket->in_flight && !socket->charged);
	ASSERT(!socket->peer && !socket->named && TAILQ_EMPTY(&socket->waiting));
	unix_address_put(socket->address);
	user_account_put(socket->account);
	kfree(socket);
}

struct unix_socket *unix_get_peer(struct unix_socket *socket)
{
	spin_lock(&socket->lock);
	struct unix_socket *peer = socket->peer;

	if (peer)
		unix_get(peer);
	spin_unlock(&socket->lock);
	return peer;
}

struct kernel_ucred unix_effective_credentials(void)
{
	const struct credentials *own = credentials_current();

	return (struct kernel_ucred){ (uint32_t)task_current()->tgid, own->euid, own->egid };
}

struct kernel_ucred unix_real_credentials(void)
{
	const struct credentials *own = credentials_current();

	return (struct kernel_ucred){ (uint32_t)task_current()->tgid, own->uid, own->gid };
}

void unix_notify(struct unix_socket *socket, int poll_code)
{
	wait_queue_wake(&socket->changed);
	spin_lock(&socket->lock);
	if (socket->file && (socket->file->flags & FASYNC))
		file_notify(socket->file, poll_code);
	spin_unlock(&socket->lock);
}

int unix_take_error(struct unix_socket *socket)
{
	return socket->error ? -atomic_exchange(&socket->error, 0) : 0;
}

/* --- shutdown and close --- */

void unix_shut_down(struct unix_socket *socket, unsigned int how)
{
	struct unix_socket *peer = unix_get_peer(socket);

	spin_lock(&socket->lock);
	socket->shutdown |= how;
	spin_unlock(&socket->lock);
	unix_notify(socket, POLL_IN);
	if (peer && socket->type != SOCK_DGRAM) {
		unsigned int there = (how & UNIX_NO_RECEIVE ? UNIX_NO_SEND : 0) |
				     (how & UNIX_NO_SEND ? UNIX_NO_RECEIVE : 0);

		spin_lock(&peer->lock);
		peer->shutdown |= there;
		spin_unlock(&peer->lock);
		unix_notify(peer, there == (UNIX_NO_RECEIVE | UNIX_NO_SEND) ? POLL_HUP : POLL_IN);
	}
	if (peer)
		unix_put(peer);
}

/* Marks SOCKET as dead. Returns its peer, whose reference is the caller's now, or NULL.
 * unix_connection_mutex held. */
static struct unix_socket *mark_dead(struct unix_socket *socket)
{
	spin_lock(&socket->lock);
	struct unix_socket *peer = socket->peer;
	bool lost = !socket->file || !STAILQ_EMPTY(&socket->packets);

	socket->dead = true;
	socket->file = NULL;
	socket->peer = NULL;
	socket->state = UNIX_UNCONNECTED;
	socket->shutdown = UNIX_NO_RECEIVE | UNIX_NO_SEND;
	spin_unlock(&socket->lock);
	if (peer && socket->type != SOCK_DGRAM) {
		spin_lock(&peer->lock);
		peer->shutdown = UNIX_NO_RECEIVE | UNIX_NO_SEND;
		if (lost)
			peer->error = ECONNRESET;
		spin_unlock(&peer->lock);
	}
	return peer;
}

void unix_close(struct unix_socket *socket)
{
	mutex_lock(&unix_connection_mutex);
	unix_name_remove(socket);
	struct unix_socket *peer = mark_dead(socket);

	mutex_unlock(&unix_connection_mutex);
	wait_queue_wake(&socket->changed);
	wait_queue_wake(&unix_room);
	if (peer) {
		if (socket->type != SOCK_DGRAM)
			unix_notify(peer, POLL_HUP);
		unix_put(peer);
	}
	/* No packet reaches a dead socket, and no task accepts from it. */
	struct unix_socket *waiting;

	while ((waiting = TAILQ_FIRST(&socket->waiting))) {
		TAILQ_REMOVE(&socket->waiting, waiting, waiter);
		unix_close(waiting);
		unix_put(waiting);
	}
	unix_queue_purge(socket);
}

/* --- waiting --- */

void unix_wait_begin(struct unix_waiter *waiter, struct wait_queue *queue, bool nonblock,
		     uint64_t timeout_ns)
{
	waiter->queue = queue;
	waiter->waiting = false;
	waiter->deadline_ns = nonblock		       ? 0 :
			      timeout_ns == UINT64_MAX ? UINT64_MAX :
							 clock_deadline(timeout_ns);
}

int unix_wait(struct unix_waiter *waiter)
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

void unix_wait_end(struct unix_waiter *waiter)
{
	if (waiter->waiting)
		wait_queue_remove(waiter->queue, &waiter->entry);
}
