/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of a cpio archive that have several names.
 *
 * Each name is a member of its own, with the same inode and device numbers. The archiver chooses which member
 * has the contents (GNU cpio: the last one), so the first name already enters the file here.
 *
 * Locks: none; only the boot's one task calls these functions.
 */
#include "archive_links.h"

#include <kernel/base/tree.h>
#include <kernel/fs/dentry.h>
#include <kernel/mm/kmalloc.h>

struct archive_file {
	RB_ENTRY(archive_file) node;
	struct archive_id id;
	struct dentry *dentry; /* referenced */
};

static RB_HEAD(file_tree, archive_file) files = RB_INITIALIZER(&files);

static int compare_numbers(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_files(struct archive_file *a, struct archive_file *b)
{
	int order = compare_numbers(a->id.inode, b->id.inode);

	if (!order)
		order = compare_numbers(a->id.device_major, b->id.device_major);
	return order ? order : compare_numbers(a->id.device_minor, b->id.device_minor);
}

RB_GENERATE_STATIC(file_tree, archive_file, node, compare_files)

struct dentry *archive_links_find(const struct archive_id *id)
{
	struct archive_file key = { .id = *id };
	struct archive_file *found = RB_FIND(file_tree, &files, &key);

	return found ? found->dentry : NULL;
}

bool archive_links_add(const struct archive_id *id, struct dentry *dentry)
{
	struct archive_file *file = kzalloc(sizeof(*file));

	if (!file)
		return false;
	file->id = *id;
	file->dentry = dentry;
	dentry_get(dentry);
	RB_INSERT(file_tree, &files, file);
	return true;
}

void archive_links_forget(void)
{
	struct archive_file *file, *next;

	RB_FOREACH_SAFE(file, file_tree, &files, next) {
		RB_REMOVE(file_tree, &files, file);
		dentry_put(file->dentry);
		kfree(file);
	}
}
