/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The common arguments of calls on paths: a directory's descriptor and a path. All functions: task context.
 */
#ifndef FS_PATH_ARGUMENTS_H
#define FS_PATH_ARGUMENTS_H

#include <stdbool.h>

struct dentry;

/* Copies the path at USER_PATH. *START becomes the start of a relative path: the dentry of DIRECTORY_FD or
 * the current directory. -EFAULT, -ENOENT (empty), -ENAMETOOLONG, -EBADF, -ENOTDIR, -ENOMEM. After 0, call
 * path_arguments_put. */
int path_arguments_get(int directory_fd, unsigned long user_path, struct dentry **start,
		       char **path);
void path_arguments_put(struct dentry *start, char *path);

/* Finds the dentry that the arguments name, with a reference; FLAGS: enum lookup_flags. */
int path_arguments_look_up(int directory_fd, unsigned long user_path, unsigned int flags,
			   struct dentry **result);

/* The same for a call that allows AT_EMPTY_PATH among its FLAGS AT_*: an empty path (or none) means the
 * descriptor itself, or the current directory. Respects AT_SYMLINK_NOFOLLOW. A descriptor without a
 * dentry: 0, *RESULT is NULL. */
int path_arguments_look_up_at(int directory_fd, unsigned long user_path, unsigned int flags,
			      struct dentry **result);

#endif
