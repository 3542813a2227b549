/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's reserve of pages. Pages of programs come from what lies above it, so that the kernel's own
 * paths (exits, page tables, signals) find memory when programs do not. See kernel/task/oom.c for what
 * happens then.
 */
#include "vm.h"

#include <kernel/mm/kmalloc.h>

/* The reserve is this part of all memory, within limits in pages. */
#define RESERVE_PART 64
#define RESERVE_MIN  64
#define RESERVE_MAX  1024

size_t oom_reserve_pages(void)
{
	size_t part = page_total_count() / RESERVE_PART;

	return part < RESERVE_MIN ? RESERVE_MIN : part > RESERVE_MAX ? RESERVE_MAX : part;
}

bool oom_has_pages(size_t count)
{
	if (page_free_count() >= count)
		return true;
	kmalloc_take_back();
	return page_free_count() >= count;
}

void *oom_page_alloc(void)
{
	return oom_has_pages(oom_reserve_pages() + 1) ? page_alloc(0) : NULL;
}
