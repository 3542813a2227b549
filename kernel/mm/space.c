/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole address spaces: creating, copying at fork, loading, destroying.
 *
 * Fork copies the areas and shares the pages: the pages of private areas become read-only in both
 * spaces, and the next write copies (fault.c).
 *
 * Locks: the parent's space->mutex; space_owner_lock, innermost.
 */
#include <kernel/base/assert.h>
#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/tables.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>

#include "vm.h"

/* Linux's default RLIMIT_STACK. */
#define STACK_LIMIT_DEFAULT ((uint64_t)8 << 20)

/* While it is held, no task's space changes, so another task may take a reference. irqsave; innermost. */
static struct spinlock space_owner_lock = SPINLOCK_INITIALIZER;

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
	STAILQ_INIT(&space->reports);
	space->references = 1;
	space->pins = 1;
	space->stack_limit_bytes = STACK_LIMIT_DEFAULT;
	space->data_limit_bytes = UINT64_MAX;
	space->locked_pages_max = SIZE_MAX;
	space->mapped_pages_max = SIZE_MAX;
	vm_lay_out(space, STACK_LIMIT_DEFAULT, false);
	return space;
}

void vm_space_get(struct vm_space *space)
{
	atomic_fetch_add(&space->references, 1);
}

void vm_space_pin(struct vm_space *space)
{
	atomic_fetch_add(&space->pins, 1);
}

void vm_space_unpin(struct vm_space *space)
{
	if (atomic_fetch_sub(&space->pins, 1) == 1)
		kfree(space);
}

bool vm_space_get_pinned(struct vm_space *space)
{
	unsigned int references = space->references;

	while (references)
		if (atomic_compare_exchange_weak(&space->references, &references, references + 1))
			return true;
	return false;
}

/* Spaces that their tasks have left and whose pages may not all be free yet. */
static _Atomic unsigned int spaces_leaving;

bool vm_any_space_leaving(void)
{
	return spaces_leaving != 0;
}

size_t vm_task_pages(struct task *task)
{
	unsigned long state = spin_lock_irqsave(&space_owner_lock);
	const struct vm_space *space = task->space;
	size_t pages = space ? vm_resident_pages(space) + space->arch.table_count : 0;

	spin_unlock_irqrestore(&space_owner_lock, state);
	return pages;
}

struct vm_space *vm_space_of(struct task *task)
{
	unsigned long state = spin_lock_irqsave(&space_owner_lock);
	struct vm_space *space = task->space;

	if (space)
		vm_space_get(space);
	spin_unlock_irqrestore(&space_owner_lock, state);
	return space;
}

void vm_space_unlock(struct vm_space *space)
{
	struct vm_area *area, *next = space->freed_areas;
	struct vm_report_list reports = STAILQ_HEAD_INITIALIZER(reports);

	space->freed_areas = NULL;
	STAILQ_CONCAT(&reports, &space->reports);
	mutex_unlock(&space->mutex);
	reports_deliver(&reports);
	while ((area = next)) {
		next = area->next_freed;
		file_put(area->file);
		kfree(area);
	}
}

/* Unmaps and frees every area of SPACE, which is unused now, from the lowest on, each with the tables that no
 * area above it needs. */
static void unmap_all(struct vm_space *space)
{
	struct vm_area *area, *next, *all = NULL;

	for (area = RB_MIN(vm_area_tree, &space->areas); area; area = next) {
		next = RB_NEXT(vm_area_tree, &space->areas, area);
		pages_unmap(space, area_range(area));
		tables_trim(space, 0, next ? next->start : UINTPTR_MAX, area_range(area));
		area->next_freed = all;
		all = area;
	}
	/* The areas are freed last: the tree's links lead through all of them. */
	RB_INIT(&space->areas);
	while ((area = all)) {
		all = area->next_freed;
		if (area->mapping)
			mapping_remove(area);
		area_free(area);
	}
}

void vm_space_put(struct vm_space *space)
{
	if (atomic_fetch_sub(&space->references, 1) != 1)
		return;
	mutex_lock(&space->mutex);
	if (space->sharer)
		space->sharer->release(space->sharer);
	unmap_all(space);
	vm_space_unlock(space);
	for (unsigned int kind = 0; kind < PAGE_KINDS; kind++)
		ASSERT(space->resident_pages[kind] == 0);
	arch_space_destroy(&space->arch);
	vm_space_unpin(space);
}

/* Takes a reference to a page that fork has mapped in the child, too. */
static void take_shared(paddr_t paddr, void *child)
{
	page_get_mapped(page_address(paddr));
	page_count_in(child, page_address(paddr));
}

/* Maps AREA's pages in the child's copy where the child's faults could not find them again. */
static int share_pages(struct vm_area *area, struct vm_space *child)
{
	/* The child's faults get these from the shared object, or from the file when the area has
	 * no private page. */
	if ((area->shared && area->ops) || (area->ops && !area->touched) || area->wipe_on_fork)
		return 0;
	return user_tables_share(&area->space->arch, &child->arch, area_range(area), take_shared,
				 child);
}

/* Copies AREA into CHILD's tree; NULL: no memory. */
static struct vm_area *copy_area(struct vm_area *area, struct vm_space *child)
{
	struct vm_area *copy = kzalloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *area;
	copy->space = child;
	copy->locked = copy->lock_on_fault = false;
	area_copied(copy);
	child->mapped_pages += (area->end - area->start) >> PAGE_SHIFT;
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
	child->randomized = space->randomized;
	child->stack_top = space->stack_top;
	child->mmap_base = space->mmap_base;
	child->membarrier_registered = space->membarrier_registered;
	child->stack_limit_bytes = space->stack_limit_bytes;
	child->data_limit_bytes = space->data_limit_bytes;
	child->locked_pages_max = space->locked_pages_max;
	child->mapped_pages_max = space->mapped_pages_max;
	RB_FOREACH(area, vm_area_tree, &space->areas) {
		if (area->dont_copy)
			continue;
		error = copy_area(area, child) ? share_pages(area, child) : -ENOMEM;
		if (error)
			break;
		sched_relax();
	}
	child->mapped_pages_peak = child->mapped_pages;
	tlb_flush(space, USER_START, USER_END);
	vm_space_unlock(space);
	if (error) {
		vm_space_put(child);
		return NULL;
	}
	return child;
}

struct vm_space *vm_space_exchange(struct vm_space *space)
{
	struct task *task = task_current();
	struct vm_space *old = task->space;
	unsigned long state = arch_irq_save();

	if (space)
		cpumask_shared_add(&space->active_cpus, cpu_id());
	if (old)
		atomic_fetch_add(&spaces_leaving, 1);
	spin_lock(&space_owner_lock);
	task->space = space;
	spin_unlock(&space_owner_lock);
	arch_space_load(space ? &space->arch : NULL);
	if (old)
		cpumask_shared_remove(&old->active_cpus, cpu_id());
	arch_irq_restore(state);
	return old;
}

void vm_space_leave(struct vm_space *old)
{
	if (!old)
		return;
	vm_space_put(old);
	atomic_fetch_sub(&spaces_leaving, 1);
}

void vm_space_switch(struct vm_space *space)
{
	vm_space_leave(vm_space_exchange(space));
}

void vm_set_limits(struct vm_space *space, uint64_t stack_bytes, uint64_t all_bytes,
		   uint64_t data_bytes, uint64_t locked_bytes)
{
	mutex_lock(&space->mutex);
	space->stack_limit_bytes = stack_bytes;
	space->mapped_pages_max = all_bytes >> PAGE_SHIFT;
	space->data_limit_bytes = data_bytes;
	space->locked_pages_max = locked_bytes >> PAGE_SHIFT;
	vm_space_unlock(space);
}
