/* SPDX-License-Identifier: BSD-2-Clause */
/* Inodes that no directory has, see <kernel/fs/anonymous.h>. */
#include <kernel/fs/anonymous.h>

#include <kernel/base/log.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>

void anonymous_add(struct anonymous_kind *kind)
{
	kind->superblock = superblock_create(kind->type, kind->magic, true);
	if (!kind->superblock)
		boot_failure("too little memory for a %s; give the machine more", kind->name);
}

struct dentry *anonymous_create(const struct anonymous_kind *kind, uint32_t mode)
{
	struct inode *inode = kzalloc(sizeof(*inode));
	char name[40];

	if (!inode)
		return NULL;
	inode_init(inode, kind->superblock, kind->ops, mode);
	inode->links = 1;
	int length = format_string(name, sizeof(name), "%s:[%lu]", kind->name,
				   (unsigned long)inode->number);
	struct dentry *dentry = dentry_create(NULL, inode, name, (size_t)length);

	if (!dentry)
		inode_put(inode);
	return dentry;
}
