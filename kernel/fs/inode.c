/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inodes as objects: their life and attributes. Permissions are in permission.c, the operations of each kind
 * in its file system (tmpfs.c, pseudo.c), names in dentry.c.
 */
#include <kernel/fs/inode.h>

#include <kernel/base/assert.h>
#include <kernel/fs/dentry.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/task/process.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

static struct kernel_timespec now(void)
{
	return timespec_from_ns(clock_epoch_ns() + clock_ns());
}

void inode_init(struct inode *inode, struct superblock *superblock, const struct inode_ops *ops,
		uint32_t mode)
{
	inode->references = 1;
	superblock_get(superblock);
	inode->superblock = superblock;
	inode->ops = ops;
	inode->mode = mode;
	inode->number = atomic_fetch_add(&superblock->last_number, 1) + 1;
	inode->accessed = inode->modified = inode->changed = now();
	mutex_init(&inode->write_mutex);
	mutex_init(&inode->mutex);
}

void inode_get(struct inode *inode)
{
	unsigned int before = atomic_fetch_add(&inode->references, 1);

	ASSERT(before != 0);
}

/* Adds STEP (1: a writer, -1: a program that runs the file) to the writers. -ETXTBSY if there are any of
 * the other sign. */
static int add_writers(struct inode *inode, int step)
{
	int writers = inode->writers;

	do {
		if (writers * step < 0)
			return -ETXTBSY;
	} while (!atomic_compare_exchange_weak(&inode->writers, &writers, writers + step));
	return 0;
}

int inode_begin_write(struct inode *inode)
{
	return add_writers(inode, 1);
}

void inode_end_write(struct inode *inode)
{
	atomic_fetch_sub(&inode->writers, 1);
}

int inode_begin_program(struct inode *inode)
{
	return add_writers(inode, -1);
}

void inode_end_program(struct inode *inode)
{
	atomic_fetch_add(&inode->writers, 1);
}

void inode_put(struct inode *inode)
{
	unsigned int before = atomic_fetch_sub(&inode->references, 1);

	ASSERT(before != 0);
	if (before != 1)
		return;
	struct superblock *superblock = inode->superblock;

	if (inode->ops->free)
		inode->ops->free(inode);
	else
		kfree(inode);
	superblock_put(superblock);
}

void inode_stat(const struct inode *inode, struct kernel_stat *stat)
{
	*stat = (struct kernel_stat){
		.st_dev = inode->superblock->device,
		.st_ino = inode->number,
		.st_nlink = inode->links,
		.st_mode = inode->mode,
		.st_uid = inode->uid,
		.st_gid = inode->gid,
		.st_rdev = inode->device,
		.st_size = (int64_t)inode->size,
		.st_blksize = (int64_t)PAGE_SIZE,
		.st_blocks = (int64_t)(inode->pages * (PAGE_SIZE / 512) + inode->source_blocks),
		.st_atime_s = (uint64_t)inode->accessed.tv_sec,
		.st_atime_ns = (uint64_t)inode->accessed.tv_nsec,
		.st_mtime_s = (uint64_t)inode->modified.tv_sec,
		.st_mtime_ns = (uint64_t)inode->modified.tv_nsec,
		.st_ctime_s = (uint64_t)inode->changed.tv_sec,
		.st_ctime_ns = (uint64_t)inode->changed.tv_nsec,
	};
}

void inode_touch_attributes(struct inode *inode)
{
	inode->changed = now();
}

void inode_touch_contents(struct inode *inode)
{
	inode->modified = inode->changed = now();
}

/* Checks that the running process may extend INODE to SIZE bytes, if SIZE is larger than INODE is: 0 or an
 * error. */
static int check_growth(const struct inode *inode, uint64_t size)
{
	uint64_t last = 1;

	return size > inode->size ? process_check_file_size(size - 1, &last) : 0;
}

int inode_allocate(struct inode *inode, unsigned int mode, uint64_t offset, uint64_t size)
{
	int error = 0;

	/* A file system with `sync` keeps its contents elsewhere, and no request of such a file system (9P) allocates room. */
	if (!inode->ops->allocate || inode->superblock->sync)
		return -EOPNOTSUPP;
	mutex_lock(&inode->write_mutex);
	inode_written(inode);
	/* As on Linux, space beyond the end with FALLOC_FL_KEEP_SIZE is subject to the limit, too. */
	if (!(mode & FALLOC_FL_PUNCH_HOLE))
		error = check_growth(inode, offset + size);
	if (error) {
		mutex_unlock(&inode->write_mutex);
		return error;
	}
	if (mode & FALLOC_FL_PUNCH_HOLE) {
		error = inode->ops->punch(inode, offset, size);
	} else {
		error = inode->ops->allocate(inode, offset, size);
		if (!error && !(mode & FALLOC_FL_KEEP_SIZE) && offset + size > inode->size)
			error = inode->ops->resize(inode, offset + size);
	}
	mutex_unlock(&inode->write_mutex);
	if (!error)
		inode_touch_contents(inode);
	return error;
}

int inode_resize(struct inode *inode, uint64_t size)
{
	int error = -EINVAL;

	if (inode_type(inode) == S_IFDIR)
		return -EISDIR;
	if (!inode->ops->resize)
		return error;
	mutex_lock(&inode->write_mutex);
	error = check_growth(inode, size);
	if (!error) {
		inode_written(inode);
		error = inode->ops->resize(inode, size);
	}
	mutex_unlock(&inode->write_mutex);
	if (!error)
		inode_touch_contents(inode);
	return error;
}
