/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls on extended attributes: each in three forms, for a path, for a path whose last link is
 * not followed, and for a descriptor. */
#include <kernel/dentry.h>
#include <kernel/file.h>
#include <kernel/inode.h>
#include <kernel/kmalloc.h>
#include <kernel/syscall.h>
#include <kernel/usercopy.h>
#include <kernel/xattr.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "path_arguments.h"

/* What a call works on: which of the three forms it is, and its first argument. */
enum form { FORM_PATH, FORM_LINK, FORM_DESCRIPTOR };

/* The inode of a call with a reference; a descriptor without one: 0 and *INODE is NULL. */
static int find_inode(enum form form, unsigned long what, struct inode **inode)
{
	*inode = NULL;
	if (form == FORM_DESCRIPTOR) {
		struct file *file = fd_get_file((int)what);
		bool usable = file && !(file->flags & O_PATH);

		if (usable && file_inode(file)) {
			*inode = file_inode(file);
			inode_get(*inode);
		}
		if (file)
			file_put(file);
		return usable ? 0 : -EBADF;
	}
	struct dentry *dentry;
	int error = path_arguments_look_up(AT_FDCWD, what, form == FORM_PATH ? LOOKUP_FOLLOW : 0,
					   &dentry);

	if (error)
		return error;
	*inode = dentry->inode;
	inode_get(*inode);
	dentry_put(dentry);
	return 0;
}

/* A name from user memory into NAME of XATTR_NAME_MAX + 1 bytes. */
static int get_name(unsigned long user_name, char *name)
{
	long length = copy_string_from_user(name, (const char *)user_name, XATTR_NAME_MAX + 1);

	if (length == -ENAMETOOLONG || length == 0)
		return -ERANGE;
	return length < 0 ? (int)length : 0;
}

/* A buffer of SIZE bytes; NULL for none. False: no memory. */
static bool get_buffer(size_t size, char **buffer)
{
	*buffer = size ? kzalloc(size) : NULL;
	return !size || *buffer;
}

static long set(enum form form, const unsigned long arg[6])
{
	char name[XATTR_NAME_MAX + 1], *value;
	unsigned int condition = (unsigned int)arg[4];
	struct inode *inode;
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
		error = find_inode(form, arg[0], &inode);
	if (!error) {
		error = inode ? xattr_set(inode, name, value, size, condition) : -EOPNOTSUPP;
		if (inode)
			inode_put(inode);
	}
	kfree(value);
	return error;
}

static long get(enum form form, const unsigned long arg[6])
{
	size_t size = arg[3] < XATTR_SIZE_MAX ? arg[3] : XATTR_SIZE_MAX;
	char name[XATTR_NAME_MAX + 1], *value;
	struct inode *inode;
	long result = get_name(arg[1], name);

	if (result)
		return result;
	result = find_inode(form, arg[0], &inode);
	if (result)
		return result;
	if (!inode)
		return -EOPNOTSUPP;
	if (get_buffer(size, &value)) {
		result = xattr_get(inode, name, value, size);
		if (size && result > 0 && copy_to_user((void *)arg[2], value, (size_t)result))
			result = -EFAULT;
		kfree(value);
	} else {
		result = -ENOMEM;
	}
	inode_put(inode);
	return result;
}

static long list(enum form form, const unsigned long arg[6])
{
	size_t size = arg[2] < XATTR_LIST_MAX ? arg[2] : XATTR_LIST_MAX;
	struct inode *inode;
	char *names;
	long result = find_inode(form, arg[0], &inode);

	/* Where there can be none, there are none. */
	if (result || !inode)
		return result;
	if (get_buffer(size, &names)) {
		result = xattr_names(inode, names, size);
		if (size && result > 0 && copy_to_user((void *)arg[1], names, (size_t)result))
			result = -EFAULT;
		kfree(names);
	} else {
		result = -ENOMEM;
	}
	inode_put(inode);
	return result;
}

static long take_away(enum form form, const unsigned long arg[6])
{
	char name[XATTR_NAME_MAX + 1];
	struct inode *inode;
	int error = get_name(arg[1], name);

	if (!error)
		error = find_inode(form, arg[0], &inode);
	if (error)
		return error;
	error = inode ? xattr_remove(inode, name) : -EOPNOTSUPP;
	if (inode)
		inode_put(inode);
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
FORMS(removexattr, take_away)
