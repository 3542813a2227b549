/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pseudo file systems: inodes for tables of functions. See <kernel/fs/pseudo.h>.
 *
 * An inode is made when its entry is looked up and lives as long as its dentry, which is never linked: so no
 * entry can become stale. The entry and the target determine the inode number, so it is the same each time.
 *
 * The files are opened, read and written in pseudo_file.c.
 */
#include <kernel/fs/pseudo.h>

#include <string.h>

#include <kernel/base/assert.h>
#include <kernel/base/log.h>
#include <kernel/base/name.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <uapi/linux/errno.h>

#include "pseudo_file.h"
#include "pseudo_inode.h"

/* Positions of a directory: from 2 on for its tables, from each multiple of this on for the targets of one part, by
 * their ids. */
#define DYNAMIC_POSITIONS ((uint64_t)1 << 40)
/* Longest name of a target, with its terminator. */
#define NAME_ROOM	  256

/* The read-only data of the image, where all entries are; made by the linker. */
extern const char __rodata_start[], __rodata_end[];

/* --- links --- */

static ssize_t read_link(struct inode *inode, char *buffer, size_t size)
{
	return pseudo_inode(inode)->entry->read_link(pseudo_inode(inode)->target, buffer, size);
}

static struct dentry *follow(struct inode *inode, int *error)
{
	return pseudo_inode(inode)->entry->follow(pseudo_inode(inode)->target, error);
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
	put_target(pseudo_inode(inode)->about, pseudo_inode(inode)->target);
	kfree(pseudo_inode(inode));
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
		put_name(dynamic, target, own, sizeof(own));
		if (name_is(own, name, name_size))
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
	if (pseudo_inode(inode)->entry->truncate)
		pseudo_inode(inode)->entry->truncate(pseudo_inode(inode)->target);
	return 0;
}

static int check_permission(const struct inode *inode, unsigned int mask)
{
	const struct pseudo_inode *file = pseudo_inode((struct inode *)inode);

	return file->entry->permission ? file->entry->permission(inode, file->target, mask) :
					 inode_permission_by_mode(inode, mask);
}

static bool is_fixed(const struct inode *inode, bool owner)
{
	const struct pseudo_inode *file = pseudo_inode((struct inode *)inode);

	return file->entry->fixed || (!owner && file->about && file->about->fixed_modes);
}

static const struct inode_ops regular_inode_ops = { .open = pseudo_open,
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
	return inode->ops == &directory_ops && pseudo_inode(inode)->entry == entry ?
		       pseudo_inode(inode)->target :
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
		if (name_is(table->name, name, name_size) && exists(table, target))
			return table;
	return NULL;
}

static struct inode *look_up(struct inode *inode, const char *name, size_t name_size, int *error)
{
	struct pseudo_inode *directory = pseudo_inode(inode);
	struct pseudo_added part = first_part(directory->entry);
	const struct pseudo_entry *child = NULL;
	struct inode *found;
	void *target = NULL;

	*error = pseudo_is_gone(directory) ? -ESRCH : -ENOENT;
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
	return pseudo_inode(directory)->entry->dynamic->make(pseudo_inode(directory)->target, name,
							     name_size);
}

static int remove_directory(struct inode *directory, const char *name, size_t name_size)
{
	return pseudo_inode(directory)->entry->dynamic->remove(pseudo_inode(directory)->target,
							       name, name_size);
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
	struct pseudo_inode *directory = pseudo_inode(inode);
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
