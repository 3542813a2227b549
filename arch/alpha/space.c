/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hardware side of user address spaces: allocates and loads the root, and flushes translations; see
 * <arch/mmu.h>. kernel/mm/tables.c fills the tables.
 */
#include "space.h"

#include <string.h>

#include <arch/mmu.h>
#include <arch/pmu.h>
#include <arch/usercopy.h>
#include <kernel/base/assert.h>
#include <kernel/mm/user_range.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <machine/cpu.h>
#include <machine/hwrpb.h>
#include <machine/page_table.h>
#include <uapi/linux/errno.h>

#include "asn.h"
#include "paging.h"
#include "switch.h"

static PERCPU(struct asn_cpu, asn_cpus);

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

void arch_space_forget_elsewhere(struct arch_space *space)
{
	asn_give_back(space->tags, cpu_count());
}

void space_enter(struct context_block *context, struct arch_space *space)
{
	bool forget;

	if (!space) {
		context->page_table = paging_kernel_root();
		context->address_space = 0;
		return;
	}
	context->page_table = paging_root_frame(space->root);
	context->address_space = asn_take(&this_cpu(asn_cpus), &space->tags[cpu_id()],
					  (uint32_t)hwrpb->space_numbers_max, &forget);
	if (forget)
		pal_forget(PAL_FORGET_PROCESS, 0);
}

void arch_space_load(struct arch_space *space)
{
	struct context_block *context = task_current()->arch.context;

	space_enter(context, space);
	switch_adopt(page_paddr(context), context);
}

/* User mode cannot read the counters: there is no instruction for it. */
void arch_pmu_user_access_update(struct vm_space *space)
{
}

/* Above this many pages, flush all translations but the kernel's: cheaper than one by one. */
#define FLUSH_PAGES_MAX 32

void arch_tlb_flush_local(uintptr_t start, uintptr_t end)
{
	if (end - start > FLUSH_PAGES_MAX * PAGE_SIZE) {
		pal_forget(PAL_FORGET_PROCESS, 0);
		return;
	}
	for (uintptr_t page = start; page < end; page += PAGE_SIZE)
		pal_forget(PAL_FORGET_PAGE, page);
}

int arch_load_user_nofault(void *destination, const void *source, size_t size)
{
	uintptr_t address = (uintptr_t)source;
	struct user_range range;

	if (!user_range_make(address, size, &range))
		return -EFAULT;
	while (size > 0) {
		uint64_t entry = paging_find(paging_loaded_root(), address);
		size_t offset = address & ~PAGE_MASK;
		size_t piece = size < PAGE_SIZE - offset ? size : PAGE_SIZE - offset;

		if (!(entry & PTE_USER_READ))
			return -EFAULT;
		memcpy(destination, (char *)page_address(pte_paddr(entry)) + offset, piece);
		destination = (char *)destination + piece;
		address += piece;
		size -= piece;
	}
	return 0;
}
