/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers of the inodes of pseudo files. Private to kernel/fs/pseudo.c.
 *
 * A number is that of the entry among all places where the image's read-only data can have one, and the target's. Two
 * entries are an entry's size apart at least. So each pair has a number of its own, and the numbers stay small: Alpha's
 * older stat has 32 bits for them, which suffice for targets up to two million.
 */
#ifndef FS_PSEUDO_INODE_H
#define FS_PSEUDO_INODE_H

#include <stddef.h>
#include <stdint.h>

/* Returns the number, at least 1, of the inode of the ENTRY at an address from START to below END, where entries of
 * ENTRY_SIZE bytes are. TARGET: 0, or the id of the target plus 1. Any context. */
static inline uint64_t pseudo_inode_number(uintptr_t entry, uintptr_t start, uintptr_t end,
					   size_t entry_size, uint64_t target)
{
	uint64_t places = (end - start + entry_size - 1) / entry_size;

	return target * places + (entry - start) / entry_size + 1;
}

#endif
