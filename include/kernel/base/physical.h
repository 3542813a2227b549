/* SPDX-License-Identifier: BSD-2-Clause */
/* Physical addresses, and the size of a page. */
#ifndef KERNEL_PHYSICAL_H
#define KERNEL_PHYSICAL_H

#include <stddef.h>
#include <stdint.h>

#include <machine/mmu.h> /* PAGE_SHIFT: log2 of a page's bytes */

#define PAGE_SIZE ((size_t)1 << PAGE_SHIFT)
#define PAGE_MASK (~(PAGE_SIZE - 1))

typedef uint64_t paddr_t;

/* Bytes of memory, [start, end), that nothing else uses. */
struct page_range {
	paddr_t start, end;
};

#endif
