/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User address spaces as page tables; see <arch/mmu.h>. Which page belongs where is kernel/mm/'s
 * business.
 *
 * A page with no access at all keeps its entry, not present, with PTE_MAPPED: so that it is found
 * again when the protection changes. Accessed and dirty bits are set from the start, because
 * nothing here reads them.
 *
 * Locks: the space's mutex, held by the caller, guards the tables. Tables are freed only with the
 * whole space; an NMI may therefore walk those of the space that is loaded
 * (arch_load_user_nofault).
 */
#include <arch/mmu.h>

#include <string.h>

#include <arch/pmu.h>
#include <arch/usercopy.h>
#include <kernel/vm.h>
#include <machine/msr.h>
#include <uapi/linux/errno.h>

#include "page_table.h"

/* User code may execute RDPMC. SDM vol. 3A 2.5. */
#define CR4_PCE	    (1 << 8)

#define TABLE_FLAGS (PTE_PRESENT | PTE_WRITE | PTE_USER)

static uint64_t *alloc_table(void)
{
	return page_alloc(0);
}

int arch_space_init(struct arch_space *space)
{
	space->root = alloc_table();
	if (!space->root)
		return -ENOMEM;
	paging_copy_kernel(space->root);
	return 0;
}

static void free_tables(uint64_t *table, unsigned int level, unsigned int entries)
{
	if (level > 0)
		for (unsigned int i = 0; i < entries; i++)
			if (table[i] & PTE_PRESENT)
				free_tables(page_address(table[i] & PTE_ADDRESS), level - 1,
					    TABLE_ENTRIES);
	page_put(table);
}

void arch_space_destroy(struct arch_space *space)
{
	free_tables(space->root, ROOT_LEVEL, USER_ROOT_ENTRIES);
	space->root = NULL;
}

void arch_space_load(struct arch_space *space)
{
	if (!space) {
		paging_load_kernel();
		arch_pmu_user_access_update(NULL);
		return;
	}
	cr3_write(page_paddr(space->root));
	arch_pmu_user_access_update(
		(struct vm_space *)((char *)space - offsetof(struct vm_space, arch)));
}

void arch_pmu_user_access_update(struct vm_space *space)
{
	uint64_t cr4 = cr4_read();
	bool allowed = space && atomic_load_explicit(&space->perf_rdpmc, memory_order_relaxed) > 0;
	uint64_t wanted = allowed ? cr4 | CR4_PCE : cr4 & ~(uint64_t)CR4_PCE;

	if (wanted != cr4)
		cr4_write(wanted);
}

static uint64_t flags_of(unsigned int prot)
{
	uint64_t flags = PTE_MAPPED | PTE_ACCESSED | PTE_DIRTY | PTE_USER;

	if (prot & (VM_READ | VM_WRITE | VM_EXEC))
		flags |= PTE_PRESENT;
	if (prot & VM_WRITE)
		flags |= PTE_WRITE;
	if (!(prot & VM_EXEC))
		flags |= PTE_NX;
	return flags;
}

static unsigned int prot_of(uint64_t entry)
{
	if (!(entry & PTE_PRESENT))
		return 0;
	return VM_READ | (entry & PTE_WRITE ? VM_WRITE : 0) | (entry & PTE_NX ? 0 : VM_EXEC);
}

static uint64_t *find(struct arch_space *space, uintptr_t address)
{
	uint64_t *entry = page_table_entry(space->root, address, 0, NULL, 0);

	return entry && (*entry & PTE_MAPPED) ? entry : NULL;
}

/* One store: a processor that walks the tables meanwhile sees the old or the new. */
static void set(uint64_t *entry, uint64_t value)
{
	*(volatile uint64_t *)entry = value;
}

int arch_space_map(struct arch_space *space, uintptr_t address, paddr_t paddr, unsigned int prot)
{
	uint64_t *entry = page_table_entry(space->root, address, 0, alloc_table, TABLE_FLAGS);

	if (!entry)
		return -ENOMEM;
	set(entry, paddr | flags_of(prot));
	return 0;
}

paddr_t arch_space_unmap(struct arch_space *space, uintptr_t address)
{
	uint64_t *entry = find(space, address);

	if (!entry)
		return 0;

	paddr_t paddr = *entry & PTE_ADDRESS;

	set(entry, 0);
	return paddr;
}

void arch_space_protect(struct arch_space *space, uintptr_t address, unsigned int prot)
{
	uint64_t *entry = find(space, address);

	if (entry)
		set(entry, (*entry & PTE_ADDRESS) | flags_of(prot));
}

paddr_t arch_space_lookup(struct arch_space *space, uintptr_t address, unsigned int *prot)
{
	const uint64_t *entry = find(space, address);

	if (!entry)
		return 0;
	*prot = prot_of(*entry);
	return *entry & PTE_ADDRESS;
}

uintptr_t arch_space_next(struct arch_space *space, uintptr_t address, uintptr_t end)
{
	while (address < end) {
		uint64_t *table = space->root, entry;
		unsigned int level = ROOT_LEVEL;

		for (;; level--) {
			entry = table[address >> LEVEL_SHIFT(level) & (TABLE_ENTRIES - 1)];
			if (level == 0 || !(entry & PTE_PRESENT))
				break;
			table = page_address(entry & PTE_ADDRESS);
		}
		if (level == 0 && (entry & PTE_MAPPED))
			return address;
		address = (address | (LEVEL_SIZE(level) - 1)) + 1;
	}
	return end;
}

/* Beyond this many pages, all translations but the kernel's go: cheaper than one by one. */
#define FLUSH_PAGES_MAX 32

void arch_tlb_flush_local(uintptr_t start, uintptr_t end)
{
	if (end - start > FLUSH_PAGES_MAX * PAGE_SIZE) {
		cr3_write(cr3_read());
		return;
	}
	for (uintptr_t page = start; page < end; page += PAGE_SIZE)
		__asm__ volatile("invlpg (%0)" : : "r"(page) : "memory");
}

int arch_load_user_nofault(void *destination, const void *source, size_t size)
{
	uintptr_t address = (uintptr_t)source;
	uint64_t *root = page_address(cr3_read() & PTE_ADDRESS);

	if (address >= USER_END || size > USER_END - address)
		return -EFAULT;
	while (size > 0) {
		const uint64_t *entry = page_table_entry(root, address, 0, NULL, 0);
		size_t offset = address & ~PAGE_MASK;
		size_t piece = size < PAGE_SIZE - offset ? size : PAGE_SIZE - offset;

		if (!entry)
			return -EFAULT;

		uint64_t value = *(const volatile uint64_t *)entry;

		if (!(value & PTE_PRESENT) || !(value & PTE_USER))
			return -EFAULT;
		memcpy(destination, (char *)page_address(value & PTE_ADDRESS) + offset, piece);
		destination = (char *)destination + piece;
		address += piece;
		size -= piece;
	}
	return 0;
}
