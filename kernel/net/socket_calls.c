/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls on sockets that move no data: creating, naming, connecting them. There is one family, AF_UNIX;
 * for any other the calls fail as on a kernel without it.
 */
#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "unix.h"

#define SOCK_FLAGS ((unsigned int)(SOCK_NONBLOCK | SOCK_CLOEXEC))

/* Converts SOCK_NONBLOCK and SOCK_CLOEXEC to file flags: on some ISAs these are other bits. */
static unsigned int file_flags(unsigned int flags)
{
	return (flags & SOCK_NONBLOCK ? O_NONBLOCK : 0) | (flags & SOCK_CLOEXEC ? O_CLOEXEC : 0);
}

/* Checks the common arguments of socket() and socketpair(); *TYPE becomes the type alone and *FLAGS
 * O_NONBLOCK and O_CLOEXEC. 0 or a negative error. */
static int check_request(unsigned long family, int *type, unsigned int *flags, int protocol)
{
	*flags = (unsigned int)*type & ~(unsigned int)SOCK_TYPE_MASK;
	if (*flags & ~SOCK_FLAGS)
		return -EINVAL;
	*flags = file_flags(*flags);
	*type &= SOCK_TYPE_MASK;
	if ((int)family < 0 || (int)family >= AF_MAX)
		return -EAFNOSUPPORT;
	if (*type >= SOCK_MAX)
		return -EINVAL;
	if ((int)family != AF_UNIX)
		return -EAFNOSUPPORT;
	if (protocol && protocol != AF_UNIX)
		return -EPROTONOSUPPORT;
	/* As in BSD, whose Unix sockets have no raw type. */
	if (*type == SOCK_RAW)
		*type = SOCK_DGRAM;
	if (*type != SOCK_STREAM && *type != SOCK_DGRAM && *type != SOCK_SEQPACKET)
		return -ESOCKTNOSUPPORT;
	return 0;
}

/* Creates a new socket and its file. 0 or a negative error. */
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

long sys_socket(const unsigned long arg[6])
{
	int type = (int)arg[1];
	unsigned int flags;
	struct file *file;
	int error = check_request(arg[0], &type, &flags, (int)arg[2]);

	if (!error)
		error = create(type, flags, &file);
	return error ? error : fd_install_or_put(file, flags & O_CLOEXEC);
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
	union socket_name name = { .un.sun_family = AF_UNSPEC };
	struct file *file;
	int error = get_with_name(arg, &name, &file);

	if (error)
		return error;
	error = unix_bind(file->private, &name.un, arg[2]);
	file_put(file);
	return error;
}

long sys_connect(const unsigned long arg[6])
{
	union socket_name name = { .un.sun_family = AF_UNSPEC };
	struct file *file;
	int error = get_with_name(arg, &name, &file);

	if (error)
		return error;
	error = unix_connect(file->private, &name.un, arg[2], file->flags & O_NONBLOCK);
	file_put(file);
	return error;
}

long sys_listen(const unsigned long arg[6])
{
	struct file *file;
	int error = socket_get((int)arg[0], &file);

	if (error)
		return error;
	error = unix_listen(file->private, (unsigned int)arg[1]);
	file_put(file);
	return error;
}

/* The address that getsockname and getpeername return for a socket without a name. */
static struct unix_address unnamed = { .references = 1,
				       .size = SOCKADDR_UN_HEAD,
				       .sockaddr.sun_family = AF_UNIX };

static int put_name_of(struct unix_socket *socket, uintptr_t user_name, uintptr_t user_size)
{
	const struct unix_address *address = socket->address;

	return socket_put_address_with_size(address ? address : &unnamed, user_name, user_size);
}

long sys_getsockname(const unsigned long arg[6])
{
	struct file *file;
	int error = socket_get((int)arg[0], &file);

	if (error)
		return error;
	error = put_name_of(file->private, arg[1], arg[2]);
	file_put(file);
	return error;
}

long sys_getpeername(const unsigned long arg[6])
{
	struct file *file;
	int error = socket_get((int)arg[0], &file);

	if (error)
		return error;
	struct unix_socket *peer = unix_get_peer(file->private);

	error = peer ? put_name_of(peer, arg[1], arg[2]) : -ENOTCONN;
	if (peer)
		unix_put(peer);
	file_put(file);
	return error;
}

/* Writes the name of the peer of SOCKET, which was accepted, if the call requests it. */
static int put_client_name(struct unix_socket *socket, const unsigned long arg[6])
{
	if (!arg[1])
		return 0;
	struct unix_socket *peer = unix_get_peer(socket);
	int error = peer ? put_name_of(peer, arg[1], arg[2]) : -ECONNABORTED;

	if (peer)
		unix_put(peer);
	return error;
}

/* Gives SOCKET, accepted from LISTENER, whose reference moves in, a file and a descriptor. Returns the
 * descriptor, or a negative error: without a file or a descriptor SOCKET goes back to LISTENER; if its
 * name could not be written, it is closed. */
static long install_accepted(struct unix_socket *listener, struct unix_socket *socket,
			     const unsigned long arg[6], unsigned int flags)
{
	struct file *file;
	long result = socket_file_create(socket, flags & O_NONBLOCK, &file);

	if (result) {
		unix_accept_back_out(listener, socket);
		return result;
	}
	result = put_client_name(socket, arg);
	if (result) {
		file_put(file);
		return result;
	}
	result = fd_install(file, flags & O_CLOEXEC);
	if (result < 0)
		unix_accept_back_out(listener, socket_file_undo(file));
	return result;
}

static long accept_on(const unsigned long arg[6], unsigned int flags)
{
	struct unix_socket *accepted;
	struct file *file;

	if (flags & ~SOCK_FLAGS)
		return -EINVAL;
	flags = file_flags(flags);
	long result = socket_get((int)arg[0], &file);

	if (result)
		return result;
	result = unix_accept(file->private, file->flags & O_NONBLOCK, &accepted);
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
