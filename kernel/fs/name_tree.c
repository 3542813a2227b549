/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees of names by their hash. See <kernel/fs/name_tree.h>. */
#include <kernel/fs/name_tree.h>

#include <string.h>
#include <sys/cdefs.h>

#include <kernel/base/assert.h>
#include <kernel/random/random.h>

/* Steps of a walk. In trees of 5000 random hashes at most 18 forks were seen above an end, in those of 20,000 at most 20. */
#define ROUNDS	  20

/* Set in the hash of each name, so that it is greater than any fork's bit and another one than the last end's. */
#define HASH_BITS (UINT64_C(3) << 62)

/* The last end: every tree has it, so none is a special case. */
static struct name_node last_end = { { &last_end, &last_end }, UINT64_C(1) << 63 };
static uint64_t key[2]; /* constant after name_tree_start */

void name_tree_start(void)
{
	random_bytes(key, sizeof(key));
	key[1] |= 1;
}

/* Both halves of a product, mixed. */
static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t name_hash(const char *name, size_t size)
{
	uint64_t hash = key[0] ^ size, word;

	for (; size >= sizeof(word); size -= sizeof(word), name += sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		hash = mix(hash ^ word, key[1]);
	}
	for (word = 1; size; size--)
		word = word << 8 | (unsigned char)*name++;
	return mix(hash ^ word, key[1]) | HASH_BITS;
}

/* Returns A if CONDITION, else B, without a branch. */
static struct name_node **choose(bool condition, struct name_node **a, struct name_node **b)
{
	uintptr_t mask = -(uintptr_t)condition;

	return (struct name_node **)(((uintptr_t)a & mask) | ((uintptr_t)b & ~mask));
}

static struct name_node **step(struct name_node *node, uint64_t hash)
{
	return &node->child[(node->value & hash) != 0];
}

static bool is_end(const struct name_node *node)
{
	return node->value >= last_end.value;
}

/* Returns the end to which HASH leads. */
static struct name_node *find_end(const struct name_tree *tree, uint64_t hash)
{
	struct name_node *node = tree->root;

	do {
#pragma GCC unroll 5
		for (unsigned int n = 0; n < ROUNDS; n++)
			node = *step(node, hash);
	} while (!is_end(node));
	return node;
}

void name_tree_init(struct name_tree *tree)
{
	tree->root = &last_end;
}

bool name_tree_is_empty(const struct name_tree *tree)
{
	return tree->root == &last_end;
}

struct name_entry *name_tree_find(const struct name_tree *tree, uint64_t hash)
{
	struct name_node *end = find_end(tree, hash);

	return end->value == hash ? __containerof(end, struct name_entry, end) : NULL;
}

void name_tree_insert(struct name_tree *tree, struct name_entry *entry, uint64_t hash)
{
	struct name_node *end = find_end(tree, hash), **link = &tree->root;
	uint64_t differing = end->value ^ hash, bit = differing & -differing;

	entry->end = (struct name_node){ { &entry->end, &entry->end }, hash };
	entry->same = NULL;
	if (!differing) {
		struct name_entry *first = __containerof(end, struct name_entry, end);

		entry->same = first->same;
		first->same = entry;
		return;
	}
	/* The forks above the new one are on lower bits. */
	do {
		for (unsigned int n = 0; n < ROUNDS; n++)
			link = choose((*link)->value < bit, step(*link, hash), link);
	} while ((*link)->value < bit);
	entry->fork.value = bit;
	*step(&entry->fork, hash) = &entry->end;
	*step(&entry->fork, ~hash) = *link;
	*link = &entry->fork;
}

/* Removes ENTRY, whose end is not in its tree, from the others of its hash. */
static void remove_same(struct name_entry *first, struct name_entry *entry)
{
	while (first->same != entry)
		first = first->same;
	first->same = entry->same;
}

void name_tree_remove(struct name_tree *tree, struct name_entry *entry)
{
	uint64_t hash = entry->end.value;
	/* To the end, to the fork above it, and to ENTRY's own fork. */
	struct name_node **link = &tree->root, **above = link, **own = link;

	do {
		for (unsigned int n = 0; n < ROUNDS; n++) {
			bool more = !is_end(*link);

			own = choose(*link == &entry->fork, link, own);
			above = choose(more, link, above);
			link = choose(more, step(*link, hash), link);
		}
	} while (!is_end(*link));
	if (*link != &entry->end) {
		remove_same(__containerof(*link, struct name_entry, end), entry);
		return;
	}
	if (entry->same) {
		*link = &entry->same->end;
		entry->same->fork = entry->fork;
		*own = &entry->same->fork;
		return;
	}
	/* The other child takes the place of the fork above, and that fork the place of ENTRY's own. The two may be one. */
	struct name_node *fork = *above, *other = *step(fork, ~hash);

	*above = other;
	*fork = entry->fork;
	*own = *choose(fork == &entry->fork, &other, &fork);
}
