/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of a task's paths, which tasks may share: see kernel/fs/path_view.c. */
#ifndef KERNEL_PATH_VIEW_H
#define KERNEL_PATH_VIEW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct dentry;

/* Permissions that new files do not get, until a program changes the umask. */
#define UMASK_DEFAULT 022

struct path_view {
	_Atomic unsigned int references;
	_Atomic uint32_t umask;
	bool executing; /* T: a task with it, in the only process that has it, is in execve */
	struct dentry *directory, *root; /* tree_mutex: referenced; NULL: the root of everything */
};

/* Creates a view like OLD (NULL: that of the root), with one reference; or returns NULL. Task context. */
struct path_view *path_view_copy(const struct path_view *old);
/* Takes a reference to VIEW for a new task; NULL: a task with VIEW is in execve, so VIEW cannot be shared
 * now. Task context. */
struct path_view *path_view_share(struct path_view *view);
/* Drops a reference. Task context. */
void path_view_put(struct path_view *view);

/* Makes VIEW (NULL: none, the task exits), whose reference moves in, the running task's. Task context. */
void path_view_switch(struct path_view *view);
/* Gives the running task a view of its own. 0 or -ENOMEM. Task context. */
int path_view_unshare(void);

/* Make DENTRY, whose reference moves in, the current directory, or '/'. 0, -ENOTDIR or -EACCES. Task
 * context. */
int path_view_set_directory(struct dentry *dentry);
int path_view_set_root(struct dentry *dentry);

/* Returns in *START the directory where PATH begins: that of DIRECTORY_FD, or the current one; with a
 * reference. 0, -EBADF or -ENOTDIR. Task context. */
int path_start_find(int directory_fd, const char *path, struct dentry **start);

#endif
