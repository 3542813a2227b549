/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The format of page tables, shared by the kernel's own (paging.c) and those of user spaces
 * (space.c). Source: SDM vol. 3A 4.5 "4-Level Paging".
 */
#ifndef PAGE_TABLE_H
#define PAGE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <kernel/page.h>

#define PTE_PRESENT	  (1ull << 0)
#define PTE_WRITE	  (1ull << 1)
#define PTE_USER	  (1ull << 2)
/* Of PWT and PCD, into the PAT (features.c): strong uncacheable, and write combining. */
#define PTE_UNCACHED	  (1ull << 3 | 1ull << 4)
#define PTE_COMBINING	  (1ull << 3)
#define PTE_ACCESSED	  (1ull << 5)
#define PTE_DIRTY	  (1ull << 6)
#define PTE_LARGE	  (1ull << 7)
#define PTE_GLOBAL	  (1ull << 8)
/* Ours: a page belongs here, present or (no access at all) not. */
#define PTE_MAPPED	  (1ull << 9)
#define PTE_NX		  (1ull << 63)
#define PTE_ADDRESS	  0x000ffffffffff000ull

#define TABLE_ENTRIES	  512
/* A level's entries map 2^(12 + 9 * level) bytes: 0 pages, 1 large pages, 3 the root's entries. */
#define ROOT_LEVEL	  3
#define LEVEL_SHIFT(l)	  (PAGE_SHIFT + 9 * (l))
#define LEVEL_SIZE(l)	  (1ull << LEVEL_SHIFT(l))
#define LARGE_PAGE_LEVEL  1
#define USER_ROOT_ENTRIES 256

/* Allocates one zeroed table: its address in the direct map, or NULL. */
typedef uint64_t *table_alloc(void);

/* The entry for ADDRESS at LEVEL (0 … 3) below ROOT. Tables on the way that are missing come from
 * ALLOC and are entered with FLAGS; NULL when ALLOC is NULL or gives none, or a large page is in
 * the way. The caller locks. */
uint64_t *page_table_entry(uint64_t *root, uintptr_t address, unsigned int level,
			   table_alloc *alloc, uint64_t flags);

/* Copies the kernel's half into a new ROOT. */
void paging_copy_kernel(uint64_t *root);

/* Builds and loads the kernel's final tables, from boot_memory_take(). Boot processor, once. */
void paging_init(void);
/* Loads the kernel's own tables on this processor. Interrupts off. */
void paging_load_kernel(void);

/* A kernel mapping, for good, of physical memory that is not RAM of ours: device registers
 * (uncached) or firmware tables. NULL: no memory. Start. */
void *paging_map_device(paddr_t paddr, size_t size);
const void *paging_map_firmware(paddr_t paddr, size_t size);

#endif
