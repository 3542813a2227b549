/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pages of a tmpfs's file, and what shows where it has none. tmpfs_pages.c; struct tmpfs_inode is also of tmpfs.c, which
 * creates and frees it, tmpfs_contents.c and tmpfs_sizes.c.
 */
#ifndef FS_TMPFS_PAGES_H
#define FS_TMPFS_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/fs/inode.h>
#include <kernel/mm/vm.h>

#include "page_tree.h"

struct tmpfs_source;

struct tmpfs_inode {
	struct inode inode;
	struct page_tree tree;	     /* I: inode.mutex */
	const char *image;	     /* the initial contents, or NULL */
	struct tmpfs_source *source; /* what reads the initial contents, or NULL */
	uint64_t image_size; /* I: bytes of either that still show where the file has no page */
	_Atomic unsigned int seals; /* F_SEAL_*; changed under write_mutex */
	struct page_tree dirty;	    /* I: pages that the source lacks: tmpfs_through.c */
	char *target;		    /* a link's, allocated; NULL: the image */
	struct vm_mapping mapping;
};

static inline struct tmpfs_inode *tmpfs_inode(struct inode *inode)
{
	return __containerof(inode, struct tmpfs_inode, inode);
}

/* Returns whether one of SEALS, F_SEAL_*, is set. Any context. */
static inline bool tmpfs_is_sealed(struct inode *inode, unsigned int seals)
{
	return tmpfs_inode(inode)->seals & seals;
}

/*
 * Charges COUNT more pages to the file system: 0, -ENOSPC (it may not have so many), -ENOMEM (the machine has
 * none to spare). Any context but NMI.
 */
int tmpfs_charge_pages(struct superblock *superblock, uint64_t count);
/* Takes COUNT pages of INODE off the account. Any context but NMI. */
void tmpfs_uncharge_pages(struct inode *inode, uint64_t count);

/* Creates page NUMBER, which is charged already and which the file does not have yet, in *RESULT: 0, -ENOMEM or an
 * error of the source. Task context, inode.mutex held. */
int tmpfs_make_page(struct tmpfs_inode *file, uint64_t number, void **result);

/*
 * Finds page NUMBER of a file, or creates it, in *RESULT with a reference: 0, or an error of tmpfs_charge_pages or the
 * source. A page of the image exceeds the limit if it must: its contents belong to the file already, and programs go
 * on when the file system is full. Task context, inode.mutex held.
 */
int tmpfs_get_page(struct tmpfs_inode *file, uint64_t number, void **result);

/* Removes the pages FIRST … END - 1 from the file. Task context; inode.mutex held, or the file has no other user. */
void tmpfs_remove_pages(struct tmpfs_inode *file, uint64_t first, uint64_t end);

#endif
