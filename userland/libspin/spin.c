// SPDX-License-Identifier: BSD-2-Clause
/*
 * spin.c - the counts of spin.S, derived by hand: read the two side by side.
 *
 * "fixed" is what happens once (at least the ret), "each" what one pass of the loop retires.
 */
#include "spin.h"

#include <string.h>

const struct spin_work spin_works[] = {
	{ "nothing", "ret", spin_nothing, &spin_nothing_path, SPIN_NO_MEMORY, { 1, 0 }, { 1, 0 } },
	{ "loop", "sub, jnz", spin_loop, &spin_loop_path, SPIN_NO_MEMORY, { 1, 2 }, { 1, 1 } },
	{ "straight",
	  "100 nop, sub, jnz",
	  spin_straight,
	  &spin_straight_path,
	  SPIN_NO_MEMORY,
	  { 1, 102 },
	  { 1, 1 } },
	{ "branches",
	  "cmp, jne (not taken), je (taken), jmp, sub, jnz",
	  spin_branches,
	  &spin_branches_path,
	  SPIN_NO_MEMORY,
	  { 1, 6 },
	  { 1, 4 } },
	{ "calls",
	  "call, ret, sub, jnz",
	  spin_calls,
	  &spin_calls_path,
	  SPIN_NO_MEMORY,
	  { 1, 4 },
	  { 1, 3 } },
	{ "stores",
	  "store, load, sub, jnz",
	  spin_stores,
	  &spin_stores_path,
	  SPIN_TWO_PAGES,
	  { 1, 4 },
	  { 1, 1 } },
	{ "copies",
	  "mov, lea, mov, rep movsb of 4096 bytes, sub, jnz",
	  spin_copies,
	  &spin_copies_path,
	  SPIN_TWO_PAGES,
	  { 3, 6 },
	  { 1, 1 } },
	{ "touches",
	  "store into an untouched page (a fault), add, sub, jnz",
	  spin_touches,
	  &spin_touches_path,
	  SPIN_FRESH_PAGES,
	  { 1, 4 },
	  { 1, 1 } },
	{ "syscalls",
	  "mov, syscall (getppid), sub, jnz",
	  spin_syscalls,
	  &spin_syscalls_path,
	  SPIN_NO_MEMORY,
	  { 1, 4 },
	  { 1, 2 } },
	{ "yields",
	  "mov, syscall (sched_yield), sub, jnz",
	  spin_yields,
	  &spin_yields_path,
	  SPIN_NO_MEMORY,
	  { 1, 4 },
	  { 1, 2 } },
};

const size_t spin_works_count = sizeof(spin_works) / sizeof(spin_works[0]);

const struct spin_work *spin_find_work(const char *name)
{
	for (size_t i = 0; i < spin_works_count; i++)
		if (strcmp(spin_works[i].name, name) == 0)
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
