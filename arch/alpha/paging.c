/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's own address space. KSEG maps code and data, all memory and the devices, without tables
 * (and without access rights). Only kernel stacks need tables, because of the guard pages below them.
 *
 * The upper half of every root is the same: one entry for the stacks, and one that points to the root
 * itself, at which the architecture expects the tables in memory (the virtual page table).
 *
 * Lock: map_lock (irqsave), for the tables below KERNEL_MAP_BASE. page_alloc's lock is taken under it.
 *
 * Source: Alpha Architecture Handbook version 4, II-B chapter 3 "OSF/1 memory management".
 */
#include "paging.h"

#include <stdbool.h>
#include <string.h>

#include <arch/mmu.h>
#include <kernel/base/boot.h>
#include <kernel/base/spinlock.h>
#include <kernel/mm/text.h>
#include <kernel/sched/task.h>
#include <machine/cpu.h>
#include <machine/page_table.h>

#define INDEX(address, level) ((address) >> LEVEL_SHIFT(level) & (TABLE_ENTRIES - 1))
#define VIRTUAL_TABLE_ENTRY   (TABLE_ENTRIES - 1)

static uint64_t *kernel_root;
static struct spinlock map_lock = SPINLOCK_INITIALIZER;

static uint64_t *table_of(uint64_t entry)
{
	return page_address(pte_paddr(entry));
}

uint64_t paging_root_frame(const uint64_t *root)
{
	return page_paddr(root) >> PAGE_SHIFT;
}

uint64_t paging_kernel_root(void)
{
	return paging_root_frame(kernel_root);
}

void paging_init(void)
{
	kernel_root = page_address(boot_memory_take(PAGE_SIZE));
	/* All roots share the tables below this entry. */
	kernel_root[INDEX(KERNEL_MAP_BASE, ROOT_LEVEL)] = pte_of_table(boot_memory_take(PAGE_SIZE));
	kernel_root[VIRTUAL_TABLE_ENTRY] = pte_of_table(page_paddr(kernel_root));
}

void paging_copy_kernel(uint64_t *root)
{
	memcpy(root + USER_ROOT_ENTRIES, kernel_root + USER_ROOT_ENTRIES,
	       (TABLE_ENTRIES - USER_ROOT_ENTRIES) * sizeof(*root));
	root[VIRTUAL_TABLE_ENTRY] = pte_of_table(page_paddr(root));
}

bool arch_kernel_map(uintptr_t address, paddr_t paddr)
{
	unsigned long state = spin_lock_irqsave(&map_lock);
	uint64_t *entry = &table_of(kernel_root[INDEX(address, 2)])[INDEX(address, 1)];

	if (!*entry) {
		uint64_t *table = page_alloc(0);

		if (table)
			*(volatile uint64_t *)entry = pte_of_table(page_paddr(table));
	}
	if (*entry)
		*(volatile uint64_t *)&table_of(*entry)[INDEX(address, 0)] =
			pte_of_frame(paddr) | PTE_PRESENT | PTE_NX | PTE_GLOBAL | PTE_KERNEL_READ |
			PTE_KERNEL_WRITE;
	spin_unlock_irqrestore(&map_lock, state);
	return *entry;
}

uint64_t paging_find(const uint64_t *root, uintptr_t address)
{
	const uint64_t *table = root;

	for (unsigned int level = ROOT_LEVEL;; level--) {
		uint64_t entry = *(const volatile uint64_t *)&table[INDEX(address, level)];

		if (level == 0 || !(entry & PTE_PRESENT))
			return entry & PTE_PRESENT ? entry : 0;
		table = table_of(entry);
	}
}

const uint64_t *paging_loaded_root(void)
{
	const struct context_block *context = task_current()->arch.context;

	return page_address(context->page_table << PAGE_SHIFT);
}

bool arch_kernel_readable(uintptr_t address)
{
	if (address >= KERNEL_MAP_BASE)
		return address < KERNEL_STACKS_END && paging_find(kernel_root, address);
	return address >= DIRECT_MAP_BASE &&
	       address < DIRECT_MAP_BASE + boot_info.ram[boot_info.ram_count - 1].end;
}

/* Typhoon maps the PCI bus's memory space at one place; its addresses belong to devices. */
#define PCI_MEMORY_BASE	 DEVICE_BASE
#define PCI_MEMORY_BYTES (1ull << 32)

void *arch_device_map(paddr_t paddr, size_t size)
{
	if (size > PCI_MEMORY_BYTES || paddr > PCI_MEMORY_BYTES - size)
		return NULL;
	return (void *)(PCI_MEMORY_BASE + paddr);
}

void *arch_framebuffer_map(paddr_t paddr, size_t size)
{
	return arch_device_map(paddr, size);
}

/* Linux/alpha has no such lines. */
void arch_direct_map_describe(struct text *text)
{
}
