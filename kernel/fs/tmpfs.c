/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tmpfs: file systems in memory, and their inodes.
 *
 * The contents of a file are pages (tmpfs_pages.c), which it gets when it is written to or mapped. Reading and mapping are
 * in tmpfs_contents.c, sizes and holes in tmpfs_sizes.c, the limit of inodes in tmpfs_space.c.
 *
 * Locks: see <kernel/fs/inode.h>.
 */
#include <kernel/fs/tmpfs.h>

#include <string.h>

#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "tmpfs_contents.h"
#include "tmpfs_pages.h"
#include "tmpfs_sizes.h"
#include "tmpfs_through.h"

/* Linux's TMPFS_MAGIC. */
#define MAGIC		  0x01021994
/* A link's target of at least so many bytes takes a page: Linux's SHORT_SYMLINK_LEN. */
#define SHORT_TARGET_SIZE 128

/* --- links --- */

static ssize_t read_link(struct inode *inode, char *buffer, size_t size)
{
	const struct tmpfs_inode *link = tmpfs_inode(inode);
	size_t length = inode->size < size ? inode->size : size;

	memcpy(buffer, link->target ? link->target : link->image, length);
	return (ssize_t)length;
}

/* --- inodes --- */

static void free_inode(struct inode *inode)
{
	struct tmpfs_inode *file = tmpfs_inode(inode);

	tmpfs_remove_pages(file, 0, PAGE_TREE_LIMIT);
	page_tree_remove(&file->dirty, 0, PAGE_TREE_LIMIT);
	/* The page of a long target: see tmpfs_set_target. */
	tmpfs_uncharge_pages(inode, inode->pages);
	if (file->source)
		file->source->free(file->source);
	xattr_free_all(inode);
	tmpfs_uncharge_space(inode->superblock, TMPFS_INODE_SPACE);
	kfree(file->target);
	kfree(file);
}

static int open_regular(struct inode *inode, struct file *file)
{
	file->ops = &tmpfs_file_ops;
	return tmpfs_open_through(inode, file);
}

static const struct inode_ops regular_ops = {
	.open = open_regular,
	.resize = tmpfs_resize,
	.allocate = tmpfs_allocate,
	.punch = tmpfs_punch,
	.find_data = tmpfs_find_data,
	.free = free_inode,
};
static const struct inode_ops link_ops = { .read_link = read_link, .free = free_inode };
static const struct inode_ops other_ops = { .free = free_inode };

struct inode *tmpfs_create_inode(struct superblock *superblock, uint32_t mode, uint64_t device)
{
	uint32_t type = mode & S_IFMT;

	if (tmpfs_charge_space(superblock, TMPFS_INODE_SPACE))
		return NULL;
	struct tmpfs_inode *file = kzalloc(sizeof(*file));

	if (!file) {
		tmpfs_uncharge_space(superblock, TMPFS_INODE_SPACE);
		return NULL;
	}
	inode_init(&file->inode, superblock,
		   type == S_IFREG ? &regular_ops :
		   type == S_IFLNK ? &link_ops :
				     &other_ops,
		   mode);
	file->inode.uid = credentials_for_files()->fsuid;
	file->inode.gid = credentials_for_files()->fsgid;
	vm_mapping_init(&file->mapping);
	file->seals = F_SEAL_SEAL;
	if (type == S_IFCHR || type == S_IFBLK)
		file->inode.device = device;
	return &file->inode;
}

void tmpfs_set_image(struct inode *inode, const void *data, size_t size)
{
	tmpfs_inode(inode)->image = data;
	tmpfs_inode(inode)->image_size = size;
	inode->size = size;
	if (inode_type(inode) == S_IFREG)
		inode->pages = 0;
}

void tmpfs_set_source(struct inode *inode, struct tmpfs_source *source, uint64_t size)
{
	tmpfs_inode(inode)->source = source;
	tmpfs_inode(inode)->image_size = size;
	inode->size = size;
}

int tmpfs_set_target(struct inode *inode, const char *text, size_t size)
{
	/* Linux takes a page for a target that does not fit the inode's own memory. */
	uint64_t pages = size >= SHORT_TARGET_SIZE;
	int error = pages ? tmpfs_charge_pages(inode->superblock, pages) : 0;
	char *copy = error ? NULL : kcopy_text(text, size);

	if (!copy) {
		if (!error)
			tmpfs_uncharge_pages(inode, pages);
		return error ? error : -ENOMEM;
	}
	inode->pages = pages;
	tmpfs_inode(inode)->target = copy;
	inode->size = size;
	return 0;
}

/* --- seals --- */

void tmpfs_set_seals(struct inode *inode, unsigned int seals)
{
	tmpfs_inode(inode)->seals = seals;
}

int tmpfs_get_seals(struct inode *inode)
{
	return inode->ops == &regular_ops ? (int)tmpfs_inode(inode)->seals : -EINVAL;
}

int tmpfs_add_seals(struct inode *inode, unsigned int seals)
{
	int error = 0;

	if ((seals & ~(unsigned int)F_SEAL_ALL) || inode->ops != &regular_ops)
		return -EINVAL;
	mutex_lock(&inode->write_mutex);
	if (tmpfs_is_sealed(inode, F_SEAL_SEAL))
		error = -EPERM;
	else if ((seals & F_SEAL_WRITE) && !tmpfs_is_sealed(inode, F_SEAL_WRITE) &&
		 vm_mapping_in_use(&tmpfs_inode(inode)->mapping, true))
		error = -EBUSY;
	/* A sealed executable file must not change in any other way, either. */
	if ((seals & F_SEAL_EXEC) && (inode->mode & 0111))
		seals |= F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_FUTURE_WRITE;
	if (!error)
		tmpfs_inode(inode)->seals |= seals;
	mutex_unlock(&inode->write_mutex);
	return error;
}

/* --- file systems --- */

struct superblock *tmpfs_create(const char *type)
{
	struct superblock *superblock = superblock_create(type, MAGIC, false);

	if (!superblock)
		return NULL;
	superblock->keeps_xattrs = true;
	/* Linux's default. */
	superblock->pages_max = page_total_count() / 2;
	tmpfs_limit_inodes(superblock);
	struct inode *inode = tmpfs_create_inode(superblock, S_IFDIR | 0755, 0);

	if (inode) {
		inode->links = 2;
		superblock->root = dentry_create(NULL, inode, "", 0);
		if (superblock->root)
			return superblock;
		inode_put(inode);
	}
	superblock_put(superblock);
	return NULL;
}
