/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tmpfs: inodes whose contents are pages of memory.
 *
 * A file gets a page when it is written to or mapped. A part without a page reads as zeros, or, in a file of
 * the initramfs, as the archive's bytes, which are used in place, or as its source has it (struct tmpfs_source).
 * Mappings, private ones too, show the file's own pages; a write to a private mapping copies the page.
 *
 * Locks: see <kernel/fs/inode.h>. A page gets a reference before the mutex is released, so that it may be
 * copied from or to without the mutex: truncation removes it from the file, but does not free it.
 */
#include <kernel/fs/tmpfs.h>

#include <string.h>

#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <kernel/task/signal.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "page_tree.h"

/* Linux's TMPFS_MAGIC. */
#define MAGIC		  0x01021994
/* A link's target of at least so many bytes takes a page: Linux's SHORT_SYMLINK_LEN. */
#define SHORT_TARGET_SIZE 128
/* Most bytes that are read from a source at once. */
#define SOURCE_READ_MAX	  ((size_t)65536)

_Static_assert(PAGE_TREE_LIMIT *PAGE_SIZE >= FILE_SIZE_MAX, "a file fits its tree");

struct tmpfs_inode {
	struct inode inode;
	struct page_tree tree;	     /* I: inode.mutex */
	const char *image;	     /* the initial contents, or NULL */
	struct tmpfs_source *source; /* what reads the initial contents, or NULL */
	uint64_t image_size; /* I: bytes of either that still show where the file has no page */
	_Atomic unsigned int seals; /* F_SEAL_*; changed under write_mutex */
	char *target;		    /* a link's, allocated; NULL: the image */
	struct vm_mapping mapping;
};

static struct tmpfs_inode *tmpfs(struct inode *inode)
{
	return __containerof(inode, struct tmpfs_inode, inode);
}

/* --- seals --- */

static bool is_sealed(struct inode *inode, unsigned int seals)
{
	return tmpfs(inode)->seals & seals;
}

/* --- pages --- */

/*
 * Charges COUNT more pages to the file system: 0, -ENOSPC (it may not have so many), -ENOMEM (the machine has
 * none to spare).
 */
static int charge_pages(struct superblock *superblock, uint64_t count)
{
	uint64_t limit = superblock->pages_max;
	uint64_t before = atomic_fetch_add(&superblock->pages, count);
	int error = limit && before + count > limit		    ? -ENOSPC :
		    page_free_count() < oom_reserve_pages() + count ? -ENOMEM :
								      0;

	if (error)
		atomic_fetch_sub(&superblock->pages, count);
	return error;
}

static void give_back_pages(struct inode *inode, uint64_t count)
{
	atomic_fetch_sub(&inode->superblock->pages, count);
}

/* Removes the pages FIRST … END - 1 from the file. inode.mutex held, or the file has no other user. */
static void remove_pages(struct tmpfs_inode *file, uint64_t first, uint64_t end)
{
	uint64_t removed = page_tree_remove(&file->tree, first, end);

	file->inode.pages -= removed;
	give_back_pages(&file->inode, removed);
}

/* Copies SIZE bytes at OFFSET of the initial contents to BUFFER: 0 or an error of the source. */
static int read_initial(const struct tmpfs_inode *file, uint64_t offset, void *buffer, size_t size)
{
	if (file->source)
		return file->source->read(file->source, offset, buffer, size);
	memcpy(buffer, file->image + offset, size);
	return 0;
}

/* Creates page NUMBER, which is charged already and which the file does not have yet, in *RESULT: 0, -ENOMEM or an
 * error of the source. inode.mutex held. */
static int make_page(struct tmpfs_inode *file, uint64_t number, void **result)
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

/*
 * Finds page NUMBER of a file, or creates it, in *RESULT with a reference: 0, or an error of charge_pages or the
 * source. A page of the image exceeds the limit if it must: its contents belong to the file already, and programs go
 * on when the file system is full. inode.mutex held.
 */
static int get_page(struct tmpfs_inode *file, uint64_t number, void **result)
{
	void *page = page_tree_find(&file->tree, number);

	if (!page) {
		int error = charge_pages(file->inode.superblock, 1);

		if (error == -ENOSPC && file->image && number << PAGE_SHIFT < file->image_size) {
			atomic_fetch_add(&file->inode.superblock->pages, 1);
			error = 0;
		}
		if (error)
			return error;
		error = make_page(file, number, &page);
		if (error) {
			give_back_pages(&file->inode, 1);
			return error;
		}
	}
	page_get(page);
	*result = page;
	return 0;
}

/* --- reading and writing --- */

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
		size_t part = source_run(tmpfs(inode), position + done, size - done);
		int error;

		if (part) {
			error = reader->can_be_killed && signal_is_fatal_pending(task_current()) ?
					-EINTR :
					read_source(tmpfs(inode), position + done,
						    (char *)to + done, part, reader);
		} else {
			part = PAGE_SIZE - ((position + done) & ~PAGE_MASK);
			if (part > size - done)
				part = size - done;
			error = read_part(tmpfs(inode), position + done, (char *)to + done, part,
					  reader);
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

/* Writes SIZE bytes by COPY at POSITION, within one page. write_mutex held. */
static int write_part(struct inode *inode, uint64_t position, const void *from, size_t size,
		      int (*copy)(void *to, const void *from, size_t size))
{
	void *page;

	mutex_lock(&inode->mutex);
	int error = get_page(tmpfs(inode), position >> PAGE_SHIFT, &page);

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
	return 0;
}

static ssize_t write_contents(struct file *file, const void *from, size_t size, uint64_t *position,
			      int (*copy)(void *to, const void *from, size_t size))
{
	struct inode *inode = file_inode(file);
	size_t done = 0;
	int error = 0;

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
	if (is_sealed(inode, F_SEAL_WRITE | F_SEAL_FUTURE_WRITE) ||
	    (is_sealed(inode, F_SEAL_GROW) && *position + size > inode->size))
		error = -EPERM;
	else if (*position >= FILE_SIZE_MAX)
		error = -EFBIG;
	else if (size > FILE_SIZE_MAX - *position)
		size = FILE_SIZE_MAX - *position;
	while (done < size && !error) {
		uint64_t at = *position + done;
		size_t part = PAGE_SIZE - (at & ~PAGE_MASK);

		if (part > size - done)
			part = size - done;
		if (signal_is_fatal_pending(task_current()))
			error = -EINTR;
		else
			error = write_part(inode, at, (const char *)from + done, part, copy);
		if (!error)
			done += part;
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

/* --- sizes --- */

static int resize(struct inode *inode, uint64_t size)
{
	struct tmpfs_inode *file = tmpfs(inode);
	uint64_t first = (size + PAGE_SIZE - 1) >> PAGE_SHIFT;

	if (size > FILE_SIZE_MAX)
		return -EFBIG;
	if ((size < inode->size && is_sealed(inode, F_SEAL_SHRINK)) ||
	    (size > inode->size && is_sealed(inode, F_SEAL_GROW)))
		return -EPERM;
	mutex_lock(&inode->mutex);
	/* Pages beyond the end, from fallocate, are removed even when the size stays. */
	bool shrinks = size <= inode->size;

	inode->size = size;
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
		remove_pages(file, first, PAGE_TREE_LIMIT);
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

/* Charges all missing pages at once: all have room, or nothing changes. */
static int allocate(struct inode *inode, uint64_t offset, uint64_t size)
{
	struct tmpfs_inode *file = tmpfs(inode);
	uint64_t first = offset >> PAGE_SHIFT, end = (offset + size + PAGE_SIZE - 1) >> PAGE_SHIFT;

	if (offset + size > inode->size && is_sealed(inode, F_SEAL_GROW))
		return -EPERM;
	mutex_lock(&inode->mutex);
	uint64_t charged = missing_pages(file, first, end);
	int error = charge_pages(inode->superblock, charged);

	mutex_unlock(&inode->mutex);
	if (error)
		return error;
	for (uint64_t number = first; number < end && !error; number++) {
		mutex_lock(&inode->mutex);
		/* A page fault may have created it since. */
		if (!page_tree_find(&file->tree, number)) {
			void *page;

			error = charged ? make_page(file, number, &page) : -ENOMEM;
			if (!error)
				charged--;
		}
		mutex_unlock(&inode->mutex);
		if (signal_is_fatal_pending(task_current()))
			error = -EINTR;
		sched_relax();
	}
	give_back_pages(inode, charged);
	return error;
}

/* Clears SIZE bytes at OFFSET, within one page; where the image shows, creates a page. inode.mutex held. */
static int clear_part(struct tmpfs_inode *file, uint64_t offset, uint64_t size)
{
	void *page = page_tree_find(&file->tree, offset >> PAGE_SHIFT);

	if (page) {
		page_get(page);
	} else if (offset < file->image_size) {
		int error = get_page(file, offset >> PAGE_SHIFT, &page);

		if (error)
			return error;
	} else {
		return 0;
	}
	memset((char *)page + (offset & ~PAGE_MASK), 0, size);
	page_put(page);
	return 0;
}

static int punch(struct inode *inode, uint64_t offset, uint64_t size)
{
	struct tmpfs_inode *file = tmpfs(inode);
	uint64_t end = offset + size;
	uint64_t first = (offset + PAGE_SIZE - 1) >> PAGE_SHIFT, last = end >> PAGE_SHIFT;
	int error = 0;

	if (is_sealed(inode, F_SEAL_WRITE | F_SEAL_FUTURE_WRITE))
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
			remove_pages(file, first, last);
	}
	mutex_unlock(&inode->mutex);
	if (!error && first < last)
		vm_unmap_file_range(&file->mapping, first << PAGE_SHIFT, last << PAGE_SHIFT, false);
	return error;
}

static int64_t find_data(struct inode *inode, uint64_t offset, bool hole)
{
	struct tmpfs_inode *file = tmpfs(inode);
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

/* --- mappings --- */

static void *fault_page(struct vm_area *area, uint64_t offset, bool write, bool *writable)
{
	struct inode *inode = file_inode(area->file);
	void *page = NULL;
	int error = 0;

	*writable = area->shared && (area->prot & VM_WRITE);
	mutex_lock(&inode->mutex);
	if (offset < inode->size)
		error = get_page(tmpfs(inode), offset >> PAGE_SHIFT, &page);
	mutex_unlock(&inode->mutex);
	/* Killing a process would not make room in a full file system. */
	return error == -ENOMEM ? VM_NO_MEMORY : page;
}

static const struct vm_area_ops area_ops = { .fault = fault_page, .mergeable = true };

static int map_file(struct file *file, struct vm_area *area)
{
	if (is_sealed(file_inode(file), F_SEAL_WRITE | F_SEAL_FUTURE_WRITE) && area->shared) {
		if (area->prot & VM_WRITE)
			return -EPERM;
		area->max_prot &= ~(unsigned int)VM_WRITE;
	}
	area->ops = &area_ops;
	area->mapping = &tmpfs(file_inode(file))->mapping;
	return 0;
}

static const struct file_ops regular_ops = {
	.read = read_file,
	.write = write_file,
	.read_for_kernel = read_for_kernel,
	.write_from_kernel = write_from_kernel,
	.mmap = map_file,
	.seekable = true,
};

static int open_regular(struct inode *inode, struct file *file)
{
	file->ops = &regular_ops;
	return 0;
}

static const struct inode_ops regular_inode_ops;

void tmpfs_set_seals(struct inode *inode, unsigned int seals)
{
	tmpfs(inode)->seals = seals;
}

int tmpfs_get_seals(struct inode *inode)
{
	return inode->ops == &regular_inode_ops ? (int)tmpfs(inode)->seals : -EINVAL;
}

int tmpfs_add_seals(struct inode *inode, unsigned int seals)
{
	int error = 0;

	if ((seals & ~(unsigned int)F_SEAL_ALL) || inode->ops != &regular_inode_ops)
		return -EINVAL;
	mutex_lock(&inode->write_mutex);
	if (is_sealed(inode, F_SEAL_SEAL))
		error = -EPERM;
	else if ((seals & F_SEAL_WRITE) && !is_sealed(inode, F_SEAL_WRITE) &&
		 vm_mapping_in_use(&tmpfs(inode)->mapping, true))
		error = -EBUSY;
	/* A sealed executable file must not change in any other way, either. */
	if ((seals & F_SEAL_EXEC) && (inode->mode & 0111))
		seals |= F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_FUTURE_WRITE;
	if (!error)
		tmpfs(inode)->seals |= seals;
	mutex_unlock(&inode->write_mutex);
	return error;
}

/* --- links --- */

static ssize_t read_link(struct inode *inode, char *buffer, size_t size)
{
	const struct tmpfs_inode *link = tmpfs(inode);
	size_t length = inode->size < size ? inode->size : size;

	memcpy(buffer, link->target ? link->target : link->image, length);
	return (ssize_t)length;
}

/* --- inodes --- */

static void free_inode(struct inode *inode)
{
	struct tmpfs_inode *file = tmpfs(inode);

	remove_pages(file, 0, PAGE_TREE_LIMIT);
	/* The page of a long target: see tmpfs_set_target. */
	give_back_pages(inode, inode->pages);
	if (file->source)
		file->source->free(file->source);
	xattr_free_all(inode);
	tmpfs_uncharge_space(inode->superblock, TMPFS_INODE_SPACE);
	kfree(file->target);
	kfree(file);
}

static const struct inode_ops regular_inode_ops = {
	.open = open_regular,
	.resize = resize,
	.allocate = allocate,
	.punch = punch,
	.find_data = find_data,
	.free = free_inode,
};
static const struct inode_ops link_ops = { .read_link = read_link, .free = free_inode };
static const struct inode_ops other_ops = { .free = free_inode };

struct inode *tmpfs_create_inode(struct superblock *superblock, uint32_t mode, uint64_t device)
{
	uint32_t type = mode & S_IFMT;

	if (tmpfs_charge_space(superblock, TMPFS_INODE_SPACE))
		return NULL;
	struct tmpfs_inode *file = kzalloc(sizeof(*file));

	if (!file) {
		tmpfs_uncharge_space(superblock, TMPFS_INODE_SPACE);
		return NULL;
	}
	inode_init(&file->inode, superblock,
		   type == S_IFREG ? &regular_inode_ops :
		   type == S_IFLNK ? &link_ops :
				     &other_ops,
		   mode);
	file->inode.uid = credentials_for_files()->fsuid;
	file->inode.gid = credentials_for_files()->fsgid;
	vm_mapping_init(&file->mapping);
	file->seals = F_SEAL_SEAL;
	if (type == S_IFCHR || type == S_IFBLK)
		file->inode.device = device;
	return &file->inode;
}

void tmpfs_set_image(struct inode *inode, const void *data, size_t size)
{
	tmpfs(inode)->image = data;
	tmpfs(inode)->image_size = size;
	inode->size = size;
	if (inode_type(inode) == S_IFREG)
		inode->pages = 0;
}

void tmpfs_set_source(struct inode *inode, struct tmpfs_source *source, uint64_t size)
{
	tmpfs(inode)->source = source;
	tmpfs(inode)->image_size = size;
	inode->size = size;
}

int tmpfs_set_target(struct inode *inode, const char *text, size_t size)
{
	/* Linux takes a page for a target that does not fit the inode's own memory. */
	uint64_t pages = size >= SHORT_TARGET_SIZE;
	int error = pages ? charge_pages(inode->superblock, pages) : 0;
	char *copy = error ? NULL : kcopy_text(text, size);

	if (!copy) {
		if (!error)
			give_back_pages(inode, pages);
		return error ? error : -ENOMEM;
	}
	inode->pages = pages;
	tmpfs(inode)->target = copy;
	inode->size = size;
	return 0;
}

struct superblock *tmpfs_create(const char *type)
{
	struct superblock *superblock = superblock_create(type, MAGIC, false);

	if (!superblock)
		return NULL;
	superblock->keeps_xattrs = true;
	/* Linux's default. */
	superblock->pages_max = page_total_count() / 2;
	tmpfs_limit_inodes(superblock);
	struct inode *inode = tmpfs_create_inode(superblock, S_IFDIR | 0755, 0);

	if (inode) {
		inode->links = 2;
		superblock->root = dentry_create(NULL, inode, "", 0);
		if (superblock->root)
			return superblock;
		inode_put(inode);
	}
	superblock_put(superblock);
	return NULL;
}
