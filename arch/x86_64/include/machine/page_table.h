/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64's format of page tables; see <kernel/mm/tables.h>. Source: SDM vol. 3A 4.5 "4-Level Paging".
 *
 * Entries start with the accessed and dirty bits set, because no code reads the bits.
 */
#ifndef MACHINE_PAGE_TABLE_H
#define MACHINE_PAGE_TABLE_H

#include <stdint.h>

#include <kernel/mm/page.h>
#include <kernel/mm/vm.h>

#define PTE_PRESENT	 (1ull << 0)
#define PTE_WRITE	 (1ull << 1)
#define PTE_USER	 (1ull << 2)
/* PWT and PCD, which index the PAT (features.c): strong uncacheable, and write combining. */
#define PTE_UNCACHED	 (1ull << 3 | 1ull << 4)
#define PTE_COMBINING	 (1ull << 3)
#define PTE_ACCESSED	 (1ull << 5)
#define PTE_DIRTY	 (1ull << 6)
#define PTE_LARGE	 (1ull << 7)
#define PTE_GLOBAL	 (1ull << 8)
/* Software bit: a page belongs here, present or (no access at all) not. */
#define PTE_MAPPED	 (1ull << 9)
#define PTE_NX		 (1ull << 63)
#define PTE_ADDRESS	 0x000ffffffffff000ull

#define TABLE_ENTRIES	 512
/* An entry of level l maps 2^(12 + 9 * l) bytes: level 0 maps pages, level 1 large pages; level 3 is
 * the root. */
#define ROOT_LEVEL	 3
#define LEVEL_SHIFT(l)	 (PAGE_SHIFT + 9 * (l))
#define LEVEL_SIZE(l)	 (1ull << LEVEL_SHIFT(l))
#define LARGE_PAGE_LEVEL 1

static inline paddr_t pte_paddr(uint64_t entry)
{
	return entry & PTE_ADDRESS;
}

static inline uint64_t pte_of_table(paddr_t table)
{
	return table | PTE_PRESENT | PTE_WRITE | PTE_USER;
}

static inline uint64_t pte_of_page(paddr_t page, unsigned int prot)
{
	uint64_t entry = page | PTE_MAPPED | PTE_ACCESSED | PTE_DIRTY | PTE_USER;

	if (prot & (VM_READ | VM_WRITE | VM_EXEC))
		entry |= PTE_PRESENT;
	if (prot & VM_WRITE)
		entry |= PTE_WRITE;
	if (!(prot & VM_EXEC))
		entry |= PTE_NX;
	if (prot & VM_UNCACHED)
		entry |= PTE_UNCACHED;
	return entry;
}

static inline unsigned int pte_prot(uint64_t entry)
{
	if (!(entry & PTE_PRESENT))
		return 0;
	return VM_READ | (entry & PTE_WRITE ? VM_WRITE : 0) | (entry & PTE_NX ? 0 : VM_EXEC) |
	       (entry & PTE_UNCACHED ? VM_UNCACHED : 0);
}

static inline uint64_t pte_without_write(uint64_t entry)
{
	return entry & ~PTE_WRITE;
}

#endif
