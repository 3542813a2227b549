// SPDX-License-Identifier: BSD-2-Clause
/*
 * The type of a range in user space: whatever a program asks for, a range lies inside, and what lies outside is
 * counted. That an unchecked pair of numbers does not compile, tests/boot/user-range.t says.
 */
#include "tap.h"

#include <kernel/mm/user_range.h>

#define PAGE ((uint64_t)PAGE_SIZE)

/* Edges of what a program may name; each is a start, and a size. */
static const uint64_t edges[] = {
	0,
	1,
	PAGE - 1,
	PAGE,
	PAGE + 1,
	USER_START,
	USER_END - PAGE,
	USER_END - 1,
	USER_END,
	USER_END + 1,
	USER_END + PAGE,
	(uint64_t)1 << 47,
	(uint64_t)1 << 63,
	0xffff800000000000,
	-(uint64_t)USER_END,
	-PAGE,
	-(uint64_t)1,
};

enum { EDGES = sizeof(edges) / sizeof(edges[0]) };

/* CHECK(start, size) for each pair. */
static void for_each_pair(void (*check)(uint64_t start, uint64_t size))
{
	for (int i = 0; i < EDGES; i++)
		for (int j = 0; j < EDGES; j++)
			check(edges[i], edges[j]);
}

static bool is_inside(struct user_range range)
{
	return user_range_start(range) <= user_range_end(range) &&
	       user_range_end(range) <= USER_END;
}

static void check_clip(uint64_t start, uint64_t size)
{
	struct user_range range = user_range_clip(start, size);
	uint64_t most = UINT64_MAX - start, asked = size < most ? size : most;

	EXPECT_AT(is_inside(range), "%lx + %lx", start, size);
	EXPECT_AT(user_range_size(range) + user_range_outside(range) == asked, "%lx + %lx", start,
		  size);
	if (start < USER_END)
		EXPECT_AT(user_range_start(range) == start, "%lx + %lx", start, size);
}

static void clip(void)
{
	for_each_pair(check_clip);
}

static void check_make(uint64_t start, uint64_t size)
{
	struct user_range range = {};
	bool fits = (unsigned __int128)start + size <= USER_END;

	EXPECT_AT(user_range_make(start, size, &range) == fits, "%lx + %lx", start, size);
	if (fits) {
		EXPECT_AT(user_range_start(range) == start, "%lx + %lx", start, size);
		EXPECT_AT(user_range_size(range) == size, "%lx + %lx", start, size);
		EXPECT_AT(user_range_outside(range) == 0, "%lx + %lx", start, size);
	}
}

static void make(void)
{
	for_each_pair(check_make);
}

static void check_parts(uint64_t start, uint64_t size)
{
	struct user_range range = user_range_clip(start, size);

	for (int i = 0; i < EDGES; i++) {
		struct user_range high = user_range_from(range, edges[i]);
		struct user_range low = user_range_below(range, edges[i]);

		EXPECT_AT(is_inside(high), "%lx + %lx from %lx", start, size, edges[i]);
		EXPECT_AT(is_inside(low), "%lx + %lx below %lx", start, size, edges[i]);
		EXPECT_AT(user_range_size(high) + user_range_size(low) == user_range_size(range),
			  "%lx + %lx at %lx", start, size, edges[i]);
	}
}

static void parts(void)
{
	for_each_pair(check_parts);
}

static void check_pages(uint64_t start, uint64_t size)
{
	struct user_range range = user_range_clip(start, size);
	struct user_range pages = user_range_pages(range);

	EXPECT_AT(is_inside(pages), "%lx + %lx", start, size);
	EXPECT_AT(user_range_start(pages) % PAGE == 0 && user_range_end(pages) % PAGE == 0,
		  "%lx + %lx", start, size);
	EXPECT_AT(user_range_start(pages) <= user_range_start(range) &&
			  user_range_end(pages) >= user_range_end(range),
		  "%lx + %lx", start, size);
	EXPECT_AT(user_range_size(pages) - user_range_size(range) < 2 * PAGE, "%lx + %lx", start,
		  size);
}

static void whole_pages(void)
{
	for_each_pair(check_pages);
}

static const struct tap_rule rules[] = {
	{ "a range that is cut lies in user space, and says how much does not", clip },
	{ "a range is made whole or not at all", make },
	{ "the parts above and below an address lie in the range, and are all of it", parts },
	{ "the pages that a range touches lie in user space", whole_pages },
};

int main(void)
{
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
