/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pseudo file systems: inodes for tables of functions. See <kernel/fs/pseudo.h>.
 *
 * An inode is made when its entry is looked up and lives as long as its dentry, which is never linked: so no
 * entry can become stale. The entry and the target determine the inode number, so it is the same each time.
 *
 * A read at the beginning makes the whole contents, which stay with the open file, so that a file read in
 * pieces shows one moment. Lock: contents->mutex.
 */
#include <kernel/fs/pseudo.h>

#include <string.h>

#include <kernel/base/assert.h>
#include <kernel/base/log.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/mm/text.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "pseudo_inode.h"

/* A write must have fewer bytes. */
#define STORE_MAX	  4096
/* Positions of a directory: from 2 on for its tables, from each multiple of this on for the targets of one part, by
 * their ids. */
#define DYNAMIC_POSITIONS ((uint64_t)1 << 40)
/* Longest name of a target, with its terminator. */
#define NAME_ROOM	  256

/* The read-only data of the image, where all entries are; made by the linker. */
extern const char __rodata_start[], __rodata_end[];

struct pseudo_inode {
	struct inode inode;
	const struct pseudo_entry *entry;
	void *target; /* referenced by `about`; NULL: none */
	const struct pseudo_dynamic *about;
};

static struct pseudo_inode *pseudo(struct inode *inode)
{
	return __containerof(inode, struct pseudo_inode, inode);
}

/* --- contents --- */

struct contents {
	struct mutex mutex;
	void *about;	  /* the argument of the entry's functions */
	struct text text; /* C: mutex */
	bool made;	  /* C */
};

static void *about_of(const struct file *file)
{
	return ((const struct contents *)file->private)->about;
}

static bool is_gone(const struct pseudo_inode *inode)
{
	return inode->target && inode->about->gone && inode->about->gone(inode->target);
}

static int make_contents(struct pseudo_inode *file, struct contents *contents)
{
	text_clear(&contents->text);
	contents->made = false;
	int error = file->entry->show ? 0 : -EIO;

	if (!error && !file->entry->begin && is_gone(file))
		error = -ESRCH;
	if (!error)
		error = file->entry->show(&contents->text, contents->about);
	if (!error && contents->text.failed)
		error = -ENOMEM;
	contents->made = !error;
	return error;
}

/* Copies from POSITION on to BUFFER, which is user memory if USER. */
static ssize_t copy_contents(struct file *file, void *buffer, size_t size, uint64_t position,
			     bool user)
{
	struct contents *contents = file->private;
	ssize_t result = 0;

	mutex_lock(&contents->mutex);
	if (position == 0 || !contents->made)
		result = make_contents(pseudo(file_inode(file)), contents);
	if (!result && position < contents->text.size) {
		if (size > contents->text.size - position)
			size = contents->text.size - position;
		result = copy_to(buffer, contents->text.bytes + position, size, user) ?
				 -EFAULT :
				 (ssize_t)size;
	}
	mutex_unlock(&contents->mutex);
	return result;
}

static ssize_t read_contents(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	if (*position && pseudo(file_inode(file))->entry->once)
		return 0;
	ssize_t result = copy_contents(file, user_buffer, size, *position, true);

	if (result > 0)
		*position += (size_t)result;
	return result;
}

static ssize_t read_for_kernel(struct file *file, void *buffer, size_t size, uint64_t position)
{
	return copy_contents(file, buffer, size, position, false);
}

static ssize_t write_contents(struct file *file, const void *user_buffer, size_t size,
			      uint64_t *position)
{
	struct pseudo_inode *inode = pseudo(file_inode(file));
	ssize_t result = -EFAULT;

	/* As on Linux: the error of a task's file differs from that of others. */
	if (!inode->entry->store)
		return inode->target ? -EINVAL : -EIO;
	if (size >= STORE_MAX)
		return -EINVAL;
	if (inode->entry->once && (*position || !size))
		return (ssize_t)size;
	char *text = kzalloc(size + 1);

	if (!text)
		return -ENOMEM;
	if (!copy_from_user(text, user_buffer, size))
		result = inode->entry->store(about_of(file), text, size);
	if (result > 0 && inode->entry->once)
		*position += (size_t)result;
	kfree(text);
	return result;
}

/* Ends the use of ABOUT by the open FILE. */
static void end(struct file *file, void *about)
{
	const struct pseudo_entry *entry = pseudo(file_inode(file))->entry;

	if (entry->end)
		entry->end(about);
}

static void release_contents(struct file *file)
{
	struct contents *contents = file->private;
	const struct pseudo_inode *inode = pseudo(file_inode(file));

	text_clear(&contents->text);
	end(file, contents->about);
	kfree(contents);
	if (inode->entry->close)
		inode->entry->close(inode->target);
}

static const struct file_ops contents_ops = {
	.read = read_contents,
	.read_for_kernel = read_for_kernel,
	.write = write_contents,
	.release = release_contents,
	.seekable = true,
};

/* --- bytes at positions --- */

static ssize_t move_bytes(struct file *file, char *user_buffer, size_t size, uint64_t *position,
			  bool writes)
{
	struct pseudo_inode *inode = pseudo(file_inode(file));
	char *piece = kzalloc(PAGE_SIZE);
	size_t done = 0;
	ssize_t moved = piece ? 0 : -ENOMEM;

	while (moved >= 0 && done < size) {
		/* No piece crosses the end of a page: an error at a page keeps the pages before it. */
		size_t room = PAGE_SIZE - (size_t)(*position & (PAGE_SIZE - 1));
		size_t part = size - done < room ? size - done : room;

		if (writes)
			moved = copy_from_user(piece, user_buffer + done, part) ?
					-EFAULT :
					inode->entry->write_at(file->private, piece, part,
							       *position);
		else
			moved = inode->entry->read_at(file->private, piece, part, *position);
		if (moved > 0 && !writes && copy_to_user(user_buffer + done, piece, (size_t)moved))
			moved = -EFAULT;
		if (moved <= 0)
			break;
		done += (size_t)moved;
		*position += (size_t)moved;
		if ((size_t)moved < part)
			break;
	}
	kfree(piece);
	return done ? (ssize_t)done : moved;
}

static ssize_t read_bytes(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	return move_bytes(file, user_buffer, size, position, false);
}

static ssize_t write_bytes(struct file *file, const void *user_buffer, size_t size,
			   uint64_t *position)
{
	return pseudo(file_inode(file))->entry->write_at ?
		       move_bytes(file, (char *)user_buffer, size, position, true) :
		       -EIO;
}

static void release_bytes(struct file *file)
{
	end(file, file->private);
}

static const struct file_ops bytes_ops = {
	.read = read_bytes,
	.write = write_bytes,
	.release = release_bytes,
	.seekable = true,
};

/* Binds FILE, of INODE, to ABOUT. */
static int open_about(struct inode *inode, struct file *file, void *about)
{
	if (pseudo(inode)->entry->read_at) {
		file->private = about;
		file->ops = &bytes_ops;
		return 0;
	}
	struct contents *contents = kzalloc(sizeof(*contents));

	if (!contents)
		return -ENOMEM;
	mutex_init(&contents->mutex);
	contents->about = about;
	file->private = contents;
	file->ops = &contents_ops;
	return 0;
}

static int open_regular(struct inode *inode, struct file *file)
{
	const struct pseudo_entry *entry = pseudo(inode)->entry;
	void *about = pseudo(inode)->target;
	int error = entry->open ? entry->open(pseudo(inode)->target) : 0;

	bool writes = (file->flags & O_ACCMODE) != O_RDONLY;

	if (error)
		return error;
	if (writes && entry->may_write)
		error = entry->may_write(pseudo(inode)->target);
	if (writes && entry->strict && !(entry->mode & 0222))
		error = -EACCES;
	if ((file->flags & O_ACCMODE) != O_WRONLY && entry->strict && !(entry->mode & 0444))
		error = -EACCES;
	if (error) {
		if (entry->close)
			entry->close(pseudo(inode)->target);
		return error;
	}
	if (entry->open_file)
		return entry->open_file(file, pseudo(inode)->target);
	if (entry->begin)
		error = entry->begin(pseudo(inode)->target, &about);
	if (!error) {
		error = open_about(inode, file, about);
		if (error && entry->end)
			entry->end(about);
	}
	if (error && entry->close)
		entry->close(pseudo(inode)->target);
	return error;
}

/* --- links --- */

static ssize_t read_link(struct inode *inode, char *buffer, size_t size)
{
	return pseudo(inode)->entry->read_link(pseudo(inode)->target, buffer, size);
}

static struct dentry *follow(struct inode *inode, int *error)
{
	return pseudo(inode)->entry->follow(pseudo(inode)->target, error);
}

/* --- directories --- */

static uint64_t number_of(const struct pseudo_entry *entry, void *target,
			  const struct pseudo_dynamic *about)
{
	return pseudo_inode_number((uintptr_t)entry, (uintptr_t)__rodata_start,
				   (uintptr_t)__rodata_end, sizeof(*entry),
				   target ? about->id(target) + 1 : 0);
}

static void get_target(const struct pseudo_dynamic *about, void *target)
{
	if (target && about->get)
		about->get(target);
}

static void put_target(const struct pseudo_dynamic *about, void *target)
{
	if (target && about->put)
		about->put(target);
}

static void free_inode(struct inode *inode)
{
	put_target(pseudo(inode)->about, pseudo(inode)->target);
	kfree(pseudo(inode));
}

/* A directory of ENTRY has parts: ENTRY's own, then those that were added. Returns the first one. */
static struct pseudo_added first_part(const struct pseudo_entry *entry)
{
	return (struct pseudo_added){ entry->children, entry->dynamic, entry->added };
}

/* Makes PART the part after it; false: it was the last. */
static bool next_part(struct pseudo_added *part)
{
	if (!part->next)
		return false;
	*part = *part->next;
	return true;
}

static size_t put_name(const struct pseudo_dynamic *dynamic, void *target, char *buffer,
		       size_t size)
{
	if (dynamic->name)
		dynamic->name(target, buffer, size);
	else
		format_string(buffer, size, "%lu", (unsigned long)dynamic->id(target));
	return strlen(buffer);
}

/* Returns the target of DYNAMIC's entry NAME in a directory about PARENT, with a reference, or NULL. */
static void *find_target(const struct pseudo_dynamic *dynamic, void *parent, const char *name,
			 size_t name_size)
{
	char own[NAME_ROOM];
	void *target;

	if (dynamic->find)
		return dynamic->find(parent, name, name_size);
	for (uint64_t id = 0; (target = dynamic->next(parent, &id)); id++) {
		if (put_name(dynamic, target, own, sizeof(own)) == name_size &&
		    !memcmp(own, name, name_size))
			return target;
		put_target(dynamic, target);
	}
	return NULL;
}

static struct inode *look_up(struct inode *directory, const char *name, size_t name_size,
			     int *error);
static void list(struct inode *directory, uint64_t position, struct directory_reader *reader);

/* For open with O_TRUNC: a write replaces the contents anyway. */
static int ignore_size(struct inode *inode, uint64_t size)
{
	if (pseudo(inode)->entry->truncate)
		pseudo(inode)->entry->truncate(pseudo(inode)->target);
	return 0;
}

static int check_permission(const struct inode *inode, unsigned int mask)
{
	const struct pseudo_inode *file = pseudo((struct inode *)inode);

	return file->entry->permission ? file->entry->permission(inode, file->target, mask) :
					 inode_permission_by_mode(inode, mask);
}

static bool is_fixed(const struct inode *inode, bool owner)
{
	const struct pseudo_inode *file = pseudo((struct inode *)inode);

	return file->entry->fixed || (!owner && file->about && file->about->fixed_modes);
}

static const struct inode_ops regular_inode_ops = { .open = open_regular,
						    .resize = ignore_size,
						    .permission = check_permission,
						    .is_fixed = is_fixed,
						    .free = free_inode };
static const struct inode_ops link_ops = { .read_link = read_link,
					   .is_fixed = is_fixed,
					   .free = free_inode };
static const struct inode_ops magic_link_ops = { .read_link = read_link,
						 .follow = follow,
						 .is_fixed = is_fixed,
						 .free = free_inode };
static int make_directory(struct inode *directory, const char *name, size_t name_size);
static int remove_directory(struct inode *directory, const char *name, size_t name_size);

static const struct inode_ops directory_ops = { .look_up = look_up,
						.list = list,
						.permission = check_permission,
						.is_fixed = is_fixed,
						.free = free_inode };
static const struct inode_ops changing_directory_ops = { .look_up = look_up,
							 .list = list,
							 .make_directory = make_directory,
							 .remove_directory = remove_directory,
							 .permission = check_permission,
							 .is_fixed = is_fixed,
							 .free = free_inode };

/* Creates an inode for ENTRY about TARGET, whose reference moves in; NULL: no memory (the reference is
 * dropped). */
static struct inode *make_inode(struct superblock *superblock, const struct pseudo_entry *entry,
				void *target, const struct pseudo_dynamic *about)
{
	struct pseudo_inode *inode = kzalloc(sizeof(*inode));
	const struct inode_ops *ops = &regular_inode_ops;

	if (!inode) {
		put_target(about, target);
		return NULL;
	}
	if ((entry->mode & S_IFMT) == S_IFDIR)
		ops = entry->dynamic && entry->dynamic->make ? &changing_directory_ops :
							       &directory_ops;
	else if ((entry->mode & S_IFMT) == S_IFLNK)
		ops = entry->follow ? &magic_link_ops : &link_ops;
	inode_init(&inode->inode, superblock, ops, entry->mode);
	inode->inode.number = number_of(entry, target, about);
	inode->inode.links = (entry->mode & S_IFMT) == S_IFDIR ? 2 : 1;
	if (target && about->set_attributes)
		about->set_attributes(target, &inode->inode);
	inode->entry = entry;
	inode->target = target;
	inode->about = about;
	return &inode->inode;
}

void *pseudo_target(struct inode *inode, const struct pseudo_entry *entry)
{
	return inode->ops == &directory_ops && pseudo(inode)->entry == entry ?
		       pseudo(inode)->target :
		       NULL;
}

static bool exists(const struct pseudo_entry *entry, void *target)
{
	return !entry->exists || entry->exists(target);
}

/* Returns the entry NAME of TABLE, if it exists for TARGET, or NULL. */
static const struct pseudo_entry *find_child(const struct pseudo_entry *table, void *target,
					     const char *name, size_t name_size)
{
	for (; table && table->name; table++)
		if (strlen(table->name) == name_size && !memcmp(table->name, name, name_size) &&
		    exists(table, target))
			return table;
	return NULL;
}

static struct inode *look_up(struct inode *inode, const char *name, size_t name_size, int *error)
{
	struct pseudo_inode *directory = pseudo(inode);
	struct pseudo_added part = first_part(directory->entry);
	const struct pseudo_entry *child = NULL;
	struct inode *found;
	void *target = NULL;

	*error = is_gone(directory) ? -ESRCH : -ENOENT;
	if (*error == -ESRCH)
		return NULL;
	do {
		child = find_child(part.children, directory->target, name, name_size);
		if (!child && part.dynamic)
			target = find_target(part.dynamic, directory->target, name, name_size);
	} while (!child && !target && next_part(&part));
	if (child) {
		get_target(directory->about, directory->target);
		found = make_inode(inode->superblock, child, directory->target, directory->about);
	} else if (target) {
		found = make_inode(inode->superblock, part.dynamic->entry, target, part.dynamic);
	} else {
		return NULL;
	}
	if (!found)
		*error = -ENOMEM;
	return found;
}

static int make_directory(struct inode *directory, const char *name, size_t name_size)
{
	return pseudo(directory)->entry->dynamic->make(pseudo(directory)->target, name, name_size);
}

static int remove_directory(struct inode *directory, const char *name, size_t name_size)
{
	return pseudo(directory)->entry->dynamic->remove(pseudo(directory)->target, name,
							 name_size);
}

/* Lists the targets of DYNAMIC in DIRECTORY, with positions after FIRST, to READER, which continues at POSITION. False:
 * READER is full. */
static bool list_targets(const struct pseudo_inode *directory, const struct pseudo_dynamic *dynamic,
			 uint64_t first, uint64_t position, struct directory_reader *reader)
{
	bool room = true;
	void *target;

	for (uint64_t id = position < first ? 0 : position - first;
	     room && (target = dynamic->next(directory->target, &id)); id++) {
		char name[NAME_ROOM];

		room = reader->entry(reader, name, put_name(dynamic, target, name, sizeof(name)),
				     number_of(dynamic->entry, target, dynamic),
				     dynamic->entry->mode, first + id + 1);
		put_target(dynamic, target);
	}
	return room;
}

static void list(struct inode *inode, uint64_t position, struct directory_reader *reader)
{
	struct pseudo_inode *directory = pseudo(inode);
	struct pseudo_added part = first_part(directory->entry);
	uint64_t at = 2;

	do
		for (const struct pseudo_entry *child = part.children; child && child->name;
		     child++, at++)
			if (at >= position && exists(child, directory->target) &&
			    !reader->entry(reader, child->name, strlen(child->name),
					   number_of(child, directory->target, directory->about),
					   child->mode, at + 1))
				return;
	while (next_part(&part));

	part = first_part(directory->entry);
	at = DYNAMIC_POSITIONS;
	do {
		/* Positions above at + DYNAMIC_POSITIONS are a later part's. */
		if (part.dynamic && position < at + DYNAMIC_POSITIONS &&
		    !list_targets(directory, part.dynamic, at, position, reader))
			return;
		at += DYNAMIC_POSITIONS;
	} while (next_part(&part));
}

/* --- mounting --- */

/* Returns the directory at PATH, one name below the root, referenced; creates it if needed. */
static struct dentry *mountpoint(const char *path)
{
	const struct entry_request request = { .mode = S_IFDIR | 0755 };
	struct dentry *dentry, *parent;
	const char *name;
	size_t name_size;
	int error = path_lookup(root_dentry, path, LOOKUP_DIRECTORY, &dentry);

	if (error == -ENOENT) {
		error = path_lookup_parent(root_dentry, path, &parent, &name, &name_size);
		if (!error) {
			error = entry_create(parent, name, name_size, &request, &dentry);
			dentry_put(parent);
		}
	}
	if (error)
		boot_failure("%s cannot be mounted: in the initramfs it is no directory", path);
	return dentry;
}

/* The file systems that were mounted at start, and may be mounted again. */
static struct kind {
	const char *type;
	uint32_t magic;
	int refusal;
	const struct pseudo_entry *root;
} kinds[8];

static size_t kind_count;

static struct superblock *create(const struct kind *kind)
{
	struct superblock *superblock = superblock_create(kind->type, kind->magic, true);
	struct inode *inode = superblock ? make_inode(superblock, kind->root, NULL, NULL) : NULL;

	if (superblock)
		superblock->refusal = kind->refusal;
	if (inode)
		superblock->root = dentry_create(NULL, inode, "", 0);
	if (inode && superblock->root)
		return superblock;
	if (inode)
		inode_put(inode);
	if (superblock)
		superblock_put(superblock);
	return NULL;
}

int pseudo_create(const char *type, struct superblock **result)
{
	for (size_t i = 0; i < kind_count; i++) {
		if (strcmp(kinds[i].type, type) != 0)
			continue;
		*result = create(&kinds[i]);
		return *result ? 0 : -ENOMEM;
	}
	return -ENODEV;
}

/* Mounts SUPERBLOCK at PATH. */
static void show_at(struct superblock *superblock, const char *path)
{
	if (!superblock)
		boot_failure("too little memory for %s; give the machine more", path);
	struct dentry *covered = mountpoint(path);

	if (superblock_mount(superblock, covered) < 0)
		boot_failure("%s cannot be mounted", path);
	dentry_put(covered);
}

void pseudo_mount(const char *type, uint32_t magic, int refusal, const struct pseudo_entry *root,
		  const char *path)
{
	ASSERT(kind_count < sizeof(kinds) / sizeof(kinds[0]));
	struct kind *kind = &kinds[kind_count++];

	*kind = (struct kind){ type, magic, refusal, root };
	show_at(create(kind), path);
}

const char *pseudo_type(unsigned int index)
{
	return index < kind_count ? kinds[index].type : NULL;
}

void pseudo_mount_again(const char *type, const char *path)
{
	struct superblock *superblock = NULL;
	int error = pseudo_create(type, &superblock);

	ASSERT(error != -ENODEV);
	show_at(superblock, path);
}
