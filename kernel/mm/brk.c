/* SPDX-License-Identifier: BSD-2-Clause */
/* The heap: the one mapping whose end the program moves with brk(2). Lock: space->mutex. */
#include <uapi/linux/errno.h>

#include "vm.h"

/* Returns whether the heap may grow up to NEW_END. Linux: brk, do_brk_flags. */
static bool may_grow(struct vm_space *space, uintptr_t old_end, uintptr_t new_end)
{
	size_t size = new_end - old_end;
	struct vm_area *above = area_at_or_above(space, old_end);
	uintptr_t limit = new_end + (above && above->grows_down ? STACK_GUARD_SIZE : 0);

	if (new_end > USER_END || new_end - space->brk_start > space->data_limit_bytes)
		return false;
	if (size >> PAGE_SHIFT > page_total_count() || !space_may_grow(space, size))
		return false;
	return !above || above->start >= limit;
}

static void grow(struct vm_space *space, uintptr_t old_end, uintptr_t new_end, uintptr_t brk)
{
	struct vm_request request = { .address = old_end,
				      .size = new_end - old_end,
				      .prot = VM_READ | VM_WRITE,
				      .fixed = true };

	if (may_grow(space, old_end, new_end) && space_map(space, &request, request.size) >= 0)
		space->brk = brk;
}

/* Unmaps the heap above NEW_END; false: that failed. */
static bool shrink(struct vm_space *space, uintptr_t new_end, uintptr_t old_end)
{
	struct user_range rest;

	return user_range_make(new_end, old_end - new_end, &rest) && areas_unmap(space, rest) == 0;
}

uintptr_t vm_brk(struct vm_space *space, uintptr_t brk)
{
	mutex_lock(&space->mutex);
	uintptr_t old_end = pages_round_up(space->brk), new_end = pages_round_up(brk);

	if (brk >= space->brk_start && new_end) {
		if (new_end > old_end)
			grow(space, old_end, new_end, brk);
		else if (new_end == old_end || shrink(space, new_end, old_end))
			space->brk = brk;
	}
	brk = space->brk;
	vm_space_unlock(space);
	return brk;
}
