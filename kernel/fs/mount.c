/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mounts: the file systems in use, and the dentries that they cover. All processes share one tree.
 *
 * A mount is a pair of pointers between the covered dentry and the root that covers it; path walks follow
 * them (path.c). Lock: tree_mutex.
 */
#include <kernel/base/log.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/inotify.h>
#include <kernel/fs/tmpfs.h>
#include <kernel/mm/kmalloc.h>
#include <uapi/linux/errno.h>

static TAILQ_HEAD(, superblock) mounts = TAILQ_HEAD_INITIALIZER(mounts); /* D */

struct superblock *superblock_create(const char *type, uint32_t magic, bool fixed)
{
	static _Atomic uint64_t last_device;
	struct superblock *superblock = kzalloc(sizeof(*superblock));

	if (!superblock)
		return NULL;
	superblock->references = 1;
	superblock->type = type;
	superblock->magic = magic;
	superblock->fixed = fixed;
	superblock->refusal = -EPERM;
	superblock->device = atomic_fetch_add(&last_device, 1) + 1;
	return superblock;
}

void superblock_get(struct superblock *superblock)
{
	atomic_fetch_add(&superblock->references, 1);
}

void superblock_put(struct superblock *superblock)
{
	if (atomic_fetch_sub(&superblock->references, 1) != 1)
		return;
	if (superblock->end)
		superblock->end(superblock);
	kfree(superblock);
}

void superblock_discard(struct superblock *superblock)
{
	dentry_put(superblock->root);
	superblock_put(superblock);
}

/* Keeps a dentry, and all above it, in a directory whose dentries otherwise exist only while they are
 * used, so that paths find a mount there. False: another dentry has its place. tree_mutex held. */
static bool pin(struct dentry *dentry)
{
	for (; !dentry->linked && dentry->parent->inode->ops->look_up; dentry = dentry->parent) {
		if (dentry->parent == dentry)
			break;
		if (dentry_find(dentry->parent, dentry->name, dentry->name_size))
			return false;
		dentry_link(dentry);
	}
	return true;
}

int superblock_mount(struct superblock *superblock, struct dentry *mountpoint)
{
	int error = 0;

	mutex_lock(&tree_mutex);
	if (inode_type(mountpoint->inode) != S_IFDIR) {
		error = -ENOTDIR;
	} else if (mountpoint->mounted || !pin(mountpoint)) {
		error = -EBUSY;
	} else {
		dentry_get(mountpoint);
		superblock->root->covered = mountpoint;
		mountpoint->mounted = superblock->root;
		TAILQ_INSERT_TAIL(&mounts, superblock, mounted);
	}
	mutex_unlock(&tree_mutex);
	return error;
}

int superblock_mount_new(struct superblock *superblock, struct dentry *mountpoint)
{
	int error = superblock_mount(superblock, mountpoint);

	if (error)
		superblock_discard(superblock);
	return error;
}

/* Returns the dentry after AT in a walk over all below ROOT, parents first; NULL at the end. */
static struct dentry *next_below(struct dentry *root, struct dentry *at)
{
	struct dentry *next = TAILQ_FIRST(&at->children_in_order);

	while (!next && at != root) {
		next = TAILQ_NEXT(at, sibling);
		at = at->parent;
	}
	return next;
}

static unsigned int count_children(const struct dentry *dentry)
{
	const struct dentry *child;
	unsigned int count = 0;

	TAILQ_FOREACH(child, &dentry->children_in_order, sibling)
		count++;
	return count;
}

/* True if a dentry of the file system with ROOT is used: if it has more references than those of its
 * directory and its children. The root has one more of the superblock and one of the caller. */
static bool is_used(struct dentry *root)
{
	for (struct dentry *at = root; at; at = next_below(root, at)) {
		unsigned int own = at == root ? 2 : 1;

		if (at->mounted || at->references > own + count_children(at))
			return true;
	}
	return false;
}

static void unlink_all_below(struct dentry *root)
{
	struct dentry *at = root;

	for (;;) {
		struct dentry *child = TAILQ_FIRST(&at->children_in_order), *done = at;

		if (child) {
			at = child;
			continue;
		}
		if (at == root)
			return;
		at = at->parent;
		dentry_unlink(done);
	}
}

int superblock_unmount(struct dentry *root)
{
	struct superblock *superblock = root->inode->superblock;
	int error = 0;

	mutex_lock(&tree_mutex);
	if (superblock->root != root || !root->covered) {
		error = -EINVAL;
	} else if (is_used(root)) {
		error = -EBUSY;
	} else {
		struct dentry *covered = root->covered;

		covered->mounted = NULL;
		root->covered = NULL;
		TAILQ_REMOVE(&mounts, superblock, mounted);
		inotify_unmount(superblock);
		unlink_all_below(root);
		dentry_put(root);
		dentry_put(covered);
		superblock_put(superblock);
	}
	mutex_unlock(&tree_mutex);
	return error;
}

void superblock_for_each(bool (*visit)(const struct superblock *superblock, void *arg), void *arg)
{
	struct superblock *superblock;

	mutex_lock(&tree_mutex);
	TAILQ_FOREACH(superblock, &mounts, mounted)
		if (!visit(superblock, arg))
			break;
	mutex_unlock(&tree_mutex);
}

void tree_init(void)
{
	mutex_init(&tree_mutex);
	name_tree_start();
	struct superblock *root = tmpfs_create("rootfs");

	if (!root)
		boot_failure("too little memory for a file system; give the machine more");
	root_dentry = root->root;
	/* The contents of the image may exceed the limit: see initramfs.c. */
	root->space_max = 0;
	mutex_lock(&tree_mutex);
	TAILQ_INSERT_TAIL(&mounts, root, mounted);
	mutex_unlock(&tree_mutex);
}
