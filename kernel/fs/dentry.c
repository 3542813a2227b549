/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of names: linking, moving, finding, and naming by a path. See <kernel/fs/dentry.h>.
 *
 * References: a dentry has one to its parent and one to its inode; a directory has one to each linked child.
 * So a dentry keeps all directories above it, even after it loses its name.
 */
#include <kernel/fs/dentry.h>

#include <string.h>

#include <kernel/base/assert.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/inotify.h>
#include <kernel/mm/kmalloc.h>
#include <uapi/linux/errno.h>

/* Positions 0 and 1 of a directory are "." and "..". */
#define FIRST_POSITION 2

struct mutex tree_mutex;
struct spinlock dentry_name_lock = SPINLOCK_INITIALIZER;
struct dentry *root_dentry;

void dentry_get(struct dentry *dentry)
{
	unsigned int before = atomic_fetch_add(&dentry->references, 1);

	ASSERT(before != 0);
}

void dentry_put(struct dentry *dentry)
{
	/* The last reference drops the reference to the parent, and so on upwards. */
	while (dentry && atomic_fetch_sub(&dentry->references, 1) == 1) {
		struct dentry *parent = dentry->parent;

		ASSERT(!dentry->linked && name_tree_is_empty(&dentry->children) &&
		       !dentry->mounted);
		if (dentry->inode->links == 0)
			inotify_end(dentry->inode);
		inode_put(dentry->inode);
		kfree(dentry->name);
		bool root = parent == dentry;

		kfree(dentry);
		dentry = root ? NULL : parent;
	}
}

struct dentry *dentry_create(struct dentry *parent, struct inode *inode, const char *name,
			     size_t name_size)
{
	struct dentry *dentry = kzalloc(sizeof(*dentry));
	char *copy = kcopy_text(name, name_size);

	if (!dentry || !copy) {
		kfree(dentry);
		kfree(copy);
		return NULL;
	}
	dentry->references = 1;
	dentry->inode = inode;
	dentry->parent = parent ? parent : dentry;
	if (parent)
		dentry_get(parent);
	dentry->name = copy;
	dentry->name_size = name_size;
	name_tree_init(&dentry->children);
	TAILQ_INIT(&dentry->children_in_order);
	dentry->last_position = FIRST_POSITION - 1;
	return dentry;
}

void dentry_link(struct dentry *dentry)
{
	struct dentry *parent = dentry->parent;

	ASSERT(mutex_held(&tree_mutex) && !dentry->linked);
	name_tree_insert(&parent->children, &dentry->entry,
			 name_hash(dentry->name, dentry->name_size));
	TAILQ_INSERT_TAIL(&parent->children_in_order, dentry, sibling);
	dentry->position = ++parent->last_position;
	dentry->linked = true;
	dentry_get(dentry);
}

void dentry_unlink(struct dentry *dentry)
{
	ASSERT(mutex_held(&tree_mutex) && dentry->linked);
	name_tree_remove(&dentry->parent->children, &dentry->entry);
	TAILQ_REMOVE(&dentry->parent->children_in_order, dentry, sibling);
	dentry->linked = false;
	dentry_put(dentry);
}

struct dentry *dentry_find(struct dentry *parent, const char *name, size_t name_size)
{
	ASSERT(mutex_held(&tree_mutex));
	struct name_entry *entry = name_tree_find(&parent->children, name_hash(name, name_size));

	for (; entry; entry = entry->same) {
		struct dentry *dentry = __containerof(entry, struct dentry, entry);

		if (dentry->name_size == name_size && memcmp(dentry->name, name, name_size) == 0)
			return dentry;
	}
	return NULL;
}

void dentry_move(struct dentry *dentry, struct dentry *parent, char *name, size_t name_size)
{
	struct dentry *old_parent = dentry->parent;

	dentry_get(dentry);
	dentry_get(parent);
	dentry_unlink(dentry);
	char *old_name = dentry->name;

	spin_lock(&dentry_name_lock);
	dentry->name = name;
	dentry->name_size = name_size;
	dentry->parent = parent;
	spin_unlock(&dentry_name_lock);
	kfree(old_name);
	dentry_link(dentry);
	dentry_put(dentry);
	dentry_put(old_parent);
}

void dentry_exchange(struct dentry *a, struct dentry *b)
{
	struct dentry *a_parent = a->parent;
	char *a_name = a->name;
	size_t a_size = a->name_size;

	dentry_get(a);
	dentry_get(b);
	dentry_unlink(a);
	dentry_unlink(b);
	/* The references to the parents are exchanged with the parents. */
	spin_lock(&dentry_name_lock);
	a->parent = b->parent;
	a->name = b->name;
	a->name_size = b->name_size;
	b->parent = a_parent;
	b->name = a_name;
	b->name_size = a_size;
	spin_unlock(&dentry_name_lock);
	dentry_link(a);
	dentry_link(b);
	dentry_put(a);
	dentry_put(b);
}

/* Returns the directory above DENTRY on a path, across the border of a file system. */
static struct dentry *above(const struct dentry *dentry)
{
	while (dentry->parent == dentry && dentry->covered)
		dentry = dentry->covered;
	return dentry->parent;
}

bool dentry_is_below(const struct dentry *dentry, const struct dentry *top)
{
	while (dentry != top) {
		const struct dentry *up = above(dentry);

		if (up == dentry)
			return false;
		dentry = up;
	}
	return true;
}

char *dentry_path_locked(struct dentry *dentry, struct dentry *root, char *buffer, size_t size)
{
	static const char mark[] = " (deleted)";
	char *at = buffer + size;

	if (size < 2 + sizeof(mark))
		return NULL;
	*--at = '\0';
	if (!dentry->linked && dentry->parent != dentry &&
	    inode_has_lasting_entries(dentry->parent->inode)) {
		at -= sizeof(mark) - 1;
		memcpy(at, mark, sizeof(mark) - 1);
	}
	if (dentry->parent == dentry && dentry->name_size) {
		/* A dentry that no directory lists has only its name. */
		at -= dentry->name_size;
		memcpy(at, dentry->name, dentry->name_size);
		return at;
	}
	while (dentry != root) {
		/* A mounted root has the name of the dentry that it covers. */
		while (dentry->parent == dentry && dentry->covered && dentry != root)
			dentry = dentry->covered;
		if (dentry->parent == dentry)
			break;
		if ((size_t)(at - buffer) < dentry->name_size + 1) {
			at = NULL;
			break;
		}
		at -= dentry->name_size;
		memcpy(at, dentry->name, dentry->name_size);
		*--at = '/';
		dentry = dentry->parent;
	}
	if (at && *at != '/')
		*--at = '/';
	return at;
}

char *dentry_path(struct dentry *dentry, struct dentry *root, char *buffer, size_t size)
{
	mutex_lock(&tree_mutex);
	char *path = dentry_path_locked(dentry, root, buffer, size);

	mutex_unlock(&tree_mutex);
	return path;
}
