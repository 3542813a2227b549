/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's own address space: the image's sections, the direct map of all RAM, kernel stacks,
 * devices.
 *
 * No page is both writable and executable, by any of its addresses: text and read-only data are
 * read-only in the direct map too. All mappings are global and the same in every user space, because
 * this file creates the entries of the root's upper half once, and spaces only copy them. New mappings
 * appear below one of these entries.
 *
 * Lock: map_lock (irqsave), for the tables below KERNEL_MAP_BASE. page_alloc's lock is taken under it.
 */
#include <stdbool.h>
#include <string.h>

#include <arch/mmu.h>
#include <kernel/base/boot.h>
#include <kernel/base/log.h>
#include <kernel/base/spinlock.h>
#include <kernel/mm/kernel_stacks.h>
#include <kernel/mm/text.h>
#include <machine/msr.h>
#include <machine/task.h>
#include <machine/trap.h>

#include "features.h"
#include "page_table.h"

extern char __text_start[], __rodata_start[], __data_start[], __image_end[];
extern char boot_stack_guard[];

#define TABLE_FLAGS	(PTE_PRESENT | PTE_WRITE)
#define PAGE_FLAGS	(PTE_PRESENT | PTE_ACCESSED | PTE_DIRTY | PTE_GLOBAL)
#define FLAGS_TEXT	PAGE_FLAGS
#define FLAGS_READ_ONLY (PAGE_FLAGS | PTE_NX)
#define FLAGS_DATA	(PAGE_FLAGS | PTE_NX | PTE_WRITE)

#define DEVICES_START	KERNEL_STACKS_END
#define DEVICES_END	(KERNEL_MAP_BASE + (1ull << 39))

static uint64_t *kernel_root;

static struct spinlock map_lock;
static uintptr_t next_device = DEVICES_START; /* map_lock */

static uint64_t *take_table(void)
{
	return (uint64_t *)(DIRECT_MAP_BASE + boot_memory_take(PAGE_SIZE));
}

static uint64_t *alloc_table(void)
{
	return page_alloc(0);
}

/* Bytes that the direct map maps by small and by large pages. Constant after the start. */
static size_t direct_map_small, direct_map_large;

/* Maps SIZE bytes from ADDRESS to the SIZE bytes from PADDR, with large pages where they fit. At start:
 * cannot fail. */
static void map(uintptr_t address, paddr_t paddr, uint64_t size, uint64_t flags)
{
	while (size > 0) {
		bool large = ((address | paddr) & (LEVEL_SIZE(LARGE_PAGE_LEVEL) - 1)) == 0 &&
			     size >= LEVEL_SIZE(LARGE_PAGE_LEVEL);
		unsigned int level = large ? LARGE_PAGE_LEVEL : 0;
		uint64_t *entry =
			page_table_entry(kernel_root, address, level, take_table, TABLE_FLAGS);

		*entry = paddr | flags | (large ? PTE_LARGE : 0);
		if (address < KERNEL_MAP_BASE)
			*(large ? &direct_map_large : &direct_map_small) += LEVEL_SIZE(level);
		address += LEVEL_SIZE(level);
		paddr += LEVEL_SIZE(level);
		size -= LEVEL_SIZE(level);
	}
}

static paddr_t image_paddr(const char *address)
{
	return (uintptr_t)address - KERNEL_IMAGE_BASE;
}

/* Maps the part of RANGE that is in [LOW, HIGH). */
static void map_direct(struct page_range range, paddr_t low, paddr_t high, uint64_t flags)
{
	paddr_t start = range.start > low ? range.start : low;
	paddr_t end = range.end < high ? range.end : high;

	if (start < end)
		map(DIRECT_MAP_BASE + start, start, end - start, flags);
}

static void map_image(const char *start, const char *end, uint64_t flags)
{
	map((uintptr_t)start, image_paddr(start), (uint64_t)(end - start), flags);
}

void paging_load_kernel(void)
{
	cr3_write((uintptr_t)kernel_root - DIRECT_MAP_BASE);
}

void paging_init(void)
{
	kernel_root = take_table();
	for (size_t i = 0; i < boot_info.ram_count; i++) {
		map_direct(boot_info.ram[i], 0, image_paddr(__text_start), FLAGS_DATA);
		map_direct(boot_info.ram[i], image_paddr(__text_start), image_paddr(__data_start),
			   FLAGS_READ_ONLY);
		map_direct(boot_info.ram[i], image_paddr(__data_start), USED_MEMORY_END,
			   FLAGS_DATA);
	}
	map_image(__text_start, __rodata_start, FLAGS_TEXT);
	map_image(__rodata_start, __data_start, FLAGS_READ_ONLY);
	/* Leave out the guard page, which a large page would cover. */
	map_image(__data_start, boot_stack_guard, FLAGS_DATA);
	map_image(boot_stack_guard + PAGE_SIZE, __image_end, FLAGS_DATA);

	/* The root's entry for all later mappings. */
	page_table_entry(kernel_root, KERNEL_MAP_BASE, ROOT_LEVEL - 1, take_table, TABLE_FLAGS);
	paging_load_kernel();
}

void paging_copy_kernel(uint64_t *root)
{
	memcpy(root + USER_ROOT_ENTRIES, kernel_root + USER_ROOT_ENTRIES,
	       (TABLE_ENTRIES - USER_ROOT_ENTRIES) * sizeof(*root));
}

/* Maps one page below KERNEL_MAP_BASE's root entry. map_lock held. */
static bool map_page(uintptr_t address, paddr_t paddr, uint64_t flags)
{
	uint64_t *entry = page_table_entry(kernel_root, address, 0, alloc_table, TABLE_FLAGS);

	if (!entry)
		return false;
	*(volatile uint64_t *)entry = paddr | flags;
	return true;
}

bool arch_kernel_map(uintptr_t address, paddr_t paddr)
{
	unsigned long state = spin_lock_irqsave(&map_lock);
	bool mapped = map_page(address, paddr, FLAGS_DATA);

	spin_unlock_irqrestore(&map_lock, state);
	return mapped;
}

bool paging_guards(uintptr_t address)
{
	uintptr_t boot_guard = (uintptr_t)boot_stack_guard;

	return (address >= boot_guard && address < boot_guard + PAGE_SIZE) ||
	       kernel_stack_guards(address);
}

static void *map_physical(paddr_t paddr, size_t size, uint64_t flags)
{
	paddr_t first = paddr & PAGE_MASK;
	size_t bytes = (paddr + size - first + PAGE_SIZE - 1) & PAGE_MASK;
	paddr_t limit = 1ull << cpu_features.physical_bits;

	if (size > limit || paddr > limit - size)
		return NULL;
	/* Before paging_init the early page tables are in use: only a boot failure comes here then. */
	if (!kernel_root)
		return paddr + size <= EARLY_MEMORY_END ? (void *)(DIRECT_MAP_BASE + paddr) : NULL;

	unsigned long state = spin_lock_irqsave(&map_lock);
	uintptr_t base = next_device;
	bool mapped = bytes <= DEVICES_END - base;

	for (size_t offset = 0; mapped && offset < bytes; offset += PAGE_SIZE)
		mapped = map_page(base + offset, first + offset, flags);
	next_device += mapped ? bytes : 0;
	spin_unlock_irqrestore(&map_lock, state);
	return mapped ? (void *)(base + (paddr - first)) : NULL;
}

void *paging_map_device(paddr_t paddr, size_t size)
{
	return map_physical(paddr, size, FLAGS_DATA | PTE_UNCACHED);
}

void *arch_device_map(paddr_t paddr, size_t size)
{
	return paging_map_device(paddr, size);
}

void *arch_framebuffer_map(paddr_t paddr, size_t size)
{
	return map_physical(paddr, size, FLAGS_DATA | PTE_COMBINING);
}

const void *paging_map_firmware(paddr_t paddr, size_t size)
{
	return map_physical(paddr, size, FLAGS_READ_ONLY);
}

bool arch_kernel_readable(uintptr_t address)
{
	if (address < DIRECT_MAP_BASE)
		return false;

	/* The level at which a large page ends the walk is unknown: look at both levels. */
	const uint64_t *large = page_table_entry(kernel_root, address, LARGE_PAGE_LEVEL, NULL, 0);

	if (!large || !(*large & PTE_PRESENT))
		return false;
	if (*large & PTE_LARGE)
		return true;
	return *page_table_entry(kernel_root, address, 0, NULL, 0) & PTE_PRESENT;
}

void arch_direct_map_describe(struct text *text)
{
	text_print(text, "DirectMap4k:    %8lu kB\nDirectMap2M:    %8lu kB\n",
		   direct_map_small / 1024, direct_map_large / 1024);
}
