/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel memory that a tmpfs's inodes cost, and its limit: a constant for each inode and for each further
 * name of one, and the size of extended attributes. Linux: mm/shmem.c, free_ispace.
 *
 * Not here: the pages of contents (tmpfs.c).
 */
#include <kernel/fs/dentry.h>
#include <kernel/fs/tmpfs.h>
#include <kernel/mm/page.h>
#include <uapi/linux/errno.h>

int tmpfs_charge_space(struct superblock *superblock, uint64_t size)
{
	uint64_t before = atomic_fetch_add(&superblock->space, size), limit = superblock->space_max;

	if (!limit || before + size <= limit)
		return 0;
	atomic_fetch_sub(&superblock->space, size);
	return -ENOSPC;
}

void tmpfs_uncharge_space(struct superblock *superblock, uint64_t size)
{
	atomic_fetch_sub(&superblock->space, size);
}

void tmpfs_limit_inodes(struct superblock *superblock)
{
	superblock->space_max = page_total_count() / 2 * TMPFS_INODE_SPACE;
}

int tmpfs_change_inodes(struct superblock *superblock, uint64_t count)
{
	uint64_t limit;

	if (__builtin_mul_overflow(count, TMPFS_INODE_SPACE, &limit) ||
	    (limit && (!superblock->space_max || superblock->space > limit)))
		return -EINVAL;
	superblock->space_max = limit;
	return 0;
}
