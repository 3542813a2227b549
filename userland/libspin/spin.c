// SPDX-License-Identifier: BSD-2-Clause
/*
 * spin.c - the counts of spin.S, derived by hand: read the two side by side.
 *
 * "fixed" is what happens once (at least the ret), "each" what one pass of the loop retires.
 */
#include "spin.h"

#include <string.h>

const struct spin_work spin_works[] = {
	{ "nothing", "ret", spin_nothing, SPIN_NO_MEMORY, { 1, 0 }, { 1, 0 } },
	{ "loop", "sub, jnz", spin_loop, SPIN_NO_MEMORY, { 1, 2 }, { 1, 1 } },
	{ "straight", "100 nop, sub, jnz", spin_straight, SPIN_NO_MEMORY, { 1, 102 }, { 1, 1 } },
	{ "branches",
	  "cmp, jne (not taken), je (taken), jmp, sub, jnz",
	  spin_branches,
	  SPIN_NO_MEMORY,
	  { 1, 6 },
	  { 1, 4 } },
	{ "calls", "call, ret, sub, jnz", spin_calls, SPIN_NO_MEMORY, { 1, 4 }, { 1, 3 } },
	{ "stores", "store, load, sub, jnz", spin_stores, SPIN_TWO_PAGES, { 1, 4 }, { 1, 1 } },
	{ "copies",
	  "mov, lea, mov, rep movsb of 4096 bytes, sub, jnz",
	  spin_copies,
	  SPIN_TWO_PAGES,
	  { 3, 6 },
	  { 1, 1 } },
	{ "touches",
	  "store into an untouched page (a fault), add, sub, jnz",
	  spin_touches,
	  SPIN_FRESH_PAGES,
	  { 1, 4 },
	  { 1, 1 } },
	{ "syscalls",
	  "mov, syscall (getppid), sub, jnz",
	  spin_syscalls,
	  SPIN_NO_MEMORY,
	  { 1, 4 },
	  { 1, 2 } },
	{ "yields",
	  "mov, syscall (sched_yield), sub, jnz",
	  spin_yields,
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
