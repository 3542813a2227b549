/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening: open, openat, creat. The operations of an open file depend on its inode.
 */
#include <string.h>

#include <kernel/base/syscall.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/inotify.h>
#include <kernel/fs/pipe.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "path_arguments.h"

/* Flags that matter only at the open; the file does not keep them. */
#define MOMENTARY_FLAGS ((unsigned int)(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_CLOEXEC))
/* Most links in a row, as in path.c; open creates a file through a link to nothing. */
#define LINKS_MAX	40

/* Operations after open(O_PATH), or after a failed open: the file only names the dentry. */
static const struct file_ops path_ops = { .seekable = false };

static int open_by_type(struct inode *inode, struct file *file)
{
	if (inode->ops->open)
		return inode->ops->open(inode, file);
	switch (inode_type(inode)) {
	case S_IFDIR:
		return directory_open(inode, file);
	case S_IFCHR:
	case S_IFBLK:
		return device_open(inode, file);
	case S_IFIFO:
		return fifo_open(inode, file);
	default:
		return -ENXIO;
	}
}

int dentry_open(struct dentry *dentry, unsigned int flags, struct file **result)
{
	struct inode *inode = dentry->inode;
	int error = 0;
	struct file *file = file_create(&path_ops, NULL, flags);

	if (!file)
		return file_create_error();
	dentry_get(dentry);
	file->dentry = dentry;
	if (!(flags & O_PATH))
		error = open_by_type(inode, file);
	file->flags &= ~MOMENTARY_FLAGS;
	bool opened = !error;

	if (opened)
		inotify_file(file, IN_OPEN);
	else
		/* A failed open reports no IN_CLOSE. */
		file->flags |= O_PATH;
	if (!error && (flags & O_TRUNC) && !(flags & O_PATH) && inode_type(inode) == S_IFREG) {
		error = inode_resize(inode, 0);
		if (!error)
			inotify_file(file, IN_MODIFY);
	}
	if (error) {
		if (opened && file->ops->release)
			file->ops->release(file);
		file->ops = &path_ops;
		file_put(file);
		return error;
	}
	*result = file;
	return 0;
}

/* Checks that FLAGS can open an existing file of INODE's type. Linux (may_open) checks the type before the
 * permission. */
static int check_type(const struct inode *inode, unsigned int flags)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);

	if ((flags & O_DIRECTORY) && inode_type(inode) != S_IFDIR)
		return -ENOTDIR;
	if (flags & O_PATH)
		return 0;
	if (inode_type(inode) == S_IFLNK)
		return -ELOOP;
	return inode_type(inode) == S_IFDIR && (writes || (flags & O_CREAT)) ? -EISDIR : 0;
}

static int check_permission(const struct inode *inode, unsigned int flags)
{
	static const uint8_t masks[] = { R_OK, W_OK, R_OK | W_OK, R_OK | W_OK };

	if (flags & O_PATH)
		return 0;
	int error =
		inode_permission(inode, masks[flags & O_ACCMODE] | (flags & O_TRUNC ? W_OK : 0));

	/* Only the owner may ask for reads that leave the access time alone. */
	return !error && (flags & O_NOATIME) && !inode_owner_or_capable(inode) ? -EPERM : error;
}

/* Finds the dentry at PATH from START, or creates it (*MADE). */
static int find_or_create(struct dentry *start, const char *path, unsigned int flags, uint32_t mode,
			  unsigned int links_left, struct dentry **result, bool *made)
{
	const struct entry_request request = { .mode = S_IFREG | mode, .opened = true };
	struct dentry *parent, *found;
	const char *name;
	size_t name_size;
	int error = path_lookup_parent(start, path, &parent, &name, &name_size);

	if (error)
		return error;
	if (name_size == 0 || path[strlen(path) - 1] == '/') {
		dentry_put(parent);
		return -EISDIR;
	}
	mutex_lock(&tree_mutex);
	error = path_step(parent, name, name_size, &found);
	mutex_unlock(&tree_mutex);
	if (error == -ENOENT) {
		error = entry_create(parent, name, name_size, &request, result);
		*made = !error;
		/* Linux's error for directories in which no file can be created. */
		if (error == -EPERM && parent->inode->superblock->fixed)
			error = -EACCES;
		/* Another task created the entry meanwhile. */
		if (error == -EEXIST && !(flags & O_EXCL) && links_left)
			error = find_or_create(start, path, flags, mode, links_left - 1, result,
					       made);
	} else if (!error && (flags & O_EXCL)) {
		dentry_put(found);
		error = -EEXIST;
	} else if (!error && inode_type(found->inode) == S_IFLNK && !(flags & O_NOFOLLOW)) {
		error = links_left ? path_lookup(parent, name, LOOKUP_FOLLOW, result) : -ELOOP;
		char *text = error == -ENOENT ? kzalloc(PATH_SIZE) : NULL;

		/* The link's target does not exist yet. */
		if (text && found->inode->ops->read_link &&
		    found->inode->ops->read_link(found->inode, text, PATH_SIZE - 1) > 0)
			error = find_or_create(parent, text, flags, mode, links_left - 1, result,
					       made);
		kfree(text);
		dentry_put(found);
	} else if (!error) {
		*result = found;
	}
	dentry_put(parent);
	return error;
}

/* Creates a file for O_TMPFILE in the directory at PATH. */
static int make_nameless(struct dentry *start, const char *path, unsigned int flags, uint32_t mode,
			 struct dentry **result, bool *made)
{
	struct dentry *directory;

	if (!(flags & O_DIRECTORY) || (flags & O_ACCMODE) == O_RDONLY)
		return -EINVAL;
	int error = path_lookup(start, path, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &directory);

	if (error)
		return error;
	error = directory->inode->superblock->fixed ?
			-EOPNOTSUPP :
			entry_create_nameless(directory, mode, !(flags & O_EXCL), result);
	dentry_put(directory);
	*made = !error;
	return error;
}

/* Calls dentry_open; as long as a file opened for writing exists, no program runs it. */
static int open_writing(struct dentry *dentry, unsigned int flags, struct file **file)
{
	struct inode *inode = dentry->inode;
	bool writes = inode_type(inode) == S_IFREG && !(flags & O_PATH) &&
		      ((flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC));
	int error = writes ? inode_begin_write(inode) : 0;

	if (error)
		return error;
	error = dentry_open(dentry, flags, file);
	if (!error)
		(*file)->keeps_programs_out = writes;
	else if (writes)
		inode_end_write(inode);
	return error;
}

static long open_path(int directory_fd, unsigned long user_path, unsigned int flags, uint32_t mode)
{
	struct dentry *start, *dentry;
	struct file *file;
	bool made = false;
	char *path;
	int error = path_arguments_get(directory_fd, user_path, &start, &path);

	if (error)
		return error;
	if (flags & O_PATH)
		flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	else
		flags |= O_LARGEFILE;
	if ((flags & O_CREAT) && (flags & O_DIRECTORY))
		error = -EINVAL;
	else if (flags & __O_TMPFILE)
		error = make_nameless(start, path, flags, process_apply_umask(mode), &dentry,
				      &made);
	else if (flags & O_CREAT)
		error = find_or_create(start, path, flags, process_apply_umask(mode), LINKS_MAX,
				       &dentry, &made);
	else
		error = path_lookup(start, path, flags & O_NOFOLLOW ? 0 : LOOKUP_FOLLOW, &dentry);
	path_arguments_put(start, path);
	if (error)
		return error;
	if (made)
		flags &= ~(unsigned int)O_TRUNC;
	else
		error = check_type(dentry->inode, flags);
	if (!error && !made)
		error = check_permission(dentry->inode, flags);
	if (!error)
		error = open_writing(dentry, flags, &file);
	dentry_put(dentry);
	if (error)
		return error;
	return fd_install_or_put(file, flags & O_CLOEXEC);
}

long sys_open(const unsigned long arg[6])
{
	return open_path(AT_FDCWD, arg[0], (unsigned int)arg[1], (uint32_t)arg[2] & S_IALLUGO);
}

long sys_openat(const unsigned long arg[6])
{
	return open_path((int)arg[0], arg[1], (unsigned int)arg[2], (uint32_t)arg[3] & S_IALLUGO);
}

long sys_creat(const unsigned long arg[6])
{
	return open_path(AT_FDCWD, arg[0], O_CREAT | O_WRONLY | O_TRUNC,
			 (uint32_t)arg[1] & S_IALLUGO);
}
