/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pages of a tmpfs's file: charged to the file system, found by number, and created with the file's initial contents,
 * which are bytes of the initramfs, used in place, or what a source reads (struct tmpfs_source).
 */
#include "tmpfs_pages.h"

#include <string.h>

#include <kernel/fs/dentry.h>
#include <kernel/fs/tmpfs.h>
#include <kernel/mm/page.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>

int tmpfs_charge_pages(struct superblock *superblock, uint64_t count)
{
	uint64_t limit = superblock->pages_max;
	uint64_t before = atomic_fetch_add(&superblock->pages, count);
	int error = limit && before + count > limit		? -ENOSPC :
		    !oom_has_pages(oom_reserve_pages() + count) ? -ENOMEM :
								  0;

	if (error)
		atomic_fetch_sub(&superblock->pages, count);
	return error;
}

void tmpfs_uncharge_pages(struct inode *inode, uint64_t count)
{
	atomic_fetch_sub(&inode->superblock->pages, count);
}

void tmpfs_remove_pages(struct tmpfs_inode *file, uint64_t first, uint64_t end)
{
	uint64_t removed = page_tree_remove(&file->tree, first, end);

	file->inode.pages -= removed;
	tmpfs_uncharge_pages(&file->inode, removed);
}

/* Copies SIZE bytes at OFFSET of the initial contents to BUFFER: 0 or an error of the source. */
static int read_initial(const struct tmpfs_inode *file, uint64_t offset, void *buffer, size_t size)
{
	if (file->source)
		return file->source->read(file->source, offset, buffer, size);
	memcpy(buffer, file->image + offset, size);
	return 0;
}

int tmpfs_make_page(struct tmpfs_inode *file, uint64_t number, void **result)
{
	uint64_t at = number << PAGE_SHIFT;
	void *page = page_alloc(0);
	int error = 0;

	if (!page)
		return -ENOMEM;
	if (at < file->image_size) {
		uint64_t left = file->image_size - at;

		error = read_initial(file, at, page, left < PAGE_SIZE ? left : PAGE_SIZE);
	}
	page_set_kind(page, PAGE_FILE);
	if (!error)
		error = page_tree_insert(&file->tree, number, page);
	if (error) {
		page_put(page);
		return error;
	}
	file->inode.pages++;
	*result = page;
	return 0;
}

int tmpfs_get_page(struct tmpfs_inode *file, uint64_t number, void **result)
{
	void *page = page_tree_find(&file->tree, number);

	if (!page) {
		int error = tmpfs_charge_pages(file->inode.superblock, 1);

		if (error == -ENOSPC && file->image && number << PAGE_SHIFT < file->image_size) {
			atomic_fetch_add(&file->inode.superblock->pages, 1);
			error = 0;
		}
		if (error)
			return error;
		error = tmpfs_make_page(file, number, &page);
		if (error) {
			tmpfs_uncharge_pages(&file->inode, 1);
			return error;
		}
	}
	page_get(page);
	*result = page;
	return 0;
}
