/* SPDX-License-Identifier: BSD-2-Clause */
/* Instances of inotify and their watches, for the calls; the hooks are in <kernel/inotify.h>. Task context, no lock held. */
#ifndef FS_INOTIFY_H
#define FS_INOTIFY_H

#include <kernel/inotify.h>

struct inotify;

/* A new instance's file with FLAGS (O_NONBLOCK), charged to the running task's user. 0, -EMFILE: that user has too many;
 * -ENOMEM. */
int inotify_create(unsigned int flags, struct file **result);
/* The instance that FILE is, or NULL. */
struct inotify *inotify_of(const struct file *file);
/* INSTANCE watches INODE for MASK, as inotify_add_watch(2) has it, checked: the watch's number, -EEXIST (IN_MASK_CREATE),
 * -ENOSPC: the user has too many; -ENOMEM. */
int inotify_watch(struct inotify *instance, struct inode *inode, uint32_t mask);
/* Ends watch WD: 0, -EINVAL: there is none. */
int inotify_unwatch(struct inotify *instance, int wd);

#endif
