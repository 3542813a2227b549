/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inotify: reports to programs what happens to files and directories.
 *
 * Code that changes or uses a file calls one of these hooks afterwards. Without watches a hook is one test.
 * EVENT is one of IN_ACCESS … IN_MOVE_SELF of <uapi/linux/inotify.h>; the hooks add IN_ISDIR for a directory.
 *
 * Every function: task context; tree_mutex may be held, and any mutex.
 */
#ifndef KERNEL_INOTIFY_H
#define KERNEL_INOTIFY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/fs/file.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/inotify.h>

struct dentry;
struct inode;
struct superblock;

/* True if there are watches. Written under inotify.c's lock, read without it: a new watch gets the events
 * of operations that begin after it. A plain byte, so that the test is one instruction. */
extern bool inotify_has_watches;

/* The limits in /proc/sys/fs/inotify: of each user, and of the events in one instance's queue. */
extern _Atomic int inotify_instances_max, inotify_watches_max, inotify_events_max;

static inline bool inotify_is_used(void)
{
	return __builtin_expect(inotify_has_watches, 0);
}

/* The hooks' slow paths, for when there are watches. */
void inotify_report_dentry(struct dentry *dentry, uint32_t event);
void inotify_report_inode(struct inode *inode, uint32_t event);
void inotify_report_entry(struct inode *directory, const char *name, size_t name_size,
			  uint32_t event, const struct inode *inode, uint32_t cookie);
void inotify_report_end(struct inode *inode);
void inotify_report_unmount(struct superblock *superblock);

/* Reports EVENT on the file of DENTRY to the watches on it or its directory. */
static inline void inotify_dentry(struct dentry *dentry, uint32_t event)
{
	if (inotify_is_used())
		inotify_report_dentry(dentry, event);
}

/* The same through FILE; a file opened with O_PATH has no events. */
static inline void inotify_file(const struct file *file, uint32_t event)
{
	if (inotify_is_used() && file->dentry && !(file->flags & O_PATH))
		inotify_report_dentry(file->dentry, event);
}

/* Reports EVENT on INODE, under any name, to the watches on it. */
static inline void inotify_inode(struct inode *inode, uint32_t event)
{
	if (inotify_is_used())
		inotify_report_inode(inode, event);
}

/* Reports EVENT on the entry NAME, which is for INODE, of DIRECTORY. */
static inline void inotify_entry(struct inode *directory, const char *name, size_t name_size,
				 uint32_t event, const struct inode *inode)
{
	if (inotify_is_used())
		inotify_report_entry(directory, name, name_size, event, inode, 0);
}

/* Reports the end of INODE: it has lost its last name and its last user. */
static inline void inotify_end(struct inode *inode)
{
	if (inotify_is_used())
		inotify_report_end(inode);
}

/* Reports that SUPERBLOCK is no longer mounted. */
static inline void inotify_unmount(struct superblock *superblock)
{
	if (inotify_is_used())
		inotify_report_unmount(superblock);
}

/* Returns a number for the two events of one renaming. */
uint32_t inotify_next_cookie(void);

/* Sets the limit that depends on the size of memory. At start. */
void inotify_init(void);

#endif
