/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Extended attributes of inodes in memory: a list by name in descending order, as Linux lists them. A table
 * has the valid name spaces; "system." (access control lists) is not in it. Source: xattr(7).
 */
#include <kernel/fs/xattr.h>

#include <string.h>

#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/tmpfs.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

struct xattr {
	SLIST_ENTRY(xattr) next; /* in inode.xattrs */
	char *name;		 /* after the value, in the same allocation */
	size_t size;
	char value[];
};

/* The kinds of names, by prefix. Without like_contents, writing needs CAP_SYS_ADMIN. */
struct name_space {
	const char *prefix;
	bool like_contents; /* files and directories only, by the permissions of the contents */
	bool hidden;	    /* reading needs CAP_SYS_ADMIN, too */
};

static const struct name_space name_spaces[] = {
	{ .prefix = "security." },
	{ .prefix = "trusted.", .hidden = true },
	{ .prefix = "user.", .like_contents = true },
};

static int check_like_contents(const struct inode *inode, unsigned int access)
{
	if ((inode->mode & S_ISVTX) && inode_type(inode) == S_IFDIR && (access & W_OK) &&
	    !inode_owner_or_capable(inode))
		return -EPERM;
	return inode_permission(inode, access);
}

static int check_administrator(const struct name_space *space, unsigned int access)
{
	if (capable(CAP_SYS_ADMIN))
		return 0;
	return access & W_OK ? -EPERM : space->hidden ? -ENODATA : 0;
}

/* Checks that INODE can have an attribute NAME, and that the running task may access it so: 0 or an error. */
static int check_name(const struct inode *inode, const char *name, unsigned int access)
{
	bool kept = inode->superblock->keeps_xattrs;

	for (size_t i = 0; i < sizeof(name_spaces) / sizeof(name_spaces[0]); i++) {
		const struct name_space *space = &name_spaces[i];
		size_t length = strlen(space->prefix);
		uint32_t type = inode_type(inode);

		if (strncmp(name, space->prefix, length) != 0)
			continue;
		if (space->like_contents && type != S_IFREG && type != S_IFDIR)
			return access & W_OK ? -EPERM : -ENODATA;
		int error = space->like_contents ? check_like_contents(inode, access) :
						   check_administrator(space, access);

		if (error || !kept)
			return error ? error : -EOPNOTSUPP;
		return name[length] ? 0 : -EINVAL;
	}
	return -EOPNOTSUPP;
}

/* Returns the attribute, or NULL; *BEFORE: the last one with a greater name, or NULL. write_mutex held. */
static struct xattr *find(struct inode *inode, const char *name, struct xattr **before)
{
	struct xattr *at;

	*before = NULL;
	SLIST_FOREACH(at, &inode->xattrs, next) {
		int order = strcmp(at->name, name);

		if (order == 0)
			return at;
		if (order < 0)
			break;
		*before = at;
	}
	return NULL;
}

/* Returns the space that an attribute takes in its file system. Linux: simple_xattr_space. */
static uint64_t space_of(const struct xattr *attribute)
{
	return 40 + attribute->size + strlen(attribute->name);
}

static void take_out(struct inode *inode, struct xattr *attribute, struct xattr *before)
{
	tmpfs_uncharge_space(inode->superblock, space_of(attribute));
	if (before)
		SLIST_REMOVE_AFTER(before, next);
	else
		SLIST_REMOVE_HEAD(&inode->xattrs, next);
	kfree(attribute);
}

ssize_t xattr_get(struct inode *inode, const char *name, void *buffer, size_t size)
{
	struct xattr *before;
	ssize_t result = check_name(inode, name, R_OK);

	if (result)
		return result;
	mutex_lock(&inode->write_mutex);
	const struct xattr *found = find(inode, name, &before);

	if (!found)
		result = -ENODATA;
	else if (size && found->size > size)
		result = -ERANGE;
	else
		result = (ssize_t)found->size;
	if (size && result > 0)
		memcpy(buffer, found->value, found->size);
	mutex_unlock(&inode->write_mutex);
	return result;
}

static struct xattr *create(const char *name, const void *value, size_t size)
{
	size_t name_size = strlen(name) + 1;
	struct xattr *made = kzalloc(sizeof(*made) + size + name_size);

	if (!made)
		return NULL;
	made->size = size;
	if (size)
		memcpy(made->value, value, size);
	made->name = made->value + size;
	memcpy(made->name, name, name_size);
	return made;
}

int xattr_set(struct inode *inode, const char *name, const void *value, size_t size,
	      enum xattr_condition condition)
{
	int error = check_name(inode, name, W_OK);

	if (error)
		return error;
	struct xattr *made = create(name, value, size), *before;

	if (!made)
		return -ENOMEM;
	mutex_lock(&inode->write_mutex);
	struct xattr *old = find(inode, name, &before);

	if (old && (condition & XATTR_CREATE))
		error = -EEXIST;
	else if (!old && (condition & XATTR_REPLACE))
		error = -ENODATA;
	if (!error)
		error = tmpfs_charge_space(inode->superblock, space_of(made));
	if (!error) {
		if (old)
			take_out(inode, old, before);
		if (before)
			SLIST_INSERT_AFTER(before, made, next);
		else
			SLIST_INSERT_HEAD(&inode->xattrs, made, next);
		inode_touch_attributes(inode);
	}
	mutex_unlock(&inode->write_mutex);
	if (error)
		kfree(made);
	return error;
}

int xattr_remove(struct inode *inode, const char *name)
{
	int error = check_name(inode, name, W_OK);
	struct xattr *before;

	if (error)
		return error;
	mutex_lock(&inode->write_mutex);
	struct xattr *found = find(inode, name, &before);

	if (found) {
		take_out(inode, found, before);
		inode_touch_attributes(inode);
	} else {
		error = -ENODATA;
	}
	mutex_unlock(&inode->write_mutex);
	return error;
}

/* True if the running task must not see NAME. */
static bool is_hidden(const char *name)
{
	for (size_t i = 0; i < sizeof(name_spaces) / sizeof(name_spaces[0]); i++) {
		const struct name_space *space = &name_spaces[i];

		if (strncmp(name, space->prefix, strlen(space->prefix)) == 0)
			return space->hidden && !capable(CAP_SYS_ADMIN);
	}
	return false;
}

ssize_t xattr_names(struct inode *inode, char *buffer, size_t size)
{
	const struct xattr *at;
	size_t length = 0;
	bool fits = true;

	mutex_lock(&inode->write_mutex);
	SLIST_FOREACH(at, &inode->xattrs, next) {
		size_t name_size = strlen(at->name) + 1;

		if (is_hidden(at->name))
			continue;
		if (size && length + name_size > size) {
			fits = false;
			break;
		}
		if (size)
			memcpy(buffer + length, at->name, name_size);
		length += name_size;
	}
	mutex_unlock(&inode->write_mutex);
	return fits ? (ssize_t)length : -ERANGE;
}

void xattr_free_all(struct inode *inode)
{
	struct xattr *first;

	while ((first = SLIST_FIRST(&inode->xattrs)))
		take_out(inode, first, NULL);
}
