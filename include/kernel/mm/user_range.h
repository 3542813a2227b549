/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A range of addresses that lies in user space. Everything that walks areas or page tables takes one instead
 * of a pair of numbers, so that an address from a program is checked before its first use.
 *
 * Only the functions of this header make one. Another file that tries does not compile: the names of the
 * members are poisoned after the last function, and a list of values without names is an error
 * (-Wdesignated-init). `struct user_range range = {}` is the empty range.
 *
 * A program may name a range that reaches beyond user space. Some calls refuse such a range
 * (user_range_make); others work up to the end, and treat the rest like addresses without a mapping
 * (user_range_clip): so a range also says how many bytes lie outside.
 *
 * Any context: values without a lock.
 */
#ifndef KERNEL_USER_RANGE_H
#define KERNEL_USER_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/mm/page.h>
#include <machine/mmu.h>

_Static_assert(USER_END % PAGE_SIZE == 0, "whole pages of user space are whole pages");

#if __has_attribute(designated_init)
#define USER_RANGE_NAMED __attribute__((designated_init))
#else
#define USER_RANGE_NAMED
#endif

struct user_range {
	uintptr_t user_range_member_start, user_range_member_end; /* start <= end <= USER_END */
	size_t user_range_member_outside;
} USER_RANGE_NAMED;

static inline uintptr_t user_range_start(struct user_range range)
{
	return range.user_range_member_start;
}

static inline uintptr_t user_range_end(struct user_range range)
{
	return range.user_range_member_end;
}

/* Returns the bytes in user space. */
static inline size_t user_range_size(struct user_range range)
{
	return range.user_range_member_end - range.user_range_member_start;
}

/* Returns the requested bytes that lie beyond user space. */
static inline size_t user_range_outside(struct user_range range)
{
	return range.user_range_member_outside;
}

/* Returns the part of [START, START + SIZE) that lies in user space; the rest is outside. A range that wraps
 * ends at the end of all addresses. Addresses below USER_START count as user space, as in Linux. */
static inline struct user_range user_range_clip(uintptr_t start, size_t size)
{
	uintptr_t end = start + size < start ? UINTPTR_MAX : start + size;
	uintptr_t first = start < USER_END ? start : USER_END;
	uintptr_t stop = end < USER_END ? end : USER_END;

	return (struct user_range){
		.user_range_member_start = first,
		.user_range_member_end = stop,
		.user_range_member_outside = (end - start) - (stop - first),
	};
}

/* Makes RANGE [START, START + SIZE); false: part of it lies outside. An empty range may lie at USER_END. */
static inline bool user_range_make(uintptr_t start, size_t size, struct user_range *range)
{
	if (size > USER_END || start > USER_END - size)
		return false;
	*range = user_range_clip(start, size);
	return true;
}

/* Return the part of RANGE at AT and above, and the part below. */
static inline struct user_range user_range_from(struct user_range range, uintptr_t at)
{
	uintptr_t end = range.user_range_member_end;

	at = at < end ? at : end;
	if (at > range.user_range_member_start)
		range.user_range_member_start = at;
	return range;
}

static inline struct user_range user_range_below(struct user_range range, uintptr_t at)
{
	uintptr_t start = range.user_range_member_start;

	at = at > start ? at : start;
	if (at >= range.user_range_member_end)
		return range;
	range.user_range_member_end = at;
	range.user_range_member_outside = 0;
	return range;
}

/* Returns all pages that RANGE touches. */
static inline struct user_range user_range_pages(struct user_range range)
{
	range.user_range_member_start &= PAGE_MASK;
	range.user_range_member_end = (range.user_range_member_end + PAGE_SIZE - 1) & PAGE_MASK;
	return range;
}

#pragma GCC poison user_range_member_start user_range_member_end user_range_member_outside

#endif
