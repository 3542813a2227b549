/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unix sockets in flight: those whose files are in packets in queues of Unix sockets. Sockets that hold each
 * other this way, and are in no descriptor table, can never be reached; this file finds and frees them.
 *
 * socket->in_flight counts packets' references to its file while the packets are in queues, and only then: a
 * packet enters and leaves a queue under F. So a file with more references than that is in use, by a
 * descriptor, a call, or a packet outside a queue. The other sockets in flight are candidates. A candidate
 * with more references from queues than candidates' queues hold is in the queue of a socket in use: it is
 * reached, and so is every socket in its queue, and so on. Candidates that are not reached are garbage:
 * nothing leads to them, so no concurrent activity can change that.
 *
 * Lock: F, outside of W and L.
 */
#include <kernel/base/spinlock.h>
#include <kernel/fs/file.h>

#include "unix.h"

static struct spinlock flight_lock = SPINLOCK_INITIALIZER;
static TAILQ_HEAD(, unix_socket) flying = TAILQ_HEAD_INITIALIZER(flying); /* F */
static _Atomic unsigned int flying_count;				  /* written under F */
/* Closes since the last search for garbage. */
static _Atomic unsigned int closes;

/* Sockets examined per close, on average: while fewer are in flight, garbage is freed at once; with many,
 * closing does not become slow. */
#define LOOKS_PER_CLOSE 64

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
		struct unix_socket *socket = unix_socket_of_file(rights->files[i]);

		if (!socket || socket->in_flight++ != 0)
			continue;
		TAILQ_INSERT_TAIL(&flying, socket, flying);
		flying_count++;
	}
}

void unix_flight_end(const struct unix_rights *rights)
{
	spin_assert_held(&flight_lock);
	for (unsigned int i = 0; i < rights->count; i++) {
		struct unix_socket *socket = unix_socket_of_file(rights->files[i]);

		if (!socket || --socket->in_flight != 0)
			continue;
		TAILQ_REMOVE(&flying, socket, flying);
		flying_count--;
	}
}

/* --- collecting --- */

/* Calls VISIT for each socket in flight in the queue of SOCKET. flight_lock held. */
static void visit_queue(struct unix_socket *socket, void (*visit)(struct unix_socket *to))
{
	const struct unix_packet *packet;

	spin_lock(&socket->base.lock);
	STAILQ_FOREACH(packet, &socket->packets, link) {
		unsigned int count = packet->rights ? packet->rights->count : 0;

		for (unsigned int i = 0; i < count; i++) {
			struct unix_socket *to = unix_socket_of_file(packet->rights->files[i]);

			if (to)
				visit(to);
		}
	}
	spin_unlock(&socket->base.lock);
}

/* The same for all queues that end with SOCKET: connections that were not accepted yet have queues, too.
 * flight_lock held. */
static void visit_all(struct unix_socket *socket, void (*visit)(struct unix_socket *to))
{
	struct unix_socket *waiting;

	visit_queue(socket, visit);
	spin_lock(&socket->waiting_lock);
	TAILQ_FOREACH(waiting, &socket->waiting, waiter)
		visit_queue(waiting, visit);
	spin_unlock(&socket->waiting_lock);
}

static void count_found(struct unix_socket *to)
{
	to->found++;
}

/* F: reached sockets whose queues were not visited yet. */
static TAILQ_HEAD(, unix_socket) reached = TAILQ_HEAD_INITIALIZER(reached);

static void reach(struct unix_socket *to)
{
	if (!to->candidate)
		return;
	to->candidate = false;
	TAILQ_INSERT_TAIL(&reached, to, reached);
}

/* Marks the sockets in flight that are garbage: candidate. True if there are any. flight_lock held. */
static bool mark(void)
{
	struct unix_socket *socket;
	bool any = false;

	TAILQ_FOREACH(socket, &flying, flying) {
		socket->candidate = socket->base.file->references == socket->in_flight;
		socket->found = 0;
	}
	TAILQ_FOREACH(socket, &flying, flying)
		if (socket->candidate)
			visit_all(socket, count_found);
	TAILQ_FOREACH(socket, &flying, flying)
		if (socket->found < socket->in_flight)
			reach(socket);
	while ((socket = TAILQ_FIRST(&reached))) {
		TAILQ_REMOVE(&reached, socket, reached);
		visit_all(socket, reach);
	}
	TAILQ_FOREACH(socket, &flying, flying)
		any |= socket->candidate;
	return any;
}

/* Moves the rights from the queue of SOCKET to LIST. flight_lock held. */
static void take_rights(struct unix_socket *socket, struct unix_rights **list)
{
	struct unix_packet *packet;

	spin_lock(&socket->base.lock);
	STAILQ_FOREACH(packet, &socket->packets, link) {
		struct unix_rights *rights = packet->rights;

		if (!rights)
			continue;
		packet->rights = NULL;
		rights->next = *list;
		*list = rights;
	}
	spin_unlock(&socket->base.lock);
}

/* Moves the rights from the queues of all garbage to LIST. flight_lock held. */
static void take_garbage(struct unix_rights **list)
{
	struct unix_socket *socket, *waiting;

	TAILQ_FOREACH(socket, &flying, flying) {
		if (!socket->candidate)
			continue;
		take_rights(socket, list);
		spin_lock(&socket->waiting_lock);
		TAILQ_FOREACH(waiting, &socket->waiting, waiter)
			take_rights(waiting, list);
		spin_unlock(&socket->waiting_lock);
	}
	for (const struct unix_rights *rights = *list; rights; rights = rights->next)
		unix_flight_end(rights);
}

void unix_flight_collect(void)
{
	struct unix_rights *list;

	/* A task that drops files may have more to drop. */
	if (!flying_count || unix_rights_are_dropping())
		return;
	if ((atomic_fetch_add(&closes, 1) + 1) * LOOKS_PER_CLOSE < flying_count)
		return;
	closes = 0;
	do {
		list = NULL;
		unix_flight_lock();
		if (mark())
			take_garbage(&list);
		unix_flight_unlock();
		for (struct unix_rights *next, *rights = list; rights; rights = next) {
			next = rights->next;
			unix_rights_put(rights);
		}
	} while (list);
}
