// SPDX-License-Identifier: BSD-2-Clause
/*
 * Trees of names, kernel/fs/name_tree.c: beside a plain list, with hashes that have nothing in common, and with those
 * that have almost all; and equal ones.
 */
#include <kernel/fs/name_tree.h>
#include <kernel/random/random.h>

#include <stdlib.h>

#include "tap.h"

#define HASH_BITS (UINT64_C(3) << 62)
#define NAMES	  500

static struct name_entry *entries[NAMES];
static struct name_tree tree;
static uint64_t number = 1;

/* The key of the hashes. */
void random_bytes(void *buffer, size_t size)
{
	memset(buffer, 0x5a, size);
}

static uint64_t any(void)
{
	number = number * 6364136223846793005 + 1442695040888963407;
	return number >> 20;
}

/* Whether the tree has ENTRY under its hash. */
static bool has(const struct name_entry *entry, uint64_t hash)
{
	for (const struct name_entry *at = name_tree_find(&tree, hash); at; at = at->same)
		if (at == entry)
			return true;
	return false;
}

/* Inserts and removes names at random, each on its own heap block. HASH(i): of name I. */
static void change_at_random(uint64_t (*hash)(size_t))
{
	name_tree_init(&tree);
	for (unsigned int step = 0; step < 5000; step++) {
		size_t i = any() % NAMES;

		if (entries[i]) {
			name_tree_remove(&tree, entries[i]);
			free(entries[i]);
			entries[i] = NULL;
		} else {
			entries[i] = malloc(sizeof(*entries[i]));
			name_tree_insert(&tree, entries[i], hash(i));
		}
		if (step % 50 == 0)
			for (size_t n = 0; n < NAMES; n++) {
				const struct name_entry *first = name_tree_find(&tree, hash(n));

				EXPECT_AT(!entries[n] || has(entries[n], hash(n)),
					  "step %u, name %zu", step, n);
				EXPECT_AT(!first || first->end.value == hash(n),
					  "step %u, name %zu", step, n);
			}
	}
	EXPECT(!name_tree_is_empty(&tree));
	for (size_t i = 0; i < NAMES; i++)
		if (entries[i]) {
			name_tree_remove(&tree, entries[i]);
			EXPECT_AT(!has(entries[i], hash(i)), "name %zu", i);
			free(entries[i]);
			entries[i] = NULL;
		}
	EXPECT(name_tree_is_empty(&tree));
}

static uint64_t of_name(size_t i)
{
	char name[20];

	snprintf(name, sizeof(name), "name%zu", i);
	return name_hash(name, strlen(name));
}

/* Hashes that differ from one another in one bit each: more forks above an end than the first 20 steps of a walk pass. */
static uint64_t of_one_path(size_t i)
{
	return HASH_BITS | (UINT64_C(1) << (i % 62));
}

static uint64_t of_few_bits(size_t i)
{
	return HASH_BITS | i % 100;
}

static uint64_t of_equals(size_t i)
{
	return HASH_BITS | i % 7;
}

static void names_by_their_hash(void)
{
	change_at_random(of_name);
}

static void hashes_with_a_common_part(void)
{
	change_at_random(of_few_bits);
	change_at_random(of_one_path);
}

static void equal_hashes(void)
{
	change_at_random(of_equals);
}

static void an_empty_tree(void)
{
	name_tree_init(&tree);
	EXPECT(name_tree_is_empty(&tree));
	EXPECT(!name_tree_find(&tree, name_hash("", 0)));
	EXPECT(!name_tree_find(&tree, name_hash("a", 1)));
}

/* Sizes up to three words; a zero byte and a byte of another place are other names. */
static void hashes_differ(void)
{
	char name[24] = { 0 };
	uint64_t hashes[24 * 24];
	size_t count = 0;

	name_tree_start();
	for (size_t size = 0; size < sizeof(name); size++) {
		hashes[count++] = name_hash(name, size);
		for (size_t at = 0; at < size; at++) {
			name[at] = 1;
			hashes[count++] = name_hash(name, size);
			name[at] = 0;
		}
	}
	for (size_t i = 0; i < count; i++) {
		EXPECT_AT((hashes[i] & HASH_BITS) == HASH_BITS, "%zu", i);
		for (size_t n = 0; n < i; n++)
			EXPECT_AT(hashes[i] != hashes[n], "%zu and %zu", i, n);
	}
}

static const struct tap_rule rules[] = {
	{ "an empty tree has no name", an_empty_tree },
	{ "hashes of other names differ", hashes_differ },
	{ "names are found until they are removed", names_by_their_hash },
	{ "names whose hashes share bits are found until they are removed",
	  hashes_with_a_common_part },
	{ "names of one hash are found until they are removed", equal_hashes },
};

TAP_MAIN(rules)
