/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole address spaces: making, copying at fork, loading, and their end.
 *
 * Fork copies the areas and shares the pages: those of private areas become read-only in both
 * spaces, and the next write makes a copy (fault.c).
 */
#include <kernel/assert.h>
#include <kernel/file.h>
#include <kernel/kmalloc.h>
#include <kernel/task.h>
#include <uapi/linux/errno.h>

#include "vm.h"

/* Linux's default RLIMIT_STACK. */
#define STACK_LIMIT_DEFAULT ((uint64_t)8 << 20)

/* An unlimited stack leaves this much room above mmap's: Linux takes a sixth of the address
 * space at most for the gap. */
#define STACK_LIMIT_MAX	    (USER_END / 6 * 5)

struct vm_space *vm_space_create(void)
{
	struct vm_space *space = kzalloc(sizeof(*space));

	if (!space)
		return NULL;
	if (arch_space_init(&space->arch) < 0) {
		kfree(space);
		return NULL;
	}
	mutex_init(&space->mutex);
	RB_INIT(&space->areas);
	space->references = 1;
	space->stack_top = USER_END;
	space->stack_limit_bytes = STACK_LIMIT_DEFAULT;
	space->mapped_pages_max = SIZE_MAX;
	return space;
}

/* Maps in TO, a copy of FROM in another space, the pages that FROM has. */
static int share_pages(struct vm_area *from, struct vm_area *to)
{
	struct arch_space *arch = &from->space->arch;
	uintptr_t at = from->start;

	for (; (at = arch_space_next(arch, at, from->end)) < from->end; at += PAGE_SIZE) {
		unsigned int prot;
		paddr_t paddr = arch_space_lookup(arch, at, &prot);

		if (prot & VM_WRITE) {
			prot &= ~(unsigned int)VM_WRITE;
			arch_space_protect(arch, at, prot);
		}
		if (arch_space_map(&to->space->arch, at, paddr, prot) < 0)
			return -ENOMEM;
		page_get(page_address(paddr));
	}
	return 0;
}

/* A copy of AREA in SPACE, in its tree; or NULL. */
static struct vm_area *copy_area(struct vm_area *area, struct vm_space *space)
{
	struct vm_area *copy = kzalloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *area;
	copy->space = space;
	RB_INSERT(vm_area_tree, &space->areas, copy);
	if (copy->file)
		file_get(copy->file);
	if (copy->ops && copy->ops->open)
		copy->ops->open(copy);
	return copy;
}

struct vm_space *vm_space_fork(struct vm_space *space)
{
	struct vm_space *child = vm_space_create();
	struct vm_area *area;
	int error = 0;

	if (!child)
		return NULL;
	mutex_lock(&space->mutex);
	child->brk_start = space->brk_start;
	child->brk = space->brk;
	child->stack_top = space->stack_top;
	child->stack_limit_bytes = space->stack_limit_bytes;
	child->mapped_pages = space->mapped_pages;
	child->mapped_pages_max = space->mapped_pages_max;
	RB_FOREACH(area, vm_area_tree, &space->areas) {
		if (area->dont_copy) {
			child->mapped_pages -= (area->end - area->start) >> PAGE_SHIFT;
			continue;
		}
		struct vm_area *copy = copy_area(area, child);

		/* What an area's operations serve, they serve again at the child's fault. */
		error = !copy ? -ENOMEM : area->ops ? 0 : share_pages(area, copy);
		if (error)
			break;
	}
	tlb_flush(space, USER_START, USER_END);
	mutex_unlock(&space->mutex);
	if (error) {
		vm_space_put(child);
		return NULL;
	}
	return child;
}

void vm_space_get(struct vm_space *space)
{
	atomic_fetch_add(&space->references, 1);
}

void vm_space_put(struct vm_space *space)
{
	struct vm_area *area;

	if (atomic_fetch_sub(&space->references, 1) != 1)
		return;
	mutex_lock(&space->mutex);
	pages_unmap(space, USER_START, USER_END);
	while ((area = RB_MIN(vm_area_tree, &space->areas))) {
		RB_REMOVE(vm_area_tree, &space->areas, area);
		area_free(area);
	}
	mutex_unlock(&space->mutex);
	arch_space_destroy(&space->arch);
	kfree(space);
}

void vm_space_switch(struct vm_space *space)
{
	struct task *task = task_current();
	struct vm_space *old = task->space;
	unsigned long state = arch_irq_save();
	uint64_t here = (uint64_t)1 << cpu_id();

	if (space)
		atomic_fetch_or(&space->active_cpus, here);
	task->space = space;
	arch_space_load(space ? &space->arch : NULL);
	if (old)
		atomic_fetch_and(&old->active_cpus, ~here);
	arch_irq_restore(state);
	if (old)
		vm_space_put(old);
}

void vm_set_limits(struct vm_space *space, uint64_t stack_bytes, uint64_t all_bytes)
{
	mutex_lock(&space->mutex);
	space->stack_limit_bytes = stack_bytes < STACK_LIMIT_MAX ? stack_bytes : STACK_LIMIT_MAX;
	space->mapped_pages_max = all_bytes >> PAGE_SHIFT;
	mutex_unlock(&space->mutex);
}
