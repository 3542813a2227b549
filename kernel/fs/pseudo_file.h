/* SPDX-License-Identifier: BSD-2-Clause */
/* An open file of a pseudo file system: see pseudo_file.c. struct pseudo_inode is also pseudo.c's, which makes it. */
#ifndef FS_PSEUDO_FILE_H
#define FS_PSEUDO_FILE_H

#include <stdbool.h>

#include <kernel/fs/inode.h>
#include <kernel/fs/pseudo.h>

struct file;

struct pseudo_inode {
	struct inode inode;
	const struct pseudo_entry *entry;
	void *target; /* referenced by `about`; NULL: none */
	const struct pseudo_dynamic *about;
};

static inline struct pseudo_inode *pseudo_inode(struct inode *inode)
{
	return __containerof(inode, struct pseudo_inode, inode);
}

/* Returns whether what INODE is about is gone. Task context. */
static inline bool pseudo_is_gone(const struct pseudo_inode *inode)
{
	return inode->target && inode->about->gone && inode->about->gone(inode->target);
}

/* Opens a regular file; see struct inode_ops. Task context. */
int pseudo_open(struct inode *inode, struct file *file);

#endif
