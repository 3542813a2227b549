/* SPDX-License-Identifier: BSD-2-Clause */
/* Instances of inotify and their watches, for the calls; the hooks are in <kernel/fs/inotify.h>. All
 * functions: task context, no lock held. */
#ifndef FS_INOTIFY_H
#define FS_INOTIFY_H

#include <kernel/fs/inotify.h>

struct inotify;

/* Creates the file of a new instance with FLAGS (O_NONBLOCK), charged to the running task's user. 0,
 * -EMFILE: that user has too many instances; -ENOMEM. */
int inotify_create(unsigned int flags, struct file **result);
/* Returns the instance of FILE, or NULL. */
struct inotify *inotify_of(const struct file *file);
/* Makes INSTANCE watch INODE for MASK, which the caller has checked, as inotify_add_watch(2) does. Returns
 * the watch's number, -EEXIST (IN_MASK_CREATE), -ENOSPC: the user has too many watches; -ENOMEM. */
int inotify_watch(struct inotify *instance, struct inode *inode, uint32_t mask);
/* Ends watch WD: 0, -EINVAL: no such watch. */
int inotify_unwatch(struct inotify *instance, int wd);

#endif
