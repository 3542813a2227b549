/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reverse mapping: from an object (a file's contents, shared memory) to the areas that show it, so
 * that pages which the object loses are unmapped in every space.
 *
 * space->mutex comes before mapping->lock, and unmapping needs space->mutex. So the walk takes the
 * next area that this round has not visited, marks the areas of that space, and works on the space
 * after dropping mapping->lock. Areas that are added meanwhile need no visit: their faults find the
 * object as it is now.
 *
 * Lock: mapping->lock, inside the space's mutex.
 */
#include <stdatomic.h>

#include "vm.h"

void vm_mapping_init(struct vm_mapping *mapping)
{
	spin_init(&mapping->lock);
	LIST_INIT(&mapping->areas);
}

void mapping_add(struct vm_area *area)
{
	spin_lock(&area->mapping->lock);
	LIST_INSERT_HEAD(&area->mapping->areas, area, mapped);
	spin_unlock(&area->mapping->lock);
}

void mapping_remove(struct vm_area *area)
{
	spin_lock(&area->mapping->lock);
	LIST_REMOVE(area, mapped);
	spin_unlock(&area->mapping->lock);
}

bool vm_mapping_in_use(struct vm_mapping *mapping, bool writable)
{
	const struct vm_area *area;
	bool found = false;

	spin_lock(&mapping->lock);
	LIST_FOREACH(area, &mapping->areas, mapped)
		found |= !writable || (area->shared && (area->max_prot & VM_WRITE));
	spin_unlock(&mapping->lock);
	return found;
}

/* Returns a space, with a reference, that has areas of MAPPING which ROUND has not visited, or NULL. */
static struct vm_space *next_space(struct vm_mapping *mapping, uint64_t round)
{
	struct vm_space *space = NULL;
	struct vm_area *area;

	spin_lock(&mapping->lock);
	LIST_FOREACH(area, &mapping->areas, mapped) {
		if (area->unmap_round == round || (space && area->space != space))
			continue;
		area->unmap_round = round;
		/* A space whose last reference is gone unmaps everything itself. */
		if (!space && vm_space_get_pinned(area->space))
			space = area->space;
	}
	spin_unlock(&mapping->lock);
	return space;
}

/* Unmaps those of AREA's pages that show [START, END) of its object. */
static void unmap_part(struct vm_area *area, uint64_t start, uint64_t end, bool own_copies)
{
	uint64_t first = area->offset > start ? area->offset : start;
	uint64_t shown_end = area->offset + (area->end - area->start);
	uint64_t stop = shown_end < end ? shown_end : end;

	if (first >= stop)
		return;
	struct user_range range =
		user_range_clip(area->start + (first - area->offset), stop - first);

	if (area->shared || own_copies)
		pages_unmap(area->space, range);
	else
		pages_unmap_borrowed(area->space, range);
}

void vm_unmap_file_range(struct vm_mapping *mapping, uint64_t start, uint64_t end, bool own_copies)
{
	static _Atomic uint64_t rounds;
	uint64_t round = atomic_fetch_add(&rounds, 1) + 1;
	struct vm_space *space;

	while ((space = next_space(mapping, round))) {
		struct vm_area *area;

		mutex_lock(&space->mutex);
		RB_FOREACH(area, vm_area_tree, &space->areas)
			if (area->mapping == mapping)
				unmap_part(area, start, end, own_copies);
		vm_space_unlock(space);
		vm_space_put(space);
	}
}
