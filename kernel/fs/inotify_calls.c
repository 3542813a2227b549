/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls of inotify; inotify.c does the work. */
#include <kernel/base/syscall.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <uapi/linux/errno.h>

#include "inotify.h"
#include "path_arguments.h"

/* The valid bits of a mask. */
#define MASK_KNOWN                                                                               \
	(IN_ALL_EVENTS | IN_UNMOUNT | IN_Q_OVERFLOW | IN_IGNORED | IN_ONLYDIR | IN_DONT_FOLLOW | \
	 IN_EXCL_UNLINK | IN_MASK_ADD | IN_MASK_CREATE | IN_ISDIR | IN_ONESHOT)

static long create(unsigned int flags)
{
	struct file *file;

	if (flags & ~(unsigned int)(O_CLOEXEC | O_NONBLOCK))
		return -EINVAL;
	int error = inotify_create(flags & O_NONBLOCK, &file);

	if (error)
		return error;
	return fd_install_or_put(file, flags & O_CLOEXEC);
}

long sys_inotify_init(const unsigned long arg[6])
{
	return create(0);
}

long sys_inotify_init1(const unsigned long arg[6])
{
	return create((unsigned int)arg[0]);
}

static long add_watch(struct file *file, unsigned long user_path, uint32_t mask)
{
	unsigned int flags = (mask & IN_DONT_FOLLOW ? 0 : LOOKUP_FOLLOW) |
			     (mask & IN_ONLYDIR ? LOOKUP_DIRECTORY : 0);
	struct dentry *dentry;

	if (((mask & IN_MASK_ADD) && (mask & IN_MASK_CREATE)) || !inotify_of(file))
		return -EINVAL;
	int result = path_arguments_look_up(AT_FDCWD, user_path, flags, &dentry);

	if (result)
		return result;
	result = inode_permission(dentry->inode, R_OK);
	if (!result)
		result = inotify_watch(inotify_of(file), dentry->inode, mask);
	dentry_put(dentry);
	return result;
}

long sys_inotify_add_watch(const unsigned long arg[6])
{
	uint32_t mask = (uint32_t)arg[2];

	if (!mask || (mask & ~MASK_KNOWN))
		return -EINVAL;
	struct file *file = fd_get_opened((int)arg[0]);

	if (!file)
		return -EBADF;
	long result = add_watch(file, arg[1], mask);

	file_put(file);
	return result;
}

long sys_inotify_rm_watch(const unsigned long arg[6])
{
	struct file *file = fd_get_opened((int)arg[0]);

	if (!file)
		return -EBADF;
	struct inotify *instance = inotify_of(file);
	long result = instance ? inotify_unwatch(instance, (int)arg[1]) : -EINVAL;

	file_put(file);
	return result;
}
