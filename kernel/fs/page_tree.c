/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages of a file; see page_tree.h. */
#include "page_tree.h"

#include <stdbool.h>

#include <kernel/mm/page.h>
#include <uapi/linux/errno.h>

#define SLOT_BITS  9
#define SLOT_COUNT ((uint64_t)1 << SLOT_BITS)

/* Page numbers that a tree of so many levels has room for. */
static uint64_t capacity(unsigned int levels)
{
	return (uint64_t)1 << (SLOT_BITS * levels);
}

static unsigned int slot_of(uint64_t number, unsigned int level)
{
	return (unsigned int)(number >> (SLOT_BITS * level)) & (SLOT_COUNT - 1);
}

void *page_tree_find(const struct page_tree *tree, uint64_t number)
{
	void **node = tree->root;

	if (!node || number >= capacity(tree->levels))
		return NULL;
	for (unsigned int level = tree->levels - 1; level > 0 && node; level--)
		node = node[slot_of(number, level)];
	return node ? node[slot_of(number, 0)] : NULL;
}

int page_tree_insert(struct page_tree *tree, uint64_t number, void *page)
{
	while (!tree->root || number >= capacity(tree->levels)) {
		void **node = page_alloc(0);

		if (!node)
			return -ENOMEM;
		node[0] = tree->root;
		tree->root = node;
		tree->levels++;
	}
	void **node = tree->root;

	for (unsigned int level = tree->levels - 1; level > 0; level--) {
		void **slot = &node[slot_of(number, level)];

		if (!*slot)
			*slot = page_alloc(0);
		if (!*slot)
			return -ENOMEM;
		node = *slot;
	}
	node[slot_of(number, 0)] = page;
	return 0;
}

void *page_tree_next(const struct page_tree *tree, uint64_t first, uint64_t *number)
{
	while (tree->root && first < capacity(tree->levels)) {
		void **node = tree->root;
		unsigned int level = tree->levels - 1;

		while (level > 0 && node[slot_of(first, level)])
			node = node[slot_of(first, level--)];
		if (level == 0 && node[slot_of(first, 0)]) {
			*number = first;
			return node[slot_of(first, 0)];
		}
		/* Go on with the slot after the one where the descent ended. */
		first = ((first >> (SLOT_BITS * level)) + 1) << (SLOT_BITS * level);
	}
	return NULL;
}

/* Empties the part of NODE, at LEVEL, whose first number is BASE, that lies in [FIRST, END). Returns true
 * if NODE is empty now. Recursion is as deep as the tree: at most five levels. */
static bool remove_from(void **node, unsigned int level, uint64_t base, uint64_t first,
			uint64_t end, uint64_t *removed)
{
	uint64_t step = capacity(level);
	bool empty = true;

	for (uint64_t i = 0; i < SLOT_COUNT; i++, base += step) {
		if (!node[i])
			continue;
		bool inside = base < end && base + step > first;

		if (inside && level == 0) {
			page_put(node[i]);
			node[i] = NULL;
			(*removed)++;
		} else if (inside && remove_from(node[i], level - 1, base, first, end, removed)) {
			page_put(node[i]);
			node[i] = NULL;
		}
		empty = empty && !node[i];
	}
	return empty;
}

uint64_t page_tree_remove(struct page_tree *tree, uint64_t first, uint64_t end)
{
	uint64_t removed = 0;

	if (tree->root && remove_from(tree->root, tree->levels - 1, 0, first, end, &removed)) {
		page_put(tree->root);
		*tree = (struct page_tree){ 0 };
	}
	return removed;
}
