/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The areas of an address space: finding, mapping, splitting, unmapping, protecting.
 *
 * Areas lie in a tree by address and never overlap. An operation on a range first splits the
 * areas at the range's ends, and then treats whole areas.
 *
 * Not here: pages (fault.c), whole spaces (space.c).
 *
 * Lock: space->mutex, taken by the functions of <kernel/vm.h>, held by the callers of those in
 * vm.h.
 */
#include <kernel/assert.h>
#include <kernel/file.h>
#include <kernel/kmalloc.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "vm.h"

static int compare_areas(struct vm_area *a, struct vm_area *b)
{
	return a->start < b->start ? -1 : a->start > b->start;
}

RB_GENERATE(vm_area_tree, vm_area, node, compare_areas)

struct vm_area *area_at_or_above(struct vm_space *space, uintptr_t address)
{
	struct vm_area *area = RB_ROOT(&space->areas), *best = NULL;

	while (area) {
		if (address < area->end) {
			best = area;
			area = RB_LEFT(area, node);
		} else {
			area = RB_RIGHT(area, node);
		}
	}
	return best;
}

struct vm_area *area_at(struct vm_space *space, uintptr_t address)
{
	struct vm_area *area = area_at_or_above(space, address);

	return area && area->start <= address ? area : NULL;
}

/* Whether SIZE bytes more of mappings are within the limit. Linux: may_expand_vm. */
static bool may_grow(const struct vm_space *space, size_t size)
{
	return space->mapped_pages <= space->mapped_pages_max &&
	       size >> PAGE_SHIFT <= space->mapped_pages_max - space->mapped_pages;
}

struct vm_area *area_at_growing(struct vm_space *space, uintptr_t address)
{
	struct vm_area *area = area_at_or_above(space, address);

	if (!area || area->start <= address)
		return area;
	uintptr_t start = address & PAGE_MASK;

	if (!area->grows_down || area->end - start > space->stack_limit_bytes)
		return NULL;
	struct vm_area *below = RB_PREV(vm_area_tree, &space->areas, area);
	uintptr_t lowest = below ? below->end : USER_START;

	if (start < lowest || start - lowest < STACK_GUARD_SIZE ||
	    !may_grow(space, area->start - start))
		return NULL;
	space->mapped_pages += (area->start - start) >> PAGE_SHIFT;
	area->start = start;
	return area;
}

static void insert(struct vm_area *area)
{
	ASSERT(area->start < area->end);
	RB_INSERT(vm_area_tree, &area->space->areas, area);
	area->space->mapped_pages += (area->end - area->start) >> PAGE_SHIFT;
}

static void take_out(struct vm_area *area)
{
	RB_REMOVE(vm_area_tree, &area->space->areas, area);
	area->space->mapped_pages -= (area->end - area->start) >> PAGE_SHIFT;
}

void area_free(struct vm_area *area)
{
	if (area->ops && area->ops->close)
		area->ops->close(area);
	if (area->file)
		file_put(area->file);
	kfree(area);
}

int area_split_at(struct vm_space *space, uintptr_t address)
{
	struct vm_area *low = area_at(space, address);

	if (!low || low->start == address)
		return 0;
	struct vm_area *high = kzalloc(sizeof(*high));

	if (!high)
		return -ENOMEM;
	*high = *low;
	high->start = address;
	high->offset += address - low->start;
	low->end = address;
	RB_INSERT(vm_area_tree, &space->areas, high);
	if (high->file)
		file_get(high->file);
	if (high->ops && high->ops->open)
		high->ops->open(high);
	return 0;
}

/* Whether [ADDRESS, ADDRESS + SIZE) lies in user space. SIZE: page aligned, not 0. */
static bool in_user_space(uintptr_t address, size_t size)
{
	return address >= USER_START && address < USER_END && size <= USER_END - address;
}

/* SIZE rounded up to pages, or 0 when that does not fit. */
static size_t round_up_pages(size_t size)
{
	return (size + PAGE_SIZE - 1) & PAGE_MASK;
}

/* The highest free place of SIZE bytes below LIMIT, or 0. */
static uintptr_t find_free(struct vm_space *space, size_t size, uintptr_t limit)
{
	uintptr_t end = limit;
	struct vm_area *area;

	RB_FOREACH_REVERSE(area, vm_area_tree, &space->areas)
	{
		if (area->end <= end && end - area->end >= size)
			return end - size;
		uintptr_t bottom = area->start;

		if (area->grows_down)
			bottom = bottom > STACK_GUARD_SIZE ? bottom - STACK_GUARD_SIZE : 0;
		if (bottom < end)
			end = bottom;
	}
	return end >= USER_START && end - USER_START >= size ? end - size : 0;
}

static bool is_free(struct vm_space *space, uintptr_t address, size_t size)
{
	struct vm_area *area = area_at_or_above(space, address);

	return !area || area->start >= address + size;
}

/* Unmaps [START, END), whose ends are area boundaries already. */
static void remove_areas(struct vm_space *space, uintptr_t start, uintptr_t end)
{
	struct vm_area *area;

	pages_unmap(space, start, end);
	while ((area = area_at_or_above(space, start)) && area->start < end) {
		take_out(area);
		area_free(area);
	}
}

static int unmap_locked(struct vm_space *space, uintptr_t start, uintptr_t end)
{
	int error = area_split_at(space, start);

	if (!error)
		error = area_split_at(space, end);
	if (!error)
		remove_areas(space, start, end);
	return error;
}

int vm_unmap(struct vm_space *space, uintptr_t address, size_t size)
{
	size = round_up_pages(size);
	if ((address & ~PAGE_MASK) || !size || address > USER_END || size > USER_END - address)
		return -EINVAL;
	mutex_lock(&space->mutex);
	int error = unmap_locked(space, address, address + size);

	mutex_unlock(&space->mutex);
	return error;
}

/* Where REQUEST is to go, or a negative error. */
static long find_place(struct vm_space *space, const struct vm_request *request, size_t size)
{
	uintptr_t address = request->address;

	if (request->fixed) {
		if (address & ~PAGE_MASK)
			return -EINVAL;
		if (address < USER_START)
			return -EPERM;
		if (!in_user_space(address, size))
			return -ENOMEM;
		if (request->no_replace && !is_free(space, address, size))
			return -EEXIST;
		return (long)address;
	}
	address = round_up_pages(address);
	if (address && in_user_space(address, size) && is_free(space, address, size))
		return (long)address;
	/* Below the stack's full extent, so that it can grow. */
	uintptr_t limit = space->stack_top - space->stack_limit_bytes - STACK_GUARD_SIZE;

	address = find_free(space, size, limit);
	return address ? (long)address : -ENOMEM;
}

/* Connects AREA to what it shows. */
static int attach_source(struct vm_area *area, const struct vm_request *request)
{
	if (request->inode) {
		area->inode = request->inode;
		area->file_bytes = request->file_bytes;
		return 0;
	}
	if (!request->file)
		return area->shared ? shared_memory_attach(area) : 0;
	if (!request->file->ops->mmap)
		return -ENODEV;
	area->file = request->file;
	int error = request->file->ops->mmap(request->file, area);

	if (error)
		area->file = NULL;
	else
		file_get(request->file);
	return error;
}

/* What the file's open mode allows. Linux: do_mmap. */
static int check_file_access(const struct vm_request *request, unsigned int *max_prot)
{
	unsigned int access = request->file->flags & O_ACCMODE;

	if (access == O_WRONLY)
		return -EACCES;
	if (request->shared && access == O_RDONLY) {
		if (request->prot & VM_WRITE)
			return -EACCES;
		*max_prot &= ~(unsigned int)VM_WRITE;
	}
	return 0;
}

static int populate(struct vm_area *area)
{
	for (uintptr_t at = area->start; at < area->end; at += PAGE_SIZE)
		if (page_make_present(area, at, area->prot & VM_WRITE) != FAULT_DONE)
			return -ENOMEM;
	return 0;
}

static long map_locked(struct vm_space *space, const struct vm_request *request, size_t size)
{
	unsigned int max_prot = VM_READ | VM_WRITE | VM_EXEC;
	int error = request->file ? check_file_access(request, &max_prot) : 0;

	if (error)
		return error;
	if (!may_grow(space, size))
		return -ENOMEM;
	long address = find_place(space, request, size);

	if (address < 0)
		return address;
	struct vm_area *area = kzalloc(sizeof(*area));

	if (!area)
		return -ENOMEM;
	*area = (struct vm_area){
		.start = (uintptr_t)address,
		.end = (uintptr_t)address + size,
		.prot = request->prot,
		.max_prot = max_prot,
		.shared = request->shared,
		.grows_down = request->grows_down,
		.offset = request->offset,
		.space = space,
	};
	/* What is there goes first (the file may count what is mapped of it); Linux does the
	 * same. */
	if (request->fixed)
		error = unmap_locked(space, area->start, area->end);
	if (!error)
		error = attach_source(area, request);
	if (error) {
		kfree(area);
		return error;
	}
	insert(area);
	/* As in Linux, memory that cannot be got now comes (or fails) at the access. */
	if (request->populate)
		populate(area);
	return address;
}

long vm_map(struct vm_space *space, const struct vm_request *request)
{
	size_t size = round_up_pages(request->size);

	if (!request->size)
		return -EINVAL;
	if (!size || size > USER_END - USER_START)
		return -ENOMEM;
	/* More than all of the machine's memory can never be used; sparse reservations say
	 * no_reserve. Linux: __vm_enough_memory, heuristic overcommit. */
	if ((request->prot & VM_WRITE) && !request->no_reserve &&
	    (!request->file || !request->shared) && size >> PAGE_SHIFT > page_total_count())
		return -ENOMEM;
	mutex_lock(&space->mutex);
	long result = map_locked(space, request, size);

	mutex_unlock(&space->mutex);
	return result;
}

/* Whether areas cover all of [START, END). */
static bool is_covered(struct vm_space *space, uintptr_t start, uintptr_t end)
{
	while (start < end) {
		struct vm_area *area = area_at(space, start);

		if (!area)
			return false;
		start = area->end;
	}
	return true;
}

bool vm_is_mapped(struct vm_space *space, uintptr_t address, size_t size)
{
	mutex_lock(&space->mutex);
	bool covered = is_covered(space, address, address + size);

	mutex_unlock(&space->mutex);
	return covered;
}

paddr_t vm_shared_paddr(struct vm_space *space, uintptr_t address)
{
	unsigned int prot;
	paddr_t paddr = 0;

	mutex_lock(&space->mutex);
	struct vm_area *area = area_at(space, address);

	if (area && area->shared && area->ops)
		paddr = arch_space_lookup(&space->arch, address & PAGE_MASK, &prot);
	mutex_unlock(&space->mutex);
	return paddr ? paddr + (address & ~PAGE_MASK) : 0;
}

/* Calls APPLY for each area in the range after splitting at its ends. The range is page
 * aligned. A hole ends the walk with -ENOMEM after what lies below it was treated, as in Linux. */
static int for_each_area(struct vm_space *space, uintptr_t start, uintptr_t end,
			 int (*apply)(struct vm_area *area, unsigned int argument),
			 unsigned int argument)
{
	int error = area_split_at(space, start);

	if (!error)
		error = area_split_at(space, end);
	while (!error && start < end) {
		struct vm_area *area = area_at(space, start);

		if (!area)
			return -ENOMEM;
		error = apply(area, argument);
		start = area->end;
	}
	return error;
}

/* Checks the range that a call was given and walks it with the space locked. */
static int walk_range(struct vm_space *space, uintptr_t address, size_t size,
		      int (*apply)(struct vm_area *area, unsigned int argument),
		      unsigned int argument)
{
	if (address & ~PAGE_MASK)
		return -EINVAL;
	if (!size)
		return 0;
	size = round_up_pages(size);
	if (!size || address + size < address)
		return -ENOMEM;
	if (!in_user_space(address, size))
		return -ENOMEM;
	mutex_lock(&space->mutex);
	int error = for_each_area(space, address, address + size, apply, argument);

	mutex_unlock(&space->mutex);
	return error;
}

static int protect_area(struct vm_area *area, unsigned int prot)
{
	if (prot & ~area->max_prot)
		return -EACCES;
	if (area->prot == prot)
		return 0;
	area->prot = prot;
	pages_protect(area);
	return 0;
}

int vm_protect(struct vm_space *space, uintptr_t address, size_t size, unsigned int prot)
{
	return walk_range(space, address, size, protect_area, prot);
}

static int discard_area(struct vm_area *area, unsigned int unused)
{
	pages_unmap(area->space, area->start, area->end);
	return 0;
}

int vm_discard(struct vm_space *space, uintptr_t address, size_t size)
{
	return walk_range(space, address, size, discard_area, 0);
}

static int set_dont_copy(struct vm_area *area, unsigned int dont_copy)
{
	area->dont_copy = dont_copy;
	return 0;
}

int vm_set_dont_copy(struct vm_space *space, uintptr_t address, size_t size, bool dont_copy)
{
	return walk_range(space, address, size, set_dont_copy, dont_copy);
}

uintptr_t vm_brk(struct vm_space *space, uintptr_t brk)
{
	mutex_lock(&space->mutex);
	uintptr_t old_end = round_up_pages(space->brk), new_end = round_up_pages(brk);

	if (brk < space->brk_start || !new_end || new_end > USER_END)
		goto out;
	if (new_end < old_end) {
		if (unmap_locked(space, new_end, old_end) == 0)
			space->brk = brk;
	} else if (new_end == old_end) {
		space->brk = brk;
	} else {
		/* The area that ends at the break is the heap's so far: it grows, if it is the
		 * heap's. */
		struct vm_area *above = area_at_or_above(space, old_end);

		if ((above &&
		     above->start < new_end + (above->grows_down ? STACK_GUARD_SIZE : 0)) ||
		    (new_end - old_end) >> PAGE_SHIFT > page_total_count() ||
		    !may_grow(space, new_end - old_end))
			goto out;
		struct vm_area *heap = old_end > space->brk_start ? area_at(space, old_end - 1) :
								    NULL;

		if (heap && !heap->ops && !heap->inode && !heap->file &&
		    heap->prot == (VM_READ | VM_WRITE) && heap->start >= space->brk_start) {
			space->mapped_pages += (new_end - old_end) >> PAGE_SHIFT;
			heap->end = new_end;
			space->brk = brk;
		} else {
			struct vm_request request = { .address = old_end,
						      .size = new_end - old_end,
						      .prot = VM_READ | VM_WRITE,
						      .fixed = true };

			if (map_locked(space, &request, request.size) >= 0)
				space->brk = brk;
		}
	}
out:
	brk = space->brk;
	mutex_unlock(&space->mutex);
	return brk;
}
