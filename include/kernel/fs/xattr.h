/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Extended attributes: named values beside an inode's contents, in file systems that keep them
 * (superblock.keeps_xattrs).
 *
 * Lock: inode->write_mutex, taken here. Both sides have values in kernel memory.
 */
#ifndef KERNEL_XATTR_H
#define KERNEL_XATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>
#include <sys/types.h>

struct inode;
struct xattr;

/* Longest name without its terminator, largest value and largest list of names in bytes: Linux's
 * XATTR_NAME_MAX, XATTR_SIZE_MAX, XATTR_LIST_MAX. */
#define XATTR_NAME_MAX 255
#define XATTR_SIZE_MAX 65536
#define XATTR_LIST_MAX 65536

SLIST_HEAD(xattr_list, xattr);

/* Condition of xattr_set: always, only if the name is new, only if it exists. Linux's XATTR_*. */
enum xattr_condition { XATTR_ANY = 0, XATTR_CREATE = 1, XATTR_REPLACE = 2 };

/* Copies the value of NAME to BUFFER of SIZE bytes; SIZE 0: only returns its length. Its length, or
 * -ENODATA, -ERANGE (too little room), -EOPNOTSUPP (no such kind of name here). Task context. */
ssize_t xattr_get(struct inode *inode, const char *name, void *buffer, size_t size);

/* Sets the value of NAME. 0, -EEXIST, -ENODATA, -EOPNOTSUPP, -EPERM (this type of file has no user
 * attributes), -ENOMEM. Task context. */
int xattr_set(struct inode *inode, const char *name, const void *value, size_t size,
	      enum xattr_condition condition);

/* Removes NAME. 0, -ENODATA, and as above. Task context. */
int xattr_remove(struct inode *inode, const char *name);

/* Copies the names, each with its terminator, in order, into BUFFER of SIZE bytes; SIZE 0: only returns
 * the length of all. That length, or -ERANGE. Task context. */
ssize_t xattr_names(struct inode *inode, char *buffer, size_t size);

/* Frees all attributes of INODE. Task context, INODE has no other user. */
void xattr_free_all(struct inode *inode);

#endif
