/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page tables of user address spaces, in whatever format: a tree of tables of TABLE_ENTRIES words, whose
 * levels are numbered from 0, the pages' own, to ROOT_LEVEL.
 *
 * An ISA gives the format in <machine/page_table.h>: TABLE_ENTRIES, ROOT_LEVEL, LEVEL_SHIFT(level) and
 * LEVEL_SIZE(level), the address bits that an entry of a level covers; PTE_PRESENT, which the processor
 * looks at, and PTE_MAPPED, which it does not: a page belongs here; and, any context,
 *
 *   paddr_t pte_paddr(uint64_t entry)                  the page or table that ENTRY points to
 *   uint64_t pte_of_table(paddr_t table)               the entry that points to a table
 *   uint64_t pte_of_page(paddr_t page, unsigned prot)  the one that maps a user's page so (enum vm_prot)
 *   unsigned int pte_prot(uint64_t entry)              what it allows
 *   uint64_t pte_without_write(uint64_t entry)         the same page, not writable
 */
#ifndef KERNEL_TABLES_H
#define KERNEL_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <arch/mmu.h>
#include <kernel/user_range.h>

/* Ranges: page aligned. PROT: enum vm_prot. */

/* All four: caller holds the space's mutex; one page at ADDRESS, page aligned, in user space. Elsewhere there is
 * nothing to them; the debug kernel panics. */
/* replaces; -ENOMEM */
int user_tables_map(struct arch_space *space, uintptr_t address, paddr_t paddr, unsigned int prot);
/* Removes the mapping; returns what was mapped, or 0. No TLB flush. */
paddr_t user_tables_unmap(struct arch_space *space, uintptr_t address);
/* Changes the protection if mapped. No TLB flush. */
void user_tables_protect(struct arch_space *space, uintptr_t address, unsigned int prot);
/* What is mapped and how; 0 and no access if nothing is. */
paddr_t user_tables_lookup(struct arch_space *space, uintptr_t address, unsigned int *prot);

/* The first address of RANGE where a page is mapped, its end if there is none; what no table covers is
 * skipped at once. Caller holds the space's mutex. */
uintptr_t user_tables_next(struct arch_space *space, struct user_range range);

/* Removes mappings from *RANGE, at most MOST, into PAGES; returns how many. *RANGE is then what is
 * left, empty when there are no more. No TLB flush. Caller holds the space's mutex. */
size_t user_tables_take(struct arch_space *space, struct user_range *range, paddr_t *pages,
			size_t most);
/* Maps in TO what FROM maps in RANGE, writable in neither from now on, and calls SHARED for each page.
 * TO has nothing there yet. 0 or -ENOMEM, then only a part is done. No TLB flush. Caller holds FROM's
 * mutex, nobody else has TO. */
int user_tables_share(struct arch_space *from, struct arch_space *to, struct user_range range,
		      void (*shared)(paddr_t paddr, void *arg), void *arg);
/* Takes the page tables of RANGE that cover nothing outside of [FLOOR, CEILING), where no page is mapped,
 * out of the space; false: there are none. After a TLB flush of RANGE on every processor that has the
 * space loaded, user_tables_free ends them. Caller holds the space's mutex. */
bool user_tables_trim(struct arch_space *space, struct user_range range, uintptr_t floor,
		      uintptr_t ceiling, struct arch_tables *taken);
void user_tables_free(struct arch_tables *taken);

#endif
