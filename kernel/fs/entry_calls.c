/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls that change directories: mkdir, mknod, unlink, rmdir, link, symlink, rename. entry.c does
 * the work. */
#include <string.h>

#include <kernel/base/syscall.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "path_arguments.h"

/* The place of a call's entry, existing or not: find_place fills it, drop_place releases it. */
struct place {
	struct dentry *start, *parent;
	char *path;
	const char *name; /* in path */
	size_t name_size;
	bool slash; /* follows the name: only a directory is meant */
};

static int find_place(int directory_fd, unsigned long user_path, struct place *place)
{
	int error = path_arguments_get(directory_fd, user_path, &place->start, &place->path);

	if (error)
		return error;
	error = path_lookup_parent(place->start, place->path, &place->parent, &place->name,
				   &place->name_size);
	if (error) {
		path_arguments_put(place->start, place->path);
		return error;
	}
	place->slash = place->path[strlen(place->path) - 1] == '/';
	return 0;
}

static void drop_place(struct place *place)
{
	dentry_put(place->parent);
	path_arguments_put(place->start, place->path);
}

/* Returns the error for PLACE, written with a slash but not meant as a directory: nothing is there,
 * DIRECTORY_ERROR for a directory, -ENOTDIR for another file. */
static int refuse_slash(const struct place *place, int directory_error)
{
	struct dentry *found;

	mutex_lock(&tree_mutex);
	int error = path_step(place->parent, place->name, place->name_size, &found);

	mutex_unlock(&tree_mutex);
	if (error)
		return error;
	error = inode_type(found->inode) == S_IFDIR ? directory_error : -ENOTDIR;
	dentry_put(found);
	return error;
}

static long create(int directory_fd, unsigned long user_path, const struct entry_request *request)
{
	struct place place;
	int error = find_place(directory_fd, user_path, &place);

	if (error)
		return error;
	/* A slash must not follow the name of a file that is no directory; -EEXIST comes first. */
	if (place.slash && (request->mode & S_IFMT) != S_IFDIR) {
		struct dentry *found;

		mutex_lock(&tree_mutex);
		error = path_step(place.parent, place.name, place.name_size, &found);
		mutex_unlock(&tree_mutex);
		if (!error)
			dentry_put(found);
		error = error ? -ENOENT : -EEXIST;
	} else {
		error = entry_create(place.parent, place.name, place.name_size, request, NULL);
	}
	drop_place(&place);
	return error;
}

static long make_directory(int directory_fd, unsigned long user_path, unsigned long mode)
{
	const struct entry_request request = {
		.mode = S_IFDIR | process_apply_umask((uint32_t)mode & (0777 | S_ISVTX))
	};

	return create(directory_fd, user_path, &request);
}

long sys_mkdir(const unsigned long arg[6])
{
	return make_directory(AT_FDCWD, arg[0], arg[1]);
}

long sys_mkdirat(const unsigned long arg[6])
{
	return make_directory((int)arg[0], arg[1], arg[2]);
}

static long make_node(int directory_fd, unsigned long user_path, uint32_t mode, uint64_t device)
{
	/* The device number as programs give it: Linux's new_decode_dev has the same layout. */
	struct entry_request request = { .mode = (mode & S_IFMT) |
						 process_apply_umask(mode & S_IALLUGO),
					 .device = (uint32_t)device };

	switch (mode & S_IFMT) {
	case 0:
		request.mode |= S_IFREG;
		break;
	case S_IFREG:
	case S_IFCHR:
	case S_IFBLK:
	case S_IFIFO:
	case S_IFSOCK:
		break;
	case S_IFDIR:
		return -EPERM;
	default:
		return -EINVAL;
	}
	return create(directory_fd, user_path, &request);
}

long sys_mknod(const unsigned long arg[6])
{
	return make_node(AT_FDCWD, arg[0], (uint32_t)arg[1], arg[2]);
}

long sys_mknodat(const unsigned long arg[6])
{
	return make_node((int)arg[0], arg[1], (uint32_t)arg[2], arg[3]);
}

static long make_link(unsigned long user_target, int directory_fd, unsigned long user_path)
{
	struct entry_request request = { .mode = S_IFLNK | 0777 };
	char *target = kzalloc(PATH_SIZE);

	if (!target)
		return -ENOMEM;
	long result = copy_string_from_user(target, (const char *)user_target, PATH_SIZE);

	if (result == 0)
		result = -ENOENT;
	request.target = target;
	if (result > 0)
		result = create(directory_fd, user_path, &request);
	kfree(target);
	return result;
}

long sys_symlink(const unsigned long arg[6])
{
	return make_link(arg[0], AT_FDCWD, arg[1]);
}

long sys_symlinkat(const unsigned long arg[6])
{
	return make_link(arg[0], (int)arg[1], arg[2]);
}

static long remove(int directory_fd, unsigned long user_path, bool directory)
{
	struct place place;
	int error = find_place(directory_fd, user_path, &place);

	if (error)
		return error;
	/* A slash after the name means a directory. */
	error = place.slash && !directory && place.name_size ?
			refuse_slash(&place, -EISDIR) :
			entry_remove(place.parent, place.name, place.name_size, directory);
	drop_place(&place);
	return error;
}

long sys_unlink(const unsigned long arg[6])
{
	return remove(AT_FDCWD, arg[0], false);
}

long sys_rmdir(const unsigned long arg[6])
{
	return remove(AT_FDCWD, arg[0], true);
}

long sys_unlinkat(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[2];

	if (flags & ~(unsigned int)AT_REMOVEDIR)
		return -EINVAL;
	return remove((int)arg[0], arg[1], flags & AT_REMOVEDIR);
}

static long link_paths(int old_fd, unsigned long user_old, int new_fd, unsigned long user_new,
		       unsigned int flags)
{
	struct dentry *dentry;
	struct place place;

	if (flags & ~(unsigned int)(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	unsigned int lookup = flags & AT_EMPTY_PATH;

	if (!(flags & AT_SYMLINK_FOLLOW))
		lookup |= AT_SYMLINK_NOFOLLOW;
	int error = path_arguments_look_up_at(old_fd, user_old, lookup, &dentry);

	if (error)
		return error;
	if (!dentry)
		return -EXDEV;
	error = find_place(new_fd, user_new, &place);
	if (!error) {
		error = place.slash ? -ENOENT :
				      entry_link(dentry, place.parent, place.name, place.name_size);
		drop_place(&place);
	}
	dentry_put(dentry);
	return error;
}

long sys_link(const unsigned long arg[6])
{
	return link_paths(AT_FDCWD, arg[0], AT_FDCWD, arg[1], 0);
}

long sys_linkat(const unsigned long arg[6])
{
	return link_paths((int)arg[0], arg[1], (int)arg[2], arg[3], (unsigned int)arg[4]);
}

static long rename_paths(int old_fd, unsigned long user_old, int new_fd, unsigned long user_new,
			 unsigned int flags)
{
	struct place from, to;

	/* Linux's whiteouts are for layered file systems, which Tally does not have. */
	if ((flags & ~(unsigned int)(RENAME_NOREPLACE | RENAME_EXCHANGE)) ||
	    flags == (RENAME_NOREPLACE | RENAME_EXCHANGE))
		return -EINVAL;
	int error = find_place(old_fd, user_old, &from);

	if (error)
		return error;
	error = find_place(new_fd, user_new, &to);
	if (!error) {
		if (from.slash || (to.slash && !(flags & RENAME_EXCHANGE)))
			error = refuse_slash(&from, 0);
		if (!error)
			error = entry_rename(from.parent, from.name, from.name_size, to.parent,
					     to.name, to.name_size, flags);
		drop_place(&to);
	}
	drop_place(&from);
	return error;
}

long sys_rename(const unsigned long arg[6])
{
	return rename_paths(AT_FDCWD, arg[0], AT_FDCWD, arg[1], 0);
}

long sys_renameat(const unsigned long arg[6])
{
	return rename_paths((int)arg[0], arg[1], (int)arg[2], arg[3], 0);
}

long sys_renameat2(const unsigned long arg[6])
{
	return rename_paths((int)arg[0], arg[1], (int)arg[2], arg[3], (unsigned int)arg[4]);
}
