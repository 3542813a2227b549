/* SPDX-License-Identifier: BSD-2-Clause */
/* Remembers which files of an archive exist already, for members that are further names of them; private
 * to kernel/fs/. At boot only. */
#ifndef FS_ARCHIVE_LINKS_H
#define FS_ARCHIVE_LINKS_H

#include <stdbool.h>
#include <stdint.h>

struct dentry;

/* Identifies a file in an archive: the numbers that cpio took from the file system it read. */
struct archive_id {
	uint32_t inode, device_major, device_minor;
};

/* Returns the file that was added as ID, or NULL; the reference stays with the table. */
struct dentry *archive_links_find(const struct archive_id *id);

/* Remembers DENTRY as ID, which must be new; the table takes a reference. False: no memory. */
bool archive_links_add(const struct archive_id *id, struct dentry *dentry);

/* Forgets everything: the next archive numbers its files anew. */
void archive_links_forget(void);

#endif
