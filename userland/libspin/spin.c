// SPDX-License-Identifier: BSD-2-Clause
/*
 * spin.c - finding known work, and reading a path. The work and its counts are the ISA's: spin.S and
 * works.c of its folder.
 */
#include "spin.h"

#include <stdbool.h>

/* Not strcmp, which looks at whole words where the addresses allow that: how many instructions this takes is a
 * matter of the names alone. */
static bool is_same(const char *a, const char *b)
{
	while (*a != '\0' && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

const struct spin_work *spin_find_work(const char *name)
{
	for (size_t i = 0; i < spin_works_count; i++)
		if (is_same(spin_works[i].name, name))
			return &spin_works[i];
	return NULL;
}

uintptr_t spin_path_address(const struct spin_path *path, uint64_t n, uint64_t index)
{
	uint64_t in_body = path->body_count * n;

	if (index < path->head_count)
		return path->head[index];
	index -= path->head_count;
	if (index < in_body)
		return path->body[index % path->body_count];
	index -= in_body;
	return index < path->tail_count ? path->tail[index] : 0;
}

size_t spin_memory_bytes(const struct spin_work *work, uint64_t n)
{
	switch (work->memory) {
	case SPIN_TWO_PAGES:
		return 2 * SPIN_PAGE_BYTES;
	case SPIN_FRESH_PAGES:
		return n * SPIN_PAGE_BYTES;
	case SPIN_NO_MEMORY:
	default:
		return 0;
	}
}
