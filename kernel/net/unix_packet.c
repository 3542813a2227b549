/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets of Unix sockets: their life, their charges, queues of them, and the files in them.
 *
 * A packet is charged as on Linux, so that a program has room for exactly as many. The charge is the memory
 * that Linux would use; Tally uses about as much.
 */
#include <string.h>

#include <kernel/base/assert.h>
#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/capability.h>
#include <uapi/linux/errno.h>

#include "unix.h"

/* --- charges: sizes of Linux 6.12's struct sk_buff and skb_shared_info on a 64-bit machine, and of its
 * page fragments --- */

#define BUFFER_BYTES	    256u
#define SHARED_BYTES	    320u
#define FRAGMENT_BYTES	    4096u
#define FRAGMENTS_MAX	    17u
/* Least allocation for the first part of the data. */
#define HEAD_LEAST_BYTES    512u
/* Largest first part: a page for a stream, four pages for a datagram. */
#define STREAM_HEAD_BYTES   (4096u - SHARED_BYTES)
#define DATAGRAM_HEAD_BYTES (16384u - SHARED_BYTES)
#define ALIGN_BYTES	    64u

uint32_t unix_charge(int type, size_t size)
{
	size_t head_most = type == SOCK_STREAM ? STREAM_HEAD_BYTES : DATAGRAM_HEAD_BYTES;
	size_t fragments = 0, head = HEAD_LEAST_BYTES;

	if (size > head_most)
		fragments = (size - head_most + FRAGMENT_BYTES - 1) & ~(size_t)(FRAGMENT_BYTES - 1);
	if (type != SOCK_STREAM && fragments > FRAGMENTS_MAX * FRAGMENT_BYTES)
		fragments = FRAGMENTS_MAX * FRAGMENT_BYTES;
	size_t rest = size > fragments ? size - fragments : 0;

	rest = (rest + ALIGN_BYTES - 1) & ~(size_t)(ALIGN_BYTES - 1);
	while (head < rest + SHARED_BYTES)
		head *= 2;
	return (uint32_t)(BUFFER_BYTES + head + fragments);
}

bool unix_may_send_more(const struct unix_socket *socket)
{
	return socket->charged < socket->base.send_buffer;
}

bool unix_is_writable(const struct unix_socket *socket)
{
	return socket->state != UNIX_LISTENING &&
	       (uint64_t)socket->charged * 4 <= socket->base.send_buffer;
}

/* --- the memory of a user's sockets --- */

/* A user's sockets may hold 1/8 of all memory. Linux has no such limit but a memory cgroup's. */
#define MEMORY_PART 8

/* Charges BYTES to SOCKET's user. False: beyond the limit, nothing charged. */
static bool charge_user(struct unix_socket *socket, uint32_t bytes)
{
	size_t limit = page_total_count() * PAGE_SIZE / MEMORY_PART;
	size_t before = atomic_fetch_add(&socket->account->socket_bytes, bytes);

	if (before + bytes <= limit || capable(CAP_SYS_RESOURCE))
		return true;
	atomic_fetch_sub(&socket->account->socket_bytes, bytes);
	return false;
}

static void uncharge_user(struct unix_socket *socket, uint32_t bytes)
{
	atomic_fetch_sub(&socket->account->socket_bytes, bytes);
}

/* --- rights --- */

struct unix_rights *unix_rights_copy(const struct unix_rights *rights)
{
	size_t size = sizeof(*rights) + rights->count * sizeof(rights->files[0]);
	struct unix_rights *copy = kzalloc(size);

	if (!copy)
		return NULL;
	memcpy(copy, rights, size);
	copy->next = NULL;
	copy->account = NULL;
	for (unsigned int i = 0; i < copy->count; i++)
		file_get(copy->files[i]);
	return copy;
}

/* Rights that a task in unix_rights_put has yet to drop. */
struct unix_drop {
	struct unix_rights *list;
	bool closed; /* sockets: there may be garbage */
};

bool unix_rights_are_dropping(void)
{
	struct unix_drop *drop = task_current()->unix_drop;

	if (drop)
		drop->closed = true;
	return drop;
}

bool unix_rights_put(struct unix_rights *rights)
{
	struct task *self = task_current();
	struct unix_drop drop = { NULL, false };

	if (!rights)
		return false;
	/* Dropping a file may close a socket with such files in its queue, and so on, to any depth. Inner
	 * calls only put their rights on the outermost call's list. */
	if (self->unix_drop) {
		rights->next = self->unix_drop->list;
		self->unix_drop->list = rights;
		return false;
	}
	self->unix_drop = &drop;
	while (rights) {
		for (unsigned int i = 0; i < rights->count; i++)
			file_put(rights->files[i]);
		if (rights->account) {
			atomic_fetch_sub(&rights->account->flying, rights->count);
			user_account_put(rights->account);
		}
		kfree(rights);
		rights = drop.list;
		if (rights)
			drop.list = rights->next;
	}
	self->unix_drop = NULL;
	return drop.closed;
}

void unix_rights_drop(struct unix_rights *rights)
{
	if (unix_rights_put(rights))
		unix_flight_collect();
}

/* --- life --- */

int unix_packet_create(struct unix_socket *sender, struct socket_message *message, size_t size,
		       struct unix_packet **result)
{
	if (size > KMALLOC_MAX - sizeof(struct unix_packet))
		return -ENOBUFS;
	uint32_t charge = unix_charge(sender->base.type, size);

	if (!charge_user(sender, charge))
		return -ENOBUFS;
	struct unix_packet *packet = kzalloc(sizeof(*packet) + size);
	int error = !packet						  ? -ENOBUFS :
		    vector_copy_from(&message->data, packet->bytes, size) ? -EFAULT :
									    0;

	if (error) {
		kfree(packet);
		uncharge_user(sender, charge);
		return error;
	}
	packet->size = size;
	packet->has_credentials = message->has_credentials;
	packet->credentials = message->credentials;
	packet->charge = charge;
	packet->sender = sender;
	unix_get(sender);
	atomic_fetch_add(&sender->charged, packet->charge);
	*result = packet;
	return 0;
}

void unix_packet_free(struct unix_packet *packet)
{
	struct unix_socket *sender = packet->sender;
	uint32_t before = atomic_fetch_sub(&sender->charged, packet->charge);

	/* Wake a waiting sender when there is much room, as Linux does: not for each packet. */
	if ((uint64_t)before * 4 > sender->base.send_buffer && unix_is_writable(sender))
		unix_notify(sender, POLL_OUT);
	uncharge_user(sender, packet->charge);
	unix_put(sender);
	unix_rights_drop(packet->rights);
	kfree(packet);
}

/* --- queues --- */

void unix_queue_lock(struct unix_socket *to, const struct unix_rights *rights)
{
	if (rights && rights->sockets)
		unix_flight_lock();
	spin_lock(&to->base.lock);
}

void unix_queue_unlock(struct unix_socket *to, const struct unix_rights *rights)
{
	spin_unlock(&to->base.lock);
	if (rights && rights->sockets)
		unix_flight_unlock();
}

bool unix_queue_is_full(const struct unix_socket *socket, const struct unix_socket *other)
{
	return other->peer != socket && other->packet_count > other->backlog;
}

void unix_queue_append(struct unix_socket *to, struct unix_packet *packet)
{
	spin_assert_held(&to->base.lock);
	STAILQ_INSERT_TAIL(&to->packets, packet, link);
	to->packet_count++;
	to->unread_bytes += packet->size;
	if (packet->rights && packet->rights->sockets)
		unix_flight_begin(packet->rights);
}

bool unix_queue_remove(struct unix_socket *socket, struct unix_packet *packet)
{
	const struct unix_rights *rights = packet->rights;
	bool made_room;

	ASSERT(mutex_held(&socket->read_mutex));
	unix_queue_lock(socket, rights);
	ASSERT(STAILQ_FIRST(&socket->packets) == packet);
	STAILQ_REMOVE_HEAD(&socket->packets, link);
	made_room = socket->packet_count-- == socket->backlog + 1;
	socket->unread_bytes -= packet->size - packet->taken;
	if (rights && rights->sockets)
		unix_flight_end(rights);
	unix_queue_unlock(socket, rights);
	return made_room;
}

struct unix_rights *unix_queue_take_rights(struct unix_socket *socket, struct unix_packet *packet)
{
	struct unix_rights *rights = packet->rights;

	ASSERT(mutex_held(&socket->read_mutex));
	if (!rights)
		return NULL;
	unix_queue_lock(socket, rights);
	packet->rights = NULL;
	if (rights->sockets)
		unix_flight_end(rights);
	unix_queue_unlock(socket, rights);
	return rights;
}

void unix_queue_purge(struct unix_socket *socket)
{
	for (;;) {
		mutex_lock(&socket->read_mutex);
		spin_lock(&socket->base.lock);
		struct unix_packet *packet = STAILQ_FIRST(&socket->packets);

		spin_unlock(&socket->base.lock);
		if (packet)
			unix_queue_remove(socket, packet);
		mutex_unlock(&socket->read_mutex);
		if (!packet)
			return;
		unix_packet_free(packet);
	}
}

/* --- the sender's credentials --- */

/* The uid and gid of a sender without credentials: Linux's overflowuid. */
#define UNMAPPED_ID 65534u

void unix_packet_identify(const struct unix_packet *packet, struct socket_message *message)
{
	message->credentials = packet->has_credentials ?
				       packet->credentials :
				       (struct kernel_ucred){ 0, UNMAPPED_ID, UNMAPPED_ID };
}

bool unix_needs_credentials(struct unix_socket *sender, struct unix_socket *receiver)
{
	return sender->base.pass_credentials || receiver->base.pass_credentials ||
	       !receiver->base.file;
}
