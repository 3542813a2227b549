/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls on sockets that move no data: creating, naming, connecting them. A domain without a
 * family fails as on a kernel without it.
 */
#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "socket.h"

#define SOCK_FLAGS ((unsigned int)(SOCK_NONBLOCK | SOCK_CLOEXEC))

/* Converts SOCK_NONBLOCK and SOCK_CLOEXEC to file flags: on some ISAs these are other bits. */
static unsigned int file_flags(unsigned int flags)
{
	return (flags & SOCK_NONBLOCK ? O_NONBLOCK : 0) | (flags & SOCK_CLOEXEC ? O_CLOEXEC : 0);
}

/* Checks the common arguments of socket() and socketpair(); *TYPE becomes the type alone and *FLAGS
 * O_NONBLOCK and O_CLOEXEC. 0 or a negative error. */
static int check_request(unsigned long domain, int *type, unsigned int *flags)
{
	*flags = (unsigned int)*type & ~(unsigned int)SOCK_TYPE_MASK;
	if (*flags & ~SOCK_FLAGS)
		return -EINVAL;
	*flags = file_flags(*flags);
	*type &= SOCK_TYPE_MASK;
	if ((int)domain < 0 || (int)domain >= AF_MAX)
		return -EAFNOSUPPORT;
	if (*type >= SOCK_MAX)
		return -EINVAL;
	return socket_family_of((int)domain) ? 0 : -EAFNOSUPPORT;
}

/* Creates a new socket of DOMAIN, which has a family, and its file. 0 or a negative error. */
static int create(int domain, int type, int protocol, unsigned int flags, struct file **result)
{
	const struct socket_family *family = socket_family_of(domain);
	struct socket *socket;
	int error = family->create(domain, type, protocol, &socket);

	if (error)
		return error;
	error = socket_file_create(socket, flags & O_NONBLOCK, result);
	if (error)
		family->put(socket);
	return error;
}

long sys_socket(const unsigned long arg[6])
{
	int type = (int)arg[1];
	unsigned int flags;
	struct file *file;
	int error = check_request(arg[0], &type, &flags);

	if (!error)
		error = create((int)arg[0], type, (int)arg[2], flags, &file);
	return error ? error : fd_install_or_put(file, flags & O_CLOEXEC);
}

static int create_pair(int domain, int type, int protocol, unsigned int flags, struct file *ends[2])
{
	int error = create(domain, type, protocol, flags, &ends[0]);

	if (error)
		return error;
	error = create(domain, type, protocol, flags, &ends[1]);
	if (error) {
		file_put(ends[0]);
		return error;
	}
	if (socket_family_of(domain)->connect_pair) {
		socket_family_of(domain)->connect_pair(ends[0]->private, ends[1]->private);
		return 0;
	}
	file_put(ends[0]);
	file_put(ends[1]);
	return -EOPNOTSUPP;
}

long sys_socketpair(const unsigned long arg[6])
{
	int type = (int)arg[1], fds[2] = { -1, -1 };
	unsigned int flags;
	struct file *ends[2];
	long result = check_request(arg[0], &type, &flags);

	if (!result)
		result = create_pair((int)arg[0], type, (int)arg[2], flags, ends);
	if (result)
		return result;
	for (int i = 0; i < 2; i++) {
		fds[i] = fd_install_or_put(ends[i], flags & O_CLOEXEC);
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

int socket_put_address(const void *address, size_t size, uintptr_t user_name, int32_t room)
{
	if (room < 0)
		return -EINVAL;
	if ((size_t)room > size)
		room = (int32_t)size;
	return room ? copy_to_user((void *)user_name, address, (size_t)room) : 0;
}

int socket_put_address_with_size(const void *address, size_t size, uintptr_t user_name,
				 uintptr_t user_size)
{
	int32_t room, all = (int32_t)size;

	if (copy_from_user(&room, (const void *)user_size, sizeof(room)))
		return -EFAULT;
	int error = socket_put_address(address, size, user_name, room);

	return error ? error : copy_to_user((void *)user_size, &all, sizeof(all));
}

static const struct socket_family *family_of(const struct file *file)
{
	const struct socket *socket = file->private;

	return socket->family;
}

/* Copies the address of a call. 0, and the socket's file in *RESULT. */
static int get_with_name(const unsigned long arg[6], union socket_name *name, struct file **result)
{
	int error = socket_get((int)arg[0], result);

	if (error)
		return error;
	error = socket_copy_name(arg[1], (int)arg[2], name);
	if (error)
		file_put(*result);
	return error;
}

long sys_bind(const unsigned long arg[6])
{
	union socket_name name = { .family = AF_UNSPEC };
	struct file *file;
	int error = get_with_name(arg, &name, &file);

	if (error)
		return error;
	error = family_of(file)->bind(file->private, &name, arg[2]);
	file_put(file);
	return error;
}

long sys_connect(const unsigned long arg[6])
{
	union socket_name name = { .family = AF_UNSPEC };
	struct file *file;
	int error = get_with_name(arg, &name, &file);

	if (error)
		return error;
	error = family_of(file)->connect(file->private, &name, arg[2], file->flags & O_NONBLOCK);
	file_put(file);
	return error;
}

long sys_listen(const unsigned long arg[6])
{
	struct file *file;
	int error = socket_get((int)arg[0], &file);

	if (error)
		return error;
	error = family_of(file)->listen(file->private, (unsigned int)arg[1]);
	file_put(file);
	return error;
}

/* Writes the name of SIDE of SOCKET. 0 or a negative error. */
static int put_name_of(struct socket *socket, enum socket_side side, uintptr_t user_name,
		       uintptr_t user_size)
{
	union socket_name name = { .family = AF_UNSPEC };
	size_t size;
	int error = socket->family->name(socket, side, &name, &size);

	return error ? error : socket_put_address_with_size(&name, size, user_name, user_size);
}

static long get_name(const unsigned long arg[6], enum socket_side side)
{
	struct file *file;
	int error = socket_get((int)arg[0], &file);

	if (error)
		return error;
	error = put_name_of(file->private, side, arg[1], arg[2]);
	file_put(file);
	return error;
}

long sys_getsockname(const unsigned long arg[6])
{
	return get_name(arg, SOCKET_OWN);
}

long sys_getpeername(const unsigned long arg[6])
{
	return get_name(arg, SOCKET_PEER);
}

/* Writes the name of the peer of SOCKET, which was accepted, if the call requests it. */
static int put_client_name(struct socket *socket, const unsigned long arg[6])
{
	if (!arg[1])
		return 0;
	int error = put_name_of(socket, SOCKET_ACCEPTED, arg[1], arg[2]);

	return error == -ENOTCONN ? -ECONNABORTED : error;
}

/* Gives SOCKET, accepted from LISTENER, whose reference moves in, a file and a descriptor. Returns the
 * descriptor, or a negative error: without a file or a descriptor SOCKET goes back to LISTENER; if its
 * name could not be written, it is closed. */
static long install_accepted(struct socket *listener, struct socket *socket,
			     const unsigned long arg[6], unsigned int flags)
{
	struct file *file;
	long result = socket_file_create(socket, flags & O_NONBLOCK, &file);

	if (result) {
		listener->family->accept_back_out(listener, socket);
		return result;
	}
	result = put_client_name(socket, arg);
	if (result) {
		file_put(file);
		return result;
	}
	result = fd_install(file, flags & O_CLOEXEC);
	if (result < 0)
		listener->family->accept_back_out(listener, socket_file_undo(file));
	return result;
}

static long accept_on(const unsigned long arg[6], unsigned int flags)
{
	struct socket *accepted;
	struct file *file;

	if (flags & ~SOCK_FLAGS)
		return -EINVAL;
	flags = file_flags(flags);
	long result = socket_get((int)arg[0], &file);

	if (result)
		return result;
	result = family_of(file)->accept(file->private, file->flags & O_NONBLOCK, &accepted);
	if (!result)
		result = install_accepted(file->private, accepted, arg, flags);
	file_put(file);
	return result;
}

long sys_accept(const unsigned long arg[6])
{
	return accept_on(arg, 0);
}

long sys_accept4(const unsigned long arg[6])
{
	return accept_on(arg, (unsigned int)arg[3]);
}

long sys_shutdown(const unsigned long arg[6])
{
	static const unsigned int bits[] = { [SHUT_RD] = SOCKET_NO_RECEIVE,
					     [SHUT_WR] = SOCKET_NO_SEND,
					     [SHUT_RDWR] = SOCKET_NO_RECEIVE | SOCKET_NO_SEND };
	unsigned int how = (unsigned int)arg[1];
	struct file *file;
	int error = socket_get((int)arg[0], &file);

	if (error)
		return error;
	if (how > SHUT_RDWR)
		error = -EINVAL;
	else
		error = family_of(file)->shut_down(file->private, bits[how]);
	file_put(file);
	return error;
}
