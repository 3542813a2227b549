/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls on ranges of mapped memory: protect, advise, lock, query residency, write back.
 *
 * Each call splits areas at the range's ends, walks over whole areas, and in the end merges areas that
 * have become alike. The effect of a hole differs from call to call, as it does in Linux.
 *
 * Lock: space->mutex.
 */
#include <string.h>

#include <kernel/fs/file.h>
#include <kernel/mm/tables.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/mman.h>

#include "vm.h"

/* The change that a walk makes to each area. */
struct area_change {
	int (*apply)(struct vm_area *area, unsigned int argument);
	unsigned int argument, flags;
};

#define STOPS_AT_HOLE 1
/* An indivisible area is not split; apply sees all of it. */
#define KEEPS_WHOLE   2

/* Splits areas at START, where an area is, and at END, unless CHANGE keeps the area whole. */
static int make_boundaries(struct vm_space *space, uintptr_t start, uintptr_t end,
			   const struct area_change *change)
{
	if ((change->flags & KEEPS_WHOLE) && area_is_indivisible(area_at(space, start)))
		return 0;
	int error = area_split_at(space, start);
	return error ? error : area_split_at(space, end);
}

/* Applies CHANGE to each area in RANGE, page aligned. An error ends the walk. A hole ends it only with
 * STOPS_AT_HOLE, but always makes the result -ENOMEM; so does a part outside of user space. */
static int for_each_area(struct vm_space *space, struct user_range range,
			 const struct area_change *change)
{
	uintptr_t start = user_range_start(range), end = user_range_end(range), at = start;
	int error = 0, hole = user_range_outside(range) ? -ENOMEM : 0;

	while (!error && at < end) {
		struct vm_area *area = area_at_or_above(space, at);

		if (!area || area->start > at) {
			hole = -ENOMEM;
			if (!area || area->start >= end || (change->flags & STOPS_AT_HOLE))
				break;
			at = area->start;
		}
		error = make_boundaries(space, at, end, change);
		if (error)
			break;
		error = change->apply(area_at(space, at), change->argument);
		at = area_at(space, at)->end; /* apply may have merged it */
	}
	areas_merge(space, start, end);
	return error ? error : hole;
}

paddr_t vm_shared_paddr(struct vm_space *space, uintptr_t address)
{
	unsigned int prot;
	paddr_t paddr = 0;

	mutex_lock(&space->mutex);
	struct vm_area *area = area_at(space, address);

	if (area && area->shared && area->ops)
		paddr = user_tables_lookup(&space->arch, address & PAGE_MASK, &prot);
	vm_space_unlock(space);
	return paddr ? paddr + (address & ~PAGE_MASK) : 0;
}

static int protect_area(struct vm_area *area, unsigned int prot)
{
	if (prot & ~area->max_prot)
		return -EACCES;
	if (area->prot == prot)
		return 0;
	area->prot = prot;
	pages_protect(area);
	/* Linux: mprotect_fixup. */
	if (area->locked && (prot & VM_WRITE) && !area->shared)
		area_populate(area, area_range(area));
	area_report(area_merge(area));
	return 0;
}

/* PROT_GROWSDOWN: extends the range down to the start of the stack. */
static int find_stack_start(struct vm_space *space, struct user_range *range)
{
	struct vm_area *area = area_at_or_above(space, user_range_start(*range));
	size_t outside = user_range_outside(*range);

	if (!area || area->start >= user_range_end(*range))
		return -ENOMEM;
	if (!area->grows_down)
		return -EINVAL;
	*range = user_range_clip(area->start, user_range_end(*range) - area->start + outside);
	return 0;
}

int vm_protect(struct vm_space *space, struct user_range range, unsigned int prot)
{
	const struct area_change change = { protect_area, prot & (VM_READ | VM_WRITE | VM_EXEC),
					    STOPS_AT_HOLE };
	int error = 0;

	mutex_lock(&space->mutex);
	if (prot & PROT_GROWSDOWN)
		error = find_stack_start(space, &range);
	/* No area grows up. */
	else if (prot & PROT_GROWSUP)
		error = area_at(space, user_range_start(range)) ? -EINVAL : -ENOMEM;
	if (!error)
		error = for_each_area(space, range, &change);
	vm_space_unlock(space);
	return error;
}

static bool is_anonymous(const struct vm_area *area)
{
	return !area->ops && !area->file;
}

static int discard_locked(struct vm_area *area, unsigned int unused)
{
	if (area->device)
		return -EINVAL;
	pages_unmap(area->space, area_range(area));
	return 0;
}

static int discard(struct vm_area *area, unsigned int unused)
{
	return area->locked ? -EINVAL : discard_locked(area, 0);
}

/* MADV_FREE allows the kernel to drop the contents at any time from now on; Tally drops them at once. */
static int discard_anonymous(struct vm_area *area, unsigned int unused)
{
	return is_anonymous(area) ? discard_locked(area, 0) : -EINVAL;
}

static int set_dont_copy(struct vm_area *area, unsigned int value)
{
	if (!value && area->device)
		return -EINVAL;
	area->dont_copy = value;
	return 0;
}

static int set_wipe(struct vm_area *area, unsigned int value)
{
	if (value && ((area->file && !area->device) || area->shared))
		return -EINVAL;
	area->wipe_on_fork = value;
	return 0;
}

static int set_dont_dump(struct vm_area *area, unsigned int value)
{
	if (!value && area->device)
		return -EINVAL;
	area->dont_dump = value;
	return 0;
}

static int hint(struct vm_area *area, unsigned int unused)
{
	return 0;
}

/* There is no swap, so nothing is paged out; but locked areas refuse the hint. */
static int hint_unlocked(struct vm_area *area, unsigned int unused)
{
	return area->locked || area->device ? -EINVAL : 0;
}

static int populate(struct vm_area *area, unsigned int write)
{
	if (area->device || (write ? !(area->prot & VM_WRITE) : !area->prot))
		return -EINVAL;
	for (uintptr_t at = area->start; at < area->end; at += PAGE_SIZE) {
		enum fault_result result = page_make_present(area, at, write);

		if (result != FAULT_DONE)
			return result == FAULT_NO_MEMORY ? -ENOMEM : -EFAULT;
		if (signal_is_fatal_pending(task_current()))
			return -EINTR;
		sched_relax();
	}
	return 0;
}

/* Linux's madvise_vma_behavior, one row for each advice. */
static const struct advice {
	int number;
	struct area_change change;
} advices[] = {
	{ MADV_NORMAL, { hint, 0, KEEPS_WHOLE } },
	{ MADV_RANDOM, { hint, 0, KEEPS_WHOLE } },
	{ MADV_SEQUENTIAL, { hint, 0, KEEPS_WHOLE } },
	{ MADV_WILLNEED, { hint, 0, KEEPS_WHOLE } },
	{ MADV_DONTNEED, { discard, 0, KEEPS_WHOLE } },
	{ MADV_DONTNEED_LOCKED, { discard_locked, 0, KEEPS_WHOLE } },
	{ MADV_FREE, { discard_anonymous, 0, 0 } },
	{ MADV_DONTFORK, { set_dont_copy, true, 0 } },
	{ MADV_DOFORK, { set_dont_copy, false, 0 } },
	{ MADV_MERGEABLE, { hint, 0, KEEPS_WHOLE } },
	{ MADV_UNMERGEABLE, { hint, 0, KEEPS_WHOLE } },
	{ MADV_HUGEPAGE, { hint, 0, KEEPS_WHOLE } },
	{ MADV_NOHUGEPAGE, { hint, 0, KEEPS_WHOLE } },
	{ MADV_DONTDUMP, { set_dont_dump, true, 0 } },
	{ MADV_DODUMP, { set_dont_dump, false, 0 } },
	{ MADV_WIPEONFORK, { set_wipe, true, 0 } },
	{ MADV_KEEPONFORK, { set_wipe, false, 0 } },
	{ MADV_COLD, { hint_unlocked, 0, 0 } },
	{ MADV_PAGEOUT, { hint_unlocked, 0, 0 } },
	{ MADV_POPULATE_READ, { populate, false, STOPS_AT_HOLE | KEEPS_WHOLE } },
	{ MADV_POPULATE_WRITE, { populate, true, STOPS_AT_HOLE | KEEPS_WHOLE } },
};

static const struct advice *find_advice(int number)
{
	for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++)
		if (advices[i].number == number)
			return &advices[i];
	return NULL;
}

bool vm_advice_known(int advice)
{
	return advice == MADV_REMOVE || find_advice(advice);
}

/* MADV_REMOVE: punches a hole into the object. The file system's work is done without space->mutex, on a
 * copy of the area. */
static int remove_object(struct vm_space *space, struct user_range range)
{
	uintptr_t start = user_range_start(range), end = user_range_end(range);
	int hole = user_range_outside(range) ? -ENOMEM : 0;

	while (start < end) {
		struct vm_area copy;
		uintptr_t stop;

		mutex_lock(&space->mutex);
		struct vm_area *area = area_at_or_above(space, start);

		if (!area || area->start > start)
			hole = -ENOMEM;
		if (!area || area->start >= end) {
			vm_space_unlock(space);
			break;
		}
		int error = area->locked || area->device || !area->ops ? -EINVAL : 0;

		if (area->start > start)
			start = area->start;
		if (!error && !(area->shared && (area->prot & VM_WRITE)))
			error = -EACCES;
		if (!error && !area->ops->remove)
			error = -ENODEV;
		if (!error) {
			copy = *area;
			if (copy.file)
				file_get(copy.file);
			if (copy.ops->open)
				copy.ops->open(&copy);
		}
		vm_space_unlock(space);
		if (error)
			return error;
		stop = copy.end < end ? copy.end : end;
		error = copy.ops->remove(&copy, copy.offset + (start - copy.start), stop - start);
		if (copy.ops->close)
			copy.ops->close(&copy);
		if (copy.file)
			file_put(copy.file);
		if (error)
			return error;
		start = stop;
	}
	return hole;
}

int vm_advise(struct vm_space *space, struct user_range range, int number)
{
	const struct advice *advice = find_advice(number);
	int error;

	if (number == MADV_REMOVE)
		return remove_object(space, range);
	if (!advice)
		return -EINVAL;
	mutex_lock(&space->mutex);
	error = for_each_area(space, range, &advice->change);
	vm_space_unlock(space);
	return error;
}

enum { LOCK_ON = 1, LOCK_ON_FAULT = 2 };

static int set_lock(struct vm_area *area, unsigned int how)
{
	struct vm_space *space = area->space;
	size_t pages = (area->end - area->start) >> PAGE_SHIFT;
	bool lock = how & LOCK_ON;

	/* Its pages stay in memory anyway (Linux: VM_SPECIAL). */
	if (area_is_indivisible(area))
		return 0;
	if (area->locked != lock)
		space->locked_pages += lock ? pages : -pages;
	area->locked = lock;
	area->lock_on_fault = lock && (how & LOCK_ON_FAULT);
	return 0;
}

/* Gets the pages of the locked areas in RANGE. */
static int populate_locked(struct vm_space *space, struct user_range range)
{
	uintptr_t start = user_range_start(range), end = user_range_end(range);
	struct vm_area *area = area_at_or_above(space, start);
	int error = 0;

	for (; area && area->start < end && !error;
	     area = RB_NEXT(vm_area_tree, &space->areas, area)) {
		struct user_range part = user_range_from(area_range(area), start);

		if (area->locked && !area->lock_on_fault)
			error = area_populate(area, user_range_below(part, end));
	}
	return error;
}

/* Returns how many pages in RANGE are locked already. */
static size_t count_locked(struct vm_space *space, struct user_range range)
{
	uintptr_t start = user_range_start(range), end = user_range_end(range);
	struct vm_area *area = area_at_or_above(space, start);
	size_t pages = 0;

	for (; area && area->start < end; area = RB_NEXT(vm_area_tree, &space->areas, area)) {
		uintptr_t from = area->start > start ? area->start : start;
		uintptr_t to = area->end < end ? area->end : end;

		pages += area->locked ? (to - from) >> PAGE_SHIFT : 0;
	}
	return pages;
}

int vm_lock(struct vm_space *space, struct user_range range, size_t pages, bool lock, bool on_fault)
{
	size_t there = (user_range_size(range) + user_range_outside(range)) >> PAGE_SHIFT;
	const struct area_change change = { set_lock,
					    (lock ? LOCK_ON : 0) | (on_fault ? LOCK_ON_FAULT : 0),
					    STOPS_AT_HOLE | KEEPS_WHOLE };
	int error = 0;

	mutex_lock(&space->mutex);
	size_t locked_max = space_locked_pages_max(space);

	if (lock && locked_max != SIZE_MAX) {
		size_t more = pages - count_locked(space, range);

		if (!locked_max)
			error = -EPERM;
		else if (space->locked_pages + more > locked_max)
			error = -ENOMEM;
	}
	if (!error && pages > there)
		error = -EINVAL;
	if (!error)
		error = pages ? for_each_area(space, range, &change) : 0;
	if (!error && lock && !on_fault) {
		error = populate_locked(space, range);
		/* Linux: __mlock_posix_error_return. */
		error = error == -EFAULT ? -ENOMEM : error == -ENOMEM ? -EAGAIN : error;
	}
	vm_space_unlock(space);
	return error;
}

int vm_lock_all(struct vm_space *space, unsigned int flags)
{
	bool on_fault = flags & MCL_ONFAULT;
	const struct area_change change = { set_lock,
					    (flags & MCL_CURRENT ? LOCK_ON : 0) |
						    (on_fault ? LOCK_ON_FAULT : 0),
					    KEEPS_WHOLE };
	struct user_range all = user_range_clip(0, USER_END);
	int error = 0;

	mutex_lock(&space->mutex);
	size_t locked_max = flags ? space_locked_pages_max(space) : SIZE_MAX;

	if (!locked_max)
		error = -EPERM;
	else if ((flags & MCL_CURRENT) && space->mapped_pages > locked_max)
		error = -ENOMEM;
	if (!error) {
		space->lock_future = flags & MCL_FUTURE;
		space->lock_future_on_fault = on_fault;
		if (!flags || (flags & MCL_CURRENT))
			for_each_area(space, all, &change);
		if ((flags & MCL_CURRENT) && !on_fault)
			populate_locked(space, all);
	}
	vm_space_unlock(space);
	return error;
}

/* Returns whether the page at ADDRESS of AREA is in memory. For unmapped pages Linux asks the page cache;
 * Tally keeps whole files in memory, so a file's page is there if the file reaches to it. */
static bool is_resident(struct vm_area *area, uintptr_t address)
{
	unsigned int prot;
	paddr_t paddr = user_tables_lookup(&area->space->arch, address, &prot);

	if (paddr)
		return true;
	uint64_t offset = area->offset + (address - area->start);

	return area->ops && area->ops->resident && area->ops->resident(area, offset);
}

long vm_resident_vector(struct vm_space *space, struct user_range range, unsigned char *pages)
{
	uintptr_t address = user_range_start(range);
	size_t done = 0;

	mutex_lock(&space->mutex);
	for (; address < user_range_end(range); done++, address += PAGE_SIZE) {
		struct vm_area *area = area_at(space, address);

		if (!area)
			break;
		pages[done] = is_resident(area, address);
	}
	vm_space_unlock(space);
	return done ? (long)done : -ENOMEM;
}

/* Secures what AREA shows at ADDRESS … END - 1. */
static int sync_part(struct vm_area *area, uintptr_t address, uintptr_t end)
{
	uint64_t offset = area->offset - area->start;

	if (address < area->start)
		address = area->start;
	if (end > area->end)
		end = area->end;
	return area->ops->sync(area, offset + address, offset + end);
}

int vm_sync(struct vm_space *space, struct user_range range, unsigned int flags)
{
	uintptr_t address = user_range_start(range), end = user_range_end(range);
	int error = 0, hole = user_range_outside(range) ? -ENOMEM : 0;

	mutex_lock(&space->mutex);
	while (address < end && !error) {
		struct vm_area *area = area_at_or_above(space, address);

		if (!area || area->start > address)
			hole = -ENOMEM;
		if (!area || area->start >= end)
			break;
		if ((flags & MS_INVALIDATE) && area->locked)
			error = -EBUSY;
		else if ((flags & MS_SYNC) && area->shared && area->file &&
			 !file_has_contents(area->file))
			error = -EINVAL;
		else if ((flags & MS_SYNC) && area->ops && area->ops->sync)
			error = sync_part(area, address, end);
		address = area->end;
	}
	vm_space_unlock(space);
	return error ? error : hole;
}
