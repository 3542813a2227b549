/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trees of names by their hash, in which every operation takes the same instructions whatever else is in the tree: the
 * instructions of a path's walk do not depend on the other files of its directories.
 *
 * A tree is a PATRICIA (Morrison, "PATRICIA", J. ACM 15, 1968): a fork for each entry, on the lowest bit in which the
 * hashes below it differ. An end is its own child. So a walk takes 20 steps without a branch, and then is at an end, unless
 * there are more than 20 forks above it: that takes some 20,000 names, and then the walk takes 20 steps more. More
 * instructions take names of one hash, too: they are a list.
 *
 * Lock: the caller's, one for each tree; for directories tree_mutex.
 */
#ifndef KERNEL_NAME_TREE_H
#define KERNEL_NAME_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A fork or an end. */
struct name_node {
	struct name_node *child[2]; /* by the hash's bit; of an end: itself */
	uint64_t value;		    /* of a fork: that bit; of an end: the hash, which is greater */
};

/* A name in a tree. */
struct name_entry {
	struct name_node end, fork; /* the fork is somewhere above the end */
	struct name_entry *
		same; /* the next one of the same hash; only the first one's nodes are in the tree */
};

struct name_tree {
	struct name_node *root;
};

/* Chooses the hash, by random numbers, so that no program can make many names of one hash. At start, before the first tree. */
void name_tree_start(void);

/* Returns the hash of NAME for the functions below. */
uint64_t name_hash(const char *name, size_t size);

/* Makes TREE empty. Any context. */
void name_tree_init(struct name_tree *tree);

/* Returns whether TREE has no entry. The lock held. */
bool name_tree_is_empty(const struct name_tree *tree);

/* Returns the first entry of TREE with HASH, or NULL; entry->same leads to the others, and the caller compares their names. The
 * lock held. */
struct name_entry *name_tree_find(const struct name_tree *tree, uint64_t hash);

/* Inserts ENTRY, which is in no tree, with HASH of name_hash(). Allocates nothing and cannot fail. The lock held. */
void name_tree_insert(struct name_tree *tree, struct name_entry *entry, uint64_t hash);

/* Removes ENTRY, which is in TREE. The lock held. */
void name_tree_remove(struct name_tree *tree, struct name_entry *entry);

#endif
