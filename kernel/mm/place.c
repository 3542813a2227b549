/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout of an address space at its start, and the place that mmap chooses.
 *
 * The layout is Linux's on x86-64, on Alpha too: stacks at the top, mappings downwards from mmap_base,
 * the program and its heap far below. With address space layout randomisation each of them moves by a
 * random number of pages (Linux's arch/x86/mm/mmap.c and fs/binfmt_elf.c, as seen in
 * /proc/PID/maps); without it, all runs of a program see the same addresses.
 *
 * Lock: space->mutex, held by the callers of place_find.
 */
#include <stdatomic.h>

#include <kernel/base/boot.h>
#include <kernel/random/random.h>
#include <uapi/linux/errno.h>

#include "vm.h"

/* The gap left for the stack is at least this, and at most 5/6 of the address space. */
#define STACK_GAP_MIN	 ((uintptr_t)128 << 20)
#define STACK_GAP_MAX	 (USER_END / 6 * 5)
/* Random pages, as a part of the address space: on x86-64 22 bits for the stack, 28 for mappings, as in
 * Linux. */
#define USER_PAGES	 ((USER_END - 1) >> PAGE_SHIFT)
#define STACK_RANDOM_MAX ((uintptr_t)(USER_PAGES / 8192) << PAGE_SHIFT)
#define MMAP_RANDOM_MASK ((uint64_t)(USER_PAGES / 128))
/* Random bytes, below a page's alignment, that the stack starts lower. */
#define STACK_ALIGN_MASK 0x1ff0
#define BRK_RANDOM_PAGES (((uint64_t)1 << 30) >> PAGE_SHIFT)
/* Two thirds of the address space: Linux's ELF_ET_DYN_BASE. */
#define DYNAMIC_BASE	 ((uintptr_t)(USER_END / 3 * 2 & PAGE_MASK))
/* The start of the upward search after the downward one has failed: Linux's TASK_UNMAPPED_BASE. */
#define UPWARDS_BASE	 (USER_END / 3 & PAGE_MASK)
/* The range for MAP_32BIT. */
#define LOW_START	 ((uintptr_t)0x40000000)
#define LOW_END		 ((uintptr_t)0x80000000)
/* Greatest error number: Linux's MAX_ERRNO. */
#define ERROR_MAX	 4095

_Static_assert((MMAP_RANDOM_MASK & (MMAP_RANDOM_MASK + 1)) == 0, "a mask of random bits");

bool vm_layout_randomized(void)
{
	static _Atomic int allowed = -1;

	if (allowed < 0)
		allowed = !boot_word("norandom");
	return allowed;
}

static uint64_t random_word(void)
{
	uint64_t word;

	random_bytes(&word, sizeof(word));
	return word;
}

size_t pages_round_up(size_t size)
{
	return (size + PAGE_SIZE - 1) & PAGE_MASK;
}

void vm_lay_out(struct vm_space *space, uint64_t stack_limit_bytes, bool randomized)
{
	uint64_t room = STACK_GUARD_SIZE + (randomized ? STACK_RANDOM_MAX : 0);
	uint64_t gap = stack_limit_bytes + room;
	uintptr_t random = 0;

	if (gap < room)
		gap = stack_limit_bytes;
	gap = gap < STACK_GAP_MIN ? STACK_GAP_MIN : gap > STACK_GAP_MAX ? STACK_GAP_MAX : gap;
	space->randomized = randomized;
	space->stack_top = USER_END;
	if (randomized) {
		random = (random_word() & MMAP_RANDOM_MASK) << PAGE_SHIFT;
		space->stack_top -= random_word() & STACK_RANDOM_MAX;
	}
	space->mmap_base = pages_round_up(USER_END - gap - random);
}

uintptr_t vm_dynamic_base(const struct vm_space *space)
{
	uintptr_t random = space->randomized ? random_word() & MMAP_RANDOM_MASK : 0;

	return DYNAMIC_BASE + (random << PAGE_SHIFT);
}

void vm_set_brk_start(struct vm_space *space, uintptr_t end)
{
	uintptr_t start = pages_round_up(end);

	if (space->randomized)
		start += random_word() % BRK_RANDOM_PAGES << PAGE_SHIFT;
	space->brk_start = space->brk = start;
}

size_t vm_stack_shift(const struct vm_space *space)
{
	return space->randomized ? random_word() & STACK_ALIGN_MASK : 0;
}

/* Returns the lowest address that AREA keeps free of others: a stack has a gap below. */
static uintptr_t claimed_from(const struct vm_area *area)
{
	if (!area->grows_down)
		return area->start;
	return area->start > STACK_GUARD_SIZE ? area->start - STACK_GUARD_SIZE : 0;
}

/* Returns the highest free place of SIZE bytes below LIMIT, or 0. */
static uintptr_t find_downwards(struct vm_space *space, size_t size, uintptr_t limit)
{
	uintptr_t end = limit;
	struct vm_area *area;

	RB_FOREACH_REVERSE(area, vm_area_tree, &space->areas)
	{
		if (area->end <= end && end - area->end >= size)
			return end - size;
		if (claimed_from(area) < end)
			end = claimed_from(area);
	}
	return end >= USER_START && end - USER_START >= size ? end - size : 0;
}

/* Returns the lowest free place of SIZE bytes in [LOW, HIGH), or 0. */
static uintptr_t find_upwards(struct vm_space *space, size_t size, uintptr_t low, uintptr_t high)
{
	struct vm_area *area = area_at_or_above(space, low);

	for (; low < high && size <= high - low;
	     area = RB_NEXT(vm_area_tree, &space->areas, area)) {
		if (!area || (claimed_from(area) >= low && claimed_from(area) - low >= size))
			return low;
		low = area->end;
	}
	return 0;
}

static bool is_free(struct vm_space *space, struct user_range range)
{
	struct vm_area *area = area_at_or_above(space, user_range_start(range));

	return !area || area->start >= user_range_end(range);
}

/* Checks the place for MAP_FIXED and MAP_FIXED_NOREPLACE. */
static int check_fixed(struct vm_space *space, const struct vm_request *request, size_t size,
		       struct user_range *place)
{
	uintptr_t address = request->address;

	/* As in Linux, where addresses and errors share one number (get_unmapped_area). */
	if (address >= (uintptr_t)-ERROR_MAX)
		return (int)address;
	if (!user_range_make(address, size, place))
		return -ENOMEM;
	if (address & ~PAGE_MASK)
		return -EINVAL;
	if (address < USER_START)
		return -EPERM;
	return request->no_replace && !is_free(space, *place) ? -EEXIST : 0;
}

/* Takes the place that REQUEST hints at; false: it is not free. */
static bool take_hint(struct vm_space *space, const struct vm_request *request, size_t size,
		      struct user_range *place)
{
	uintptr_t address = request->address & PAGE_MASK;

	if (!address)
		return false;
	/* Linux: round_hint_to_min. */
	if (address < USER_START)
		address = USER_START;
	if (!user_range_make(address, size, place))
		return false;
	struct vm_area *above = area_at_or_above(space, address);

	return !above || claimed_from(above) >= user_range_end(*place);
}

int place_find(struct vm_space *space, const struct vm_request *request, size_t size,
	       struct user_range *place)
{
	uintptr_t address;

	if (request->fixed)
		return check_fixed(space, request, size, place);
	if (take_hint(space, request, size, place))
		return 0;
	if (request->low_2gib)
		address = find_upwards(space, size, LOW_START, LOW_END);
	else
		address = find_downwards(space, size, space->mmap_base);
	if (!address && !request->low_2gib)
		address = find_upwards(space, size, UPWARDS_BASE, USER_END);
	return address && user_range_make(address, size, place) ? 0 : -ENOMEM;
}
