/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inodes that no directory has: pipes and sockets. Each has a dentry of its own, without a parent,
 * whose name says what it is, as "pipe:[7]".
 */
#ifndef KERNEL_ANONYMOUS_H
#define KERNEL_ANONYMOUS_H

#include <stdint.h>

struct dentry;
struct inode_ops;
struct superblock;

/* A kind of such inodes, with a file system for their numbers, mounted nowhere. */
struct anonymous_kind {
	const char *name;	       /* "pipe" */
	const char *type;	       /* of the file system: "pipefs" */
	uint32_t magic;		       /* what statfs says of it: Linux's number */
	const struct inode_ops *ops;   /* of each inode */
	struct superblock *superblock; /* constant after anonymous_add */
};

/* Makes KIND's file system. At start: boot_failure() without memory. */
void anonymous_add(struct anonymous_kind *kind);

/* Returns a dentry with one reference for a new inode of KIND with MODE; NULL: no memory. Task context. */
struct dentry *anonymous_create(const struct anonymous_kind *kind, uint32_t mode);

#endif
