/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shares as file systems: mounting, and the start of the protocol.
 *
 * Nothing is sent to the server before a path leads into the share: a program that needs none of it runs as if there were
 * none, in virtual time as well.
 */
#include "share.h"

#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/drivers/p9_transport.h>
#include <kernel/fs/share.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <uapi/linux/errno.h>

#include "writing.h"

/* Linux's V9FS_MAGIC. */
#define MAGIC_WRITING 0x01021997
/* Linux's OVERLAYFS_SUPER_MAGIC: a layer that can be written above one that cannot. */
#define MAGIC	      0x794c7630
/* The numbers of inodes that the layer has made begin here, the server's are mostly below. */
#define FIRST_NUMBER  ((uint64_t)1 << 62)

static struct mutex shares_mutex = MUTEX_INITIALIZER(shares_mutex);
static LIST_HEAD(, share) shares = LIST_HEAD_INITIALIZER(shares); /* shares_mutex */

static int start(struct share *share)
{
	struct share_directory *root =
		__containerof(share->superblock->root->inode, struct share_directory, inode);
	struct p9_attributes attributes;
	struct p9_qid qid;
	uint32_t fid;
	int error = p9_client_start(&share->client, share->transport, &fid, &qid);

	if (error)
		return error;
	error = p9_get_attributes(&share->client, fid, &attributes);
	if (error) {
		p9_client_end(&share->client);
		return error;
	}
	root->fid = fid;
	share_set_attributes(&root->inode, &attributes);
	root->has_fid = true;
	return 0;
}

int share_start(struct share *share)
{
	mutex_lock(&share->mutex);
	int error = share->error;

	if (!share->started && !error) {
		error = start(share);
		share->started = !error;
		/* The next one may have more patience. */
		share->error = error == -EINTR ? 0 : error;
		if (share->error)
			log_error("the shared folder %s cannot be read: error %d",
				  share->transport->tag, -error);
	}
	mutex_unlock(&share->mutex);
	return error;
}

static void enter(struct superblock *superblock)
{
	/* An error comes back at the first use of the directory. */
	share_start(__containerof(superblock->root->inode, struct share_directory, inode)->share);
}

/* The superblock and all its inodes are gone but the memory of SUPERBLOCK itself. */
static void end(struct superblock *superblock)
{
	struct share *share = superblock->private;

	mutex_lock(&shares_mutex);
	LIST_REMOVE(share, all);
	mutex_unlock(&shares_mutex);
	if (share->started)
		p9_client_end(&share->client);
	/* No program gets round the guard by mounting the folder once more. */
	share->transport->in_use = share->guarded;
	kfree(share->block);
	kfree(share);
}

int share_create(struct p9_transport *transport, bool writes, bool guarded,
		 struct superblock **result)
{
	if (atomic_exchange(&transport->in_use, true))
		return -EBUSY;

	struct superblock *superblock = writes ? superblock_create("9p", MAGIC_WRITING, false) :
						 superblock_create("overlay", MAGIC, false);
	struct share *share = kzalloc(sizeof(*share));

	if (!superblock || !share) {
		kfree(share);
		if (superblock)
			superblock_put(superblock);
		transport->in_use = false;
		return -ENOMEM;
	}
	mutex_init(&share->mutex);
	TAILQ_INIT(&share->open_files);
	LIST_INIT(&share->written);
	share->writes = writes;
	share->guarded = guarded;
	share->transport = transport;
	share->superblock = superblock;
	superblock->private = share;
	mutex_lock(&shares_mutex);
	LIST_INSERT_HEAD(&shares, share, all);
	mutex_unlock(&shares_mutex);
	superblock->end = end;
	superblock->enter = enter;
	superblock->keeps_xattrs = !writes;
	if (writes) {
		superblock->change = share_change;
		superblock->sync = share_sync;
		superblock->statfs = share_statfs;
	}
	superblock->last_number = FIRST_NUMBER;
	/* As tmpfs: half of the memory for contents; and as much for names and inodes. */
	superblock->pages_max = page_total_count() / 2;
	superblock->space_max = page_total_count() / 2 * PAGE_SIZE;
	struct share_directory *root = share_directory_create(share, S_IFDIR | 0755);

	if (root)
		root->inode.links = 2;
	if (root)
		superblock->root = dentry_create(NULL, &root->inode, "", 0);
	if (superblock->root) {
		*result = superblock;
		return 0;
	}
	if (root)
		inode_put(&root->inode);
	superblock_put(superblock);
	return -ENOMEM;
}

int share_mount(const char *tag, bool writes, struct dentry *mountpoint)
{
	struct p9_transport *transport = p9_transport_find(tag);
	struct superblock *superblock;
	int error = transport ? share_create(transport, writes, true, &superblock) : -ENODEV;

	return error ? error : superblock_mount_new(superblock, mountpoint);
}

HOOK_LISTENER(machine_ends, 2, (void))
{
	struct share *share;

	mutex_lock(&shares_mutex);
	LIST_FOREACH(share, &shares, all) {
		/* Without such files, nothing waits for the server. */
		int error = LIST_EMPTY(&share->written) ? 0 : share_send_all(share, false, false);

		if (error)
			log_error("the shared folder %s lacks what mappings have written: error %d",
				  share->transport->tag, -error);
	}
	mutex_unlock(&shares_mutex);
}
