/* SPDX-License-Identifier: BSD-2-Clause */
/* Control messages of sockets, see message_control.h. */
#include "message_control.h"

#include <string.h>

#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>

#include "unix.h"

/* Most bytes of control messages in one call: Linux's optmem_max. */
#define CONTROL_MAX  131072

#define HEADER_BYTES sizeof(struct kernel_cmsghdr)

/* --- sending --- */

/* Adds the COUNT descriptors at FDS to MESSAGE's. */
static int get_rights(struct socket_message *message, const int32_t *fds, size_t count)
{
	struct unix_rights *rights = message->rights;

	if (!count)
		return 0;
	if (count > SCM_MAX_FD)
		return -EINVAL;
	if (!rights) {
		rights = kzalloc(sizeof(*rights) + SCM_MAX_FD * sizeof(rights->files[0]));
		if (!rights)
			return -ENOMEM;
		message->rights = rights;
	}
	if (rights->count + count > SCM_MAX_FD)
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		struct file *file = fd_get_file(fds[i]);

		if (!file)
			return -EBADF;
		rights->files[rights->count++] = file;
		rights->sockets += unix_socket_of_file(file) != NULL;
	}
	return 0;
}

/* Checks that the running task may claim to be CLAIMED: 0, -EPERM, -ESRCH. */
static int check_credentials(const struct kernel_ucred *claimed)
{
	const struct credentials *own = credentials_current();
	bool pid = (pid_t)claimed->pid == task_current()->tgid || capable(CAP_SYS_ADMIN);
	bool uid = claimed->uid == own->uid || claimed->uid == own->euid ||
		   claimed->uid == own->suid || capable(CAP_SETUID);
	bool gid = claimed->gid == own->gid || claimed->gid == own->egid ||
		   claimed->gid == own->sgid || capable(CAP_SETGID);

	if (!pid || !uid || !gid)
		return -EPERM;
	struct task *task = task_find((pid_t)claimed->pid);

	if (!task)
		return -ESRCH;
	task_put(task);
	return 0;
}

static int get_credentials(struct socket_message *message, const char *data, size_t size)
{
	if (size != sizeof(message->credentials))
		return -EINVAL;
	memcpy(&message->credentials, data, size);
	message->has_credentials = true;
	return check_credentials(&message->credentials);
}

/* Reads the control messages in the SIZE bytes at CONTROL. */
static int parse(struct socket_message *message, const char *control, size_t size)
{
	size_t at = 0;
	int error = 0;

	while (size - at >= HEADER_BYTES && !error) {
		struct kernel_cmsghdr header;
		const char *data = control + at + HEADER_BYTES;

		memcpy(&header, control + at, sizeof(header));
		if (header.cmsg_len < HEADER_BYTES || header.cmsg_len > size - at)
			return -EINVAL;
		size_t data_size = header.cmsg_len - HEADER_BYTES;

		if (header.cmsg_level == SOL_SOCKET) {
			if (header.cmsg_type == SCM_RIGHTS)
				error = get_rights(message, (const int32_t *)data,
						   data_size / sizeof(int32_t));
			else if (header.cmsg_type == SCM_CREDENTIALS)
				error = get_credentials(message, data, data_size);
			else
				error = -EINVAL;
		}
		size_t step = CMSG_ALIGN(header.cmsg_len);

		at += step < size - at ? step : size - at;
	}
	return error;
}

/* Charges MESSAGE's descriptors to its user. 0, -ETOOMANYREFS. */
static int account_rights(struct socket_message *message)
{
	struct user_account *account = credentials_current()->account;
	uint64_t limit = task_current()->process->limits[RLIMIT_NOFILE].rlim_cur;

	if (account->flying > limit && !capable(CAP_SYS_RESOURCE) && !capable(CAP_SYS_ADMIN))
		return -ETOOMANYREFS;
	user_account_get(account);
	message->rights->account = account;
	atomic_fetch_add(&account->flying, message->rights->count);
	return 0;
}

int message_control_get(struct socket_message *message, uintptr_t user_control, uint64_t size)
{
	if (size > CONTROL_MAX)
		return -ENOBUFS;
	if (!size)
		return 0;
	char *control = kzalloc(size);

	if (!control)
		return -ENOBUFS;
	int error = copy_from_user(control, (const void *)user_control, size);

	if (!error)
		error = parse(message, control, size);
	if (!error && message->rights)
		error = account_rights(message);
	kfree(control);
	return error;
}

/* --- receiving --- */

/* The free part of the program's control memory. */
struct room {
	uintptr_t at;
	size_t left;
	unsigned int flags; /* MSG_CTRUNC */
};

/* Writes a header for SIZE bytes of data, which may be cut short. */
static int put_header(const struct room *room, int type, size_t size)
{
	const struct kernel_cmsghdr header = { HEADER_BYTES + size, SOL_SOCKET, type };

	return copy_to_user((void *)room->at, &header, sizeof(header));
}

/* Steps past a header and SIZE bytes of data. */
static void advance(struct room *room, size_t size)
{
	size_t step = HEADER_BYTES + CMSG_ALIGN(size);

	if (step > room->left)
		step = room->left;
	room->at += step;
	room->left -= step;
}

static void put_credentials(struct room *room, const struct kernel_ucred *credentials)
{
	size_t size = sizeof(*credentials);

	if (room->left < HEADER_BYTES) {
		room->flags |= MSG_CTRUNC;
		return;
	}
	if (room->left < HEADER_BYTES + size) {
		room->flags |= MSG_CTRUNC;
		size = room->left - HEADER_BYTES;
	}
	/* Credentials that cannot be copied are lost, as in Linux. */
	if (put_header(room, SCM_CREDENTIALS, size) ||
	    copy_to_user((void *)(room->at + HEADER_BYTES), credentials, size))
		return;
	advance(room, size);
}

/* Gives FILE a descriptor and writes its number to USER_FD. */
static int put_right(struct file *file, uintptr_t user_fd, bool cloexec)
{
	file_get(file);
	int32_t fd = fd_install_or_put(file, cloexec);

	if (fd < 0)
		return fd;
	if (!copy_to_user((void *)user_fd, &fd, sizeof(fd)))
		return 0;
	fd_close(fd);
	return -EFAULT;
}

static void put_rights(struct room *room, const struct unix_rights *rights, bool cloexec)
{
	size_t most = room->left < HEADER_BYTES ? 0 : (room->left - HEADER_BYTES) / sizeof(int32_t);
	size_t done = 0;

	while (done < rights->count && done < most &&
	       !put_right(rights->files[done], room->at + HEADER_BYTES + done * sizeof(int32_t),
			  cloexec))
		done++;
	if (done && !put_header(room, SCM_RIGHTS, done * sizeof(int32_t)))
		advance(room, done * sizeof(int32_t));
	if (done < rights->count)
		room->flags |= MSG_CTRUNC;
}

void message_control_put(struct socket *socket, struct socket_message *message,
			 struct kernel_msghdr *user, bool cloexec)
{
	struct room room = { user->msg_control, user->msg_controllen, 0 };

	if (!user->msg_control) {
		room.left = 0;
		if (message->rights || socket->pass_credentials)
			room.flags |= MSG_CTRUNC;
	} else {
		if (socket->pass_credentials)
			put_credentials(&room, &message->credentials);
		if (message->rights)
			put_rights(&room, message->rights, cloexec);
	}
	user->msg_controllen = room.at - user->msg_control;
	user->msg_flags |= room.flags;
}
