/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls on sockets that move no data: making, naming, connecting them. There is one family,
 * AF_UNIX; any other is answered as by a kernel without it.
 */
#include <kernel/file.h>
#include <kernel/syscall.h>
#include <kernel/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "unix.h"

_Static_assert(SOCK_NONBLOCK == O_NONBLOCK && SOCK_CLOEXEC == O_CLOEXEC,
	       "flags of sockets are those of files");

/* Checks what socket() and socketpair() have in common; *TYPE becomes the type alone and *FLAGS
 * O_NONBLOCK and O_CLOEXEC. 0 or a negative error. */
static int check_request(unsigned long family, int *type, unsigned int *flags, int protocol)
{
	*flags = (unsigned int)*type & ~(unsigned int)SOCK_TYPE_MASK;
	if (*flags & ~(unsigned int)(SOCK_NONBLOCK | SOCK_CLOEXEC))
		return -EINVAL;
	*type &= SOCK_TYPE_MASK;
	if ((int)family < 0 || (int)family >= AF_MAX)
		return -EAFNOSUPPORT;
	if (*type >= SOCK_MAX)
		return -EINVAL;
	if ((int)family != AF_UNIX)
		return -EAFNOSUPPORT;
	if (protocol && protocol != AF_UNIX)
		return -EPROTONOSUPPORT;
	if (*type != SOCK_STREAM)
		return -ESOCKTNOSUPPORT;
	return 0;
}

/* A new socket's file. 0 or a negative error. */
static int create(int type, unsigned int flags, struct file **result)
{
	struct unix_socket *socket = unix_create(type);

	if (!socket)
		return -ENOMEM;
	int error = socket_file_create(socket, flags & O_NONBLOCK, result);

	if (error)
		unix_put(socket);
	return error;
}

static long install(struct file *file, unsigned int flags)
{
	long fd = fd_install(file, flags & O_CLOEXEC);

	if (fd < 0)
		file_put(file);
	return fd;
}

long sys_socket(const unsigned long arg[6])
{
	int type = (int)arg[1];
	unsigned int flags;
	struct file *file;
	int error = check_request(arg[0], &type, &flags, (int)arg[2]);

	if (!error)
		error = create(type, flags, &file);
	return error ? error : install(file, flags);
}

static int create_pair(int type, unsigned int flags, struct file *ends[2])
{
	int error = create(type, flags, &ends[0]);

	if (error)
		return error;
	error = create(type, flags, &ends[1]);
	if (error)
		file_put(ends[0]);
	else
		unix_connect_pair(ends[0]->private, ends[1]->private);
	return error;
}

long sys_socketpair(const unsigned long arg[6])
{
	int type = (int)arg[1], fds[2] = { -1, -1 };
	unsigned int flags;
	struct file *ends[2];
	long result = check_request(arg[0], &type, &flags, (int)arg[2]);

	if (!result)
		result = create_pair(type, flags, ends);
	if (result)
		return result;
	for (int i = 0; i < 2; i++) {
		fds[i] = (int)install(ends[i], flags);
		if (fds[i] < 0)
			result = fds[i];
	}
	if (!result && copy_to_user((void *)arg[3], fds, sizeof(fds)))
		result = -EFAULT;
	for (int i = 0; i < 2 && result; i++)
		if (fds[i] >= 0)
			fd_close(fds[i]);
	return result;
}

int socket_get(int fd, struct file **result)
{
	struct file *file = fd_get_file(fd);

	if (!file)
		return -EBADF;
	if (!socket_of_file(file)) {
		int error = file->flags & O_PATH ? -EBADF : -ENOTSOCK;

		file_put(file);
		return error;
	}
	*result = file;
	return 0;
}

int socket_copy_name(uintptr_t user_name, long size, union socket_name *name)
{
	if (size < 0 || size > SOCKADDR_SIZE_MAX)
		return -EINVAL;
	return size ? copy_from_user(name, (const void *)user_name, (size_t)size) : 0;
}

int socket_put_address(const struct unix_address *address, uintptr_t user_name, int32_t room,
		       int32_t *size)
{
	int32_t all = address ? (int32_t)address->size : 0;

	if (room < 0)
		return -EINVAL;
	*size = all;
	if (room > all)
		room = all;
	return room ? copy_to_user((void *)user_name, &address->sockaddr, (size_t)room) : 0;
}

int socket_put_address_with_size(const struct unix_address *address, uintptr_t user_name,
				 uintptr_t user_size)
{
	int32_t room, size;

	if (copy_from_user(&room, (const void *)user_size, sizeof(room)))
		return -EFAULT;
	int error = socket_put_address(address, user_name, room, &size);

	return error ? error : copy_to_user((void *)user_size, &size, sizeof(size));
}

long sys_shutdown(const unsigned long arg[6])
{
	static const unsigned int bits[] = { [SHUT_RD] = UNIX_NO_RECEIVE,
					     [SHUT_WR] = UNIX_NO_SEND,
					     [SHUT_RDWR] = UNIX_NO_RECEIVE | UNIX_NO_SEND };
	unsigned int how = (unsigned int)arg[1];
	struct file *file;
	int error = socket_get((int)arg[0], &file);

	if (error)
		return error;
	if (how > SHUT_RDWR)
		error = -EINVAL;
	else
		unix_shut_down(file->private, bits[how]);
	file_put(file);
	return error;
}
