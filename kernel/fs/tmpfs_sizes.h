/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations of struct inode_ops on the size and the holes of a tmpfs's file: see tmpfs_sizes.c. */
#ifndef FS_TMPFS_SIZES_H
#define FS_TMPFS_SIZES_H

#include <stdbool.h>
#include <stdint.h>

struct inode;

int tmpfs_resize(struct inode *inode, uint64_t size);
/* Charges all missing pages at once: all have room, or nothing changes. */
int tmpfs_allocate(struct inode *inode, uint64_t offset, uint64_t size);
int tmpfs_punch(struct inode *inode, uint64_t offset, uint64_t size);
int64_t tmpfs_find_data(struct inode *inode, uint64_t offset, bool hole);

#endif
