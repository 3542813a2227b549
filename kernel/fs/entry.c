/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changing directories: making, removing, linking and renaming entries.
 *
 * Each change is one critical section of the tree's mutex, and so is atomic. The errors of the system calls
 * of the same names come from here, in Linux's order (fs/namei.c).
 */
#include <string.h>

#include <kernel/base/log.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/inotify.h>
#include <kernel/fs/tmpfs.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

static bool is_directory(const struct dentry *dentry)
{
	return inode_type(dentry->inode) == S_IFDIR;
}

static bool is_dot(const char *name, size_t size)
{
	return size == 1 && name[0] == '.';
}

static bool is_dot_dot(const char *name, size_t size)
{
	return size == 2 && name[0] == '.' && name[1] == '.';
}

/* Returns the type (S_IF*) of PARENT's entry NAME if the file system makes that entry without a lasting
 * dentry; 0: none. */
static uint32_t made_type(struct dentry *parent, const char *name, size_t size)
{
	int error;
	struct inode *inode =
		parent->inode->ops->look_up ?
			parent->inode->ops->look_up(parent->inode, name, size, &error) :
			NULL;
	uint32_t type = inode ? inode_type(inode) : 0;

	if (inode)
		inode_put(inode);
	return type;
}

/* Finds PARENT's entry of that name as a linked dentry, without a reference: 0, or an error, with -ENOENT also where the
 * file system makes its entries without lasting dentries. */
static int find(struct dentry *parent, const char *name, size_t size, struct dentry **result)
{
	int error = 0;

	*result = dentry_find(parent, name, size);
	if (*result)
		return 0;
	if (!parent->inode->ops->layer)
		return -ENOENT;
	error = path_step(parent, name, size, result);
	if (!error)
		/* The tree keeps it. */
		dentry_put(*result);
	else
		*result = NULL;
	return error;
}

/* Returns what changes the entries below PARENT's, or NULL: the tree has them alone. */
static const struct directory_changes *changes_of(const struct dentry *parent)
{
	const struct directory_layer *layer = parent->inode->ops->layer;

	return layer ? layer->changes : NULL;
}

/* Prepares PARENT for losing an entry of its: 0 or an error. */
static int begin_change(struct dentry *parent)
{
	const struct directory_layer *layer = parent->inode->ops->layer;

	return layer ? layer->begin_change(parent->inode) : 0;
}

/* PARENT has no entry of that name any more. */
static void hide(struct dentry *parent, const char *name, size_t size)
{
	if (parent->inode->ops->layer)
		parent->inode->ops->layer->hide(parent->inode, name, size);
}

/* True if each name of a file but the first is charged to its file system. */
static bool charges_names(const struct inode *inode)
{
	return !inode->superblock->root->inode->ops->layer;
}

/* Checks that NAME is valid and not yet an entry of PARENT: 0 or an error. */
static int check_name(struct dentry *parent, const char *name, size_t size)
{
	if (size == 0 || is_dot(name, size) || is_dot_dot(name, size))
		return -EEXIST;
	if (size > NAME_SIZE_MAX)
		return -ENAMETOOLONG;
	struct dentry *found;
	int error = find(parent, name, size, &found);

	if (!error || (!parent->inode->ops->layer && made_type(parent, name, size)))
		return -EEXIST;
	return error == -ENOENT ? 0 : error;
}

/* Checks that entries of PARENT may be added and removed: 0 or an error. */
static int check_parent(const struct dentry *parent)
{
	const struct superblock *superblock = parent->inode->superblock;

	if (!is_directory(parent))
		return -ENOTDIR;
	if (superblock->fixed) {
		/* Where no name can ever be created, the caller's permission does not matter. */
		int error = superblock->refusal == -ENOENT ?
				    0 :
				    inode_permission(parent->inode, W_OK | X_OK);

		return error ? error : superblock->refusal;
	}
	if (!parent->linked && parent != superblock->root)
		return -ENOENT;
	return inode_permission(parent->inode, W_OK | X_OK);
}

/* Creates an inode for REQUEST, or returns NULL. */
static struct inode *make_inode(struct dentry *parent, const struct entry_request *request)
{
	uint32_t mode = request->mode;
	bool directory = (mode & S_IFMT) == S_IFDIR;
	const struct inode *above = parent->inode;

	/* A directory with set-group-ID passes its group on, and the bit itself to directories. */
	if ((above->mode & S_ISGID) && directory)
		mode |= S_ISGID;
	const struct directory_changes *changes = changes_of(parent);
	struct inode *inode = changes ?
				      changes->make_inode(parent->inode, mode, request->device) :
				      tmpfs_create_inode(above->superblock, mode, request->device);

	if (!inode)
		return NULL;
	if (above->mode & S_ISGID)
		inode->gid = above->gid;
	if ((above->mode & S_ISGID) && !directory && (mode & S_IXGRP))
		inode->mode = inode_allowed_mode(mode, inode->gid);
	if (request->target &&
	    tmpfs_set_target(inode, request->target, strlen(request->target)) < 0) {
		inode_put(inode);
		return NULL;
	}
	inode->links = directory ? 2 : 1;
	return inode;
}

/* True for a device that needs CAP_MKNOD; the character device 0, a whiteout, does not. */
static bool is_device(const struct entry_request *request)
{
	uint32_t type = request->mode & S_IFMT;

	return type == S_IFBLK || (type == S_IFCHR && request->device);
}

static int create_locked(struct dentry *parent, const char *name, size_t name_size,
			 const struct entry_request *request, struct dentry **result)
{
	int error = check_name(parent, name, name_size);

	if (!error)
		error = check_parent(parent);
	if (error)
		return error;
	if (is_device(request) && !credentials_have(credentials_for_files(), CAP_MKNOD))
		return -EPERM;
	struct inode *inode = make_inode(parent, request);

	if (!inode)
		return -ENOSPC;
	*result = dentry_create(parent, inode, name, name_size);
	if (!*result) {
		inode_put(inode);
		return -ENOMEM;
	}
	if (changes_of(parent))
		error = changes_of(parent)->create(*result, request);
	if (error) {
		dentry_put(*result);
		return error;
	}
	dentry_link(*result);
	if (is_directory(*result))
		parent->inode->links++;
	inode_touch_contents(parent->inode);
	inotify_entry(parent->inode, name, name_size, IN_CREATE, inode);
	return 0;
}

/* Creates a directory in a PARENT whose file system makes directories itself. */
static int make_directory(struct dentry *parent, const char *name, size_t name_size)
{
	mutex_lock(&tree_mutex);
	int error = check_name(parent, name, name_size);

	mutex_unlock(&tree_mutex);
	if (!error)
		error = inode_permission(parent->inode, W_OK | X_OK);
	return error ? error : parent->inode->ops->make_directory(parent->inode, name, name_size);
}

int entry_create(struct dentry *parent, const char *name, size_t name_size,
		 const struct entry_request *request, struct dentry **result)
{
	struct dentry *made;

	if (parent->inode->ops->make_directory && (request->mode & S_IFMT) == S_IFDIR && !result)
		return make_directory(parent, name, name_size);
	mutex_lock(&tree_mutex);
	int error = create_locked(parent, name, name_size, request, &made);

	mutex_unlock(&tree_mutex);
	if (error)
		return error;
	if (result)
		*result = made;
	else
		dentry_put(made);
	return 0;
}

int entry_create_nameless(struct dentry *directory, uint32_t mode, bool may_get_name,
			  struct dentry **result)
{
	const struct entry_request request = { .mode = S_IFREG | mode };
	/* "#" and a number of up to 20 digits. */
	char name[24];

	mutex_lock(&tree_mutex);
	int error = changes_of(directory) ? -EOPNOTSUPP : check_parent(directory);
	struct inode *inode = error ? NULL : make_inode(directory, &request);

	if (inode) {
		inode->links = 0;
		inode->nameless = may_get_name;
		format_string(name, sizeof(name), "#%lu", (unsigned long)inode->number);
		*result = dentry_create(directory, inode, name, strlen(name));
		if (!*result) {
			inode_put(inode);
			error = -ENOMEM;
		}
	} else if (!error) {
		error = -ENOSPC;
	}
	mutex_unlock(&tree_mutex);
	return error;
}

/* Removes DENTRY, linked, from its directory, even while it is used. */
static void take_out(struct dentry *dentry)
{
	struct inode *above = dentry->parent->inode, *inode = dentry->inode;

	if (is_directory(dentry)) {
		above->links--;
		inode->links = 0;
	} else if (--inode->links && charges_names(inode)) {
		tmpfs_uncharge_space(inode->superblock, TMPFS_INODE_SPACE);
	}
	inode_touch_contents(above);
	inode_touch_attributes(inode);
	hide(dentry->parent, dentry->name, dentry->name_size);
	dentry_unlink(dentry);
}

/* Checks that DENTRY may be removed or replaced, as a DIRECTORY or as another file: 0 or an error. */
static int check_removal(const struct dentry *dentry, bool directory)
{
	if (directory && !is_directory(dentry))
		return -ENOTDIR;
	if (!directory && is_directory(dentry))
		return -EISDIR;
	if (dentry->mounted)
		return -EBUSY;
	if (!TAILQ_EMPTY(&dentry->children_in_order))
		return -ENOTEMPTY;
	return dentry->inode->ops->layer ? dentry->inode->ops->layer->check_empty(dentry->inode) :
					   0;
}

/* Returns the error of changing NAME in PARENT, whose file system makes its entries itself: NAME does not
 * exist, the caller may not write PARENT, or -EPERM. */
static int refuse_change(struct dentry *parent, const char *name, size_t name_size)
{
	struct dentry *found;
	int error = path_step(parent, name, name_size, &found);

	if (error)
		return error;
	dentry_put(found);
	error = inode_permission(parent->inode, W_OK | X_OK);
	return error ? error : -EPERM;
}

/* The same for a removal, with -ENOTDIR and -EISDIR when the type does not match DIRECTORY. */
static int refuse_removal(struct dentry *parent, const char *name, size_t name_size, bool directory)
{
	uint32_t type = made_type(parent, name, name_size);
	int error = refuse_change(parent, name, name_size);

	if (error == -EPERM && type && directory != (type == S_IFDIR) &&
	    !inode_permission(parent->inode, W_OK | X_OK))
		return directory ? -ENOTDIR : -EISDIR;
	return error;
}

static int remove_locked(struct dentry *parent, const char *name, size_t name_size, bool directory)
{
	struct dentry *dentry;
	int error = find(parent, name, name_size, &dentry);

	if (error && parent->inode->ops->layer)
		return error;
	if (!dentry) {
		if (parent->inode->superblock->fixed)
			return refuse_removal(parent, name, name_size, directory);
		/* Entries that the file system makes itself are never linked. */
		uint32_t type = made_type(parent, name, name_size);

		if (type && directory != (type == S_IFDIR))
			return directory ? -ENOTDIR : -EISDIR;
		return name_size > NAME_SIZE_MAX ? -ENAMETOOLONG : -ENOENT;
	}
	error = check_parent(parent);
	if (!error)
		error = inode_check_sticky(parent->inode, dentry->inode);
	if (!error)
		error = check_removal(dentry, directory);
	if (!error)
		error = begin_change(parent);
	if (!error && changes_of(parent))
		error = changes_of(parent)->remove(dentry);
	if (error)
		return error;
	/* A file that is no directory loses a name. As on Linux, IN_ATTRIB precedes the inode's own end,
	 * if this was its last name. */
	struct inode *inode = dentry->inode;

	inode_get(inode);
	if (!directory)
		inotify_inode(inode, IN_ATTRIB);
	take_out(dentry);
	inotify_entry(parent->inode, name, name_size, IN_DELETE, inode);
	inode_put(inode);
	return 0;
}

/* The counterpart of make_directory. */
static int remove_directory(struct dentry *parent, const char *name, size_t name_size)
{
	if (name_size > NAME_SIZE_MAX)
		return -ENAMETOOLONG;
	int error = inode_permission(parent->inode, W_OK | X_OK);

	return error ? error : parent->inode->ops->remove_directory(parent->inode, name, name_size);
}

int entry_remove(struct dentry *parent, const char *name, size_t name_size, bool directory)
{
	if (name_size == 0)
		return directory ? -EBUSY : -EISDIR;
	if (is_dot(name, name_size))
		return directory ? -EINVAL : -EISDIR;
	if (is_dot_dot(name, name_size))
		return directory ? -ENOTEMPTY : -EISDIR;
	if (directory && parent->inode->ops->remove_directory)
		return remove_directory(parent, name, name_size);
	mutex_lock(&tree_mutex);
	int error = remove_locked(parent, name, name_size, directory);

	mutex_unlock(&tree_mutex);
	return error;
}

static int link_locked(struct dentry *dentry, struct dentry *parent, const char *name,
		       size_t name_size)
{
	struct inode *inode = dentry->inode;
	int error = check_name(parent, name, name_size);

	if (!error && inode->superblock != parent->inode->superblock)
		return -EXDEV;
	/* Where no name can ever be created, that error comes first. */
	if (!error && !(inode->superblock->fixed && inode->superblock->refusal == -ENOENT))
		error = inode_check_link(inode);
	if (!error)
		error = check_parent(parent);
	if (error)
		return error;
	if (is_directory(dentry))
		return -EPERM;
	if (inode->links == 0 && !inode->nameless)
		return -ENOENT;
	/* A name costs as much as an inode; the first name is part of the inode's cost. */
	bool charged = inode->links && charges_names(inode);

	if (charged && tmpfs_charge_space(inode->superblock, TMPFS_INODE_SPACE))
		return -ENOSPC;
	struct dentry *made = dentry_create(parent, inode, name, name_size);

	if (!made) {
		if (charged)
			tmpfs_uncharge_space(inode->superblock, TMPFS_INODE_SPACE);
		return -ENOMEM;
	}
	inode_get(inode);
	if (changes_of(parent))
		error = changes_of(parent)->link(inode, made);
	if (error) {
		dentry_put(made);
		return error;
	}
	inode->links++;
	inode->nameless = false;
	dentry_link(made);
	dentry_put(made);
	inode_touch_attributes(inode);
	inode_touch_contents(parent->inode);
	inotify_inode(inode, IN_ATTRIB);
	inotify_entry(parent->inode, name, name_size, IN_CREATE, inode);
	return 0;
}

int entry_link(struct dentry *dentry, struct dentry *parent, const char *name, size_t name_size)
{
	mutex_lock(&tree_mutex);
	int error = link_locked(dentry, parent, name, name_size);

	mutex_unlock(&tree_mutex);
	return error;
}

/* --- renaming --- */

/* Moves DENTRY to NAME in TO, and updates the link counts of the directories. */
static int move(struct dentry *dentry, struct dentry *to, const char *name, size_t name_size)
{
	struct dentry *parent = dentry->parent;
	struct inode *from = parent->inode;
	char *copy = kcopy_text(name, name_size);
	int error = copy ? 0 : -ENOMEM;

	if (!error && changes_of(parent))
		error = changes_of(parent)->rename(dentry, to, name, name_size, NULL);
	if (error) {
		kfree(copy);
		return error;
	}
	/* The name that DENTRY leaves; the dentry keeps PARENT until it moves, the caller longer. */
	hide(parent, dentry->name, dentry->name_size);
	dentry_move(dentry, to, copy, name_size);
	if (is_directory(dentry)) {
		from->links--;
		to->inode->links++;
	}
	inode_touch_contents(from);
	inode_touch_contents(to->inode);
	inode_touch_attributes(dentry->inode);
	return 0;
}

/* Exchanges A and B, both linked. */
static void exchange(struct dentry *a, struct dentry *b)
{
	struct dentry *a_parent = a->parent, *b_parent = b->parent;

	dentry_exchange(a, b);
	if (is_directory(a) != is_directory(b)) {
		/* A is now where B was. */
		struct inode *gains = is_directory(a) ? b_parent->inode : a_parent->inode;
		struct inode *loses = is_directory(a) ? a_parent->inode : b_parent->inode;

		gains->links++;
		loses->links--;
	}
	inode_touch_contents(a_parent->inode);
	inode_touch_contents(b_parent->inode);
	inode_touch_attributes(a->inode);
	inode_touch_attributes(b->inode);
}

/* Checks that OLD may replace NEW, which exists: 0 or an error. */
static int check_replacement(const struct dentry *old, const struct dentry *new)
{
	if (is_directory(old) && !is_directory(new))
		return -ENOTDIR;
	if (!is_directory(old) && is_directory(new))
		return -EISDIR;
	return check_removal(new, is_directory(new));
}

/* Reports to inotify that MOVED, formerly FROM_NAME in FROM, is TO_NAME in TO now; REPLACED, or NULL, was
 * there before. */
static void report_move(struct dentry *moved, struct dentry *from, const char *from_name,
			size_t from_size, struct dentry *to, const char *to_name, size_t to_size,
			struct inode *replaced)
{
	struct inode *inode = moved->inode;

	if (!inotify_is_used())
		return;
	uint32_t cookie = inotify_next_cookie();

	inotify_report_entry(from->inode, from_name, from_size, IN_MOVED_FROM, inode, cookie);
	inotify_report_entry(to->inode, to_name, to_size, IN_MOVED_TO, inode, cookie);
	if (replaced)
		inotify_report_inode(replaced, IN_ATTRIB);
	inotify_report_inode(inode, IN_MOVE_SELF);
}

static int rename_locked(struct dentry *from, const char *from_name, size_t from_size,
			 struct dentry *to, const char *to_name, size_t to_size, unsigned int flags)
{
	if (from_size > NAME_SIZE_MAX || to_size > NAME_SIZE_MAX)
		return -ENAMETOOLONG;
	struct dentry *old, *new;
	int error = find(from, from_name, from_size, &old);

	if (error && from->inode->ops->layer)
		return error;
	error = find(to, to_name, to_size, &new);
	if (error && error != -ENOENT)
		return error;
	if (!old)
		return !from->inode->superblock->fixed ? -ENOENT :
		       from->inode->superblock->refusal == -ENOENT ?
							 -ENOENT :
							 refuse_change(from, from_name, from_size);
	if (new && (flags & RENAME_NOREPLACE))
		return -EEXIST;
	if (!new && (flags & RENAME_EXCHANGE))
		return -ENOENT;
	/* A directory cannot move below itself, nor replace a directory above it. */
	if (dentry_is_below(to, old))
		return -EINVAL;
	if (new &&dentry_is_below(from, new))
		return flags & RENAME_EXCHANGE ? -EINVAL : -ENOTEMPTY;
	/* Names that the server has of one file are inodes of one number. */
	if (new && (new->inode == old->inode ||
		    (changes_of(from) && new->inode->number == old->inode->number)))
		return 0;
	error = check_parent(from);
	if (!error)
		error = check_parent(to);
	if (!error)
		error = begin_change(from);
	if (!error)
		error = inode_check_sticky(from->inode, old->inode);
	if (!error && new)
		error = inode_check_sticky(to->inode, new->inode);
	/* A move to another directory writes the moved directory's "..". */
	if (!error && from != to && is_directory(old))
		error = inode_permission(old->inode, W_OK);
	if (!error && from != to && new && (flags & RENAME_EXCHANGE) && is_directory(new))
		error = inode_permission(new->inode, W_OK);
	if (!error && (old->mounted || (new &&new->mounted)))
		error = -EBUSY;
	if (!error && new && !(flags & RENAME_EXCHANGE))
		error = check_replacement(old, new);
	/* The protocol has a request for none of them. */
	if (!error && flags && changes_of(from))
		error = -EINVAL;
	if (error)
		return error;
	if (flags & RENAME_EXCHANGE) {
		exchange(old, new);
		report_move(old, from, from_name, from_size, to, to_name, to_size, NULL);
		report_move(new, to, to_name, to_size, from, from_name, from_size, NULL);
		return 0;
	}
	if (!new) {
		error = move(old, to, to_name, to_size);
		if (!error)
			report_move(old, from, from_name, from_size, to, to_name, to_size, NULL);
		return error;
	}
	if (changes_of(from))
		error = changes_of(from)->rename(old, to, to_name, to_size, new);
	if (error)
		return error;
	/* Needs no memory, so it cannot fail half-way. */
	dentry_get(new);
	exchange(old, new);
	take_out(new);
	report_move(old, from, from_name, from_size, to, to_name, to_size, new->inode);
	dentry_put(new);
	return 0;
}

int entry_rename(struct dentry *from, const char *from_name, size_t from_size, struct dentry *to,
		 const char *to_name, size_t to_size, unsigned int flags)
{
	if (from->inode->superblock != to->inode->superblock)
		return -EXDEV;
	if (from_size == 0 || is_dot(from_name, from_size) || is_dot_dot(from_name, from_size) ||
	    to_size == 0 || is_dot(to_name, to_size) || is_dot_dot(to_name, to_size))
		return flags & RENAME_NOREPLACE ? -EEXIST : -EBUSY;
	mutex_lock(&tree_mutex);
	int error = rename_locked(from, from_name, from_size, to, to_name, to_size, flags);

	mutex_unlock(&tree_mutex);
	return error;
}
