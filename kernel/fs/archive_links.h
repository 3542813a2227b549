/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files of an archive have been made, for those of its members that are other names of them; private to
 * kernel/fs/. At boot only. */
#ifndef FS_ARCHIVE_LINKS_H
#define FS_ARCHIVE_LINKS_H

#include <stdbool.h>
#include <stdint.h>

struct dentry;

/* What is one and the same file in an archive: the numbers that cpio has of where it came from. */
struct archive_id {
	uint32_t inode, device_major, device_minor;
};

/* The file that was added as ID, or NULL; its reference stays with the table. */
struct dentry *archive_links_find(const struct archive_id *id);

/* Remembers DENTRY, of which the table takes a reference, as ID, which is not there. False: no memory. */
bool archive_links_add(const struct archive_id *id, struct dentry *dentry);

/* Forgets all: another archive counts anew. */
void archive_links_forget(void);

#endif
