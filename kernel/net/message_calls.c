/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that send and receive on sockets: sendto, sendmsg, sendmmsg and their counterparts.
 *
 * The calls convert between a program's description of a message and struct socket_message: addresses, parts of
 * memory, flags. Descriptors and credentials are in message_control.c.
 */
#include <string.h>

#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/signal.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "message_control.h"
#include "unix.h"

/* Most messages of one sendmmsg or recvmmsg: Linux's UIO_MAXIOV. */
#define MESSAGES_MAX IOV_MAX_COUNT

/* Returns the flags of a call on FILE. */
static unsigned int call_flags(const struct file *file, unsigned int flags)
{
	return file->flags & O_NONBLOCK ? flags | MSG_DONTWAIT : flags;
}

static ssize_t send_by_family(struct file *file, struct socket_message *message)
{
	struct socket *socket = file->private;

	return socket->family->send(socket, message);
}

static ssize_t receive_by_family(struct file *file, struct socket_message *message)
{
	struct socket *socket = file->private;

	return socket->family->receive(socket, message);
}

/* Returns the address of the sender of MESSAGE, which was received, and its SIZE; 0: it has none. */
static const void *sender_of(const struct socket_message *message, size_t *size)
{
	*size = message->from ? message->from->size : message->from_inet_size;
	return message->from ? (const void *)&message->from->sockaddr : &message->from_inet;
}

/* --- one message --- */

/* Sends the message that USER describes. Bytes, or a negative error. */
static ssize_t send_message(struct file *file, const struct kernel_msghdr *user, unsigned int flags)
{
	struct socket_message message = { .flags = call_flags(file, flags) };
	union socket_name name;
	size_t name_size = user->msg_name ? (size_t)user->msg_namelen : 0;

	if (user->msg_name && user->msg_namelen < 0)
		return -EINVAL;
	if (name_size > SOCKADDR_SIZE_MAX)
		name_size = SOCKADDR_SIZE_MAX;
	ssize_t result = socket_copy_name(user->msg_name, (long)name_size, &name);

	if (result)
		return result;
	if (name_size) {
		message.to = &name;
		message.to_size = name_size;
	}
	if (user->msg_iovlen > IOV_MAX_COUNT)
		return -EMSGSIZE;
	result = vector_import(&message.data, user->msg_iov, user->msg_iovlen);
	if (result)
		return result;
	result = message_control_get(&message, user->msg_control, user->msg_controllen);
	if (!result)
		result = send_by_family(file, &message);
	unix_rights_drop(message.rights);
	vector_finish(&message.data);
	return result;
}

/* Receives into the memory that USER describes, and updates USER. */
static ssize_t receive_message(struct file *file, struct kernel_msghdr *user, unsigned int flags)
{
	struct socket_message message = { .flags = call_flags(file, flags) };
	int32_t name_size = user->msg_namelen;

	if (user->msg_name && name_size < 0)
		return -EINVAL;
	if (user->msg_iovlen > IOV_MAX_COUNT)
		return -EMSGSIZE;
	ssize_t result = vector_import(&message.data, user->msg_iov, user->msg_iovlen);

	if (result)
		return result;
	result = receive_by_family(file, &message);
	vector_finish(&message.data);
	if (result >= 0) {
		user->msg_flags = message.flags_out | (flags & MSG_CMSG_CLOEXEC);
		message_control_put(file->private, &message, user, flags & MSG_CMSG_CLOEXEC);
		if (user->msg_name) {
			size_t size;
			const void *sender = sender_of(&message, &size);
			int error = socket_put_address(sender, size, user->msg_name, name_size);

			user->msg_namelen = (int32_t)size;
			result = error ? error : result;
		}
	}
	unix_rights_drop(message.rights);
	unix_address_put(message.from);
	return result;
}

/* --- one buffer --- */

static long send_buffer(int fd, const struct kernel_msghdr *user, unsigned long buffer,
			unsigned long size, unsigned int flags)
{
	struct socket_message message = { 0 };
	union socket_name name;
	struct file *file;
	long result = socket_get(fd, &file);

	if (result)
		return result;
	message.flags = call_flags(file, flags);
	if (user->msg_name)
		result = socket_copy_name(user->msg_name, user->msg_namelen, &name);
	if (!result && user->msg_name && user->msg_namelen) {
		message.to = &name;
		message.to_size = (size_t)user->msg_namelen;
	}
	vector_init(&message.data, buffer, size, false);
	if (!result)
		result = send_by_family(file, &message);
	file_put(file);
	return result;
}

long sys_sendto(const unsigned long arg[6])
{
	const struct kernel_msghdr user = { .msg_name = arg[4], .msg_namelen = (int32_t)arg[5] };

	return send_buffer((int)arg[0], &user, arg[1], arg[2], (unsigned int)arg[3]);
}

long sys_recvfrom(const unsigned long arg[6])
{
	struct socket_message message = { 0 };
	struct file *file;
	long result = socket_get((int)arg[0], &file);

	if (result)
		return result;
	message.flags = call_flags(file, (unsigned int)arg[3]);
	vector_init(&message.data, arg[1], arg[2], false);
	result = receive_by_family(file, &message);
	if (result >= 0 && arg[4]) {
		size_t size;
		const void *sender = sender_of(&message, &size);
		int error = socket_put_address_with_size(sender, size, arg[4], arg[5]);

		result = error ? error : result;
	}
	unix_rights_drop(message.rights);
	unix_address_put(message.from);
	file_put(file);
	return result;
}

/* --- sendmsg, recvmsg --- */

long sys_sendmsg(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[2];
	struct kernel_msghdr user;
	struct file *file;

	if (flags & MSG_CMSG_COMPAT)
		return -EINVAL;
	long result = socket_get((int)arg[0], &file);

	if (result)
		return result;
	result = copy_from_user(&user, (const void *)arg[1], sizeof(user));
	if (!result)
		result = send_message(file, &user, flags);
	file_put(file);
	return result;
}

/* Receives into the header at USER_HEADER. Bytes, or a negative error. */
static long receive_at(struct file *file, struct kernel_msghdr *user_header, unsigned int flags)
{
	struct kernel_msghdr user;

	if (copy_from_user(&user, user_header, sizeof(user)))
		return -EFAULT;
	long result = receive_message(file, &user, flags);

	if (result < 0)
		return result;
	if (copy_to_user(USER_MEMBER(user_header, struct kernel_msghdr, msg_namelen),
			 &user.msg_namelen, sizeof(user.msg_namelen)) ||
	    copy_to_user(USER_MEMBER(user_header, struct kernel_msghdr, msg_flags), &user.msg_flags,
			 sizeof(user.msg_flags)) ||
	    copy_to_user(USER_MEMBER(user_header, struct kernel_msghdr, msg_controllen),
			 &user.msg_controllen, sizeof(user.msg_controllen)))
		return -EFAULT;
	return result;
}

long sys_recvmsg(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[2];
	struct file *file;

	if (flags & MSG_CMSG_COMPAT)
		return -EINVAL;
	long result = socket_get((int)arg[0], &file);

	if (result)
		return result;
	result = receive_at(file, (struct kernel_msghdr *)arg[1], flags);
	file_put(file);
	return result;
}

/* --- sendmmsg, recvmmsg --- */

long sys_sendmmsg(const unsigned long arg[6])
{
	struct kernel_mmsghdr *messages = (struct kernel_mmsghdr *)arg[1];
	unsigned int count = (unsigned int)arg[2], flags = (unsigned int)arg[3], done;
	struct file *file;

	if (flags & MSG_CMSG_COMPAT)
		return -EINVAL;
	long result = socket_get((int)arg[0], &file);

	if (result)
		return result;
	if (count > MESSAGES_MAX)
		count = MESSAGES_MAX;
	for (done = 0; done < count; done++) {
		struct kernel_msghdr user;

		result = copy_from_user(
			&user, USER_MEMBER(&messages[done], struct kernel_mmsghdr, msg_hdr),
			sizeof(user));
		if (!result)
			result = send_message(file, &user, flags);
		if (result < 0)
			break;
		uint32_t sent = (uint32_t)result;

		result = copy_to_user(USER_MEMBER(&messages[done], struct kernel_mmsghdr, msg_len),
				      &sent, sizeof(sent));
		if (result || signal_is_pending(task_current())) {
			done += !result;
			break;
		}
	}
	file_put(file);
	return done ? (long)done : result;
}

/* As recvmmsg(2) says in BUGS: the deadline is checked only after each message. */
static long receive_many(struct file *file, struct kernel_mmsghdr *messages, unsigned int count,
			 unsigned int flags, uint64_t deadline_ns)
{
	struct socket *socket = file->private;
	bool for_one = flags & MSG_WAITFORONE;
	unsigned int done = 0;
	long result = socket_take_error(socket);

	flags &= ~(unsigned int)MSG_WAITFORONE;
	while (done < count && result >= 0) {
		result = receive_at(
			file, USER_MEMBER(&messages[done], struct kernel_mmsghdr, msg_hdr), flags);
		if (result < 0)
			break;
		uint32_t received = (uint32_t)result;

		result = copy_to_user(USER_MEMBER(&messages[done], struct kernel_mmsghdr, msg_len),
				      &received, sizeof(received));
		if (result)
			break;
		done++;
		if (for_one)
			flags |= MSG_DONTWAIT;
		if (clock_ns() >= deadline_ns)
			break;
	}
	/* An error after some messages is for the next call. */
	if (done && result < 0 && result != -EAGAIN && result != -EINTR && result != -EINTR_ENDS)
		socket->error = (int)-result;
	return done ? (long)done : result;
}

long sys_recvmmsg(const unsigned long arg[6])
{
	unsigned int count = (unsigned int)arg[2], flags = (unsigned int)arg[3];
	uint64_t deadline_ns;
	struct file *file;

	if (flags & MSG_CMSG_COMPAT)
		return -EINVAL;
	long result = timespec_deadline_from_user(arg[4], &deadline_ns);

	if (!result)
		result = socket_get((int)arg[0], &file);
	if (result)
		return result;
	if (count > MESSAGES_MAX)
		count = MESSAGES_MAX;
	result = receive_many(file, (struct kernel_mmsghdr *)arg[1], count, flags, deadline_ns);
	if (arg[4] && result > 0) {
		uint64_t now = clock_ns();
		const struct kernel_timespec left =
			timespec_from_ns(deadline_ns > now ? deadline_ns - now : 0);

		if (copy_to_user((void *)arg[4], &left, sizeof(left)))
			result = -EFAULT;
	}
	file_put(file);
	return result;
}
