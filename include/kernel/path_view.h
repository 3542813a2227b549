/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a task's paths begin, which tasks may share: see kernel/fs/path_view.c. */
#ifndef KERNEL_PATH_VIEW_H
#define KERNEL_PATH_VIEW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct dentry;

/* Permissions that new files do not get, until somebody says something else. */
#define UMASK_DEFAULT 022

struct path_view {
	_Atomic unsigned int references;
	_Atomic uint32_t umask;
	bool executing; /* T: a task that has it, and shares it with no other process, is in execve */
	struct dentry *directory, *root; /* tree_mutex: referenced; NULL: the root of everything */
};

/* A view like OLD (NULL: that of the root), with one reference; or NULL. Task context. */
struct path_view *path_view_copy(const struct path_view *old);
/* VIEW with one more reference, for a new task; NULL: a task that has it is in execve, so nobody else may get it now.
 * Task context. */
struct path_view *path_view_share(struct path_view *view);
/* Drops one. Task context. */
void path_view_put(struct path_view *view);

/* The running task goes on with VIEW (NULL: none, it ends), whose reference moves in. Task
 * context. */
void path_view_switch(struct path_view *view);
/* Makes the running task's view its own. 0 or -ENOMEM. Task context. */
int path_view_unshare(void);

/* DENTRY, whose reference moves in, becomes the current directory, or '/'. 0, -ENOTDIR or
 * -EACCES. Task context. */
int path_view_set_directory(struct dentry *dentry);
int path_view_set_root(struct dentry *dentry);

/* Where PATH begins for a call that has it together with DIRECTORY_FD: the directory that this
 * is, or the current one; with a reference. 0, -EBADF or -ENOTDIR. Task context. */
int path_start_find(int directory_fd, const char *path, struct dentry **start);

#endif
