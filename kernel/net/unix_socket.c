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

/* Linux's max_dgram_qlen. */
#define DATAGRAMS_DEFAULT 10

/* SO_PEERCRED without a peer. */
static const struct kernel_ucred no_credentials = { 0, UINT32_MAX, UINT32_MAX };

struct unix_socket *unix_create(int type)
{
	struct unix_socket *socket = kzalloc(sizeof(*socket));

	if (!socket)
		return NULL;
	socket->references = 1;
	socket_init(&socket->base, AF_UNIX, type, 0);
	socket->account = credentials_current()->account;
	user_account_get(socket->account);
	spin_init(&socket->waiting_lock);
	mutex_init(&socket->read_mutex);
	STAILQ_INIT(&socket->packets);
	TAILQ_INIT(&socket->waiting);
	socket->peer_credentials = no_credentials;
	socket->backlog = DATAGRAMS_DEFAULT;
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
	spin_lock(&socket->base.lock);
	struct unix_socket *peer = socket->peer;

	if (peer)
		unix_get(peer);
	spin_unlock(&socket->base.lock);
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
	socket_notify(&socket->base, poll_code);
}

/* --- shutdown and close --- */

void unix_shut_down(struct unix_socket *socket, unsigned int how)
{
	struct unix_socket *peer = unix_get_peer(socket);

	spin_lock(&socket->base.lock);
	socket->shutdown |= how;
	spin_unlock(&socket->base.lock);
	unix_notify(socket, POLL_IN);
	if (peer && socket->base.type != SOCK_DGRAM) {
		unsigned int there = (how & UNIX_NO_RECEIVE ? UNIX_NO_SEND : 0) |
				     (how & UNIX_NO_SEND ? UNIX_NO_RECEIVE : 0);

		spin_lock(&peer->base.lock);
		peer->shutdown |= there;
		spin_unlock(&peer->base.lock);
		unix_notify(peer, there == (UNIX_NO_RECEIVE | UNIX_NO_SEND) ? POLL_HUP : POLL_IN);
	}
	if (peer)
		unix_put(peer);
}

/* Marks SOCKET as dead. Returns its peer, whose reference is the caller's now, or NULL.
 * unix_connection_mutex held. */
static struct unix_socket *mark_dead(struct unix_socket *socket)
{
	spin_lock(&socket->base.lock);
	struct unix_socket *peer = socket->peer;
	bool lost = !socket->base.file || !STAILQ_EMPTY(&socket->packets);

	socket->dead = true;
	socket->base.file = NULL;
	socket->peer = NULL;
	socket->state = UNIX_UNCONNECTED;
	socket->shutdown = UNIX_NO_RECEIVE | UNIX_NO_SEND;
	spin_unlock(&socket->base.lock);
	if (peer && socket->base.type != SOCK_DGRAM) {
		spin_lock(&peer->base.lock);
		peer->shutdown = UNIX_NO_RECEIVE | UNIX_NO_SEND;
		if (lost)
			peer->base.error = ECONNRESET;
		spin_unlock(&peer->base.lock);
	}
	return peer;
}

void unix_close(struct unix_socket *socket)
{
	mutex_lock(&unix_connection_mutex);
	unix_name_remove(socket);
	struct unix_socket *peer = mark_dead(socket);

	mutex_unlock(&unix_connection_mutex);
	wait_queue_wake(&socket->base.changed);
	wait_queue_wake(&unix_room);
	if (peer) {
		if (socket->base.type != SOCK_DGRAM)
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
