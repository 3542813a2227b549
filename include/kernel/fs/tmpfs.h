/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tmpfs: files in memory. The root file system, and the nodes of /dev.
 */
#ifndef KERNEL_TMPFS_H
#define KERNEL_TMPFS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct inode;
struct superblock;
struct tmpfs_source;

/* Creates a tmpfs of TYPE, mounted nowhere, with a root directory; or returns NULL. Task context. */
struct superblock *tmpfs_create(const char *type);

/* Bytes that an inode, and each further name of one, takes of a tmpfs's space: Linux's BOGO_INODE_SIZE. */
#define TMPFS_INODE_SPACE 1024ull

/* Charge SIZE bytes for inodes, names and attributes to SUPERBLOCK, a tmpfs: 0, -ENOSPC: beyond its limit;
 * and uncharge them. Any context but NMI. */
int tmpfs_charge_space(struct superblock *superblock, uint64_t size);
void tmpfs_uncharge_space(struct superblock *superblock, uint64_t size);
/* Gives SUPERBLOCK, a tmpfs, Linux's default limit of inodes, even if it has more: half of the pages of
 * the machine. Task context. */
void tmpfs_limit_inodes(struct superblock *superblock);
/* Sets its limit of inodes to COUNT, 0: unlimited. -EINVAL: it has more already, or was unlimited. Task
 * context. */
int tmpfs_change_inodes(struct superblock *superblock, uint64_t count);

/* Creates an inode of MODE in SUPERBLOCK, a tmpfs, with one reference and no links; DEVICE for device
 * nodes. NULL: no memory, or the limit is reached. Task context. */
struct inode *tmpfs_create_inode(struct superblock *superblock, uint32_t mode, uint64_t device);

/* Makes the SIZE bytes at DATA, which stay there at all times and are not copied, the initial contents of
 * INODE, a new regular file or symbolic link. At start. */
void tmpfs_set_image(struct inode *inode, const void *data, size_t size);

/* Takes the changes of a file's contents, beside its reads. Task context; errors are negative, and then nothing has changed. */
struct tmpfs_through {
	/* The file is opened, to be written to if WRITE: 0 or an error; and closed again. */
	int (*open)(struct tmpfs_source *source, bool write);
	void (*close)(struct tmpfs_source *source, bool write);
	/* Writes some of SIZE bytes at OFFSET, perhaps beyond the end: how many, at least 1. The file is open for it. */
	ssize_t (*write)(struct tmpfs_source *source, uint64_t offset, const void *buffer,
			 size_t size);
	int (*resize)(struct tmpfs_source *source, uint64_t size);
};

/* Reads the initial contents of a file where it has no pages of its own. Task context, perhaps with a space's and the
 * inode's mutex held: the functions may wait, but not for these. */
struct tmpfs_source {
	/* Reads SIZE bytes at OFFSET, both below the size that tmpfs_set_source got, into kernel memory; bytes that are
	 * not there any more read as zeros. 0 or a negative error. */
	int (*read)(struct tmpfs_source *source, uint64_t offset, void *buffer, size_t size);
	/* The file is freed. */
	void (*free)(struct tmpfs_source *source);
	const struct tmpfs_through *through; /* NULL: changes stay in the file's own pages */
	_Atomic bool detached; /* so do they from now on; changed under write_mutex and inode.mutex */
};

/* Makes SIZE (at most FILE_SIZE_MAX) bytes of SOURCE, which moves in, the initial contents of INODE, a new regular file.
 * Task context. */
void tmpfs_set_source(struct inode *inode, struct tmpfs_source *source, uint64_t size);

/* Returns the source of INODE, an inode of tmpfs, or NULL. Any context. */
struct tmpfs_source *tmpfs_source_of(struct inode *inode);
/* Sends the pages of INODE that mappings have written to its source: 0 or the source's error; they stay dirty then. Task
 * context. */
int tmpfs_sync_through(struct inode *inode);
/* INODE has lost its last name, and its source what it could write to: changes stay in its own pages. Task context,
 * tree_mutex may be held. */
void tmpfs_detach_source(struct inode *inode);

/* Sets the target of INODE, a new symbolic link, to a copy of TEXT. 0, -ENOMEM, -ENOSPC. Task context. */
int tmpfs_set_target(struct inode *inode, const char *text, size_t size);

/* Seals, F_SEAL_*, forbid changes to a regular file; new ones have only F_SEAL_SEAL. set: of a new file;
 * get: returns them, or -EINVAL (not such a file); add: 0, -EINVAL, -EPERM (sealed), -EBUSY (F_SEAL_WRITE,
 * and it is mapped for writing). Task context. */
void tmpfs_set_seals(struct inode *inode, unsigned int seals);
int tmpfs_get_seals(struct inode *inode);
int tmpfs_add_seals(struct inode *inode, unsigned int seals);

/* Creates the file system of memfd_create. At start. */
void memfd_init(void);

#endif
