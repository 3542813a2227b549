/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls on extended attributes, each in three forms: for a path, for a path whose last link is not
 * followed, and for a descriptor. */
#include <kernel/base/syscall.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/inotify.h>
#include <kernel/fs/xattr.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "path_arguments.h"

/* The form of a call's first argument. */
enum form { FORM_PATH, FORM_LINK, FORM_DESCRIPTOR };

/* Finds the dentry of a call, with a reference; for a descriptor without one: 0, and *DENTRY is NULL. */
static int find_dentry(enum form form, unsigned long what, struct dentry **dentry)
{
	*dentry = NULL;
	if (form == FORM_DESCRIPTOR) {
		struct file *file = fd_get_file((int)what);
		bool usable = file && !(file->flags & O_PATH);

		if (usable && file->dentry) {
			*dentry = file->dentry;
			dentry_get(*dentry);
		}
		if (file)
			file_put(file);
		return usable ? 0 : -EBADF;
	}
	return path_arguments_look_up(AT_FDCWD, what, form == FORM_PATH ? LOOKUP_FOLLOW : 0,
				      dentry);
}

/* Drops DENTRY, which may be NULL, after a change that returned ERROR. */
static void end_change(struct dentry *dentry, int error)
{
	if (!error)
		inotify_dentry(dentry, IN_ATTRIB);
	if (dentry)
		dentry_put(dentry);
}

/* Copies a name from user memory into NAME of XATTR_NAME_MAX + 1 bytes. */
static int get_name(unsigned long user_name, char *name)
{
	long length = copy_string_from_user(name, (const char *)user_name, XATTR_NAME_MAX + 1);

	if (length == -ENAMETOOLONG || length == 0)
		return -ERANGE;
	return length < 0 ? (int)length : 0;
}

/* Allocates a buffer of SIZE bytes; NULL for 0. False: no memory. */
static bool get_buffer(size_t size, char **buffer)
{
	*buffer = size ? kzalloc(size) : NULL;
	return !size || *buffer;
}

static long set(enum form form, const unsigned long arg[6])
{
	char name[XATTR_NAME_MAX + 1], *value;
	unsigned int condition = (unsigned int)arg[4];
	struct dentry *dentry;
	size_t size = arg[3];

	if (condition & ~(unsigned int)(XATTR_CREATE | XATTR_REPLACE))
		return -EINVAL;
	int error = get_name(arg[1], name);

	if (error)
		return error;
	if (size > XATTR_SIZE_MAX)
		return -E2BIG;
	if (!get_buffer(size, &value))
		return -ENOMEM;
	error = copy_from_user(value, (const void *)arg[2], size);
	if (!error)
		error = find_dentry(form, arg[0], &dentry);
	if (!error) {
		error = dentry ? xattr_set(dentry->inode, name, value, size, condition) :
				 -EOPNOTSUPP;
		end_change(dentry, error);
	}
	kfree(value);
	return error;
}

static long get(enum form form, const unsigned long arg[6])
{
	size_t size = arg[3] < XATTR_SIZE_MAX ? arg[3] : XATTR_SIZE_MAX;
	char name[XATTR_NAME_MAX + 1], *value;
	struct dentry *dentry;
	long result = get_name(arg[1], name);

	if (result)
		return result;
	result = find_dentry(form, arg[0], &dentry);
	if (result)
		return result;
	if (!dentry)
		return -EOPNOTSUPP;
	if (get_buffer(size, &value)) {
		result = xattr_get(dentry->inode, name, value, size);
		if (size && result > 0 && copy_to_user((void *)arg[2], value, (size_t)result))
			result = -EFAULT;
		kfree(value);
	} else {
		result = -ENOMEM;
	}
	dentry_put(dentry);
	return result;
}

static long list(enum form form, const unsigned long arg[6])
{
	size_t size = arg[2] < XATTR_LIST_MAX ? arg[2] : XATTR_LIST_MAX;
	struct dentry *dentry;
	char *names;
	long result = find_dentry(form, arg[0], &dentry);

	/* A file without a dentry has no attributes. */
	if (result || !dentry)
		return result;
	if (get_buffer(size, &names)) {
		result = xattr_names(dentry->inode, names, size);
		if (size && result > 0 && copy_to_user((void *)arg[1], names, (size_t)result))
			result = -EFAULT;
		kfree(names);
	} else {
		result = -ENOMEM;
	}
	dentry_put(dentry);
	return result;
}

static long remove_attribute(enum form form, const unsigned long arg[6])
{
	char name[XATTR_NAME_MAX + 1];
	struct dentry *dentry;
	int error = get_name(arg[1], name);

	if (!error)
		error = find_dentry(form, arg[0], &dentry);
	if (error)
		return error;
	error = dentry ? xattr_remove(dentry->inode, name) : -EOPNOTSUPP;
	end_change(dentry, error);
	return error;
}

#define FORMS(call, work)                            \
	long sys_##call(const unsigned long arg[6])  \
	{                                            \
		return work(FORM_PATH, arg);         \
	}                                            \
	long sys_l##call(const unsigned long arg[6]) \
	{                                            \
		return work(FORM_LINK, arg);         \
	}                                            \
	long sys_f##call(const unsigned long arg[6]) \
	{                                            \
		return work(FORM_DESCRIPTOR, arg);   \
	}

FORMS(setxattr, set)
FORMS(getxattr, get)
FORMS(listxattr, list)
FORMS(removexattr, remove_attribute)
