/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Physical memory: a buddy allocator of 4 KiB pages, all of them visible in the direct map, each with a reference
 * count (copy-on-write, mappings shared with user space).
 *
 * Pages are named by their address in the direct map; page_paddr() gives the physical one.
 */
#ifndef KERNEL_PAGE_H
#define KERNEL_PAGE_H

#include <stddef.h>
#include <stdint.h>

#define PAGE_SHIFT 12
#define PAGE_SIZE ((size_t)1 << PAGE_SHIFT)
#define PAGE_MASK (~(PAGE_SIZE - 1))

typedef uint64_t paddr_t;

/* 2^ORDER contiguous zeroed pages with one reference, or NULL. ORDER 0 … 10. Task and interrupt context. */
void *page_alloc(unsigned int order);

/* One more reference to the single page that holds ADDRESS. Task and interrupt context. */
void page_get(void *address);

/* Drops a reference to the page(s) that page_alloc returned at ADDRESS; the last one frees them. */
void page_put(void *address);

/* References held on the page at ADDRESS. A snapshot unless the caller holds the only one. */
unsigned int page_references(void *address);

/* Pages that nobody holds. For leak tests. */
size_t page_free_count(void);

/* Physical address behind an address in the direct map or the kernel image, and back. Any context. */
paddr_t page_paddr(const void *address);
void *page_address(paddr_t paddr);

#endif
