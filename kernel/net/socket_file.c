/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of a socket: reading, writing, polling, closing it. */
#include <kernel/base/start.h>
#include <kernel/fs/anonymous.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>
#include <uapi/linux/stat.h>

#include "unix.h"

/* --- reading and writing: messages with nothing but data --- */

static ssize_t receive(struct file *file, const struct vector *vector)
{
	/* The copy of the vector shares the caller's inline parts. */
	struct unix_message message = { .data = *vector };

	if (!vector->left)
		return 0;
	message.flags = file->flags & O_NONBLOCK ? MSG_DONTWAIT : 0;
	ssize_t result = socket_receive(file->private, &message);

	unix_rights_drop(message.rights);
	unix_address_put(message.from);
	return result;
}

static ssize_t send(struct file *file, const struct vector *vector)
{
	struct unix_message message = { .data = *vector };

	message.flags = file->flags & O_NONBLOCK ? MSG_DONTWAIT : 0;
	return socket_send(file->private, &message);
}

static ssize_t read_socket(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	struct vector vector;

	vector_init(&vector, (uintptr_t)user_buffer, size, false);
	return receive(file, &vector);
}

static ssize_t write_socket(struct file *file, const void *user_buffer, size_t size,
			    uint64_t *position)
{
	struct vector vector;

	vector_init(&vector, (uintptr_t)user_buffer, size, false);
	return send(file, &vector);
}

static ssize_t read_socket_vector(struct file *file, struct vector *vector)
{
	return receive(file, vector);
}

static ssize_t write_socket_vector(struct file *file, struct vector *vector)
{
	return send(file, vector);
}

static ssize_t read_socket_for_kernel(struct file *file, void *buffer, size_t size,
				      uint64_t position)
{
	struct vector vector;

	vector_init(&vector, (uintptr_t)buffer, size, true);
	return receive(file, &vector);
}

static ssize_t write_socket_from_kernel(struct file *file, const void *buffer, size_t size,
					uint64_t *position)
{
	struct vector vector;

	vector_init(&vector, (uintptr_t)buffer, size, true);
	return send(file, &vector);
}

/* --- poll, ioctl, release --- */

/* True if SOCKET's peer, if any, has room for a datagram from it. */
static bool peer_has_room(struct unix_socket *socket)
{
	struct unix_socket *peer = unix_get_peer(socket);

	if (!peer)
		return true;
	spin_lock(&peer->lock);
	bool full = unix_queue_is_full(socket, peer);

	spin_unlock(&peer->lock);
	unix_put(peer);
	return !full;
}

static unsigned int poll_socket(struct file *file, struct poll_table *table)
{
	struct unix_socket *socket = file->private;
	unsigned int ready = 0;

	poll_wait(table, &socket->changed);
	if (socket->type != SOCK_STREAM)
		poll_wait(table, &unix_room);
	spin_lock(&socket->lock);
	unsigned int shutdown = socket->shutdown;

	if (socket->error)
		ready |= POLLERR;
	if (shutdown == (UNIX_NO_RECEIVE | UNIX_NO_SEND))
		ready |= POLLHUP;
	if (shutdown & UNIX_NO_RECEIVE)
		ready |= POLLRDHUP | POLLIN | POLLRDNORM;
	if (!STAILQ_EMPTY(&socket->packets) || socket->waiting_count)
		ready |= POLLIN | POLLRDNORM;
	if (socket->type != SOCK_DGRAM && socket->state == UNIX_UNCONNECTED)
		ready |= POLLHUP;
	if (unix_is_writable(socket))
		ready |= POLLOUT | POLLWRNORM | POLLWRBAND;
	spin_unlock(&socket->lock);
	if ((ready & POLLOUT) && socket->type != SOCK_STREAM && !peer_has_room(socket))
		ready &= ~(unsigned int)(POLLOUT | POLLWRNORM | POLLWRBAND);
	return ready;
}

/* Returns the bytes that the next read may get: all of a stream, one datagram. */
static long readable_bytes(struct unix_socket *socket)
{
	spin_lock(&socket->lock);
	const struct unix_packet *first = STAILQ_FIRST(&socket->packets);
	size_t bytes = socket->type != SOCK_DGRAM ? socket->unread_bytes : first ? first->size : 0;

	spin_unlock(&socket->lock);
	return (long)bytes;
}

static long control_socket(struct file *file, unsigned int command, unsigned long argument)
{
	struct unix_socket *socket = file->private;
	int bytes;

	switch (command) {
	case SIOCINQ:
		if (socket->state == UNIX_LISTENING)
			return -EINVAL;
		bytes = (int)readable_bytes(socket);
		break;
	case SIOCOUTQ:
		bytes = (int)socket->charged;
		break;
	default:
		return -ENOTTY;
	}
	return copy_to_user((void *)argument, &bytes, sizeof(bytes));
}

static void release_socket(struct file *file)
{
	struct unix_socket *socket = file->private;

	if (!socket)
		return;
	unix_close(socket);
	unix_put(socket);
	unix_flight_collect();
}

static const struct file_ops socket_ops = {
	.read = read_socket,
	.write = write_socket,
	.read_vector = read_socket_vector,
	.write_vector = write_socket_vector,
	.read_for_kernel = read_socket_for_kernel,
	.write_from_kernel = write_socket_from_kernel,
	.ioctl = control_socket,
	.poll = poll_socket,
	.notifies = true,
	.release = release_socket,
	.after_close = unix_flight_collect,
	.name = "socket",
};

struct unix_socket *socket_of_file(const struct file *file)
{
	return file->ops == &socket_ops ? file->private : NULL;
}

/* Linux's SOCKFS_MAGIC. */
#define SOCKFS_MAGIC 0x534f434b

/* A socket cannot be opened again through /proc/PID/fd. */
static const struct inode_ops socket_inode_ops = { .open = NULL };
static struct anonymous_kind socket_kind = { "socket", "sockfs", SOCKFS_MAGIC, &socket_inode_ops,
					     NULL };

static void add_kind(void)
{
	anonymous_add(&socket_kind);
}

START(START_FILES, add_kind);

int socket_file_create(struct unix_socket *socket, unsigned int flags, struct file **result)
{
	struct dentry *dentry = anonymous_create(&socket_kind, S_IFSOCK | 0777);
	struct file *file = dentry ? file_create(&socket_ops, socket, O_RDWR | flags) : NULL;

	if (!file) {
		if (dentry)
			dentry_put(dentry);
		return -ENFILE;
	}
	file->dentry = dentry;
	spin_lock(&socket->lock);
	socket->file = file;
	spin_unlock(&socket->lock);
	*result = file;
	return 0;
}

struct unix_socket *socket_file_undo(struct file *file)
{
	struct unix_socket *socket = file->private;

	spin_lock(&socket->lock);
	socket->file = NULL;
	spin_unlock(&socket->lock);
	file->private = NULL;
	file_put(file);
	return socket;
}
