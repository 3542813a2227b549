/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page tables of user address spaces, in any format: a tree of tables of TABLE_ENTRIES words. Levels
 * are numbered from 0, whose entries map pages, to ROOT_LEVEL.
 *
 * An ISA gives the format in <machine/page_table.h>: TABLE_ENTRIES, ROOT_LEVEL, LEVEL_SHIFT(level) and
 * LEVEL_SIZE(level), the address bits that an entry of a level covers; PTE_PRESENT, which the hardware
 * reads, and PTE_MAPPED, which it ignores: a page belongs here; and, any context,
 *
 *   paddr_t pte_paddr(uint64_t entry)                  the page or table that ENTRY points to
 *   uint64_t pte_of_table(paddr_t table)               the entry that points to a table
 *   uint64_t pte_of_page(paddr_t page, unsigned prot)  the entry that maps a user's page (enum vm_prot)
 *   unsigned int pte_prot(uint64_t entry)              the access that it allows
 *   uint64_t pte_without_write(uint64_t entry)         the same page, not writable
 */
#ifndef KERNEL_TABLES_H
#define KERNEL_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <arch/mmu.h>
#include <kernel/mm/user_range.h>

/* Ranges: page aligned. PROT: enum vm_prot. */

/* All four: space->mutex held; one page at ADDRESS, page aligned, in user space. For an address elsewhere
 * they do nothing; the debug kernel panics. */
/* Maps PADDR in place of what is mapped; -ENOMEM. */
int user_tables_map(struct arch_space *space, uintptr_t address, paddr_t paddr, unsigned int prot);
/* Unmaps; returns what was mapped, or 0. No TLB flush. */
paddr_t user_tables_unmap(struct arch_space *space, uintptr_t address);
/* Changes the protection if mapped. No TLB flush. */
void user_tables_protect(struct arch_space *space, uintptr_t address, unsigned int prot);
/* Returns what is mapped, its protection in *PROT; 0 and no access if nothing is. */
paddr_t user_tables_lookup(struct arch_space *space, uintptr_t address, unsigned int *prot);

/* Returns the first address of RANGE where a page is mapped, its end if there is none; skips gaps in the
 * tables at once. space->mutex held. */
uintptr_t user_tables_next(struct arch_space *space, struct user_range range);

/* Unmaps at most MOST pages of *RANGE into PAGES; returns how many. *RANGE becomes the rest, empty when
 * there are no more. No TLB flush. space->mutex held. */
size_t user_tables_take(struct arch_space *space, struct user_range *range, paddr_t *pages,
			size_t most);
/* Maps in TO what FROM maps in RANGE, writable in neither from now on, and calls SHARED for each page. TO is
 * empty in RANGE. 0 or -ENOMEM, then only a part is done. No TLB flush. The mutex of FROM's space is held; TO
 * is not shared yet. */
int user_tables_share(struct arch_space *from, struct arch_space *to, struct user_range range,
		      void (*shared)(paddr_t paddr, void *arg), void *arg);
/* Takes the page tables of RANGE that cover nothing outside of [FLOOR, CEILING), where no page is mapped,
 * out of the space; false: there are none. After a TLB flush of RANGE on every CPU that has the space
 * loaded, user_tables_free frees them. space->mutex held. */
bool user_tables_trim(struct arch_space *space, struct user_range range, uintptr_t floor,
		      uintptr_t ceiling, struct arch_tables *taken);
void user_tables_free(struct arch_tables *taken);

#endif
