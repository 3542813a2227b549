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
	struct socket *socket = file->private;
	/* The copy of the vector shares the caller's inline parts. */
	struct socket_message message = { .data = *vector };

	if (!vector->left)
		return 0;
	message.flags = file->flags & O_NONBLOCK ? MSG_DONTWAIT : 0;
	ssize_t result = socket->family->receive(socket, &message);

	unix_rights_drop(message.rights);
	unix_address_put(message.from);
	return result;
}

static ssize_t send(struct file *file, const struct vector *vector)
{
	struct socket *socket = file->private;
	struct socket_message message = { .data = *vector };

	message.flags = file->flags & O_NONBLOCK ? MSG_DONTWAIT : 0;
	return socket->family->send(socket, &message);
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

static unsigned int poll_socket(struct file *file, struct poll_table *table)
{
	struct socket *socket = file->private;

	poll_wait(table, &socket->changed);
	return socket->family->poll(socket, table);
}

static long control_socket(struct file *file, unsigned int command, unsigned long argument)
{
	struct socket *socket = file->private;
	int bytes;
	int error = socket->family->bytes(socket, command, &bytes);

	long result = error;

	if (!error)
		return copy_to_user((void *)argument, &bytes, sizeof(bytes));
	if (result == -ENOTTY && socket->family->ioctl)
		result = socket->family->ioctl(socket, command, argument);
	if (result == -ENOTTY && socket_interface_request)
		result = socket_interface_request(command, argument, socket->domain == AF_INET);
	return result;
}

static void release_socket(struct file *file)
{
	struct socket *socket = file->private;

	if (socket)
		socket->family->release(socket);
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
	/* Only queues of Unix sockets hold files. */
	.after_close = unix_flight_collect,
	.name = "socket",
};

struct socket *socket_of_file(const struct file *file)
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

int socket_file_create(struct socket *socket, unsigned int flags, struct file **result)
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

struct socket *socket_file_undo(struct file *file)
{
	struct socket *socket = file->private;

	spin_lock(&socket->lock);
	socket->file = NULL;
	spin_unlock(&socket->lock);
	file->private = NULL;
	file_put(file);
	return socket;
}
