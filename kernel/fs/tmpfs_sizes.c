/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The size of a tmpfs's file, and its holes: truncation, fallocate, and where data are.
 *
 * Locks: see <kernel/fs/inode.h>.
 */
#include "tmpfs_sizes.h"

#include <string.h>

#include <kernel/mm/page.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <kernel/task/signal.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "tmpfs_pages.h"
#include "tmpfs_through.h"

_Static_assert(PAGE_TREE_LIMIT *PAGE_SIZE >= FILE_SIZE_MAX, "a file fits its tree");

int tmpfs_resize(struct inode *inode, uint64_t size)
{
	struct tmpfs_inode *file = tmpfs_inode(inode);
	uint64_t first = (size + PAGE_SIZE - 1) >> PAGE_SHIFT;

	if (size > FILE_SIZE_MAX)
		return -EFBIG;
	if ((size < inode->size && tmpfs_is_sealed(inode, F_SEAL_SHRINK)) ||
	    (size > inode->size && tmpfs_is_sealed(inode, F_SEAL_GROW)))
		return -EPERM;
	const struct tmpfs_through *through = tmpfs_through(file);
	int error = through ? through->resize(file->source, size) : 0;

	if (error)
		return error;
	mutex_lock(&inode->mutex);
	/* Pages beyond the end, from fallocate, are removed even when the size stays. */
	bool shrinks = size <= inode->size;

	inode->size = size;
	if (through)
		file->image_size = size;
	if (through && inode->source_blocks > first * (PAGE_SIZE / 512))
		inode->source_blocks = first * (PAGE_SIZE / 512);
	if (shrinks) {
		/* The rest of the last page must read as zeros when the file grows again. */
		if (file->image_size > size)
			file->image_size = size;
		if (!size)
			inode->source_blocks = 0;
		void *last = page_tree_find(&file->tree, size >> PAGE_SHIFT);

		if (last && (size & ~PAGE_MASK))
			memset((char *)last + (size & ~PAGE_MASK), 0,
			       PAGE_SIZE - (size & ~PAGE_MASK));
		tmpfs_remove_pages(file, first, PAGE_TREE_LIMIT);
		page_tree_remove(&file->dirty, first, PAGE_TREE_LIMIT);
	}
	mutex_unlock(&inode->mutex);
	if (shrinks)
		vm_unmap_file_range(&file->mapping, first << PAGE_SHIFT, UINT64_MAX, true);
	return 0;
}

/* Returns how many of the pages FIRST … END - 1 the file lacks. inode.mutex held. */
static uint64_t missing_pages(const struct tmpfs_inode *file, uint64_t first, uint64_t end)
{
	uint64_t missing = end - first, number = first;

	while (number < end && page_tree_next(&file->tree, number, &number) && number++ < end)
		missing--;
	return missing;
}

int tmpfs_allocate(struct inode *inode, uint64_t offset, uint64_t size)
{
	struct tmpfs_inode *file = tmpfs_inode(inode);
	uint64_t first = offset >> PAGE_SHIFT, end = (offset + size + PAGE_SIZE - 1) >> PAGE_SHIFT;

	if (offset + size > inode->size && tmpfs_is_sealed(inode, F_SEAL_GROW))
		return -EPERM;
	mutex_lock(&inode->mutex);
	uint64_t charged = missing_pages(file, first, end);
	int error = tmpfs_charge_pages(inode->superblock, charged);

	mutex_unlock(&inode->mutex);
	if (error)
		return error;
	for (uint64_t number = first; number < end && !error; number++) {
		mutex_lock(&inode->mutex);
		/* A page fault may have created it since. */
		if (!page_tree_find(&file->tree, number)) {
			void *page;

			error = charged ? tmpfs_make_page(file, number, &page) : -ENOMEM;
			if (!error)
				charged--;
		}
		mutex_unlock(&inode->mutex);
		if (signal_is_fatal_pending(task_current()))
			error = -EINTR;
		sched_relax();
	}
	tmpfs_uncharge_pages(inode, charged);
	return error;
}

/* Clears SIZE bytes at OFFSET, within one page; where the image shows, creates a page. inode.mutex held. */
static int clear_part(struct tmpfs_inode *file, uint64_t offset, uint64_t size)
{
	void *page = page_tree_find(&file->tree, offset >> PAGE_SHIFT);

	if (page) {
		page_get(page);
	} else if (offset < file->image_size) {
		int error = tmpfs_get_page(file, offset >> PAGE_SHIFT, &page);

		if (error)
			return error;
	} else {
		return 0;
	}
	memset((char *)page + (offset & ~PAGE_MASK), 0, size);
	page_put(page);
	return 0;
}

int tmpfs_punch(struct inode *inode, uint64_t offset, uint64_t size)
{
	struct tmpfs_inode *file = tmpfs_inode(inode);
	uint64_t end = offset + size;
	uint64_t first = (offset + PAGE_SIZE - 1) >> PAGE_SHIFT, last = end >> PAGE_SHIFT;
	int error = 0;

	if (tmpfs_is_sealed(inode, F_SEAL_WRITE | F_SEAL_FUTURE_WRITE))
		return -EPERM;
	mutex_lock(&inode->mutex);
	if (first > last) {
		error = clear_part(file, offset, size);
	} else {
		if (offset & ~PAGE_MASK)
			error = clear_part(file, offset, (first << PAGE_SHIFT) - offset);
		if (!error && (end & ~PAGE_MASK))
			error = clear_part(file, last << PAGE_SHIFT, end & ~PAGE_MASK);
		/* Bytes that only the image has need a page before they can be zeros. */
		for (uint64_t number = first;
		     !error && number < last && number << PAGE_SHIFT < file->image_size; number++)
			error = clear_part(file, number << PAGE_SHIFT, PAGE_SIZE);
		uint64_t kept = (file->image_size + PAGE_SIZE - 1) >> PAGE_SHIFT;

		if (kept > first)
			first = kept < last ? kept : last;
		if (!error)
			tmpfs_remove_pages(file, first, last);
	}
	mutex_unlock(&inode->mutex);
	if (!error && first < last)
		vm_unmap_file_range(&file->mapping, first << PAGE_SHIFT, last << PAGE_SHIFT, false);
	return error;
}

int64_t tmpfs_find_data(struct inode *inode, uint64_t offset, bool hole)
{
	struct tmpfs_inode *file = tmpfs_inode(inode);
	uint64_t number = offset >> PAGE_SHIFT, found = offset;

	mutex_lock(&inode->mutex);
	uint64_t end = inode->size;

	if (hole) {
		if (found < file->image_size)
			found = (file->image_size + PAGE_SIZE - 1) & PAGE_MASK;
		while (found < end && page_tree_find(&file->tree, found >> PAGE_SHIFT))
			found = (found & PAGE_MASK) + PAGE_SIZE;
		if (found > end)
			found = end;
	} else if (offset >= file->image_size) {
		if (!page_tree_next(&file->tree, number, &number))
			found = end;
		else if (number << PAGE_SHIFT > offset)
			found = number << PAGE_SHIFT;
	}
	mutex_unlock(&inode->mutex);
	return offset >= end || (!hole && found >= end) ? -ENXIO : (int64_t)found;
}
