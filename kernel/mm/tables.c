/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page tables of user address spaces; see <kernel/mm/tables.h>. The areas decide which page belongs at an
 * address; the ISA defines the format of an entry (<machine/page_table.h>).
 *
 * A page without any access keeps its entry, not present, with PTE_MAPPED: so the page is found again
 * when the protection changes.
 *
 * Locks: space->mutex, held by the caller, guards the tables. A table is freed only after every CPU
 * that has the space loaded has answered a cross call; an NMI, which ends before its CPU answers, may
 * therefore walk the tables of the loaded space (arch_load_user_nofault).
 *
 * The root also has the kernel's half, with entries of other kinds (large pages, no PTE_MAPPED). A walk never
 * reaches them: ranges are user_ranges, and single addresses are checked again.
 */
#include <kernel/mm/tables.h>

#include <kernel/base/assert.h>
#include <machine/page_table.h>
#include <uapi/linux/errno.h>

#include "vm.h"

static bool is_in_user_half(uintptr_t address)
{
	ASSERT_DEBUG(address < USER_END);
	return address < USER_END;
}

static uint64_t *find(struct arch_space *space, uintptr_t address)
{
	uint64_t *table = space->root;

	if (!is_in_user_half(address))
		return NULL;
	for (unsigned int level = ROOT_LEVEL;; level--) {
		uint64_t *entry = &table[address >> LEVEL_SHIFT(level) & (TABLE_ENTRIES - 1)];

		if (level == 0)
			return *entry & PTE_MAPPED ? entry : NULL;
		if (!(*entry & PTE_PRESENT))
			return NULL;
		table = page_address(pte_paddr(*entry));
	}
}

/* One store: a CPU that walks the tables meanwhile sees the old or the new entry. */
static void set(uint64_t *entry, uint64_t value)
{
	*(volatile uint64_t *)entry = value;
}

/* Returns the entry of ADDRESS, with missing tables made; NULL: no memory. A program can make any number of
 * tables necessary, so tables, like its pages, leave the kernel's reserve alone. */
static uint64_t *make_entry(struct arch_space *space, uintptr_t address)
{
	uint64_t *table = space->root;

	if (!is_in_user_half(address))
		return NULL;
	for (unsigned int level = ROOT_LEVEL;; level--) {
		uint64_t *entry = &table[address >> LEVEL_SHIFT(level) & (TABLE_ENTRIES - 1)];

		if (level == 0)
			return entry;
		if (!(*entry & PTE_PRESENT)) {
			uint64_t *below = oom_page_alloc();

			if (!below)
				return NULL;
			space->table_count++;
			set(entry, pte_of_table(page_paddr(below)));
		}
		table = page_address(pte_paddr(*entry));
	}
}

int user_tables_map(struct arch_space *space, uintptr_t address, paddr_t paddr, unsigned int prot)
{
	uint64_t *entry = make_entry(space, address);

	if (!entry)
		return -ENOMEM;
	set(entry, pte_of_page(paddr, prot));
	return 0;
}

paddr_t user_tables_unmap(struct arch_space *space, uintptr_t address)
{
	uint64_t *entry = find(space, address);

	if (!entry)
		return 0;

	paddr_t paddr = pte_paddr(*entry);

	set(entry, 0);
	return paddr;
}

void user_tables_protect(struct arch_space *space, uintptr_t address, unsigned int prot)
{
	uint64_t *entry = find(space, address);

	if (entry)
		set(entry, pte_of_page(pte_paddr(*entry), prot));
}

paddr_t user_tables_lookup(struct arch_space *space, uintptr_t address, unsigned int *prot)
{
	const uint64_t *entry = find(space, address);

	*prot = entry ? pte_prot(*entry) : 0;
	return entry ? pte_paddr(*entry) : 0;
}

/* Returns how many of the COUNT entries from ENTRY on precede the first that maps a page. Most of a table is
 * empty, and fork, munmap and exit scan all of it: so four entries at a time. */
static size_t count_empty(const uint64_t *entry, size_t count)
{
	size_t n = 0;

	while (count - n >= 4 &&
	       !((entry[n] | entry[n + 1] | entry[n + 2] | entry[n + 3]) & PTE_MAPPED))
		n += 4;
	while (n < count && !(entry[n] & PTE_MAPPED))
		n++;
	return n;
}

/* Returns the entry of the first mapped page in [*ADDRESS, END), its address in *ADDRESS; NULL, *ADDRESS at
 * END or above: there is none. */
static uint64_t *find_next(struct arch_space *space, uintptr_t *address, uintptr_t end)
{
	while (*address < end && is_in_user_half(*address)) {
		uint64_t *table = space->root, *entry;
		unsigned int level = ROOT_LEVEL;

		for (;; level--) {
			entry = &table[*address >> LEVEL_SHIFT(level) & (TABLE_ENTRIES - 1)];
			if (level == 0 || !(*entry & PTE_PRESENT))
				break;
			table = page_address(pte_paddr(*entry));
		}
		if (level > 0) {
			/* A gap: its neighbours are mostly gaps, too. */
			do {
				*address = (*address | (LEVEL_SIZE(level) - 1)) + 1;
				entry++;
			} while (*address < end && *address % LEVEL_SIZE(level + 1) != 0 &&
				 !(*entry & PTE_PRESENT));
			continue;
		}
		/* The rest of this table needs no walk. */
		size_t left = TABLE_ENTRIES - (*address >> LEVEL_SHIFT(0) & (TABLE_ENTRIES - 1));
		size_t requested = (end - *address + PAGE_SIZE - 1) / PAGE_SIZE;

		left = left < requested ? left : requested;
		size_t empty = count_empty(entry, left);

		*address += empty * PAGE_SIZE;
		if (empty < left)
			return entry + empty;
	}
	return NULL;
}

uintptr_t user_tables_next(struct arch_space *space, struct user_range range)
{
	uintptr_t address = user_range_start(range), end = user_range_end(range);

	return find_next(space, &address, end) ? address : end;
}

size_t user_tables_take(struct arch_space *space, struct user_range *range, paddr_t *pages,
			size_t most)
{
	uintptr_t address = user_range_start(*range), end = user_range_end(*range);
	size_t count = 0;
	uint64_t *entry;

	while (count < most && (entry = find_next(space, &address, end))) {
		pages[count++] = pte_paddr(*entry);
		set(entry, 0);
		address += PAGE_SIZE;
	}
	*range = user_range_from(*range, count < most ? end : address);
	return count;
}

int user_tables_share(struct arch_space *from, struct arch_space *to, struct user_range range,
		      void (*shared)(paddr_t paddr, void *arg), void *arg)
{
	uintptr_t start = user_range_start(range), end = user_range_end(range);
	uint64_t *source, *target = NULL;

	while ((source = find_next(from, &start, end))) {
		/* All pages of one source table lie in one target table. */
		uint64_t *table = (uint64_t *)((uintptr_t)source & PAGE_MASK);

		target = make_entry(to, start);
		if (!target)
			return -ENOMEM;
		do {
			if (*source & PTE_MAPPED) {
				uint64_t entry = pte_without_write(*source);

				if (entry != *source)
					set(source, entry);
				set(target, entry);
				shared(pte_paddr(entry), arg);
			}
			source++;
			target++;
			start += PAGE_SIZE;
		} while (start < end && source < table + TABLE_ENTRIES);
	}
	return 0;
}

struct trimming {
	struct arch_space *space;
	uintptr_t floor, ceiling;
	struct arch_tables *taken;
};

/* Takes out of TABLE, of LEVEL, the tables for addresses in [START, END) that cover only addresses
 * between floor and ceiling. */
static void trim(const struct trimming *how, uint64_t *table, unsigned int level, uintptr_t start,
		 uintptr_t end)
{
	uint64_t size = LEVEL_SIZE(level);

	for (uintptr_t at = start & ~(size - 1); at < end; at += size) {
		uint64_t *entry = &table[at >> LEVEL_SHIFT(level) & (TABLE_ENTRIES - 1)];

		if (!(*entry & PTE_PRESENT))
			continue;
		uint64_t *below = page_address(pte_paddr(*entry));

		if (level > 1)
			trim(how, below, level - 1, start > at ? start : at,
			     end < at + size ? end : at + size);
		if (at < how->floor || size > how->ceiling - at)
			continue;
		/* The table maps nothing: its first word may serve as a link. A CPU that still
		 * reads the table takes the link for an entry that is not present. */
		set(entry, 0);
		*below = (uintptr_t)how->taken->first;
		how->taken->first = below;
		how->space->table_count--;
	}
}

bool user_tables_trim(struct arch_space *space, struct user_range range, uintptr_t floor,
		      uintptr_t ceiling, struct arch_tables *taken)
{
	const struct trimming how = { space, floor, ceiling, taken };

	taken->first = NULL;
	trim(&how, space->root, ROOT_LEVEL, user_range_start(range), user_range_end(range));
	return taken->first;
}

void user_tables_free(struct arch_tables *taken)
{
	while (taken->first) {
		uint64_t *table = taken->first;

		taken->first = (uint64_t *)*table;
		page_put(table);
	}
}
