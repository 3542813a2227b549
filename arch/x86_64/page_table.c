/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks page tables; see page_table.h. Callers lock. */
#include "page_table.h"

#include <machine/mmu.h>

uint64_t *page_table_entry(uint64_t *root, uintptr_t address, unsigned int level,
			   table_alloc *alloc, uint64_t flags)
{
	uint64_t *table = root;

	for (unsigned int l = ROOT_LEVEL;; l--) {
		uint64_t *entry = &table[address >> LEVEL_SHIFT(l) & (TABLE_ENTRIES - 1)];

		if (l == level)
			return entry;
		if (*entry & PTE_LARGE)
			return NULL;
		if (!(*entry & PTE_PRESENT)) {
			uint64_t *below = alloc ? alloc() : NULL;

			if (!below)
				return NULL;
			*(volatile uint64_t *)entry = ((uintptr_t)below - DIRECT_MAP_BASE) | flags;
		}
		table = (uint64_t *)(DIRECT_MAP_BASE + (*entry & PTE_ADDRESS));
	}
}
