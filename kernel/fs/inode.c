/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file tree: looking up paths, and regular files and directories as open files.
 *
 * The tree is read-only after the start: opening for writing is EROFS, as on Linux with a read-only
 * root. Devices have their own files (devices.c, console.c).
 */
#include <string.h>

#include <kernel/assert.h>
#include <kernel/file.h>
#include <kernel/inode.h>
#include <kernel/kmalloc.h>
#include <kernel/usercopy.h>
#include <kernel/vm.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

/* As Linux's MAXSYMLINKS. */
#define LINKS_MAX     40
#define NAME_SIZE_MAX 255
/* Any number: one file system. */
#define ROOT_DEVICE   1

struct inode root_inode = {
	.name = "",
	.number = 1,
	.mode = S_IFDIR | 0755,
	.parent = &root_inode,
	.entries = STAILQ_HEAD_INITIALIZER(root_inode.entries),
};

static uint64_t last_number = 1;

struct inode *inode_create(struct inode *parent, const char *name, size_t name_size, uint32_t mode)
{
	struct inode *inode = kzalloc(sizeof(*inode));

	if (!inode)
		return NULL;
	inode->name = name;
	inode->name_size = name_size;
	inode->number = ++last_number;
	inode->mode = mode;
	inode->parent = parent;
	STAILQ_INIT(&inode->entries);
	STAILQ_INSERT_TAIL(&parent->entries, inode, sibling);
	parent->entry_count++;
	return inode;
}

struct inode *inode_find(struct inode *parent, const char *name, size_t name_size)
{
	struct inode *inode;

	if (name_size == 1 && name[0] == '.')
		return parent;
	if (name_size == 2 && name[0] == '.' && name[1] == '.')
		return parent->parent;
	STAILQ_FOREACH(inode, &parent->entries, sibling)
		if (inode->name_size == name_size && !memcmp(inode->name, name, name_size))
			return inode;
	return NULL;
}

static bool is_type(const struct inode *inode, uint32_t type)
{
	return (inode->mode & S_IFMT) == type;
}

/* The inode that PATH of SIZE bytes names from START; *LINKS are left to follow. */
static int walk(struct inode *start, const char *path, size_t size, bool follow,
		unsigned int *links, struct inode **result)
{
	struct inode *at = size && path[0] == '/' ? &root_inode : start;
	size_t i = 0;

	while (i < size) {
		while (i < size && path[i] == '/')
			i++;
		size_t begin = i;

		while (i < size && path[i] != '/')
			i++;
		if (i == begin)
			break;
		if (!is_type(at, S_IFDIR))
			return -ENOTDIR;
		if (i - begin > NAME_SIZE_MAX)
			return -ENAMETOOLONG;
		struct inode *next = inode_find(at, path + begin, i - begin);

		if (!next)
			return -ENOENT;
		if (is_type(next, S_IFLNK) && (i < size || follow)) {
			if ((*links)-- == 0)
				return -ELOOP;
			struct inode *target = proc_link_target(next);
			int error = target ? 0 :
					     walk(at, next->data, next->size, true, links, &target);

			if (error)
				return error;
			next = target;
		}
		at = next;
	}
	/* "file/" names a directory only. */
	if (size && path[size - 1] == '/' && !is_type(at, S_IFDIR))
		return -ENOTDIR;
	*result = at;
	return 0;
}

int inode_lookup(struct inode *start, const char *path, bool follow, struct inode **result)
{
	unsigned int links = LINKS_MAX;
	size_t size = strnlen(path, PATH_SIZE);

	if (size == 0)
		return -ENOENT;
	if (size == PATH_SIZE)
		return -ENAMETOOLONG;
	return walk(start, path, size, follow, &links, result);
}

size_t inode_copy(const struct inode *inode, uint64_t offset, void *destination, size_t size)
{
	if (offset >= inode->size)
		return 0;
	if (size > inode->size - offset)
		size = inode->size - offset;
	memcpy(destination, (const char *)inode->data + offset, size);
	return size;
}

int inode_path(const struct inode *inode, char *buffer, size_t size)
{
	char *at = buffer + size;
	const struct inode *walk_up = inode;

	if (size < 2)
		return -ERANGE;
	*--at = '\0';
	do {
		if ((size_t)(at - buffer) < walk_up->name_size + 1)
			return -ERANGE;
		at -= walk_up->name_size;
		memcpy(at, walk_up->name, walk_up->name_size);
		if (walk_up != &root_inode || inode == &root_inode)
			*--at = '/';
		walk_up = walk_up->parent;
	} while (walk_up != &root_inode);
	size_t length = (size_t)(buffer + size - at) - 1;

	memmove(buffer, at, length + 1);
	return (int)length;
}

void inode_stat(const struct inode *inode, struct kernel_stat *stat)
{
	*stat = (struct kernel_stat){
		.st_dev = ROOT_DEVICE,
		.st_ino = inode->number,
		.st_nlink = is_type(inode, S_IFDIR) ? 2 : 1,
		.st_mode = inode->mode,
		.st_uid = inode->uid,
		.st_gid = inode->gid,
		.st_rdev = inode->device,
		.st_size = (int64_t)inode->size,
		.st_blksize = (int64_t)PAGE_SIZE,
		.st_blocks = (int64_t)((inode->size + 511) / 512),
		.st_atime_s = inode->modified_s,
		.st_mtime_s = inode->modified_s,
		.st_ctime_s = inode->modified_s,
	};
}

static ssize_t read_file(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	struct inode *inode = file->inode;

	if (*position >= inode->size)
		return 0;
	if (size > inode->size - *position)
		size = inode->size - *position;
	if (copy_to_user(user_buffer, (const char *)inode->data + *position, size))
		return -EFAULT;
	*position += size;
	return (ssize_t)size;
}

static int map_file(struct file *file, struct vm_area *area)
{
	/* The contents never change, so a shared view and a private copy cannot be told apart. */
	area->inode = file->inode;
	area->file_bytes = file->inode->size;
	return 0;
}

static const struct file_ops regular_ops = {
	.read = read_file,
	.mmap = map_file,
	.seekable = true,
};

static ssize_t read_of_directory(struct file *file, void *user_buffer, size_t size,
				 uint64_t *position)
{
	return -EISDIR;
}

/* Writes one entry to USER_BUFFER if it fits into SIZE; its length, -EINVAL when it does not,
 * -EFAULT. */
static ssize_t put_entry(char *user_buffer, size_t size, const struct inode *inode,
			 const char *name, size_t name_size, uint64_t next)
{
	char buffer[sizeof(struct kernel_dirent64) + NAME_SIZE_MAX + 8]
		__attribute__((aligned(8))) = { 0 };
	struct kernel_dirent64 *entry = (struct kernel_dirent64 *)buffer;
	size_t length = (offsetof(struct kernel_dirent64, d_name) + name_size + 1 + 7) & ~(size_t)7;

	if (length > size)
		return -EINVAL;
	entry->d_ino = inode->number;
	entry->d_off = (int64_t)next;
	entry->d_reclen = (uint16_t)length;
	entry->d_type = (uint8_t)((inode->mode & S_IFMT) >> 12);
	memcpy(entry->d_name, name, name_size);
	return copy_to_user(user_buffer, buffer, length) ? -EFAULT : (ssize_t)length;
}

/* The position counts entries: ".", "..", then the directory's in order. */
static ssize_t read_directory(struct file *file, void *user_buffer, size_t size)
{
	struct inode *directory = file->inode, *inode = STAILQ_FIRST(&directory->entries);
	uint64_t number = 2;
	size_t done = 0;

	while (inode && number < file->position) {
		inode = STAILQ_NEXT(inode, sibling);
		number++;
	}
	for (;;) {
		uint64_t at = file->position;
		const struct inode *what = at == 0 ? directory :
					   at == 1 ? directory->parent :
						     inode;
		const char *name = at < 2 ? ".." : what ? what->name : NULL;
		size_t name_size = at == 0 ? 1 : at == 1 ? 2 : what ? what->name_size : 0;

		if (!what)
			return (ssize_t)done;
		ssize_t length = put_entry((char *)user_buffer + done, size - done, what, name,
					   name_size, at + 1);

		if (length < 0)
			return done ? (ssize_t)done : length;
		done += (size_t)length;
		file->position++;
		if (at >= 2)
			inode = STAILQ_NEXT(inode, sibling);
	}
}

static const struct file_ops directory_ops = {
	.read = read_of_directory,
	.read_directory = read_directory,
	.seekable = true,
};

/* open(O_PATH), or a type without contents of its own: names the inode, no more. */
static const struct file_ops path_ops = { .seekable = false };

int inode_open(struct inode *inode, unsigned int flags, struct file **result)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY;
	const struct file_ops *ops = &path_ops;
	int error = 0;

	if ((flags & O_DIRECTORY) && !is_type(inode, S_IFDIR))
		return -ENOTDIR;
	if (!(flags & O_PATH)) {
		if (is_type(inode, S_IFLNK))
			return -ELOOP;
		if (is_type(inode, S_IFDIR)) {
			if (writes || (flags & O_CREAT))
				return -EISDIR;
			ops = &directory_ops;
		} else if (is_type(inode, S_IFREG)) {
			if (writes || (flags & O_TRUNC))
				return -EROFS;
			ops = &regular_ops;
		} else if (!inode->open) {
			return -ENXIO;
		}
	}
	struct file *file = file_create(ops, NULL,
					flags & ~(unsigned int)(O_CREAT | O_EXCL | O_NOCTTY |
								O_TRUNC | O_CLOEXEC));

	if (!file)
		return -ENOMEM;
	file->inode = inode;
	if (inode->open && !(flags & O_PATH))
		error = inode->open(inode, file);
	if (error) {
		file->ops = &path_ops;
		file_put(file);
		return error;
	}
	*result = file;
	return 0;
}

struct inode *file_inode(const struct file *file)
{
	return file->inode;
}
