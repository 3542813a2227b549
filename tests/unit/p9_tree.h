/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree and tmpfs above a share, simulated, and a share whose server is p9_server.h's; it writes if `writes` says so before begin().
 */
#ifndef TESTS_UNIT_P9_TREE_H
#define TESTS_UNIT_P9_TREE_H

#include <kernel/fs/xattr.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/task/credentials.h>
#include <kernel/task/signal.h>

#include <stdlib.h>

#include "../../kernel/fs/9p/share.h"
#include "p9_server.h"

#define SPACE_MAX 100000u
/* The user who makes files. */
#define USER	  1002u

static struct share share;
static struct superblock superblock = { .references = 1 };
static struct share_directory *root;
static uint64_t space; /* charged */
static unsigned int inodes;
static bool killed, writes;

/* --- tmpfs and the tree --- */

/* Held from begin() to end(). */
struct mutex tree_mutex;

struct node {
	struct inode inode;
	struct tmpfs_source *source;
	uint64_t size;
	char *target;
};

int tmpfs_charge_space(struct superblock *of, uint64_t size)
{
	if (space + size > SPACE_MAX)
		return -ENOSPC;
	space += size;
	return 0;
}

void tmpfs_uncharge_space(struct superblock *of, uint64_t size)
{
	EXPECT(size <= space);
	space -= size;
}

void inode_init(struct inode *inode, struct superblock *of, const struct inode_ops *ops,
		uint32_t mode)
{
	inode->references = 1;
	inode->ops = ops;
	inode->superblock = of;
	inode->mode = mode;
	inodes++;
}

void inode_put(struct inode *inode)
{
	if (--inode->references)
		return;
	inodes--;
	inode->ops->free(inode);
}

static void free_node(struct inode *inode)
{
	struct node *file = (struct node *)inode;

	if (file->source)
		file->source->free(file->source);
	tmpfs_uncharge_space(&superblock, TMPFS_INODE_SPACE);
	free(file->target);
	kfree(file);
}

static const struct inode_ops node_ops = { .free = free_node };

const struct credentials *credentials_for_files(void)
{
	static const struct credentials user = { .fsuid = USER, .fsgid = USER + 1 };

	return &user;
}

struct inode *tmpfs_create_inode(struct superblock *of, uint32_t mode, uint64_t device)
{
	if (tmpfs_charge_space(of, TMPFS_INODE_SPACE))
		return NULL;
	struct node *file = kzalloc(sizeof(*file));

	inode_init(&file->inode, of, &node_ops, mode);
	file->inode.uid = USER;
	return &file->inode;
}

int tmpfs_set_target(struct inode *inode, const char *text, size_t size)
{
	EXPECT(size > 0 && size < 4096 && !memchr(text, 0, size));
	((struct node *)inode)->target = strndup(text, size);
	return 0;
}

void tmpfs_set_source(struct inode *inode, struct tmpfs_source *source, uint64_t size)
{
	EXPECT(size <= FILE_SIZE_MAX);
	((struct node *)inode)->source = source;
	((struct node *)inode)->size = size;
}

void xattr_free_all(struct inode *inode)
{
}

int inode_permission_by_mode(const struct inode *inode, unsigned int mask)
{
	return 0;
}

struct dentry *dentry_find(struct dentry *parent, const char *name, size_t size)
{
	return NULL;
}

int share_start(struct share *of)
{
	return 0;
}

bool signal_is_fatal_pending(struct task *task)
{
	return killed;
}

void inode_get(struct inode *inode)
{
	inode->references++;
}

struct tmpfs_source *tmpfs_source_of(struct inode *inode)
{
	return ((struct node *)inode)->source;
}

int tmpfs_sync_through(struct inode *inode)
{
	return 0;
}

void tmpfs_detach_source(struct inode *inode)
{
	((struct node *)inode)->source->detached = true;
}

/* --- a share --- */

static void begin(void)
{
	struct p9_qid qid;
	uint32_t fid;

	sim_start(1);
	lie = NULL;
	killed = false;
	clunks = walks = inodes = 0;
	space = 0;
	memset(&share, 0, sizeof(share));
	mutex_init(&tree_mutex);
	mutex_lock(&tree_mutex);
	mutex_init(&share.mutex);
	TAILQ_INIT(&share.open_files);
	share.superblock = &superblock;
	superblock.private = &share;
	LIST_INIT(&share.written);
	share.writes = share.guarded = writes;
	EXPECT_EQ(p9_client_start(&share.client, &transport, &fid, &qid), 0);
	root = share_directory_create(&share, S_IFDIR | 0755);
	root->fid = fid;
	root->has_fid = true;
}

/* Nothing is left, whatever the server said; the fids that it was asked for are given back. */
static void end(void)
{
	inode_put(&root->inode);
	kfree(share.block);
	p9_client_end(&share.client);
	EXPECT_EQ(inodes, 0);
	EXPECT_EQ(space, 0);
	EXPECT_EQ(share.open_count, 0);
	mutex_unlock(&tree_mutex);
	EXPECT_EQ(sim_end(), 0);
}

#endif
