/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An open file of a tmpfs: read, write, map.
 *
 * A part without a page reads as zeros, or as the file's initial contents; reading it creates no page. Mappings, private
 * ones too, show the file's own pages; a write to a private mapping copies the page.
 *
 * Locks: see <kernel/fs/inode.h>. A page gets a reference before the mutex is released, so that it may be
 * copied from or to without the mutex: truncation removes it from the file, but does not free it.
 */
#include "tmpfs_contents.h"

#include <string.h>

#include <kernel/fs/file.h>
#include <kernel/fs/tmpfs.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <kernel/task/signal.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "tmpfs_pages.h"
#include "tmpfs_through.h"

/* Most bytes that are read from a source at once. */
#define SOURCE_READ_MAX ((size_t)65536)

/* --- reading --- */

/* A kind of reader: how bytes and zeros get into its buffer, and whether a fatal signal ends a long read. */
struct reader {
	int (*copy)(void *to, const void *from, size_t size);
	int (*clear)(void *to, size_t size);
	bool can_be_killed;
};

/* Copies SIZE bytes at POSITION, within one page, to the reader's TO. */
static int read_part(struct tmpfs_inode *file, uint64_t position, void *to, size_t size,
		     const struct reader *reader)
{
	size_t in_page = position & ~PAGE_MASK, shown = 0;

	mutex_lock(&file->inode.mutex);
	void *page = page_tree_find(&file->tree, position >> PAGE_SHIFT);

	if (page)
		page_get(page);
	else if (file->image && position < file->image_size)
		shown = file->image_size - position;
	mutex_unlock(&file->inode.mutex);
	if (page) {
		int error = reader->copy(to, (char *)page + in_page, size);

		page_put(page);
		return error;
	}
	if (shown > size)
		shown = size;
	if (shown && reader->copy(to, file->image + position, shown))
		return -EFAULT;
	return shown < size ? reader->clear((char *)to + shown, size - shown) : 0;
}

/* Returns how many bytes at POSITION, at most SIZE, only the file's source has. */
static size_t source_run(struct tmpfs_inode *file, uint64_t position, size_t size)
{
	uint64_t number;

	if (!file->source)
		return 0;
	mutex_lock(&file->inode.mutex);
	uint64_t end = file->image_size;

	if (page_tree_next(&file->tree, position >> PAGE_SHIFT, &number) &&
	    number << PAGE_SHIFT < end)
		end = number << PAGE_SHIFT;
	mutex_unlock(&file->inode.mutex);
	if (end <= position)
		return 0;
	if (size > end - position)
		size = end - position;
	return size < SOURCE_READ_MAX ? size : SOURCE_READ_MAX;
}

/* Copies SIZE bytes at POSITION, which source_run gave, to the reader's TO. The file keeps none of them: large files do not
 * fill the memory. */
static int read_source(struct tmpfs_inode *file, uint64_t position, void *to, size_t size,
		       const struct reader *reader)
{
	void *buffer = kzalloc(size);

	if (!buffer)
		return -ENOMEM;
	int error = file->source->read(file->source, position, buffer, size);

	if (!error)
		error = reader->copy(to, buffer, size);
	kfree(buffer);
	return error;
}

static ssize_t read_contents(struct inode *inode, void *to, size_t size, uint64_t position,
			     const struct reader *reader)
{
	uint64_t end = inode->size;
	size_t done = 0;

	if (position >= end)
		return 0;
	if (size > end - position)
		size = end - position;
	while (done < size) {
		size_t part = source_run(tmpfs_inode(inode), position + done, size - done);
		int error;

		if (part) {
			error = reader->can_be_killed && signal_is_fatal_pending(task_current()) ?
					-EINTR :
					read_source(tmpfs_inode(inode), position + done,
						    (char *)to + done, part, reader);
		} else {
			part = PAGE_SIZE - ((position + done) & ~PAGE_MASK);
			if (part > size - done)
				part = size - done;
			error = read_part(tmpfs_inode(inode), position + done, (char *)to + done,
					  part, reader);
		}
		if (error)
			return done ? (ssize_t)done : error;
		done += part;
	}
	return (ssize_t)done;
}

static const struct reader user_reader = { copy_to_user, clear_user, .can_be_killed = true };

static ssize_t read_file(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	struct inode *inode = file_inode(file);
	ssize_t done = read_contents(inode, user_buffer, size, *position, &user_reader);

	if (done > 0)
		*position += (size_t)done;
	return done;
}

static int copy_in_kernel(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	return 0;
}

static int clear_in_kernel(void *to, size_t size)
{
	memset(to, 0, size);
	return 0;
}

/* The buffers are small, and the last task of the first process, which is being killed, reads results (result.c). */
static const struct reader kernel_reader = { copy_in_kernel, clear_in_kernel,
					     .can_be_killed = false };

static ssize_t read_for_kernel(struct file *file, void *buffer, size_t size, uint64_t position)
{
	return read_contents(file_inode(file), buffer, size, position, &kernel_reader);
}

/* --- writing --- */

/* Writes some of SIZE bytes by COPY at POSITION; those within one page if they stay in the file. Returns how many, or an
 * error. write_mutex held. */
static ssize_t write_part(struct inode *inode, uint64_t position, const void *from, size_t size,
			  int (*copy)(void *to, const void *from, size_t size))
{
	size_t left = PAGE_SIZE - (position & ~PAGE_MASK);
	void *page;

	if (tmpfs_through(tmpfs_inode(inode)))
		return tmpfs_write_through(tmpfs_inode(inode), position, from, size, copy);
	if (size > left)
		size = left;
	mutex_lock(&inode->mutex);
	int error = tmpfs_get_page(tmpfs_inode(inode), position >> PAGE_SHIFT, &page);

	mutex_unlock(&inode->mutex);
	if (error)
		return error;
	error = copy((char *)page + (position & ~PAGE_MASK), from, size);

	page_put(page);
	if (error)
		return error;
	mutex_lock(&inode->mutex);
	if (position + size > inode->size)
		inode->size = position + size;
	mutex_unlock(&inode->mutex);
	return (ssize_t)size;
}

static ssize_t write_contents(struct file *file, const void *from, size_t size, uint64_t *position,
			      int (*copy)(void *to, const void *from, size_t size))
{
	struct inode *inode = file_inode(file);
	size_t done = 0;
	ssize_t error = 0;

	if (!size)
		return 0;
	mutex_lock(&inode->write_mutex);
	if (file->flags & O_APPEND)
		*position = inode->size;
	error = process_check_file_size(*position, &size);
	if (error) {
		mutex_unlock(&inode->write_mutex);
		return error;
	}
	inode_written(inode);
	if (tmpfs_is_sealed(inode, F_SEAL_WRITE | F_SEAL_FUTURE_WRITE) ||
	    (tmpfs_is_sealed(inode, F_SEAL_GROW) && *position + size > inode->size))
		error = -EPERM;
	else if (*position >= FILE_SIZE_MAX)
		error = -EFBIG;
	else if (size > FILE_SIZE_MAX - *position)
		size = FILE_SIZE_MAX - *position;
	while (done < size && !error) {
		ssize_t part = signal_is_fatal_pending(task_current()) ?
				       -EINTR :
				       write_part(inode, *position + done,
						  (const char *)from + done, size - done, copy);

		if (part < 0)
			error = part;
		else
			done += (size_t)part;
	}
	if (done) {
		*position += done;
		inode_touch_contents(inode);
	}
	mutex_unlock(&inode->write_mutex);
	return done ? (ssize_t)done : error;
}

static ssize_t write_file(struct file *file, const void *user_buffer, size_t size,
			  uint64_t *position)
{
	return write_contents(file, user_buffer, size, position, copy_from_user);
}

static ssize_t write_from_kernel(struct file *file, const void *buffer, size_t size,
				 uint64_t *position)
{
	return write_contents(file, buffer, size, position, copy_in_kernel);
}

/* --- mappings --- */

static void *fault_page(struct vm_area *area, uint64_t offset, bool write, bool *writable)
{
	struct inode *inode = file_inode(area->file);
	void *page = NULL;
	int error = 0;

	*writable = area->shared && (area->prot & VM_WRITE);
	mutex_lock(&inode->mutex);
	bool through = tmpfs_through(tmpfs_inode(inode)) != NULL;

	if (offset < inode->size)
		error = tmpfs_get_page(tmpfs_inode(inode), offset >> PAGE_SHIFT, &page);
	if (page && through && write) {
		error = tmpfs_note_dirty(tmpfs_inode(inode), offset >> PAGE_SHIFT, page);
		if (error) {
			page_put(page);
			page = NULL;
		}
	} else if (through) {
		/* The first write comes here, too. */
		*writable = false;
	}
	mutex_unlock(&inode->mutex);
	/* Killing a process would not make room in a full file system. */
	return error == -ENOMEM ? VM_NO_MEMORY : page;
}

static int sync_area(struct vm_area *area, uint64_t start, uint64_t end)
{
	struct tmpfs_inode *file = tmpfs_inode(file_inode(area->file));

	return area->shared && tmpfs_through(file) ?
		       tmpfs_send_dirty(file, start >> PAGE_SHIFT, end >> PAGE_SHIFT) :
		       0;
}

static void close_area(struct vm_area *area)
{
	/* An error leaves the pages dirty, for the next try. */
	sync_area(area, area->offset, area->offset + (area->end - area->start));
}

static const struct vm_area_ops area_ops = {
	.close = close_area,
	.sync = sync_area,
	.fault = fault_page,
	.mergeable = true,
};

static int map_file(struct file *file, struct vm_area *area)
{
	if (tmpfs_is_sealed(file_inode(file), F_SEAL_WRITE | F_SEAL_FUTURE_WRITE) && area->shared) {
		if (area->prot & VM_WRITE)
			return -EPERM;
		area->max_prot &= ~(unsigned int)VM_WRITE;
	}
	area->ops = &area_ops;
	area->mapping = &tmpfs_inode(file_inode(file))->mapping;
	return 0;
}

const struct file_ops tmpfs_file_ops = {
	.read = read_file,
	.write = write_file,
	.read_for_kernel = read_for_kernel,
	.write_from_kernel = write_from_kernel,
	.mmap = map_file,
	.release = tmpfs_close_through,
	.seekable = true,
};
