/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file tree: what paths name. Made at start from the initramfs and a few devices; it never
 * changes afterwards and is never freed, so inodes need neither locks nor references.
 */
#ifndef KERNEL_INODE_H
#define KERNEL_INODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <uapi/linux/stat.h>

struct file;
struct inode;

/* A device's file: FILE is new, its operations are set here. 0 or a negative error. Task
 * context. */
typedef int inode_open_function(struct inode *inode, struct file *file);

struct inode {
	const char *name; /* in its directory; not terminated by the archive: see name_size */
	size_t name_size;
	uint64_t number;
	uint32_t mode; /* S_IF* and permissions */
	uint32_t uid, gid;
	uint64_t modified_s;
	uint64_t device;	      /* st_rdev of a device file */
	const void *data;	      /* file's contents, or a link's target */
	uint64_t size;		      /* bytes of it */
	struct inode *parent;	      /* the root is its own */
	STAILQ_HEAD(, inode) entries; /* of a directory, in the archive's order */
	STAILQ_ENTRY(inode) sibling;
	size_t entry_count;
	inode_open_function *open; /* NULL: contents from data */
};

/* Longest path, with its end: Linux's PATH_MAX. */
#define PATH_SIZE 4096

extern struct inode root_inode;

/* Follows PATH from START (if it does not begin with '/'). FOLLOW: also a link at its end. 0
 * and *RESULT, or -ENOENT, -ENOTDIR, -ELOOP, -ENAMETOOLONG. Task context. */
int inode_lookup(struct inode *start, const char *path, bool follow, struct inode **result);

/* Adds a file named NAME (kept, not copied) of MODE to directory PARENT; NULL: no memory. At
 * start. */
struct inode *inode_create(struct inode *parent, const char *name, size_t name_size, uint32_t mode);
/* The entry of that name, or NULL. */
struct inode *inode_find(struct inode *parent, const char *name, size_t name_size);

/* Copies SIZE bytes of a file's contents from OFFSET on; what lies past the end is left alone.
 * Returns the bytes copied. */
size_t inode_copy(const struct inode *inode, uint64_t offset, void *destination, size_t size);

/* The absolute path of INODE into BUFFER, terminated; its length, or -ERANGE. */
int inode_path(const struct inode *inode, char *buffer, size_t size);

/* Fills in STAT. */
void inode_stat(const struct inode *inode, struct kernel_stat *stat);

/* An open file on INODE with one reference. FLAGS: O_*. 0 and *RESULT, or a negative error.
 * Task context. */
int inode_open(struct inode *inode, unsigned int flags, struct file **result);

/* The inode behind a file that inode_open made, or NULL. */
struct inode *file_inode(const struct file *file);

/* Adds /dev and what is in it, where the archive has none. At start. */
void devices_init(void);

/* Adds /proc and what is in it. At start. */
void proc_init(void);
/* Where LINK leads for the running task if it is one of /proc's, and how readlink names that;
 * else NULL. */
struct inode *proc_link_target(const struct inode *link);
const char *proc_link_text(const struct inode *link);

inode_open_function console_open, tty_current_open, ptmx_open, null_open, zero_open, random_open;

#endif
