/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tmpfs: files in memory. The root file system, and the nodes of /dev.
 */
#ifndef KERNEL_TMPFS_H
#define KERNEL_TMPFS_H

#include <stddef.h>
#include <stdint.h>

struct inode;
struct superblock;

/* A tmpfs that is mounted nowhere, called TYPE, with a root directory; or NULL. Task context. */
struct superblock *tmpfs_create(const char *type);

/* Bytes that an inode, and each name of it but the first, counts in what a tmpfs may have of them: Linux's
 * BOGO_INODE_SIZE. */
#define TMPFS_INODE_SPACE 1024ull

/* SIZE bytes more of inodes, names and attributes are SUPERBLOCK's, a tmpfs: 0, -ENOSPC: it may not have so
 * many. And fewer. Any context but NMI. */
int tmpfs_charge_space(struct superblock *superblock, uint64_t size);
void tmpfs_uncharge_space(struct superblock *superblock, uint64_t size);
/* SUPERBLOCK, a tmpfs, has Linux's default limit of inodes from now on, whatever it has: half of the pages of
 * the machine. Task context. */
void tmpfs_limit_inodes(struct superblock *superblock);
/* Its limit of inodes is COUNT from now on, 0: none. -EINVAL: it has more already, or had no limit. Task
 * context. */
int tmpfs_change_inodes(struct superblock *superblock, uint64_t count);

/* An inode of MODE in SUPERBLOCK, a tmpfs, with one reference and no links yet; DEVICE for device
 * nodes. NULL: no memory, or as many as it may have are there. Task context. */
struct inode *tmpfs_create_inode(struct superblock *superblock, uint32_t mode, uint64_t device);

/* The contents of INODE, a new regular file or symbolic link, begin as SIZE bytes at DATA, which stay
 * there for good and are not copied. At start. */
void tmpfs_set_image(struct inode *inode, const void *data, size_t size);

/* The target of INODE, a new symbolic link, is TEXT, copied. 0, -ENOMEM, -ENOSPC. Task context. */
int tmpfs_set_target(struct inode *inode, const char *text, size_t size);

/* Seals, F_SEAL_*, say what nobody may do to a regular file any more; new ones have F_SEAL_SEAL only.
 * set: of a new file; get: what they are, or -EINVAL (not such a file); add: 0, -EINVAL, -EPERM
 * (sealed), -EBUSY (F_SEAL_WRITE, and it is mapped for writing). Task context. */
void tmpfs_set_seals(struct inode *inode, unsigned int seals);
int tmpfs_get_seals(struct inode *inode);
int tmpfs_add_seals(struct inode *inode, unsigned int seals);

/* Makes the place where files in memory live. At start. */
void memfd_init(void);

#endif
