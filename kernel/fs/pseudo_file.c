/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An open pseudo file: text that is made when it is read, or bytes at positions. See <kernel/fs/pseudo.h>.
 *
 * A read at the beginning makes the whole contents, which stay with the open file, so that a file read in
 * pieces shows one moment. Lock: contents->mutex.
 */
#include "pseudo_file.h"

#include <kernel/fs/file.h>
#include <kernel/fs/pseudo.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/mm/text.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

/* A write must have fewer bytes. */
#define STORE_MAX 4096

/* --- text --- */

struct contents {
	struct mutex mutex;
	void *about;	  /* the argument of the entry's functions */
	struct text text; /* C: mutex */
	bool made;	  /* C */
};

static void *about_of(const struct file *file)
{
	return ((const struct contents *)file->private)->about;
}

static int make_contents(struct pseudo_inode *file, struct contents *contents)
{
	text_clear(&contents->text);
	contents->made = false;
	int error = file->entry->show ? 0 : -EIO;

	if (!error && !file->entry->begin && pseudo_is_gone(file))
		error = -ESRCH;
	if (!error)
		error = file->entry->show(&contents->text, contents->about);
	if (!error && contents->text.failed)
		error = -ENOMEM;
	contents->made = !error;
	return error;
}

/* Copies from POSITION on to BUFFER, which is user memory if USER. */
static ssize_t copy_contents(struct file *file, void *buffer, size_t size, uint64_t position,
			     bool user)
{
	struct contents *contents = file->private;
	ssize_t result = 0;

	mutex_lock(&contents->mutex);
	if (position == 0 || !contents->made)
		result = make_contents(pseudo_inode(file_inode(file)), contents);
	if (!result && position < contents->text.size) {
		if (size > contents->text.size - position)
			size = contents->text.size - position;
		result = copy_to(buffer, contents->text.bytes + position, size, user) ?
				 -EFAULT :
				 (ssize_t)size;
	}
	mutex_unlock(&contents->mutex);
	return result;
}

static ssize_t read_contents(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	if (*position && pseudo_inode(file_inode(file))->entry->once)
		return 0;
	ssize_t result = copy_contents(file, user_buffer, size, *position, true);

	if (result > 0)
		*position += (size_t)result;
	return result;
}

static ssize_t read_for_kernel(struct file *file, void *buffer, size_t size, uint64_t position)
{
	return copy_contents(file, buffer, size, position, false);
}

static ssize_t write_contents(struct file *file, const void *user_buffer, size_t size,
			      uint64_t *position)
{
	struct pseudo_inode *inode = pseudo_inode(file_inode(file));
	ssize_t result = -EFAULT;

	/* As on Linux: the error of a task's file differs from that of others. */
	if (!inode->entry->store)
		return inode->target ? -EINVAL : -EIO;
	if (size >= STORE_MAX)
		return -EINVAL;
	if (inode->entry->once && (*position || !size))
		return (ssize_t)size;
	char *text = kzalloc(size + 1);

	if (!text)
		return -ENOMEM;
	if (!copy_from_user(text, user_buffer, size))
		result = inode->entry->store(about_of(file), text, size);
	if (result > 0 && inode->entry->once)
		*position += (size_t)result;
	kfree(text);
	return result;
}

/* FILE is not open any more, and about ABOUT. */
static void end(struct file *file, void *about)
{
	const struct pseudo_inode *inode = pseudo_inode(file_inode(file));

	if (inode->entry->end)
		inode->entry->end(about);
	if (inode->entry->close)
		inode->entry->close(inode->target);
}

static void release_contents(struct file *file)
{
	struct contents *contents = file->private;

	text_clear(&contents->text);
	end(file, contents->about);
	kfree(contents);
}

static const struct file_ops contents_ops = {
	.read = read_contents,
	.read_for_kernel = read_for_kernel,
	.write = write_contents,
	.release = release_contents,
	.seekable = true,
};

/* --- bytes at positions --- */

static ssize_t move_bytes(struct file *file, char *user_buffer, size_t size, uint64_t *position,
			  bool writes)
{
	struct pseudo_inode *inode = pseudo_inode(file_inode(file));
	char *piece = kzalloc(PAGE_SIZE);
	size_t done = 0;
	ssize_t moved = piece ? 0 : -ENOMEM;

	while (moved >= 0 && done < size) {
		/* No piece crosses the end of a page: an error at a page keeps the pages before it. */
		size_t room = PAGE_SIZE - (size_t)(*position & (PAGE_SIZE - 1));
		size_t part = size - done < room ? size - done : room;

		if (writes)
			moved = copy_from_user(piece, user_buffer + done, part) ?
					-EFAULT :
					inode->entry->write_at(file->private, piece, part,
							       *position);
		else
			moved = inode->entry->read_at(file->private, piece, part, *position);
		if (moved > 0 && !writes && copy_to_user(user_buffer + done, piece, (size_t)moved))
			moved = -EFAULT;
		if (moved <= 0)
			break;
		done += (size_t)moved;
		*position += (size_t)moved;
		if ((size_t)moved < part)
			break;
	}
	kfree(piece);
	return done ? (ssize_t)done : moved;
}

static ssize_t read_bytes(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	return move_bytes(file, user_buffer, size, position, false);
}

static ssize_t write_bytes(struct file *file, const void *user_buffer, size_t size,
			   uint64_t *position)
{
	return pseudo_inode(file_inode(file))->entry->write_at ?
		       move_bytes(file, (char *)user_buffer, size, position, true) :
		       -EIO;
}

static void release_bytes(struct file *file)
{
	end(file, file->private);
}

static const struct file_ops bytes_ops = {
	.read = read_bytes,
	.write = write_bytes,
	.release = release_bytes,
	.seekable = true,
};

/* Binds FILE, of INODE, to ABOUT. */
static int open_about(struct inode *inode, struct file *file, void *about)
{
	if (pseudo_inode(inode)->entry->read_at) {
		file->private = about;
		file->ops = &bytes_ops;
		return 0;
	}
	struct contents *contents = kzalloc(sizeof(*contents));

	if (!contents)
		return -ENOMEM;
	mutex_init(&contents->mutex);
	contents->about = about;
	file->private = contents;
	file->ops = &contents_ops;
	return 0;
}

int pseudo_open(struct inode *inode, struct file *file)
{
	const struct pseudo_entry *entry = pseudo_inode(inode)->entry;
	void *about = pseudo_inode(inode)->target;
	bool writes = (file->flags & O_ACCMODE) != O_RDONLY;
	int error = entry->open ? entry->open(pseudo_inode(inode)->target) : 0;

	if (error)
		return error;
	if (writes && entry->may_write)
		error = entry->may_write(pseudo_inode(inode)->target);
	if (writes && entry->strict && !(entry->mode & 0222))
		error = -EACCES;
	if ((file->flags & O_ACCMODE) != O_WRONLY && entry->strict && !(entry->mode & 0444))
		error = -EACCES;
	if (error) {
		if (entry->close)
			entry->close(pseudo_inode(inode)->target);
		return error;
	}
	if (entry->open_file)
		return entry->open_file(file, pseudo_inode(inode)->target);
	if (entry->begin)
		error = entry->begin(pseudo_inode(inode)->target, &about);
	if (!error) {
		error = open_about(inode, file, about);
		if (error && entry->end)
			entry->end(about);
	}
	if (error && entry->close)
		entry->close(pseudo_inode(inode)->target);
	return error;
}
