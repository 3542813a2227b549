/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hardware side of user address spaces: allocates and loads the root, and flushes translations; see
 * <arch/mmu.h>. kernel/mm/tables.c fills the tables.
 */
#include <arch/mmu.h>

#include <string.h>

#include <arch/pmu.h>
#include <arch/usercopy.h>
#include <kernel/base/assert.h>
#include <kernel/mm/user_range.h>
#include <kernel/mm/vm.h>
#include <kernel/perf/settings.h>
#include <machine/msr.h>
#include <uapi/linux/errno.h>

#include "page_table.h"

/* User code may execute RDPMC. SDM vol. 3A 2.5. */
#define CR4_PCE (1 << 8)

int arch_space_init(struct arch_space *space)
{
	space->root = page_alloc(0);
	if (!space->root)
		return -ENOMEM;
	paging_copy_kernel(space->root);
	space->table_count = 1;
	return 0;
}

void arch_space_destroy(struct arch_space *space)
{
	ASSERT(space->table_count == 1);
	page_put(space->root);
	space->root = NULL;
}

/* Loading CR3 flushes all translations of programs: see SDM vol. 3A 4.10.4.1, without CR4.PCIDE. */
void arch_space_forget_elsewhere(struct arch_space *space)
{
}

void arch_pmu_user_access_update(struct vm_space *space)
{
	uint64_t cr4 = cr4_read();
	uint64_t new_cr4 = perf_user_reads_allowed(space) ? cr4 | CR4_PCE :
							    cr4 & ~(uint64_t)CR4_PCE;

	if (new_cr4 != cr4)
		cr4_write(new_cr4);
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

/* Above this many pages, flush all translations but the kernel's: cheaper than one by one. */
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
	struct user_range range;
	uint64_t *root = page_address(cr3_read() & PTE_ADDRESS);

	if (!user_range_make(address, size, &range))
		return -EFAULT;
	while (size > 0) {
		const uint64_t *entry = page_table_entry(root, address, 0, NULL, 0);
		size_t offset = address & ~PAGE_MASK;
		size_t piece = size < PAGE_SIZE - offset ? size : PAGE_SIZE - offset;

		if (!entry)
			return -EFAULT;

		uint64_t value = *(const volatile uint64_t *)entry;

		/* The direct map does not show a device's registers. */
		if (!(value & PTE_PRESENT) || !(value & PTE_USER) || value & PTE_UNCACHED)
			return -EFAULT;
		memcpy(destination, (char *)page_address(value & PTE_ADDRESS) + offset, piece);
		destination = (char *)destination + piece;
		address += piece;
		size -= piece;
	}
	return 0;
}
