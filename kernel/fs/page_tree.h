/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pages of a file: maps a page number to a page, for files with holes.
 *
 * A radix tree with 512 slots per node, as deep as the greatest number needs. The caller locks.
 */
#ifndef FS_PAGE_TREE_H
#define FS_PAGE_TREE_H

#include <stddef.h>
#include <stdint.h>

/* Page numbers are below this: 2^51 bytes. */
#define PAGE_TREE_LIMIT ((uint64_t)1 << 39)

struct page_tree {
	void *root;	     /* a page of slots, or NULL */
	unsigned int levels; /* of nodes; 0: empty */
};

/* Returns the page with NUMBER, or NULL. */
void *page_tree_find(const struct page_tree *tree, uint64_t number);

/* Puts PAGE at NUMBER, which must be empty; takes over its reference. 0 or -ENOMEM. */
int page_tree_insert(struct page_tree *tree, uint64_t number, void *page);

/* Returns the first page with a number of FIRST or above, its number in *NUMBER; or NULL. */
void *page_tree_next(const struct page_tree *tree, uint64_t first, uint64_t *number);

/* Drops the pages with numbers in [FIRST, END), and the nodes that become empty. Returns the number of
 * pages. */
uint64_t page_tree_remove(struct page_tree *tree, uint64_t first, uint64_t end);

#endif
