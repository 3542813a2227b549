/* SPDX-License-Identifier: BSD-2-Clause */
/* A directory's descriptor and a path, see path_arguments.h. */
#include "path_arguments.h"

#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/path_view.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

int path_start_find(int directory_fd, const char *path, struct dentry **start)
{
	if (path[0] == '/' || directory_fd == AT_FDCWD) {
		*start = process_get_directory();
		return 0;
	}
	struct file *file = fd_get_file(directory_fd);
	int error = 0;

	if (!file)
		return -EBADF;
	if (file->dentry && inode_type(file->dentry->inode) == S_IFDIR) {
		*start = file->dentry;
		dentry_get(*start);
	} else {
		error = -ENOTDIR;
	}
	file_put(file);
	return error;
}

int path_arguments_get(int directory_fd, unsigned long user_path, struct dentry **start,
		       char **path)
{
	char *copy = kzalloc(PATH_SIZE);

	if (!copy)
		return -ENOMEM;
	long length = copy_string_from_user(copy, (const char *)user_path, PATH_SIZE);
	int error = length < 0 ? (int)length : length == 0 ? -ENOENT : 0;

	if (!error)
		error = path_start_find(directory_fd, copy, start);
	if (error)
		kfree(copy);
	else
		*path = copy;
	return error;
}

void path_arguments_put(struct dentry *start, char *path)
{
	dentry_put(start);
	kfree(path);
}

int path_arguments_look_up(int directory_fd, unsigned long user_path, unsigned int flags,
			   struct dentry **result)
{
	struct dentry *start;
	char *path;
	int error = path_arguments_get(directory_fd, user_path, &start, &path);

	if (error)
		return error;
	error = path_lookup(start, path, flags, result);
	path_arguments_put(start, path);
	return error;
}

int path_arguments_look_up_at(int directory_fd, unsigned long user_path, unsigned int flags,
			      struct dentry **result)
{
	char first = '\0';

	if (!(flags & AT_EMPTY_PATH))
		return path_arguments_look_up(directory_fd, user_path,
					      flags & AT_SYMLINK_NOFOLLOW ? 0 : LOOKUP_FOLLOW,
					      result);
	/* A null pointer is an empty path, since Linux 6.11. */
	if (user_path && copy_from_user(&first, (const void *)user_path, 1))
		return -EFAULT;
	if (first)
		return path_arguments_look_up(directory_fd, user_path,
					      flags & AT_SYMLINK_NOFOLLOW ? 0 : LOOKUP_FOLLOW,
					      result);
	if (directory_fd == AT_FDCWD) {
		*result = process_get_directory();
		return 0;
	}
	struct file *file = fd_get_file(directory_fd);

	if (!file)
		return -EBADF;
	*result = file->dentry;
	if (*result)
		dentry_get(*result);
	file_put(file);
	return 0;
}
