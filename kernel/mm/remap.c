/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mremap: growing, shrinking or moving a mapping with its pages.
 *
 * A move makes a second area that shows the same object, moves the pages from one set of page tables to
 * the other, and then unmaps the old area, or leaves it empty (MREMAP_DONTUNMAP). When there is no
 * memory for the new tables, the pages move back: their old tables are still there.
 *
 * The order of the checks, and the changes made before a later check fails, are those of Linux 6.12
 * (mm/mremap.c).
 *
 * Lock: space->mutex.
 */
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/tables.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/mman.h>

#include "vm.h"

struct move {
	struct vm_space *space;
	uintptr_t address, new_address;
	size_t old_size, new_size;
	unsigned long flags;
};

/* Moves the pages of FROM to TO and above; on failure, only some of them. */
static int move_pages(struct arch_space *arch, struct user_range from, uintptr_t to)
{
	uintptr_t start = user_range_start(from), at;

	for (; (at = user_tables_next(arch, from)) < user_range_end(from);
	     from = user_range_from(from, at + PAGE_SIZE)) {
		unsigned int prot;
		paddr_t paddr = user_tables_lookup(arch, at, &prot);

		if (user_tables_map(arch, to + (at - start), paddr, prot) < 0)
			return -ENOMEM;
		user_tables_unmap(arch, at);
	}
	return 0;
}

/* Checks whether the area at the old address may become NEW_SIZE. Linux: vma_to_resize. */
static int check_resize(const struct move *move, const struct vm_area *area)
{
	size_t more = move->new_size - move->old_size;

	if (!move->old_size && !area->shared)
		return -EINVAL;
	if ((move->flags & MREMAP_DONTUNMAP) && area->dont_expand)
		return -EINVAL;
	if (move->old_size > area->end - move->address)
		return -EFAULT;
	if (move->new_size == move->old_size)
		return 0;
	if (area->dont_expand)
		return -EFAULT;
	if (area->locked &&
	    move->space->locked_pages + (more >> PAGE_SHIFT) > space_locked_pages_max(move->space))
		return -EAGAIN;
	return space_may_grow(move->space, more) ? 0 : -ENOMEM;
}

/* Makes an area at the new address that shows what OLD shows at the old one; NULL: no memory. */
static struct vm_area *make_target(const struct move *move, const struct vm_area *old)
{
	struct vm_space *space = move->space;
	struct vm_area *new = kzalloc(sizeof(*new));
	size_t pages = move->new_size >> PAGE_SHIFT;

	if (!new)
		return NULL;
	*new = *old;
	new->start = move->new_address;
	new->end = move->new_address + move->new_size;
	new->offset += move->address - old->start;
	/* An untouched anonymous area moves as if it had always been at the new address. */
	if (!old->ops && !old->file && !old->touched)
		new->offset = new->start;
	area_copied(new);
	space->mapped_pages += pages;
	space->locked_pages += new->locked ? pages : 0;
	if (space->mapped_pages > space->mapped_pages_peak)
		space->mapped_pages_peak = space->mapped_pages;
	return new;
}

/* MREMAP_DONTUNMAP: the old area keeps its addresses; its pages have moved, and it is no longer locked. */
static void leave_empty(const struct move *move)
{
	struct vm_area *old = area_at(move->space, move->address);

	if (old->locked)
		move->space->locked_pages -= (old->end - old->start) >> PAGE_SHIFT;
	old->locked = false;
}

/* Linux: move_vma. */
static long move_area(const struct move *move)
{
	struct vm_space *space = move->space;
	struct vm_area *old = area_at(space, move->address);
	uintptr_t from = move->address;
	size_t kept = move->old_size < move->new_size ? move->old_size : move->new_size;

	/* The steps below may split areas three times. */
	if (space->area_count >= VM_AREAS_MAX - 3)
		return -ENOMEM;
	int error = area_check_split_at(space, from);

	if (!error)
		error = area_check_split_at(space, from + move->old_size);
	if (error)
		return error;
	struct vm_area *new = make_target(move, old);

	if (!new)
		return -ENOMEM;
	struct user_range target = area_range(new);
	struct user_range pages = user_range_clip(from, kept);

	error = move_pages(&space->arch, pages, new->start);
	if (error)
		move_pages(&space->arch, user_range_below(target, new->start + kept), from);
	if (kept)
		tlb_flush(space, from, from + kept);
	if (error) {
		areas_unmap(space, target);
		return error;
	}
	bool locked = new->locked && !new->lock_on_fault;

	area_merge(new);
	if (move->flags & MREMAP_DONTUNMAP)
		leave_empty(move);
	else if (move->old_size)
		areas_unmap(space, user_range_clip(from, move->old_size));
	new = area_at(space, move->new_address);
	if (locked)
		area_populate(new, target);
	return (long)move->new_address;
}

/* Unmaps the old address range beyond NEW_SIZE, as munmap does. */
static int shrink(const struct move *move)
{
	struct user_range rest;

	if (!user_range_make(move->address + move->new_size, move->old_size - move->new_size,
			     &rest))
		return -EINVAL;
	return areas_unmap(move->space, rest);
}

/* Moves to the requested address, or away without unmapping. Linux: mremap_to. */
static long move_to(struct move *move)
{
	struct vm_space *space = move->space;
	uintptr_t address = move->address, new_address = move->new_address;
	struct user_range place;
	int error = 0;

	if (new_address & ~PAGE_MASK)
		return -EINVAL;
	if (!user_range_make(new_address, move->new_size, &place))
		return -EINVAL;
	if (address + move->old_size > new_address && new_address + move->new_size > address)
		return -EINVAL;
	if (space->area_count + 2 >= VM_AREAS_MAX - 3)
		return -ENOMEM;
	if (move->flags & MREMAP_FIXED)
		error = areas_unmap(space, place);
	if (!error && move->old_size > move->new_size) {
		error = shrink(move);
		move->old_size = move->new_size;
	}
	struct vm_area *area = area_at(space, address);

	if (!error)
		error = area ? check_resize(move, area) : -EFAULT;
	if (!error && (move->flags & MREMAP_DONTUNMAP) && !space_may_grow(space, move->new_size))
		error = -ENOMEM;
	if (error)
		return error;
	struct vm_request request = { .address = new_address, .fixed = move->flags & MREMAP_FIXED };

	error = place_find(space, &request, move->new_size, &place);
	if (error)
		return error;
	move->new_address = user_range_start(place);
	return move_area(move);
}

/* Returns whether AREA can grow by SIZE in place. */
static bool has_room(const struct vm_area *area, size_t size)
{
	struct vm_area *above = area_at_or_above(area->space, area->end);
	struct user_range room;

	if (!user_range_make(area->end, size, &room))
		return false;
	size_t guard = above && above->grows_down ? STACK_GUARD_SIZE : 0;

	return !above || above->start >= user_range_end(room) + guard;
}

static long grow(struct move *move, struct vm_area *area)
{
	size_t more = move->new_size - move->old_size;
	int error = check_resize(move, area);

	if (error)
		return error;
	/* An object of fixed size that is not a file cannot show more of itself; but its pages can
	 * move to another address. */
	if (move->old_size == area->end - move->address && has_room(area, more)) {
		uintptr_t old_end = area->end;

		area_resize(area, area->start, old_end + more);
		area = area_merge(area);
		if (area->locked && !area->lock_on_fault)
			area_populate(area, user_range_clip(old_end, more));
		return (long)move->address;
	}
	if (!(move->flags & MREMAP_MAYMOVE))
		return -ENOMEM;
	struct vm_request request = { 0 };
	struct user_range place;

	error = place_find(move->space, &request, move->new_size, &place);
	if (error)
		return error;
	move->new_address = user_range_start(place);
	return move_area(move);
}

static long remap(struct move *move)
{
	struct vm_area *area = area_at(move->space, move->address);
	int error;

	if (!area)
		return -EFAULT;
	if (move->flags & (MREMAP_FIXED | MREMAP_DONTUNMAP))
		return move_to(move);
	if (move->new_size > move->old_size)
		return grow(move, area);
	if (move->new_size == move->old_size)
		return (long)move->address;
	error = shrink(move);
	return error ? error : (long)move->address;
}

long vm_remap(struct vm_space *space, uintptr_t address, size_t old_size, size_t new_size,
	      unsigned long flags, uintptr_t new_address)
{
	struct move move = {
		.space = space,
		.address = address,
		.new_address = new_address,
		.old_size = pages_round_up(old_size),
		.new_size = pages_round_up(new_size),
		.flags = flags,
	};

	if (flags & ~(unsigned long)(MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP))
		return -EINVAL;
	if ((flags & MREMAP_FIXED) && !(flags & MREMAP_MAYMOVE))
		return -EINVAL;
	/* The sizes as passed, not rounded to pages. */
	if ((flags & MREMAP_DONTUNMAP) && (!(flags & MREMAP_MAYMOVE) || old_size != new_size))
		return -EINVAL;
	if ((address & ~PAGE_MASK) || !move.new_size)
		return -EINVAL;
	mutex_lock(&space->mutex);
	long result = remap(&move);

	vm_space_unlock(space);
	return result;
}
