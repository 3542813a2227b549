/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Physical memory: a buddy allocator of pages (4 KiB; Alpha: 8 KiB), all of them visible in the direct map,
 * each with a reference count (copy-on-write, mappings shared with user space).
 *
 * Pages are named by their address in the direct map; page_paddr() gives the physical one.
 */
#ifndef KERNEL_PAGE_H
#define KERNEL_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/base/physical.h>

/* Largest block that page_alloc gives: 2^10 pages, 4 or 8 MiB. */
#define PAGE_ORDER_MAX 10

/* Hands the COUNT ranges of RAM, in any order, none overlapping, to the allocator. Parts of
 * pages at their ends are left out. All must be in the direct map. Boot CPU, once, before
 * everything that allocates; boot_failure() when there is too little. */
void page_init(const struct page_range *ranges, unsigned int count);

/* Allocates 2^ORDER contiguous zeroed pages with one reference, aligned to their size; NULL: no memory.
 * ORDER: 0 … PAGE_ORDER_MAX. Task and interrupt context. */
void *page_alloc(unsigned int order);

/* The same, of free memory only: takes nothing back from kmalloc, which calls this under its locks. Task and interrupt
 * context. */
void *page_alloc_free(unsigned int order);

/* Takes a reference to the page that page_alloc returned at ADDRESS (order 0), or to the block that
 * begins there. Task and interrupt context. */
void page_get(void *address);

/* Drops a reference to the page or block that page_alloc returned at ADDRESS; the last one
 * frees it. Task and interrupt context. */
void page_put(void *address);

/* Sets the free memory aside, but for the largest blocks: until there are none left, page_alloc and page_put take
 * instructions that depend only on the calls since now. Harmless at any time; nothing is lost. Task context. */
void page_set_aside(void);

/* Returns the references on the page or block at ADDRESS. A snapshot unless the caller holds the only
 * one. Any context. */
unsigned int page_references(const void *address);

/* Returns whether the page at ADDRESS, which is mapped somewhere, is one that page_alloc handed out: not a device's registers,
 * nor the kernel. Any context. */
bool page_is_allocatable(const void *address);

/* How a page of a program counts in its memory use (statm's columns): private, a file's contents, or
 * shared without a file. */
enum page_kind { PAGE_ANONYMOUS, PAGE_FILE, PAGE_SHARED, PAGE_KINDS };

/* Returns the kind of the page at ADDRESS, PAGE_ANONYMOUS at first; and sets it, before a second holder
 * can see the page. Any context. */
enum page_kind page_kind(const void *address);
void page_set_kind(void *address, enum page_kind kind);

/* Return the number of free pages, and of all pages. For leak tests and sysinfo. Any context. */
size_t page_free_count(void);
size_t page_total_count(void);

/* Returns the physical address of an address in the direct map or the kernel image; and the reverse. Any
 * context. */
paddr_t page_paddr(const void *address);
void *page_address(paddr_t paddr);

#endif
