/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open files: the objects to which descriptors, mappings and kernel code refer; several may share one.
 *
 * Not here: descriptors (file_table.c), kinds of files (inode.c, console.c …), system calls on descriptors
 * (file_calls.c), the signals that a file sends (notify.c).
 */
#include <kernel/fs/file.h>

#include <kernel/base/assert.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file_lock.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/inotify.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/capability.h>
#include <uapi/linux/errno.h>

/* Linux's limit: one file for each 10 KiB of memory, and at least 8192. */
#define FILES_LEAST    8192
#define BYTES_PER_FILE (10 * 1024)

_Atomic int file_count_max = FILES_LEAST;
static _Atomic int file_count;

void file_init(void)
{
	uint64_t files = (uint64_t)page_total_count() * PAGE_SIZE / BYTES_PER_FILE;

	file_count_max = files < FILES_LEAST ? FILES_LEAST :
			 files > INT32_MAX   ? INT32_MAX :
					       (int)files;
}

struct file *file_create(const struct file_ops *ops, void *private, unsigned int flags)
{
	bool allowed = atomic_fetch_add(&file_count, 1) < file_count_max || capable(CAP_SYS_ADMIN);
	struct file *file = allowed ? kzalloc(sizeof(*file)) : NULL;

	if (!file) {
		atomic_fetch_sub(&file_count, 1);
		return NULL;
	}
	file->ops = ops;
	file->private = private;
	file->flags = flags;
	file->references = 1;
	return file;
}

int file_create_error(void)
{
	return file_count >= file_count_max && !capable(CAP_SYS_ADMIN) ? -ENFILE : -ENOMEM;
}

void file_free(struct file *file)
{
	file_lock_release(file);
	inotify_file(file,
		     (file->flags & O_ACCMODE) == O_RDONLY ? IN_CLOSE_NOWRITE : IN_CLOSE_WRITE);
	if (!LIST_EMPTY(&file->watchers))
		epoll_forget_file(file);
	if (file->ops->release)
		file->ops->release(file);
	if (file->keeps_programs_out)
		inode_end_write(file->dentry->inode);
	if (file->dentry)
		dentry_put(file->dentry);
	kfree(file);
	atomic_fetch_sub(&file_count, 1);
}

struct inode *file_inode(const struct file *file)
{
	return file->dentry ? file->dentry->inode : NULL;
}

bool file_has_contents(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	return inode && (inode_type(inode) == S_IFREG || inode_type(inode) == S_IFDIR);
}

ssize_t file_read_for_kernel(struct file *file, void *buffer, size_t size, uint64_t position)
{
	if (!file->ops->read_for_kernel)
		return -EINVAL;
	ssize_t done = file->ops->read_for_kernel(file, buffer, size, position);

	if (done > 0)
		inotify_file(file, IN_ACCESS);
	return done;
}
