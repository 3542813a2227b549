/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paths: finds the dentry that a text names, as path_resolution(7) describes.
 *
 * A walk holds the tree's mutex from its first name to its last, so nothing moves under it.
 */
#include <string.h>

#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

/* As Linux's MAXSYMLINKS. */
#define LINKS_MAX 40

/* A walk: its position, and the number of links that it may still follow. */
struct walk {
	struct dentry *at; /* referenced */
	unsigned int links_left;
};

static void go(struct walk *walk, struct dentry *to)
{
	dentry_put(walk->at);
	walk->at = to;
}

/* Returns the root that is mounted over DENTRY, whose reference moves in, or DENTRY itself. */
static struct dentry *enter_mounts(struct dentry *dentry)
{
	while (dentry->mounted) {
		struct dentry *top = dentry->mounted;
		struct superblock *superblock = top->inode->superblock;

		if (superblock->enter)
			superblock->enter(superblock);
		dentry_get(top);
		dentry_put(dentry);
		dentry = top;
	}
	return dentry;
}

/* Returns the directory above DIRECTORY, referenced; the root is above itself. */
static struct dentry *step_up(struct dentry *directory)
{
	struct dentry *root = process_root();
	struct dentry *at = directory;

	while (at != root && at->parent == at && at->covered)
		at = at->covered;
	if (at != root)
		at = at->parent;
	dentry_get(at);
	return enter_mounts(at);
}

/* Creates a dentry for an entry that its file system makes on demand. */
static int look_up(struct dentry *parent, const char *name, size_t name_size,
		   struct dentry **result)
{
	int error = -ENOENT;
	struct inode *inode = parent->inode->ops->look_up(parent->inode, name, name_size, &error);

	if (!inode)
		return error;
	*result = dentry_create(parent, inode, name, name_size);
	if (!*result) {
		inode_put(inode);
		return -ENOMEM;
	}
	if (parent->inode->ops->layer)
		dentry_link(*result);
	return 0;
}

int path_step(struct dentry *parent, const char *name, size_t name_size, struct dentry **result)
{
	struct inode *inode = parent->inode;

	if (inode_type(inode) != S_IFDIR)
		return -ENOTDIR;
	int error = inode_permission(inode, X_OK);

	if (error)
		return error;
	if (name_size == 1 && name[0] == '.') {
		dentry_get(parent);
		*result = parent;
		return 0;
	}
	if (name_size == 2 && name[0] == '.' && name[1] == '.') {
		*result = step_up(parent);
		return 0;
	}
	if (name_size > NAME_SIZE_MAX)
		return -ENAMETOOLONG;
	struct dentry *found = dentry_find(parent, name, name_size);

	if (found) {
		dentry_get(found);
		*result = enter_mounts(found);
		return 0;
	}
	if (inode->ops->look_up)
		return look_up(parent, name, name_size, result);
	return -ENOENT;
}

/* Besides LOOKUP_*: the path is a link's target, so its end is not the end of the caller's path. */
#define WALK_INNER (1u << 31)

static int walk_path(struct walk *walk, const char *path, size_t size, unsigned int flags);

/* Follows LINK, whose reference moves in, from walk->at, its directory. INNER: WALK_INNER, or 0. */
static int follow(struct walk *walk, struct dentry *link, unsigned int inner)
{
	const struct inode_ops *ops = link->inode->ops;
	int error = walk->links_left == 0 ? -ELOOP :
		    inner		  ? 0 :
					    inode_check_follow(walk->at->inode, link->inode);

	if (error)
		goto out;
	walk->links_left--;
	if (ops->follow) {
		struct dentry *target = ops->follow(link->inode, &error);

		if (target) {
			go(walk, target);
			error = 0;
		}
		goto out;
	}
	char *text = kzalloc(PATH_SIZE);

	error = -ENOMEM;
	if (text) {
		ssize_t size = ops->read_link(link->inode, text, PATH_SIZE);

		error = size < 0  ? (int)size :
			size == 0 ? -ENOENT :
				    walk_path(walk, text, (size_t)size, LOOKUP_FOLLOW | inner);
	}
	kfree(text);
out:
	dentry_put(link);
	return error;
}

static int walk_path(struct walk *walk, const char *path, size_t size, unsigned int flags)
{
	size_t i = 0;

	if (size && path[0] == '/') {
		dentry_get(process_root());
		go(walk, enter_mounts(process_root()));
	}
	while (i < size) {
		while (i < size && path[i] == '/')
			i++;
		size_t begin = i;

		while (i < size && path[i] != '/')
			i++;
		if (i == begin)
			break;
		struct dentry *next;
		int error = path_step(walk->at, path + begin, i - begin, &next);

		if (error)
			return error;
		if (inode_type(next->inode) == S_IFLNK && (i < size || (flags & LOOKUP_FOLLOW))) {
			size_t rest = 0;

			while (i + rest < size && path[i + rest] == '/')
				rest++;

			error = follow(walk, next,
				       i + rest < size ? WALK_INNER : flags & WALK_INNER);
			if (error)
				return error;
		} else {
			go(walk, next);
		}
	}
	/* "file/" names a directory only. */
	if (((size && path[size - 1] == '/') || (flags & LOOKUP_DIRECTORY)) &&
	    inode_type(walk->at->inode) != S_IFDIR)
		return -ENOTDIR;
	return 0;
}

/* Walks the SIZE bytes of PATH from START. */
static int resolve(struct dentry *start, const char *path, size_t size, unsigned int flags,
		   struct dentry **result)
{
	struct walk walk = { .at = start, .links_left = LINKS_MAX };

	mutex_lock(&tree_mutex);
	dentry_get(start);
	int error = walk_path(&walk, path, size, flags);

	mutex_unlock(&tree_mutex);
	if (error)
		dentry_put(walk.at);
	else
		*result = walk.at;
	return error;
}

int path_lookup(struct dentry *start, const char *path, unsigned int flags, struct dentry **result)
{
	size_t size = strnlen(path, PATH_SIZE);

	if (size == 0)
		return -ENOENT;
	if (size == PATH_SIZE)
		return -ENAMETOOLONG;
	return resolve(start, path, size, flags, result);
}

int path_lookup_parent(struct dentry *start, const char *path, struct dentry **parent,
		       const char **name, size_t *name_size)
{
	size_t size = strnlen(path, PATH_SIZE), end = size;

	if (size == 0)
		return -ENOENT;
	if (size == PATH_SIZE)
		return -ENAMETOOLONG;
	while (end && path[end - 1] == '/')
		end--;
	size_t begin = end;

	while (begin && path[begin - 1] != '/')
		begin--;
	*name = path + begin;
	*name_size = end - begin;
	int error =
		resolve(start, path, begin, LOOKUP_FOLLOW | LOOKUP_DIRECTORY | WALK_INNER, parent);

	if (error || !*name_size)
		return error;
	/* A task that may not search a directory must not learn its names. */
	error = inode_permission((*parent)->inode, X_OK);
	if (error)
		dentry_put(*parent);
	return error;
}
