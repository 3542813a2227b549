/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The areas of an address space: finding, mapping, splitting, merging, unmapping.
 *
 * Areas lie in a tree by address and never overlap. An operation on a range first splits the
 * areas at the range's ends, then treats whole areas, and in the end merges areas that have become alike:
 * so /proc/PID/maps has the lines that Linux shows.
 *
 * Not here: the place of a mapping (place.c), changes to existing mappings (range.c, remap.c), pages
 * (fault.c), whole spaces (space.c).
 *
 * Lock: space->mutex. The functions of <kernel/mm/vm.h> take it; callers of those in vm.h hold it.
 */
#include <kernel/base/assert.h>
#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/sched/credentials.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
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

size_t space_locked_pages_max(const struct vm_space *space)
{
	return capable(CAP_IPC_LOCK) ? SIZE_MAX : space->locked_pages_max;
}

bool space_may_grow(const struct vm_space *space, size_t size)
{
	return space->mapped_pages <= space->mapped_pages_max &&
	       size >> PAGE_SHIFT <= space->mapped_pages_max - space->mapped_pages;
}

void area_resize(struct vm_area *area, uintptr_t start, uintptr_t end)
{
	struct vm_space *space = area->space;
	size_t old = (area->end - area->start) >> PAGE_SHIFT, new = (end - start) >> PAGE_SHIFT;

	area->offset += start - area->start;
	area->start = start;
	area->end = end;
	space->mapped_pages += new - old;
	if (area->locked)
		space->locked_pages += new - old;
	if (space->mapped_pages > space->mapped_pages_peak)
		space->mapped_pages_peak = space->mapped_pages;
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
	/* No gap to another stack, nor to an area without any access. */
	size_t gap = below && (below->grows_down || !below->prot) ? 0 : STACK_GUARD_SIZE;
	uintptr_t lowest = below ? below->end : USER_START;

	if (start < lowest || start - lowest < gap || !space_may_grow(space, area->start - start))
		return NULL;
	area_resize(area, start, area->end);
	area_report(area);
	return area;
}

void area_insert(struct vm_area *area)
{
	struct vm_space *space = area->space;

	ASSERT(area->start < area->end);
	RB_INSERT(vm_area_tree, &space->areas, area);
	space->area_count++;
	if (area->mapping)
		mapping_add(area);
}

/* Inserts AREA, new in its space, and counts it. */
static void insert_counted(struct vm_area *area)
{
	struct vm_space *space = area->space;

	area_insert(area);
	space->mapped_pages += (area->end - area->start) >> PAGE_SHIFT;
	if (area->locked)
		space->locked_pages += (area->end - area->start) >> PAGE_SHIFT;
	if (space->mapped_pages > space->mapped_pages_peak)
		space->mapped_pages_peak = space->mapped_pages;
}

static void take_out(struct vm_area *area)
{
	RB_REMOVE(vm_area_tree, &area->space->areas, area);
	area->space->area_count--;
	if (area->mapping)
		mapping_remove(area);
}

void area_free(struct vm_area *area)
{
	if (area->ops && area->ops->close)
		area->ops->close(area);
	if (!area->file) {
		kfree(area);
		return;
	}
	area->next_freed = area->space->freed_areas;
	area->space->freed_areas = area;
}

void area_copied(struct vm_area *copy)
{
	area_insert(copy);
	if (copy->file)
		file_get(copy->file);
	if (copy->ops && copy->ops->open)
		copy->ops->open(copy);
}

int area_check_split_at(struct vm_space *space, uintptr_t address)
{
	const struct vm_area *area = area_at(space, address);
	bool parts = area && area->start < address;

	return parts && area_is_indivisible(area) ? -EINVAL : 0;
}

int area_split_at(struct vm_space *space, uintptr_t address)
{
	struct vm_area *low = area_at(space, address);

	if (!low || low->start == address)
		return 0;
	if (space->area_count >= VM_AREAS_MAX)
		return -ENOMEM;
	if (area_is_indivisible(low))
		return -EINVAL;
	struct vm_area *high = kzalloc(sizeof(*high));

	if (!high)
		return -ENOMEM;
	*high = *low;
	high->start = address;
	high->offset += address - low->start;
	low->end = address;
	area_copied(high);
	return 0;
}

/* Returns whether HIGH begins where LOW ends and continues LOW's object with the same properties. Linux:
 * can_vma_merge_after. */
static bool are_alike(const struct vm_area *low, const struct vm_area *high)
{
	bool one_source = low->file == high->file && low->ops == high->ops &&
			  low->private == high->private && low->name == high->name;
	bool one_way = low->prot == high->prot && low->max_prot == high->max_prot &&
		       low->shared == high->shared && low->dont_copy == high->dont_copy &&
		       low->wipe_on_fork == high->wipe_on_fork &&
		       low->dont_dump == high->dont_dump && low->no_reserve == high->no_reserve &&
		       low->locked == high->locked && low->lock_on_fault == high->lock_on_fault &&
		       low->grows_down == high->grows_down;

	return low->end == high->start && one_source && one_way &&
	       (!low->ops || low->ops->mergeable) &&
	       low->offset + (low->end - low->start) == high->offset;
}

/* Merges HIGH into LOW. */
static struct vm_area *join(struct vm_area *low, struct vm_area *high)
{
	take_out(high);
	low->end = high->end;
	low->touched |= high->touched;
	area_free(high);
	return low;
}

struct vm_area *area_merge(struct vm_area *area)
{
	struct vm_area *low = RB_PREV(vm_area_tree, &area->space->areas, area), *high;

	if (low && are_alike(low, area))
		area = join(low, area);
	high = RB_NEXT(vm_area_tree, &area->space->areas, area);
	return high && are_alike(area, high) ? join(area, high) : area;
}

void areas_merge(struct vm_space *space, uintptr_t start, uintptr_t end)
{
	struct vm_area *area = area_at_or_above(space, start ? start - 1 : 0);

	while (area && area->start <= end)
		area = RB_NEXT(vm_area_tree, &space->areas, area_merge(area));
}

/* Unmaps RANGE, whose ends are area boundaries already. */
static void remove_areas(struct vm_space *space, struct user_range range)
{
	uintptr_t start = user_range_start(range), end = user_range_end(range);
	struct vm_area *area = area_at_or_above(space, start), *below;

	if (!area || area->start >= end)
		return;
	pages_unmap(space, range);
	while ((area = area_at_or_above(space, start)) && area->start < end) {
		size_t pages = (area->end - area->start) >> PAGE_SHIFT;

		area_report_unmapped(area);
		take_out(area);
		space->mapped_pages -= pages;
		space->locked_pages -= area->locked ? pages : 0;
		area_free(area);
	}
	below = area ? RB_PREV(vm_area_tree, &space->areas, area) :
		       RB_MAX(vm_area_tree, &space->areas);
	tables_trim(space, below ? below->end : 0, area ? area->start : UINTPTR_MAX, range);
}

int areas_unmap(struct vm_space *space, struct user_range range)
{
	int error = area_split_at(space, user_range_start(range));

	if (!error)
		error = area_split_at(space, user_range_end(range));
	if (!error)
		remove_areas(space, range);
	return error;
}

int vm_unmap(struct vm_space *space, struct user_range range)
{
	mutex_lock(&space->mutex);
	int error = areas_unmap(space, range);

	vm_space_unlock(space);
	return error;
}

/* Connects AREA to the object that it shows. */
static int attach_source(struct vm_area *area, const struct vm_request *request)
{
	area->name = request->name;
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

/* Checks the mapping against the file's open mode. Linux: do_mmap. */
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

int area_populate(struct vm_area *area, struct user_range range)
{
	uintptr_t end = user_range_end(range);
	bool write = !area->shared && (area->prot & VM_WRITE);

	if (!area->prot)
		return -EFAULT;
	for (uintptr_t at = user_range_start(range); at < end; at += PAGE_SIZE) {
		enum fault_result result = page_make_present(area, at, write);

		if (result != FAULT_DONE)
			return result == FAULT_NO_MEMORY ? -ENOMEM : -EFAULT;
		if (signal_is_fatal_pending(task_current()))
			return -EINTR;
		sched_relax();
	}
	return 0;
}

/* Checks everything that can be checked before the first change. */
static long check_map(struct vm_space *space, const struct vm_request *request, size_t size,
		      unsigned int *max_prot)
{
	int error = request->file ? check_file_access(request, max_prot) : 0;
	bool locked = request->locked || space->lock_future;

	if (error)
		return error;
	if (space->area_count > VM_AREAS_MAX || !space_may_grow(space, size))
		return -ENOMEM;
	size_t locked_max = locked ? space_locked_pages_max(space) : 0;

	if (locked && space->locked_pages + (size >> PAGE_SHIFT) > locked_max)
		return request->locked && !space->locked_pages_max ? -EPERM : -EAGAIN;
	return 0;
}

long space_map(struct vm_space *space, const struct vm_request *request, size_t size)
{
	unsigned int max_prot = VM_READ | VM_WRITE | VM_EXEC;
	long error = check_map(space, request, size, &max_prot);

	if (error)
		return error;
	struct user_range place;

	error = place_find(space, request, size, &place);
	if (error)
		return error;
	struct vm_area *area = kzalloc(sizeof(*area));

	if (!area)
		return -ENOMEM;
	*area = (struct vm_area){
		.start = user_range_start(place),
		.end = user_range_end(place),
		.prot = request->prot,
		.max_prot = max_prot,
		.shared = request->shared,
		.grows_down = request->grows_down,
		.no_reserve = request->no_reserve,
		.dont_dump = request->device,
		.device = request->device,
		.locked = request->locked || space->lock_future,
		.lock_on_fault = !request->locked && space->lock_future_on_fault,
		.offset = request->file ? request->offset : user_range_start(place),
		.space = space,
	};
	/* Unmap first, as Linux does: the file may count its mappings. */
	if (request->fixed)
		error = areas_unmap(space, place);
	if (!error)
		error = attach_source(area, request);
	if (error) {
		kfree(area);
		return error;
	}
	insert_counted(area);
	bool populate = request->populate || (area->locked && !area->lock_on_fault);

	area = area_merge(area);
	area_report(area);
	/* As in Linux, a page that cannot be had now comes (or fails) at the access. */
	if (populate)
		area_populate(area, place);
	return (long)user_range_start(place);
}

long vm_map(struct vm_space *space, const struct vm_request *request)
{
	size_t size = pages_round_up(request->size);

	if (!request->size)
		return -EINVAL;
	if (!size || size > USER_END)
		return -ENOMEM;
	/* More than all of the machine's memory can never be used; sparse reservations set
	 * no_reserve. Linux: __vm_enough_memory, heuristic overcommit. */
	if ((request->prot & VM_WRITE) && !request->no_reserve &&
	    (!request->file || !request->shared) && size >> PAGE_SHIFT > page_total_count())
		return -ENOMEM;
	mutex_lock(&space->mutex);
	long result = space_map(space, request, size);

	vm_space_unlock(space);
	return result;
}
