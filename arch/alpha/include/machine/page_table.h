/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Alpha's format of page tables; see <kernel/mm/tables.h>. The architecture counts its three levels from the
 * root.
 *
 * A page that is not executable has "fault on execute" set, which PALcode reports as an access
 * violation.
 *
 * Source: Alpha Architecture Handbook version 4, II-B section 3.3 "Page table entries".
 */
#ifndef MACHINE_PAGE_TABLE_H
#define MACHINE_PAGE_TABLE_H

#include <stdint.h>

#include <kernel/mm/page.h>
#include <kernel/mm/vm.h>

#define PTE_PRESENT	  (1ull << 0)
#define PTE_NX		  (1ull << 3) /* fault on execute */
#define PTE_GLOBAL	  (1ull << 4) /* address space match: the same in all spaces */
#define PTE_KERNEL_READ	  (1ull << 8)
#define PTE_USER_READ	  (1ull << 9)
#define PTE_KERNEL_WRITE  (1ull << 12)
#define PTE_USER_WRITE	  (1ull << 13)
/* One of the bits for software (16 … 31): a page belongs here, present or (no access at all) not. */
#define PTE_MAPPED	  (1ull << 16)
#define PTE_FRAME_SHIFT	  32

#define TABLE_ENTRIES	  1024
#define ROOT_LEVEL	  2
#define LEVEL_SHIFT(l)	  (PAGE_SHIFT + 10 * (l))
#define LEVEL_SIZE(l)	  (1ull << LEVEL_SHIFT(l))
/* Entries of the root for addresses below USER_END; the other half is the kernel's. */
#define USER_ROOT_ENTRIES 512

static inline paddr_t pte_paddr(uint64_t entry)
{
	return entry >> PTE_FRAME_SHIFT << PAGE_SHIFT;
}

static inline uint64_t pte_of_frame(paddr_t page)
{
	return page >> PAGE_SHIFT << PTE_FRAME_SHIFT;
}

static inline uint64_t pte_of_table(paddr_t table)
{
	return pte_of_frame(table) | PTE_PRESENT | PTE_KERNEL_READ | PTE_KERNEL_WRITE;
}

static inline uint64_t pte_of_page(paddr_t page, unsigned int prot)
{
	uint64_t entry = pte_of_frame(page) | PTE_MAPPED | PTE_KERNEL_READ | PTE_USER_READ;

	if (prot & (VM_READ | VM_WRITE | VM_EXEC))
		entry |= PTE_PRESENT;
	if (prot & VM_WRITE)
		entry |= PTE_KERNEL_WRITE | PTE_USER_WRITE;
	if (!(prot & VM_EXEC))
		entry |= PTE_NX;
	return entry;
}

static inline unsigned int pte_prot(uint64_t entry)
{
	if (!(entry & PTE_PRESENT))
		return 0;
	return VM_READ | (entry & PTE_USER_WRITE ? VM_WRITE : 0) | (entry & PTE_NX ? 0 : VM_EXEC);
}

static inline uint64_t pte_without_write(uint64_t entry)
{
	return entry & ~(PTE_KERNEL_WRITE | PTE_USER_WRITE);
}

#endif
