/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's own page tables and context blocks, for the other files of arch/alpha/. */
#ifndef PAGING_H
#define PAGING_H

#include <stdint.h>

#include <kernel/mm/page.h>

/* Builds the kernel's tables, from boot_memory_take(). Boot CPU, once. */
void paging_init(void);
/* Return the root's frame number, for a context block: of the kernel's own root, or of ROOT. */
uint64_t paging_kernel_root(void);
uint64_t paging_root_frame(const uint64_t *root);
/* Copies the kernel's half into a new ROOT. */
void paging_copy_kernel(uint64_t *root);
/* Returns the entry that maps ADDRESS below ROOT, 0: none. Any context: reads each table once. */
uint64_t paging_find(const uint64_t *root, uintptr_t address);
/* Returns the root that is loaded on this CPU. Any context. */
const uint64_t *paging_loaded_root(void);

#endif
