/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inodes that no directory lists: pipes and sockets. Each has a dentry of its own, without a parent, whose
 * name shows its kind, as "pipe:[7]".
 */
#ifndef KERNEL_ANONYMOUS_H
#define KERNEL_ANONYMOUS_H

#include <stdint.h>

/* Their magic numbers for statfs: Linux's. */
#define PIPEFS_MAGIC 0x50495045
#define SOCKFS_MAGIC 0x534f434b

struct dentry;

/* Creates a dentry with one reference for a new inode of KIND, "pipe" or "socket", and MODE; NULL: no
 * memory. Task context. */
struct dentry *anonymous_create(const char *kind, uint32_t mode);

/* At start. */
void anonymous_init(void);

#endif
