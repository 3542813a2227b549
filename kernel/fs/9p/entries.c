/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes of names and attributes in a share that writes: the server makes each of them first.
 *
 * Names come from the tree, which walks paths itself: none has a '/', none is "." or "..", so no change leaves the directory
 * of its fid; that the host follows no link there is the server's part. Programs make no file with a set-id bit and no device in
 * a guarded share: the host's user would own it.
 *
 * A file that loses its last name while a program uses it stays open at the server, for what was not read yet, and is memory
 * from then on.
 */
#include <kernel/base/log.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "change.h"
#include "source.h"

static struct share *share_of(const struct inode *inode)
{
	return inode->superblock->private;
}

static struct p9_entry entry_at(const struct dentry *directory, const char *name, size_t size)
{
	return (struct p9_entry){
		.directory = share_directory_of(directory->inode)->fid,
		.name = name,
		.name_size = size,
	};
}

static struct p9_entry entry_of(const struct dentry *dentry)
{
	return entry_at(dentry->parent, dentry->name, dentry->name_size);
}

/* Checks that a program may give MODE to a file of SHARE. */
static int check_mode(const struct share *share, uint32_t mode)
{
	uint32_t type = mode & S_IFMT;

	return share->guarded && (type == S_IFCHR || type == S_IFBLK ||
				  (type != S_IFDIR && (mode & (S_ISUID | S_ISGID)))) ?
		       -EPERM :
		       0;
}

/* --- making --- */

static struct inode *make_inode(struct inode *directory, uint32_t mode, uint64_t device)
{
	struct share *share = share_of(directory);

	if ((mode & S_IFMT) == S_IFDIR) {
		struct share_directory *made = share_directory_create(share, mode);

		if (!made)
			return NULL;
		made->inode.uid = credentials_for_files()->fsuid;
		made->inode.gid = credentials_for_files()->fsgid;
		return &made->inode;
	}
	struct inode *inode = tmpfs_create_inode(share->superblock, mode, device);

	if (inode && !p9_source_create(share, inode, 0)) {
		inode_put(inode);
		inode = NULL;
	}
	return inode;
}

/* Creates a regular file, which stays open for writing if the program opens it. */
static int create_regular(struct p9_client *client, const struct p9_entry *entry,
			  struct p9_source *file, bool opened)
{
	struct p9_entry moved = *entry;
	struct p9_qid qid;
	int error = p9_walk(client, entry->directory, "", 0, &moved.directory, &qid);

	if (error)
		return error;
	error = p9_create(client, &moved);
	if (error || !opened) {
		p9_clunk(client, moved.directory);
		return error;
	}
	file->writing_fid = moved.directory;
	file->writing = true;
	return 0;
}

static int make_entry(struct p9_client *client, const struct p9_entry *entry, struct inode *inode,
		      const struct entry_request *request)
{
	switch (inode_type(inode)) {
	case S_IFDIR:
		return p9_make_directory(client, entry);
	case S_IFREG:
		return create_regular(client, entry, p9_source_of(inode), request->opened);
	case S_IFLNK:
		return p9_make_link(client, entry, request->target);
	default:
		return p9_make_node(client, entry, inode->device);
	}
}

/* Makes INODE's creator the owner of FID's file, if the server permits it, and sets *ATTRIBUTES to that. */
static void give_owner(struct p9_client *client, uint32_t fid, const struct inode *inode,
		       struct p9_attributes *attributes)
{
	struct p9_change change = { .set = P9_SET_UID, .uid = inode->uid, .mode = inode->mode };

	if (p9_set_attributes(client, fid, &change))
		return;
	attributes->uid = inode->uid;
	/* A host takes set-id bits away from a file that gets an owner. */
	change.set = P9_SET_MODE;
	if (inode_type(inode) == S_IFREG && (inode->mode & (S_ISUID | S_ISGID)))
		p9_set_attributes(client, fid, &change);
}

/* Connects INODE with the new ENTRY. */
static int connect(struct p9_client *client, const struct p9_entry *entry, struct inode *inode)
{
	struct p9_attributes attributes;
	struct p9_qid qid;
	uint32_t fid;
	int error = p9_walk(client, entry->directory, entry->name, entry->name_size, &fid, &qid);

	if (error)
		return error;
	error = p9_get_attributes(client, fid, &attributes);
	if (!error && (attributes.mode & S_IFMT) != inode_type(inode))
		error = -EIO;
	if (error) {
		p9_clunk(client, fid);
		return error;
	}
	if (attributes.uid != inode->uid && !share_of(inode)->guarded)
		give_owner(client, fid, inode, &attributes);
	/* Else the host's user owns it. Number and times are the machine's, so that a run repeats. */
	inode->uid = attributes.uid;
	inode->gid = attributes.gid;
	if (inode_type(inode) == S_IFDIR) {
		struct share_directory *directory = share_directory_of(inode);

		inode->size = attributes.size;
		directory->fid = fid;
		directory->has_fid = true;
	} else {
		struct p9_source *file = p9_source_of(inode);

		file->fid = fid;
		file->path = attributes.qid.path;
		file->has_fid = true;
	}
	return 0;
}

static int create(struct dentry *made, const struct entry_request *request)
{
	struct inode *inode = made->inode;
	struct p9_client *client = &share_of(inode)->client;
	struct p9_entry entry = entry_of(made);
	int error = check_mode(share_of(inode), inode->mode);

	entry.mode = inode->mode;
	entry.gid = inode->gid;
	if (!error)
		error = make_entry(client, &entry, inode, request);
	if (error)
		return error;
	error = connect(client, &entry, inode);
	if (error)
		p9_remove(client, &entry, inode_type(inode) == S_IFDIR);
	return error;
}

static int link(struct inode *inode, struct dentry *made)
{
	struct p9_client *client = &share_of(inode)->client;
	const struct p9_entry entry = entry_of(made);
	struct p9_source *file = p9_source_of(inode);
	struct p9_qid qid;
	uint32_t fid;
	int error = p9_link(client, &entry, file->fid);

	if (error)
		return error == -ENOENT ? -ESTALE : error;
	error = p9_walk(client, entry.directory, entry.name, entry.name_size, &fid, &qid);
	if (!error) {
		error = p9_source_add_name(file, fid);
		if (error)
			p9_clunk(client, fid);
	}
	if (error)
		p9_remove(client, &entry, false);
	return error;
}

/* --- removing and moving --- */

/* DENTRY is about to lose its place. */
static void prepare_loss(const struct dentry *dentry)
{
	/* More than the tree's own: a program has it open, or it runs. */
	if (inode_type(dentry->inode) == S_IFREG && dentry->references > 1)
		p9_source_keep(p9_source_of(dentry->inode));
}

/* The server has no file at DENTRY's place any more. */
static void lose(struct dentry *dentry)
{
	struct inode *inode = dentry->inode;

	if (inode_type(inode) == S_IFDIR)
		return;
	if (inode->links == 1)
		tmpfs_detach_source(inode);
	else
		p9_source_lose_name(p9_source_of(inode));
}

static int remove(struct dentry *dentry)
{
	const struct p9_entry entry = entry_of(dentry);

	prepare_loss(dentry);
	int error = p9_remove(&share_of(dentry->inode)->client, &entry,
			      inode_type(dentry->inode) == S_IFDIR);

	if (!error)
		lose(dentry);
	return error;
}

static int rename(struct dentry *dentry, struct dentry *to, const char *name, size_t size,
		  struct dentry *replaced)
{
	const struct p9_entry old = entry_of(dentry), new = entry_at(to, name, size);

	if (replaced)
		prepare_loss(replaced);
	int error = p9_rename(&share_of(dentry->inode)->client, &old, &new);

	if (!error && replaced)
		lose(replaced);
	return error;
}

const struct directory_changes share_changes = {
	.make_inode = make_inode,
	.create = create,
	.link = link,
	.remove = remove,
	.rename = rename,
};

/* --- attributes --- */

/* Returns whether INODE has a file of the server, and its *FID. */
static bool has_fid(struct inode *inode, uint32_t *fid)
{
	if (inode_type(inode) == S_IFDIR) {
		*fid = share_directory_of(inode)->fid;
		return inode->links > 0;
	}
	*fid = p9_source_of(inode)->fid;
	return !p9_source_of(inode)->source.detached;
}

int share_change(struct inode *inode, const struct inode_change *change)
{
	struct p9_change sent = { .mode = change->mode, .uid = change->uid, .gid = change->gid };
	uint32_t value = change->times_are_now ? 0 : P9_SET_ACCESSED_VALUE | P9_SET_MODIFIED_VALUE;
	uint32_t fid;

	if (!has_fid(inode, &fid))
		return 0;
	if (change->mode != inode->mode)
		sent.set |= P9_SET_MODE;
	if (change->uid != inode->uid)
		sent.set |= P9_SET_UID;
	if (change->gid != inode->gid)
		sent.set |= P9_SET_GID;
	if (change->accessed) {
		sent.set |= P9_SET_ACCESSED | (value & P9_SET_ACCESSED_VALUE);
		sent.accessed = *change->accessed;
	}
	if (change->modified) {
		sent.set |= P9_SET_MODIFIED | (value & P9_SET_MODIFIED_VALUE);
		sent.modified = *change->modified;
	}
	int error = check_mode(share_of(inode), change->mode);

	if (error && change->mode == inode->mode)
		error = 0;
	if (!error && sent.set)
		error = p9_set_attributes(&share_of(inode)->client, fid, &sent);
	return error == -ENOENT ? -ESTALE : error;
}

int share_statfs(struct inode *inode, struct kernel_statfs *statfs)
{
	struct share *share = share_of(inode);
	uint32_t fid;
	int error = share_start(share);

	if (!has_fid(inode, &fid))
		fid = share_directory_of(share->superblock->root->inode)->fid;
	if (!error)
		error = p9_get_space(&share->client, fid, statfs);
	/* As on Linux, a server need not know. */
	return error == -ENOSYS ? 0 : error;
}
