/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User address spaces as page tables; see <arch/mmu.h>. Which page belongs where is kernel/mm/'s
 * business.
 *
 * A page with no access at all keeps its entry, not present, with PTE_MAPPED: so that it is found
 * again when the protection changes. Accessed and dirty bits are set from the start, because
 * nothing here reads them.
 *
 * Locks: the space's mutex, held by the caller, guards the tables. A table is freed only after every
 * processor that has the space loaded has answered a cross call; an NMI, which ends before its
 * processor answers, may therefore walk those of the space that is loaded
 * (arch_load_user_nofault).
 */
#include <arch/mmu.h>

#include <string.h>

#include <arch/pmu.h>
#include <arch/usercopy.h>
#include <kernel/assert.h>
#include <kernel/perf/settings.h>
#include <kernel/vm.h>
#include <machine/msr.h>
#include <uapi/linux/errno.h>

#include "page_table.h"

/* User code may execute RDPMC. SDM vol. 3A 2.5. */
#define CR4_PCE	    (1 << 8)

#define TABLE_FLAGS (PTE_PRESENT | PTE_WRITE | PTE_USER)

static uint64_t *alloc_table(void)
{
	return page_alloc(0);
}

int arch_space_init(struct arch_space *space)
{
	space->root = alloc_table();
	if (!space->root)
		return -ENOMEM;
	paging_copy_kernel(space->root);
	space->table_count = 1;
	return 0;
}

void arch_space_destroy(struct arch_space *space)
{
	ASSERT(space->table_count == 1);
	page_put(space->root);
	space->root = NULL;
}

void arch_space_load(struct arch_space *space)
{
	if (!space) {
		paging_load_kernel();
		arch_pmu_user_access_update(NULL);
		return;
	}
	cr3_write(page_paddr(space->root));
	arch_pmu_user_access_update(
		(struct vm_space *)((char *)space - offsetof(struct vm_space, arch)));
}

void arch_pmu_user_access_update(struct vm_space *space)
{
	uint64_t cr4 = cr4_read();
	uint64_t wanted = perf_user_reads_allowed(space) ? cr4 | CR4_PCE : cr4 & ~(uint64_t)CR4_PCE;

	if (wanted != cr4)
		cr4_write(wanted);
}

static uint64_t flags_of(unsigned int prot)
{
	uint64_t flags = PTE_MAPPED | PTE_ACCESSED | PTE_DIRTY | PTE_USER;

	if (prot & (VM_READ | VM_WRITE | VM_EXEC))
		flags |= PTE_PRESENT;
	if (prot & VM_WRITE)
		flags |= PTE_WRITE;
	if (!(prot & VM_EXEC))
		flags |= PTE_NX;
	return flags;
}

static unsigned int prot_of(uint64_t entry)
{
	if (!(entry & PTE_PRESENT))
		return 0;
	return VM_READ | (entry & PTE_WRITE ? VM_WRITE : 0) | (entry & PTE_NX ? 0 : VM_EXEC);
}

static uint64_t *find(struct arch_space *space, uintptr_t address)
{
	uint64_t *entry = page_table_entry(space->root, address, 0, NULL, 0);

	return entry && (*entry & PTE_MAPPED) ? entry : NULL;
}

/* One store: a processor that walks the tables meanwhile sees the old or the new. */
static void set(uint64_t *entry, uint64_t value)
{
	*(volatile uint64_t *)entry = value;
}

/* The entry of ADDRESS, its tables made if they are missing; NULL: no memory. */
static uint64_t *make_entry(struct arch_space *space, uintptr_t address)
{
	uint64_t *table = space->root;

	for (unsigned int level = ROOT_LEVEL;; level--) {
		uint64_t *entry = &table[address >> LEVEL_SHIFT(level) & (TABLE_ENTRIES - 1)];

		if (level == 0)
			return entry;
		if (!(*entry & PTE_PRESENT)) {
			uint64_t *below = alloc_table();

			if (!below)
				return NULL;
			space->table_count++;
			set(entry, page_paddr(below) | TABLE_FLAGS);
		}
		table = page_address(*entry & PTE_ADDRESS);
	}
}

int arch_space_map(struct arch_space *space, uintptr_t address, paddr_t paddr, unsigned int prot)
{
	uint64_t *entry = make_entry(space, address);

	if (!entry)
		return -ENOMEM;
	set(entry, paddr | flags_of(prot));
	return 0;
}

paddr_t arch_space_unmap(struct arch_space *space, uintptr_t address)
{
	uint64_t *entry = find(space, address);

	if (!entry)
		return 0;

	paddr_t paddr = *entry & PTE_ADDRESS;

	set(entry, 0);
	return paddr;
}

void arch_space_protect(struct arch_space *space, uintptr_t address, unsigned int prot)
{
	uint64_t *entry = find(space, address);

	if (entry)
		set(entry, (*entry & PTE_ADDRESS) | flags_of(prot));
}

paddr_t arch_space_lookup(struct arch_space *space, uintptr_t address, unsigned int *prot)
{
	const uint64_t *entry = find(space, address);

	if (!entry)
		return 0;
	*prot = prot_of(*entry);
	return *entry & PTE_ADDRESS;
}

/* How many of the COUNT entries from ENTRY on, up to the first that maps a page, map none. Most of a table
 * is empty, and fork, munmap and exit look through all of it: so four at a time. */
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

/* The entry of the first mapped page in [*ADDRESS, END), where *ADDRESS is then; NULL, *ADDRESS
 * at END or above: there is none. */
static uint64_t *find_next(struct arch_space *space, uintptr_t *address, uintptr_t end)
{
	while (*address < end) {
		uint64_t *table = space->root, *entry;
		unsigned int level = ROOT_LEVEL;

		for (;; level--) {
			entry = &table[*address >> LEVEL_SHIFT(level) & (TABLE_ENTRIES - 1)];
			if (level == 0 || !(*entry & PTE_PRESENT))
				break;
			table = page_address(*entry & PTE_ADDRESS);
		}
		if (level > 0) {
			/* No table here, and as a rule none beside it: an address space is mostly gaps. */
			do {
				*address = (*address | (LEVEL_SIZE(level) - 1)) + 1;
				entry++;
			} while (*address < end && *address % LEVEL_SIZE(level + 1) != 0 &&
				 !(*entry & PTE_PRESENT));
			continue;
		}
		/* The rest of this table needs no walk. */
		size_t left = TABLE_ENTRIES - (*address >> LEVEL_SHIFT(0) & (TABLE_ENTRIES - 1));
		size_t wanted = (end - *address + PAGE_SIZE - 1) / PAGE_SIZE;

		left = left < wanted ? left : wanted;
		size_t empty = count_empty(entry, left);

		*address += empty * PAGE_SIZE;
		if (empty < left)
			return entry + empty;
	}
	return NULL;
}

uintptr_t arch_space_next(struct arch_space *space, uintptr_t address, uintptr_t end)
{
	return find_next(space, &address, end) ? address : end;
}

size_t arch_space_take(struct arch_space *space, uintptr_t *address, uintptr_t end, paddr_t *pages,
		       size_t most)
{
	size_t count = 0;
	uint64_t *entry;

	while (count < most && (entry = find_next(space, address, end))) {
		pages[count++] = *entry & PTE_ADDRESS;
		set(entry, 0);
		*address += PAGE_SIZE;
	}
	if (count < most)
		*address = end;
	return count;
}

int arch_space_share(struct arch_space *from, struct arch_space *to, uintptr_t start, uintptr_t end,
		     void (*shared)(paddr_t paddr, void *arg), void *arg)
{
	uint64_t *source, *target = NULL;

	while ((source = find_next(from, &start, end))) {
		/* Entries of one table here are those of one table there. */
		uint64_t *table = (uint64_t *)((uintptr_t)source & PAGE_MASK);

		target = make_entry(to, start);
		if (!target)
			return -ENOMEM;
		do {
			if (*source & PTE_MAPPED) {
				uint64_t entry = *source & ~PTE_WRITE;

				if (entry != *source)
					set(source, entry);
				set(target, entry);
				shared(entry & PTE_ADDRESS, arg);
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

/* Takes out of TABLE, of LEVEL, the tables for addresses in [START, END) that cover nothing but what
 * lies between floor and ceiling. */
static void trim(const struct trimming *how, uint64_t *table, unsigned int level, uintptr_t start,
		 uintptr_t end)
{
	uint64_t size = LEVEL_SIZE(level);

	for (uintptr_t at = start & ~(size - 1); at < end; at += size) {
		uint64_t *entry = &table[at >> LEVEL_SHIFT(level) & (TABLE_ENTRIES - 1)];

		if (!(*entry & PTE_PRESENT))
			continue;
		uint64_t *below = page_address(*entry & PTE_ADDRESS);

		if (level > 1)
			trim(how, below, level - 1, start > at ? start : at,
			     end < at + size ? end : at + size);
		if (at < how->floor || size > how->ceiling - at)
			continue;
		/* Nothing is mapped by it: its first word may serve as a link. A processor that
		 * still reads it takes that for an entry that is not present. */
		set(entry, 0);
		*below = (uintptr_t)how->taken->first;
		how->taken->first = below;
		how->space->table_count--;
	}
}

bool arch_space_trim(struct arch_space *space, uintptr_t start, uintptr_t end, uintptr_t floor,
		     uintptr_t ceiling, struct arch_tables *taken)
{
	const struct trimming how = { space, floor, ceiling, taken };

	taken->first = NULL;
	trim(&how, space->root, ROOT_LEVEL, start, end);
	return taken->first;
}

void arch_tables_free(struct arch_tables *taken)
{
	while (taken->first) {
		uint64_t *table = taken->first;

		taken->first = (uint64_t *)*table;
		page_put(table);
	}
}

/* Beyond this many pages, all translations but the kernel's go: cheaper than one by one. */
#define FLUSH_PAGES_MAX 32

void arch_tlb_flush_local(uintptr_t start, uintptr_t end)
{
	if (end - start > FLUSH_PAGES_MAX * PAGE_SIZE) {
		cr3_write(cr3_read());
		return;
	}
	for (uintptr_t page = start; page < end; page += PAGE_SIZE)
		__asm__ volatile("invlpg (%0)" : : "r"(page) : "memory");
}

int arch_load_user_nofault(void *destination, const void *source, size_t size)
{
	uintptr_t address = (uintptr_t)source;
	uint64_t *root = page_address(cr3_read() & PTE_ADDRESS);

	if (address >= USER_END || size > USER_END - address)
		return -EFAULT;
	while (size > 0) {
		const uint64_t *entry = page_table_entry(root, address, 0, NULL, 0);
		size_t offset = address & ~PAGE_MASK;
		size_t piece = size < PAGE_SIZE - offset ? size : PAGE_SIZE - offset;

		if (!entry)
			return -EFAULT;

		uint64_t value = *(const volatile uint64_t *)entry;

		if (!(value & PTE_PRESENT) || !(value & PTE_USER))
			return -EFAULT;
		memcpy(destination, (char *)page_address(value & PTE_ADDRESS) + offset, piece);
		destination = (char *)destination + piece;
		address += piece;
		size -= piece;
	}
	return 0;
}
