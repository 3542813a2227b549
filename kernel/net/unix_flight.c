/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unix sockets in flight: those whose files are in packets that are in queues of Unix sockets. Sockets
 * that hold each other so, and are in no descriptor table, nobody can ever reach: they are found here,
 * and freed.
 *
 * socket->in_flight counts packets' references to its file while the packets are in queues, and only
 * then: a packet comes and goes under F. So a file with more references than that is in use, by a
 * descriptor, a call, or a packet on its way. The others are candidates. A candidate that has more references from
 * queues than candidates' queues have is in the queue of a socket that is in use; it is reached, and so
 * is what is in its queue, and so on. Candidates that are not reached are garbage: nothing leads to
 * them, so nothing that goes on meanwhile can change that.
 *
 * Lock: F, outside of L.
 */
#include <kernel/file.h>
#include <kernel/spinlock.h>

#include "unix.h"

static struct spinlock flight_lock = SPINLOCK_INITIALIZER;
static TAILQ_HEAD(, unix_socket) flying = TAILQ_HEAD_INITIALIZER(flying);

void unix_flight_lock(void)
{
	spin_lock(&flight_lock);
}

void unix_flight_unlock(void)
{
	spin_unlock(&flight_lock);
}

void unix_flight_begin(const struct unix_rights *rights)
{
	spin_assert_held(&flight_lock);
	for (unsigned int i = 0; i < rights->count; i++) {
		struct unix_socket *socket = socket_of_file(rights->files[i]);

		if (socket && socket->in_flight++ == 0)
			TAILQ_INSERT_TAIL(&flying, socket, flying);
	}
}

void unix_flight_end(const struct unix_rights *rights)
{
	spin_assert_held(&flight_lock);
	for (unsigned int i = 0; i < rights->count; i++) {
		struct unix_socket *socket = socket_of_file(rights->files[i]);

		if (socket && --socket->in_flight == 0)
			TAILQ_REMOVE(&flying, socket, flying);
	}
}
