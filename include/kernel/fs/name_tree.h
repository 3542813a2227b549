/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trees of names by their hash, in which every operation takes the same instructions whatever else is in the tree: the
 * instructions of a path's walk do not depend on the other files of its directories.
 *
 * A tree is a PATRICIA (Morrison, "PATRICIA", J. ACM 15, 1968): a fork for each entry, on the lowest bit in which the
 * hashes below it differ. An end leads to itself, so that a walk of 20 steps, without a branch, is at its end; only if there
 * are more forks above an end, which takes some 20,000 names, the walk goes on.
 *
 * Lock: the caller's, one for all trees.
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

/* Make TREE empty; and return whether it is. */
void name_tree_init(struct name_tree *tree);
bool name_tree_is_empty(const struct name_tree *tree);

/* Returns the first entry with HASH, or NULL. */
struct name_entry *name_tree_find(const struct name_tree *tree, uint64_t hash);

/* Inserts ENTRY, which is in no tree, with HASH; and removes it again. */
void name_tree_insert(struct name_tree *tree, struct name_entry *entry, uint64_t hash);
void name_tree_remove(struct name_tree *tree, struct name_entry *entry);

#endif
