/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls that inspect the file of a path: stat, readlink, access; and those that set where paths
 * begin (path_view.c). Calls that change files are in entry_calls.c and attribute_calls.c. */
#include <string.h>

#include <kernel/base/syscall.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/path_view.h>
#include <kernel/fs/stat.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "path_arguments.h"

/* st_dev and st_ino of files without a dentry (events, pipes): all share one anonymous inode, as on Linux. */
#define ANONYMOUS_DEVICE 0xf

static void describe(const struct inode *inode, struct kernel_stat *stat)
{
	*stat = (struct kernel_stat){ .st_dev = ANONYMOUS_DEVICE,
				      .st_ino = 1,
				      .st_nlink = 1,
				      .st_mode = 0600,
				      .st_blksize = 4096 };
	if (inode)
		inode_stat(inode, stat);
}

int stat_of_path(int directory_fd, unsigned long user_path, unsigned int flags,
		 struct kernel_stat *stat)
{
	struct dentry *dentry;
	int error = path_arguments_look_up_at(directory_fd, user_path, flags, &dentry);

	if (error)
		return error;
	describe(dentry ? dentry->inode : NULL, stat);
	if (dentry)
		dentry_put(dentry);
	return 0;
}

int stat_of_descriptor(int fd, struct kernel_stat *stat)
{
	struct file *file = fd_get_file(fd);

	if (!file)
		return -EBADF;
	describe(file_inode(file), stat);
	file_put(file);
	return 0;
}

static long stat_path(int directory_fd, unsigned long user_path, unsigned int flags,
		      unsigned long user_stat)
{
	struct kernel_stat stat;
	int error = stat_of_path(directory_fd, user_path, flags, &stat);

	return error ? error : copy_to_user((void *)user_stat, &stat, sizeof(stat));
}

long sys_stat(const unsigned long arg[6])
{
	return stat_path(AT_FDCWD, arg[0], 0, arg[1]);
}

long sys_lstat(const unsigned long arg[6])
{
	return stat_path(AT_FDCWD, arg[0], AT_SYMLINK_NOFOLLOW, arg[1]);
}

long sys_fstat(const unsigned long arg[6])
{
	struct kernel_stat stat;
	int error = stat_of_descriptor((int)arg[0], &stat);

	return error ? error : copy_to_user((void *)arg[1], &stat, sizeof(stat));
}

long sys_newfstatat(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[3];

	if (flags & ~(unsigned int)(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH))
		return -EINVAL;
	return stat_path((int)arg[0], arg[1], flags, arg[2]);
}

static long read_link(int directory_fd, unsigned long user_path, unsigned long user_buffer,
		      int size)
{
	struct dentry *dentry;
	char first;

	if (size <= 0)
		return -EINVAL;
	if (copy_from_user(&first, (const void *)user_path, 1))
		return -EFAULT;
	int error = path_arguments_look_up_at(directory_fd, user_path,
					      AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, &dentry);

	if (error)
		return error;
	/* An empty path is valid only for a descriptor of a link. */
	long result = first ? -EINVAL : -ENOENT;

	if (!dentry)
		return result;
	char *text = NULL;

	if (dentry->inode->ops->read_link) {
		text = kzalloc(PATH_SIZE);
		result = text ? dentry->inode->ops->read_link(dentry->inode, text, PATH_SIZE) :
				-ENOMEM;
	}
	if (result > size)
		result = size;
	if (result > 0 && copy_to_user((void *)user_buffer, text, (size_t)result))
		result = -EFAULT;
	kfree(text);
	dentry_put(dentry);
	return result;
}

long sys_readlink(const unsigned long arg[6])
{
	return read_link(AT_FDCWD, arg[0], arg[1], (int)arg[2]);
}

long sys_readlinkat(const unsigned long arg[6])
{
	return read_link((int)arg[0], arg[1], arg[2], (int)arg[3]);
}

static long check_access(int directory_fd, unsigned long user_path, unsigned int mode,
			 unsigned int flags)
{
	struct dentry *dentry;

	if (mode & ~(unsigned int)(R_OK | W_OK | X_OK))
		return -EINVAL;
	if (flags & ~(unsigned int)(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	const struct credentials *access = NULL;

	if (!(flags & AT_EACCESS)) {
		access = credentials_begin_access();
		if (!access)
			return -ENOMEM;
	}
	int error = path_arguments_look_up_at(directory_fd, user_path, flags, &dentry);

	if (!error && dentry) {
		error = inode_permission(dentry->inode, mode);
		dentry_put(dentry);
	}
	if (access)
		credentials_end_access(access);
	return error;
}

long sys_access(const unsigned long arg[6])
{
	return check_access(AT_FDCWD, arg[0], (unsigned int)arg[1], 0);
}

long sys_faccessat(const unsigned long arg[6])
{
	return check_access((int)arg[0], arg[1], (unsigned int)arg[2], 0);
}

long sys_faccessat2(const unsigned long arg[6])
{
	return check_access((int)arg[0], arg[1], (unsigned int)arg[2], (unsigned int)arg[3]);
}

/* --- where paths begin --- */

long sys_chdir(const unsigned long arg[6])
{
	struct dentry *dentry;
	int error = path_arguments_look_up(AT_FDCWD, arg[0], LOOKUP_FOLLOW, &dentry);

	return error ? error : path_view_set_directory(dentry);
}

long sys_fchdir(const unsigned long arg[6])
{
	struct file *file = fd_get_file((int)arg[0]);
	long result = -ENOTDIR;

	if (!file)
		return -EBADF;
	if (file->dentry) {
		dentry_get(file->dentry);
		result = path_view_set_directory(file->dentry);
	}
	file_put(file);
	return result;
}

long sys_chroot(const unsigned long arg[6])
{
	struct dentry *dentry;
	int error = path_arguments_look_up(AT_FDCWD, arg[0], LOOKUP_FOLLOW, &dentry);

	if (error)
		return error;
	error = inode_type(dentry->inode) == S_IFDIR ? inode_permission(dentry->inode, X_OK) :
						       -ENOTDIR;
	if (!error && !capable(CAP_SYS_CHROOT))
		error = -EPERM;
	if (!error)
		return path_view_set_root(dentry);
	dentry_put(dentry);
	return error;
}

long sys_getcwd(const unsigned long arg[6])
{
	static const char outside[] = "(unreachable)";
	struct dentry *directory = process_get_directory();
	char *buffer = kzalloc(PATH_SIZE + sizeof(outside));
	long result = -ENOMEM;

	if (!buffer)
		goto out;
	if (directory->inode->links == 0) {
		result = -ENOENT;
		goto out;
	}
	char *path =
		dentry_path(directory, process_root(), buffer + sizeof(outside) - 1, PATH_SIZE);

	if (!path) {
		result = -ERANGE;
		goto out;
	}
	mutex_lock(&tree_mutex);
	bool inside = dentry_is_below(directory, process_root());

	mutex_unlock(&tree_mutex);
	if (!inside) {
		path -= sizeof(outside) - 1;
		memcpy(path, outside, sizeof(outside) - 1);
	}
	size_t size = strlen(path) + 1;

	if (size > arg[1])
		result = -ERANGE;
	else
		result = copy_to_user((void *)arg[0], path, size) ? -EFAULT : (long)size;
out:
	kfree(buffer);
	dentry_put(directory);
	return result;
}

long sys_umask(const unsigned long arg[6])
{
	return (long)atomic_exchange(&task_current()->paths->umask, (uint32_t)arg[0] & 0777);
}
