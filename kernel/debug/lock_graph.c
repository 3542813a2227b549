/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The orders in which locks of different classes were taken, as a directed graph without cycles: an
 * order that would close a cycle can end in a deadlock, even if it has not.
 *
 * A depth-first search runs from the later lock to the earlier one. Additions are rare: there are few
 * orders, and each is added once.
 */
#include "lock_graph.h"

#include <stddef.h>

bool lock_graph_has(const struct lock_graph *graph, unsigned int a, unsigned int b)
{
	return atomic_load_explicit(&graph->after[a][b / 64], memory_order_relaxed) >> b % 64 & 1;
}

/* Returns whether there is a path from FROM to TO. */
static bool reaches(const struct lock_graph *graph, unsigned int from, unsigned int to)
{
	uint64_t seen[LOCK_CLASSES_MAX / 64] = { 0 };
	uint8_t left[LOCK_CLASSES_MAX];
	size_t count = 0;

	left[count++] = (uint8_t)from;
	seen[from / 64] |= (uint64_t)1 << from % 64;
	while (count) {
		unsigned int at = left[--count];

		if (at == to)
			return true;
		for (unsigned int word = 0; word < LOCK_CLASSES_MAX / 64; word++) {
			uint64_t new = graph->after[at][word] & ~seen[word];

			seen[word] |= new;
			for (; new; new &= new - 1)
				left[count++] =
					(uint8_t)(word * 64 + (unsigned int)__builtin_ctzll(new));
		}
	}
	return false;
}

bool lock_graph_add(struct lock_graph *graph, unsigned int a, unsigned int b, unsigned int *next)
{
	for (unsigned int class = 0; class < LOCK_CLASSES_MAX; class ++) {
		if (!lock_graph_has(graph, b, class) || !reaches(graph, class, a))
			continue;
		*next = class;
		return false;
	}
	atomic_fetch_or(&graph->after[a][b / 64], (uint64_t)1 << b % 64);
	return true;
}
