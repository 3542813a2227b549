/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds ACPI's root pointer: the loader's copy, or the one in a BIOS's memory. Source: ACPI
 * Specification 6.5, sections 5.2.5.1 "Finding the RSDP on IA-PC Systems" and 5.2.5.3.
 */
#include "loader.h"

#include <string.h>

#include <machine/mmu.h>

#define BIOS_DATA_EBDA_SEGMENT 0x40e
#define EBDA_SEARCHED	       1024
#define BIOS_START	       0xe0000
#define BIOS_END	       0x100000
#define RSDP_SIZE_V1	       20
#define RSDP_SIZE_MAX	       36

static uint8_t kept[RSDP_SIZE_MAX];

void boot_acpi_keep(const void *pointer, size_t size)
{
	/* When a loader gives both forms, the newer and better one comes second. */
	if (size >= RSDP_SIZE_V1)
		memcpy(kept, pointer, size < sizeof kept ? size : sizeof kept);
}

static paddr_t search(paddr_t start, paddr_t end)
{
	for (paddr_t at = start; at + RSDP_SIZE_V1 <= end; at += 16) {
		const uint8_t *bytes = (const void *)(DIRECT_MAP_BASE + at);
		uint8_t sum = 0;

		if (memcmp(bytes, "RSD PTR ", 8) != 0)
			continue;
		for (size_t i = 0; i < RSDP_SIZE_V1; i++)
			sum += bytes[i];
		if (sum == 0)
			return at;
	}
	return 0;
}

void boot_acpi_find(void)
{
	if (kept[0]) {
		boot_info.acpi_rsdp = (uintptr_t)kept - KERNEL_IMAGE_BASE;
		return;
	}

	paddr_t ebda = (paddr_t)(*(const uint16_t *)(DIRECT_MAP_BASE + BIOS_DATA_EBDA_SEGMENT))
		       << 4;

	if (ebda)
		boot_info.acpi_rsdp = search(ebda, ebda + EBDA_SEARCHED);
	if (!boot_info.acpi_rsdp)
		boot_info.acpi_rsdp = search(BIOS_START, BIOS_END);
}
