/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Physical memory before there is an allocator: the machine's RAM, its free part, and the permanent
 * allocation of pieces of the free part.
 *
 * Sets of memory are sorted arrays of ranges. On a machine with more pieces than fit, the last pieces
 * are left out, and a line in the log says so.
 */
#include "boot.h"

#include <string.h>

#include <kernel/base/log.h>
#include <machine/mmu.h>

extern const char __image_end[];

static const struct page_range *kernel_range(void)
{
	static struct page_range range = { KERNEL_LOAD_ADDRESS, 0 };

	range.end = (uintptr_t)__image_end - KERNEL_IMAGE_BASE;
	return &range;
}

static void append(struct page_range *ranges, size_t *count, paddr_t start, paddr_t end)
{
	if (start >= end)
		return;
	if (*count == BOOT_RANGES_MAX) {
		log_warning("memory: more than %d pieces: 0x%lx to 0x%lx stays unused",
			    BOOT_RANGES_MAX, start, end);
		return;
	}
	ranges[(*count)++] = (struct page_range){ start, end };
}

/* No CPU has longer addresses. */
#define MEMORY_END ((paddr_t)1 << 52)

void boot_memory_add(paddr_t start, uint64_t length)
{
	if (start >= MEMORY_END)
		return;

	paddr_t end = length < MEMORY_END - start ? start + length : MEMORY_END;

	append(boot_info.ram, &boot_info.ram_count, (start + PAGE_SIZE - 1) & PAGE_MASK,
	       end & PAGE_MASK);
}

void boot_memory_sort(void)
{
	struct page_range *ram = boot_info.ram;
	size_t count = boot_info.ram_count, merged = 0;

	for (size_t i = 1; i < count; i++) {
		struct page_range range = ram[i];
		size_t at = i;

		for (; at > 0 && ram[at - 1].start > range.start; at--)
			ram[at] = ram[at - 1];
		ram[at] = range;
	}
	for (size_t i = 0; i < count; i++) {
		if (merged > 0 && ram[i].start <= ram[merged - 1].end) {
			if (ram[i].end > ram[merged - 1].end)
				ram[merged - 1].end = ram[i].end;
		} else {
			ram[merged++] = ram[i];
		}
	}
	boot_info.ram_count = merged;
}

static bool overlap(const struct page_range *a, const struct page_range *b)
{
	return a->start < b->end && b->start < a->end;
}

bool boot_range_overlaps_kernel(struct page_range range)
{
	return overlap(&range, kernel_range());
}

bool boot_range_overlaps_ram(struct page_range range)
{
	for (size_t i = 0; i < boot_info.ram_count; i++)
		if (overlap(&range, &boot_info.ram[i]))
			return true;
	return false;
}

bool boot_range_in_ram(struct page_range range)
{
	for (size_t i = 0; i < boot_info.ram_count; i++)
		if (range.start >= boot_info.ram[i].start && range.end <= boot_info.ram[i].end)
			return true;
	return false;
}

bool boot_range_overlaps_module(struct page_range range)
{
	for (size_t i = 0; i < boot_info.module_count; i++)
		if (overlap(&range, &boot_info.modules[i]))
			return true;
	return false;
}

/* Removes HOLE, widened to whole pages, from boot_info.free. */
static void subtract(const struct page_range *hole)
{
	struct page_range pages = { hole->start & PAGE_MASK,
				    (hole->end + PAGE_SIZE - 1) & PAGE_MASK };
	struct page_range old[BOOT_RANGES_MAX];
	size_t count = boot_info.free_count;

	memcpy(old, boot_info.free, count * sizeof *old);
	boot_info.free_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (!overlap(&old[i], &pages)) {
			append(boot_info.free, &boot_info.free_count, old[i].start, old[i].end);
			continue;
		}
		append(boot_info.free, &boot_info.free_count, old[i].start, pages.start);
		append(boot_info.free, &boot_info.free_count, pages.end, old[i].end);
	}
}

/* The allocator describes each page frame up to the last one, also those of gaps: at most a part in this
 * number of a frame's size. */
#define FRAME_PER_DESCRIPTOR 64

/* Leaves out the highest ranges: what is out of reach, and ranges that are smaller than the descriptors of the
 * gap before them. */
static void leave_out(void)
{
	struct page_range *ranges = boot_info.free;
	uint64_t unused = 0;

	for (size_t i = boot_info.free_count; i-- > 0;) {
		paddr_t end = ranges[i].end < USED_MEMORY_END ? ranges[i].end : USED_MEMORY_END;
		uint64_t gap = i > 0 ? ranges[i].start - ranges[i - 1].end : 0;
		bool used = ranges[i].start < end &&
			    gap / FRAME_PER_DESCRIPTOR < end - ranges[i].start;

		unused += ranges[i].end - (used ? end : ranges[i].start);
		ranges[i].end = end;
		if (used)
			break;
		boot_info.free_count = i;
	}
	if (unused)
		log_warning("memory: %lu MiB stay unused, at addresses that are too high",
			    unused >> 20);
}

void boot_memory_find_free(void)
{
	static const struct page_range firmware = { 0, KERNEL_LOAD_ADDRESS };

	memcpy(boot_info.free, boot_info.ram, sizeof boot_info.ram);
	boot_info.free_count = boot_info.ram_count;
	leave_out();
	subtract(&firmware);
	subtract(kernel_range());
	for (size_t i = 0; i < boot_info.module_count; i++)
		subtract(&boot_info.modules[i]);
}

paddr_t boot_memory_take(size_t size)
{
	/* Take memory from the end of the highest range that the early page tables reach. */
	for (size_t i = boot_info.free_count; i-- > 0;) {
		struct page_range *range = &boot_info.free[i];
		paddr_t end = range->end < EARLY_MEMORY_END ? range->end : EARLY_MEMORY_END;

		if (end < range->start + size)
			continue;
		if (range->end > end)
			append(boot_info.free, &boot_info.free_count, end, range->end);
		range->end = end - size;
		memset((void *)(DIRECT_MAP_BASE + range->end), 0, size);
		return range->end;
	}
	boot_failure("not enough memory to start; give the machine more");
}
