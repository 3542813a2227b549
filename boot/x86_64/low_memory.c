/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds memory that real mode reaches, for the first instructions of further CPUs. */
#include <machine/boot.h>

#include <machine/mmu.h>

#include "../boot.h"

/* The interrupt vectors of real mode and the firmware's data. */
#define LOW_START 0x1000

paddr_t boot_memory_find_low(void)
{
	for (paddr_t page = LOW_START; page < KERNEL_LOAD_ADDRESS; page += PAGE_SIZE) {
		struct page_range range = { page, page + PAGE_SIZE };

		if (boot_range_in_ram(range) && !boot_range_overlaps_module(range))
			return page;
	}
	return 0;
}
