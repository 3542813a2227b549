/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Directories of a share: the server's entries below those of the tree (struct directory_layer).
 *
 * A name that is looked up becomes an inode, whose kind tmpfs has but for directories, and stays in the tree. A listing
 * asks the server once for all names and keeps them, sorted: so the order does not depend on the host's file system, and
 * names that are not there need no request any more. A hidden name was removed from the tree.
 *
 * Positions in a directory: 2 and the name's number in the sorted order; after those, the tree's entries of other names.
 */
#include <string.h>

#include <kernel/mm/kmalloc.h>
#include <kernel/sched/task.h>
#include <kernel/task/signal.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "source.h"

#define FIRST_POSITION	 2
/* Replies of a listing that have no new name: "." and "..", and names that come again because the folder has changed. A
 * server that repeats itself more often does not come to an end. */
#define REPLIES_IDLE_MAX 16

struct lower_name {
	RB_ENTRY(lower_name) node;
	uint64_t number;   /* of the inode */
	uint64_t position; /* once all are there */
	bool hidden;
	uint8_t type; /* DT_* */
	uint8_t size;
	char name[];
};

/* --- the names below --- */

/* A name to look for. */
struct name_key {
	const char *name;
	size_t size;
};

static int compare(const char *a, size_t a_size, const char *b, size_t b_size)
{
	int difference = memcmp(a, b, a_size < b_size ? a_size : b_size);

	return difference ? difference : (int)a_size - (int)b_size;
}

static int compare_names(const struct lower_name *a, const struct lower_name *b)
{
	return compare(a->name, a->size, b->name, b->size);
}

RB_GENERATE_STATIC(lower_names, lower_name, node, compare_names)

static struct lower_name *find_name(struct share_directory *directory, const char *name,
				    size_t size)
{
	struct lower_name *at = RB_ROOT(&directory->names);

	while (at) {
		int difference = compare(name, size, at->name, at->size);

		if (!difference)
			break;
		at = difference < 0 ? RB_LEFT(at, node) : RB_RIGHT(at, node);
	}
	return at;
}

/* Returns the first name at POSITION or after it, or NULL. */
static struct lower_name *name_from(struct share_directory *directory, uint64_t position)
{
	struct lower_name *at = RB_ROOT(&directory->names), *found = NULL;

	while (at) {
		if (at->position >= position)
			found = at;
		at = at->position >= position ? RB_LEFT(at, node) : RB_RIGHT(at, node);
	}
	return found;
}

static void forget_names(struct share_directory *directory)
{
	struct lower_name *name;

	while ((name = RB_ROOT(&directory->names))) {
		RB_REMOVE(lower_names, &directory->names, name);
		kfree(name);
	}
	tmpfs_uncharge_space(directory->inode.superblock, directory->space);
	directory->space = directory->name_count = 0;
}

struct name_reader {
	struct p9_entry_reader reader;
	struct share_directory *directory;
	int error;
};

static bool add_name(struct p9_entry_reader *reader, const char *name, size_t size,
		     const struct p9_qid *qid, uint8_t type, uint64_t next_offset)
{
	struct name_reader *self = __containerof(reader, struct name_reader, reader);
	struct share_directory *directory = self->directory;
	size_t bytes = sizeof(struct lower_name) + size;

	self->error = tmpfs_charge_space(directory->inode.superblock, bytes);
	if (self->error)
		return false;
	struct lower_name *entry = kzalloc(bytes);

	if (!entry) {
		tmpfs_uncharge_space(directory->inode.superblock, bytes);
		self->error = -ENOMEM;
		return false;
	}
	entry->number = qid->path;
	entry->type = type;
	entry->size = (uint8_t)size;
	memcpy(entry->name, name, size);
	/* The same name twice: the host's folder changed during the listing. */
	if (RB_INSERT(lower_names, &directory->names, entry)) {
		kfree(entry);
		tmpfs_uncharge_space(directory->inode.superblock, bytes);
	} else {
		directory->space += bytes;
		directory->name_count++;
	}
	return true;
}

/* Gets all names from the server. */
static int read_names(struct share_directory *directory)
{
	struct p9_client *client = &directory->share->client;
	struct name_reader reader = { { add_name }, directory, 0 };
	unsigned int idle = 0;
	uint64_t offset = 0;
	uint32_t fid;
	int error =
		p9_open_again(client, directory->fid, O_RDONLY | O_DIRECTORY | O_LARGEFILE, &fid);

	if (error)
		return error;
	while (!error) {
		uint64_t before = directory->name_count;
		ssize_t count = p9_read_directory(client, fid, &offset, &reader.reader);

		error = count < 0 ? (int)count : reader.error;
		if (count <= 0)
			break;
		if (directory->name_count == before && ++idle > REPLIES_IDLE_MAX)
			error = -EIO;
		else if (!error && signal_is_fatal_pending(task_current()))
			error = -EINTR;
	}
	p9_clunk(client, fid);
	return error;
}

/* Sees to it that the names are there: 0 or an error. tree_mutex held. */
static int list_names(struct share_directory *directory)
{
	uint64_t position = FIRST_POSITION;
	struct lower_name *name;

	mutex_assert_held(&tree_mutex);
	if (directory->listed)
		return 0;
	int error = share_start(directory->share);

	if (!error)
		error = read_names(directory);
	if (error) {
		forget_names(directory);
		return error;
	}
	RB_FOREACH(name, lower_names, &directory->names)
		name->position = position++;
	directory->listed = true;
	return 0;
}

/* --- as a layer below the tree; tree_mutex held --- */

/* Lists the names below that are not hidden, with what the tree has for them. False: no more room. */
static bool list_lower(struct dentry *dentry, uint64_t position, struct directory_reader *reader)
{
	struct share_directory *directory = share_directory_of(dentry->inode);

	mutex_assert_held(&tree_mutex);
	for (struct lower_name *name = name_from(directory, position); name;
	     name = RB_NEXT(lower_names, &directory->names, name)) {
		const struct dentry *child = dentry_find(dentry, name->name, name->size);
		const struct inode *inode = !child	   ? NULL :
					    child->mounted ? child->mounted->inode :
							     child->inode;

		if (!name->hidden &&
		    !reader->entry(
			    reader, name->name, name->size, inode ? inode->number : name->number,
			    inode ? inode->mode : (uint32_t)name->type << 12, name->position + 1))
			return false;
	}
	return true;
}

static int list(struct dentry *dentry, uint64_t position, struct directory_reader *reader)
{
	struct share_directory *directory = share_directory_of(dentry->inode);
	int error = list_names(directory);

	if (error || !list_lower(dentry, position, reader))
		return error;
	uint64_t before = FIRST_POSITION + directory->name_count;
	const struct dentry *child;

	TAILQ_FOREACH(child, &dentry->children_in_order, sibling) {
		const struct lower_name *name = find_name(directory, child->name, child->name_size);
		const struct inode *inode = (child->mounted ? child->mounted : child)->inode;

		if (before + child->position >= position && (!name || name->hidden) &&
		    !reader->entry(reader, child->name, child->name_size, inode->number,
				   inode->mode, before + child->position + 1))
			break;
	}
	return 0;
}

static int begin_change(struct inode *inode)
{
	struct share_directory *directory = share_directory_of(inode);

	mutex_assert_held(&tree_mutex);
	/* A later listing is without the names that the server loses. */
	return directory->share->writes ? 0 : list_names(directory);
}

static void hide(struct inode *inode, const char *name, size_t size)
{
	mutex_assert_held(&tree_mutex);
	struct lower_name *found = find_name(share_directory_of(inode), name, size);

	if (found)
		found->hidden = true;
}

static int check_empty(struct inode *inode)
{
	struct share_directory *directory = share_directory_of(inode);
	struct lower_name *name;

	mutex_assert_held(&tree_mutex);
	/* The server itself checks what it removes. */
	if (directory->share->writes)
		return 0;
	int error = list_names(directory);

	if (error)
		return error;
	RB_FOREACH(name, lower_names, &directory->names)
		if (!name->hidden)
			return -ENOTEMPTY;
	return 0;
}

static const struct directory_layer layer = {
	.list = list,
	.begin_change = begin_change,
	.hide = hide,
	.check_empty = check_empty,
};

static const struct directory_layer writing_layer = {
	.list = list,
	.begin_change = begin_change,
	.hide = hide,
	.check_empty = check_empty,
	.changes = &share_changes,
};

/* --- inodes --- */

void share_set_attributes(struct inode *inode, const struct p9_attributes *attributes)
{
	inode->number = attributes->qid.path;
	inode->mode = attributes->mode;
	inode->uid = attributes->uid;
	inode->gid = attributes->gid;
	/* The tree counts names down to none. */
	inode->links = attributes->links == 0	      ? 1 :
		       attributes->links < UINT32_MAX ? (uint32_t)attributes->links :
							UINT32_MAX;
	inode->accessed = attributes->accessed;
	inode->modified = attributes->modified;
	inode->changed = attributes->changed;
	inode->source_blocks = attributes->blocks;
	if (inode_type(inode) == S_IFDIR)
		inode->size = attributes->size;
}

static int set_target(struct share *share, struct inode *link, uint32_t fid)
{
	char *text = kzalloc(PATH_SIZE);
	ssize_t size = text ? p9_read_link(&share->client, fid, text, PATH_SIZE - 1) : -ENOMEM;
	int error = size < 0 ? (int)size : tmpfs_set_target(link, text, (size_t)size);

	kfree(text);
	return error;
}

static int set_source(struct share *share, struct inode *inode, uint32_t fid,
		      const struct p9_attributes *attributes)
{
	bool regular = inode_type(inode) == S_IFREG;
	struct p9_source *file = p9_source_create(share, inode, regular ? attributes->size : 0);

	if (!file)
		return -ENOMEM;
	file->has_fid = true;
	file->fid = fid;
	file->path = attributes->qid.path;
	return 0;
}

/* Makes the inode of FID: 0 and *RESULT; *FID_USED: the inode has the fid now. */
static int make_inode(struct share *share, uint32_t fid, struct inode **result, bool *fid_used)
{
	struct p9_attributes attributes;
	struct inode *inode;
	int error = p9_get_attributes(&share->client, fid, &attributes);

	*fid_used = false;
	if (error)
		return error;
	uint32_t type = attributes.mode & S_IFMT;

	if (type == S_IFDIR) {
		struct share_directory *directory = share_directory_create(share, attributes.mode);

		if (!directory)
			return -ENOMEM;
		directory->fid = fid;
		directory->has_fid = *fid_used = true;
		inode = &directory->inode;
	} else if (type == S_IFREG || type == S_IFLNK || type == S_IFCHR || type == S_IFBLK ||
		   type == S_IFIFO || type == S_IFSOCK) {
		if (type == S_IFREG && attributes.size > FILE_SIZE_MAX)
			return -EFBIG;
		inode = tmpfs_create_inode(share->superblock, attributes.mode, attributes.device);
		if (!inode)
			return -ENOSPC;
		/* A share that does not write asks the server no more about files that are not regular. */
		if (type == S_IFREG || share->writes) {
			error = set_source(share, inode, fid, &attributes);
			*fid_used = !error;
		}
		if (!error && type == S_IFLNK)
			error = set_target(share, inode, fid);
	} else {
		return -EIO;
	}
	if (error) {
		inode_put(inode);
		return error;
	}
	share_set_attributes(inode, &attributes);
	*result = inode;
	return 0;
}

static struct inode *look_up(struct inode *inode, const char *name, size_t size, int *error)
{
	struct share_directory *directory = share_directory_of(inode);
	struct share *share = directory->share;
	const struct lower_name *listed = find_name(directory, name, size);
	struct inode *result = NULL;
	struct p9_qid qid;
	bool fid_used;
	uint32_t fid;

	*error = (listed && listed->hidden) || (directory->listed && !listed) ? -ENOENT :
										share_start(share);
	if (!*error)
		*error = p9_walk(&share->client, directory->fid, name, size, &fid, &qid);
	if (*error)
		return NULL;
	*error = make_inode(share, fid, &result, &fid_used);
	if (!fid_used)
		p9_clunk(&share->client, fid);
	return *error ? NULL : result;
}

/* The root's attributes are the server's only after the start. */
static int check_permission(const struct inode *inode, unsigned int mask)
{
	const struct share_directory *directory =
		__containerof(inode, const struct share_directory, inode);
	int error = share_start(directory->share);

	return error ? error : inode_permission_by_mode(inode, mask);
}

static void free_directory(struct inode *inode)
{
	struct share_directory *directory = share_directory_of(inode);

	forget_names(directory);
	if (directory->has_fid)
		p9_clunk(&directory->share->client, directory->fid);
	xattr_free_all(inode);
	tmpfs_uncharge_space(inode->superblock, TMPFS_INODE_SPACE);
	kfree(directory);
}

static const struct inode_ops directory_ops = {
	.look_up = look_up,
	.layer = &layer,
	.permission = check_permission,
	.free = free_directory,
};

static const struct inode_ops writing_ops = {
	.look_up = look_up,
	.layer = &writing_layer,
	.permission = check_permission,
	.free = free_directory,
};

struct share_directory *share_directory_create(struct share *share, uint32_t mode)
{
	if (tmpfs_charge_space(share->superblock, TMPFS_INODE_SPACE))
		return NULL;
	struct share_directory *directory = kzalloc(sizeof(*directory));

	if (!directory) {
		tmpfs_uncharge_space(share->superblock, TMPFS_INODE_SPACE);
		return NULL;
	}
	inode_init(&directory->inode, share->superblock,
		   share->writes ? &writing_ops : &directory_ops, mode);
	directory->share = share;
	RB_INIT(&directory->names);
	return directory;
}
