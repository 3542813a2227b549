/* SPDX-License-Identifier: BSD-2-Clause */
/* Page tables of the kernel's own (paging.c); the format is in <machine/page_table.h>. */
#ifndef PAGE_TABLE_H
#define PAGE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/mm/page.h>
#include <machine/page_table.h>

#define USER_ROOT_ENTRIES 256

/* Allocates one zeroed table: its address in the direct map, or NULL. */
typedef uint64_t *table_alloc(void);

/* Returns the entry for ADDRESS at LEVEL (0 … 3) below ROOT. Missing tables on the path come from ALLOC
 * and are entered with FLAGS. NULL when ALLOC is NULL or returns NULL, or when a large page ends the
 * path above LEVEL. The caller locks. */
uint64_t *page_table_entry(uint64_t *root, uintptr_t address, unsigned int level,
			   table_alloc *alloc, uint64_t flags);

/* Copies the kernel's half into a new ROOT. */
void paging_copy_kernel(uint64_t *root);

/* Builds and loads the kernel's final tables, from boot_memory_take(). Boot CPU, once. */
void paging_init(void);
/* Returns whether ADDRESS lies in the unmapped page below a kernel stack, the boot CPU's included: a
 * stack overflow. Any context. */
bool paging_guards(uintptr_t address);
/* Loads the kernel's own tables on this CPU. Interrupts off. */
void paging_load_kernel(void);

/* Maps physical memory that is not our RAM into the kernel, for the rest of the run: device registers
 * (uncached) or firmware tables. NULL: no memory. Start. */
void *paging_map_device(paddr_t paddr, size_t size);
const void *paging_map_firmware(paddr_t paddr, size_t size);

#endif
