/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open directories, and the calls that read them: getdents64 and getdents. An ISA with entries of another
 * form: <kernel/fs/directory.h>.
 *
 * A position names the next entry: 0 is ".", 1 is "..", then dentry->position, or the position that a file
 * system with entries of its own gives. Adding or removing an entry does not change the positions of others.
 */
#include <kernel/fs/directory.h>

#include <string.h>

#include <kernel/base/syscall.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/inotify.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>

/* Most bytes that one call returns. The entries are gathered here first, because the tree's mutex is held
 * meanwhile and forbids access to user memory. */
#define GATHER_MAX 32768

struct gathering {
	struct directory_reader reader;
	const struct directory_format *format;
	char *bytes;
	size_t size, used;
	uint64_t position; /* of the next entry */
	int error;
	bool refused; /* one did not fit */
};

static bool gather(struct directory_reader *reader, const char *name, size_t name_size,
		   uint64_t number, uint32_t mode, uint64_t next_position)
{
	struct gathering *gathering = __containerof(reader, struct gathering, reader);
	const struct directory_entry entry = { name, name_size, number, mode, next_position };
	size_t length = gathering->format->size(name_size);

	if (length > gathering->size - gathering->used) {
		gathering->refused = true;
		return false;
	}
	memset(gathering->bytes + gathering->used, 0, length);
	gathering->format->write(gathering->bytes + gathering->used, length, &entry);
	gathering->used += length;
	gathering->position = next_position;
	return true;
}

static bool add(struct gathering *gathering, const char *name, size_t name_size,
		const struct inode *inode, uint64_t next_position)
{
	return gather(&gathering->reader, name, name_size, inode->number, inode->mode,
		      next_position);
}

/* Adds the tree's own entries from gathering->position on; false: one did not fit. tree_mutex held. */
static bool list_children(struct dentry *directory, struct gathering *gathering)
{
	struct dentry *child;

	TAILQ_FOREACH(child, &directory->children_in_order, sibling) {
		const struct dentry *shown = child->mounted ? child->mounted : child;

		if (child->position >= gathering->position &&
		    !add(gathering, child->name, child->name_size, shown->inode,
			 child->position + 1))
			return false;
	}
	return true;
}

static void list(struct dentry *directory, struct gathering *gathering)
{
	const struct inode_ops *ops = directory->inode->ops;

	mutex_lock(&tree_mutex);
	if (gathering->position == 0 && !add(gathering, ".", 1, directory->inode, 1))
		goto out;
	if (gathering->position == 1 && !add(gathering, "..", 2, directory->parent->inode, 2))
		goto out;
	if (ops->layer)
		gathering->error =
			ops->layer->list(directory, gathering->position, &gathering->reader);
	else if (!ops->list)
		list_children(directory, gathering);
out:
	mutex_unlock(&tree_mutex);
	if (ops->list && gathering->position >= 2)
		ops->list(directory->inode, gathering->position, &gathering->reader);
}

static ssize_t read_directory(struct file *file, const struct directory_format *format,
			      void *user_buffer, size_t size)
{
	struct gathering gathering = { .reader = { gather },
				       .format = format,
				       .size = size < GATHER_MAX ? size : GATHER_MAX,
				       .position = file->position };
	ssize_t result;

	gathering.bytes = kzalloc(GATHER_MAX);
	if (!gathering.bytes)
		return -ENOMEM;
	if (!file->dentry->linked && inode_type(file->dentry->inode) == S_IFDIR &&
	    file->dentry->inode->links == 0) {
		result = -ENOENT;
		goto out;
	}
	list(file->dentry, &gathering);
	result = (ssize_t)gathering.used;
	if (!gathering.used && gathering.error) {
		result = gathering.error;
		goto out;
	}
	if (copy_to_user(user_buffer, gathering.bytes, gathering.used)) {
		result = -EFAULT;
		goto out;
	}
	/* Entries remain, but not even one fits: the buffer is too small. */
	if (!gathering.used && gathering.refused)
		result = -EINVAL;
	else
		file->position = gathering.position;
out:
	kfree(gathering.bytes);
	return result;
}

static ssize_t read_of_directory(struct file *file, void *user_buffer, size_t size,
				 uint64_t *position)
{
	return -EISDIR;
}

static const struct file_ops directory_ops = {
	.read = read_of_directory,
	.read_directory = read_directory,
	.seekable = true,
};

int directory_open(struct inode *inode, struct file *file)
{
	file->ops = &directory_ops;
	return 0;
}

ssize_t directory_read(int fd, const struct directory_format *format, unsigned long user_buffer,
		       size_t size, uint64_t *position)
{
	struct file *file = fd_get_opened(fd);
	ssize_t result = -ENOTDIR;

	if (!file)
		return -EBADF;
	if (position)
		*position = file->position;
	if (file->ops->read_directory)
		result = file->ops->read_directory(file, format, (void *)user_buffer, size);
	if (result >= 0)
		inotify_file(file, IN_ACCESS);
	file_put(file);
	return result;
}

/* --- the entry formats of Linux's calls --- */

static size_t size_64(size_t name_size)
{
	return (offsetof(struct kernel_dirent64, d_name) + name_size + 1 + 7) & ~(size_t)7;
}

static void write_64(void *to, size_t size, const struct directory_entry *from)
{
	struct kernel_dirent64 *entry = to;

	entry->d_ino = from->number;
	entry->d_off = (int64_t)from->next_position;
	entry->d_reclen = (uint16_t)size;
	entry->d_type = (uint8_t)((from->mode & S_IFMT) >> 12);
	memcpy(entry->d_name, from->name, from->name_size);
}

/* The type is the entry's last byte. */
static size_t size_old(size_t name_size)
{
	return (offsetof(struct kernel_dirent, d_name) + name_size + 2 + 7) & ~(size_t)7;
}

static void write_old(void *to, size_t size, const struct directory_entry *from)
{
	struct kernel_dirent *entry = to;

	entry->d_ino = from->number;
	entry->d_off = (int64_t)from->next_position;
	entry->d_reclen = (uint16_t)size;
	memcpy(entry->d_name, from->name, from->name_size);
	((uint8_t *)to)[size - 1] = (uint8_t)((from->mode & S_IFMT) >> 12);
}

/* As on Linux, a negative size has no room for any entry. */
static long get_entries(const unsigned long arg[6], const struct directory_format *format)
{
	int size = (int)arg[2];

	return directory_read((int)arg[0], format, arg[1], size < 0 ? 0 : (unsigned int)size, NULL);
}

long sys_getdents64(const unsigned long arg[6])
{
	static const struct directory_format format = { size_64, write_64 };

	return get_entries(arg, &format);
}

long sys_getdents(const unsigned long arg[6])
{
	static const struct directory_format format = { size_old, write_old };

	return get_entries(arg, &format);
}
