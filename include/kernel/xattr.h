/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Extended attributes: named values beside an inode's contents, in file systems that keep them
 * (superblock.keeps_xattrs).
 *
 * Lock: inode->write_mutex, taken here. Values are in kernel memory on both sides.
 */
#ifndef KERNEL_XATTR_H
#define KERNEL_XATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>
#include <sys/types.h>

struct inode;
struct xattr;

/* Longest name without its end, largest value and largest list of names in bytes: Linux's
 * XATTR_NAME_MAX, XATTR_SIZE_MAX, XATTR_LIST_MAX. */
#define XATTR_NAME_MAX 255
#define XATTR_SIZE_MAX 65536
#define XATTR_LIST_MAX 65536

SLIST_HEAD(xattr_list, xattr);

/* What xattr_set is to find: anything, nothing, something of that name. Linux's XATTR_*. */
enum xattr_condition { XATTR_ANY = 0, XATTR_CREATE = 1, XATTR_REPLACE = 2 };

/* Copies the value NAME to BUFFER of SIZE bytes; SIZE 0: only asks. Its length, or -ENODATA,
 * -ERANGE (too little room), -EOPNOTSUPP (no such kind of name here). Task context. */
ssize_t xattr_get(struct inode *inode, const char *name, void *buffer, size_t size);

/* Sets it. 0, -EEXIST, -ENODATA, -EOPNOTSUPP, -EPERM (this type of file has no user's attributes),
 * -ENOMEM. Task context. */
int xattr_set(struct inode *inode, const char *name, const void *value, size_t size,
	      enum xattr_condition condition);

/* Takes it away. 0, -ENODATA, and as above. Task context. */
int xattr_remove(struct inode *inode, const char *name);

/* The names, each with its end, in order, into BUFFER of SIZE bytes; SIZE 0: only asks. The length
 * of all, or -ERANGE. Task context. */
ssize_t xattr_names(struct inode *inode, char *buffer, size_t size);

/* Frees all of INODE. Task context, nobody else sees it. */
void xattr_free_all(struct inode *inode);

#endif
