/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes that go through to a file's source; see tmpfs_through.h. */
#include "tmpfs_through.h"

#include <string.h>

#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

/* Most bytes that a source gets at once. */
#define WRITE_MAX ((size_t)65536)

static bool writes(const struct file *file)
{
	return (file->flags & O_ACCMODE) != O_RDONLY;
}

int tmpfs_open_through(struct inode *inode, struct file *file)
{
	struct tmpfs_inode *opened = tmpfs_inode(inode);
	const struct tmpfs_through *through = tmpfs_through(opened);
	int error = through ? through->open(opened->source, writes(file)) : 0;

	/* The source may be detached meanwhile. */
	if (through && !error)
		file->private = opened->source;
	return error;
}

void tmpfs_close_through(struct file *file)
{
	struct tmpfs_source *source = file->private;

	/* A file whose pages could not be sent stays open, for another try. */
	if (source && !(writes(file) && tmpfs_inode(file_inode(file))->dirty.root))
		source->through->close(source, writes(file));
}

/* Copies the SIZE bytes that the source has got at POSITION into the pages that there are. inode.mutex held. */
static void update_pages(struct tmpfs_inode *file, uint64_t position, const char *from, size_t size)
{
	while (size) {
		size_t in_page = position & ~PAGE_MASK, part = PAGE_SIZE - in_page;
		char *page = page_tree_find(&file->tree, position >> PAGE_SHIFT);

		if (part > size)
			part = size;
		if (page)
			memcpy(page + in_page, from, part);
		position += part;
		from += part;
		size -= part;
	}
}

/* The file has END bytes, if it had less. inode.mutex held. */
static void grow(struct tmpfs_inode *file, uint64_t end)
{
	uint64_t blocks = (end + PAGE_SIZE - 1) / PAGE_SIZE * (PAGE_SIZE / 512);

	if (end > file->inode.size)
		file->inode.size = file->image_size = end;
	/* Its pages are the source's. */
	if (blocks > file->inode.source_blocks)
		file->inode.source_blocks = blocks;
}

ssize_t tmpfs_write_through(struct tmpfs_inode *file, uint64_t position, const void *from,
			    size_t size, int (*copy)(void *to, const void *from, size_t size))
{
	size_t left = PAGE_SIZE - (position & ~PAGE_MASK);

	if (size > WRITE_MAX)
		size = WRITE_MAX;
	char *buffer = kzalloc(size);

	if (!buffer)
		return -ENOMEM;
	int error = copy(buffer, from, size);

	/* As much as there is of the program's memory, by pages. */
	if (error && size > left) {
		size = left;
		error = copy(buffer, from, size);
	}
	ssize_t done = error ? error :
			       tmpfs_through(file)->write(file->source, position, buffer, size);

	if (done > 0) {
		mutex_lock(&file->inode.mutex);
		update_pages(file, position, buffer, (size_t)done);
		grow(file, position + (size_t)done);
		mutex_unlock(&file->inode.mutex);
	}
	kfree(buffer);
	return done;
}

int tmpfs_note_dirty(struct tmpfs_inode *file, uint64_t number, void *page)
{
	if (page_tree_find(&file->dirty, number))
		return 0;
	int error = page_tree_insert(&file->dirty, number, page);

	if (!error)
		page_get(page);
	return error;
}

/* Sends PAGE, number NUMBER, up to the end of the file: 0 or the source's error. inode.mutex held. */
static int send(struct tmpfs_inode *file, uint64_t number, const char *page)
{
	uint64_t at = number << PAGE_SHIFT, size = file->inode.size;
	size_t left = at >= size ? 0 : size - at < PAGE_SIZE ? size - at : PAGE_SIZE;

	while (left) {
		ssize_t done = tmpfs_through(file)->write(file->source, at, page, left);

		if (done < 0)
			return (int)done;
		at += (size_t)done;
		page += done;
		left -= (size_t)done;
	}
	return 0;
}

int tmpfs_send_dirty(struct tmpfs_inode *file, uint64_t first, uint64_t end)
{
	int result = 0;

	mutex_lock(&file->inode.mutex);
	for (uint64_t number = first; tmpfs_through(file); number++) {
		const char *page = page_tree_next(&file->dirty, number, &number);

		if (!page || number >= end)
			break;
		int error = send(file, number, page);

		if (error && !result)
			result = error;
		/* A mapping that comes later finds no page writable before it asks for it. */
		if (!error && !vm_mapping_in_use(&file->mapping, true))
			page_tree_remove(&file->dirty, number, number + 1);
		mutex_unlock(&file->inode.mutex);
		mutex_lock(&file->inode.mutex);
	}
	mutex_unlock(&file->inode.mutex);
	return result;
}

int tmpfs_sync_through(struct inode *inode)
{
	return tmpfs_send_dirty(tmpfs_inode(inode), 0, PAGE_TREE_LIMIT);
}

void tmpfs_detach_source(struct inode *inode)
{
	struct tmpfs_inode *file = tmpfs_inode(inode);

	mutex_lock(&inode->write_mutex);
	mutex_lock(&inode->mutex);
	file->source->detached = true;
	page_tree_remove(&file->dirty, 0, PAGE_TREE_LIMIT);
	mutex_unlock(&inode->mutex);
	mutex_unlock(&inode->write_mutex);
}

struct tmpfs_source *tmpfs_source_of(struct inode *inode)
{
	return tmpfs_inode(inode)->source;
}
