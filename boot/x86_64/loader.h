/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the files of boot/x86_64/ share: the protocols, and data other than memory and modules. */
#ifndef BOOT_LOADER_H
#define BOOT_LOADER_H

#include "../boot.h"

/* Fills in boot_info from the loader's data: MAGIC and INFO are its two registers. Does not return from
 * a boot that cannot work. Boot CPU, start, the early page tables loaded. */
void boot_info_read(uint32_t magic, paddr_t info);

/* Returns SIZE bytes of the loader's data at ADDRESS; a boot failure if the early page tables do not reach the last one. */
const void *boot_physical(paddr_t address, uint64_t size);

/* Each adds a loader's data, from the physical address START on, to boot_info. */
void boot_multiboot1_read(paddr_t start);
void boot_multiboot2_read(paddr_t start);
void boot_pvh_read(paddr_t start);

/* The description of the screen, whose layout both forms of multiboot share. */
struct loader_screen {
	uint64_t address;
	uint32_t pitch, width, height;
	uint8_t depth, type;
} __attribute__((packed));

/* Stores a loader's description; COLOURS: position and size of red, green and blue. */
void boot_screen_keep(const struct loader_screen *said, const uint8_t *colours);
/* Checks it and sets boot_info.screen and .framebuffer. The log reports an unusable screen. After
 * log_init and boot_memory_sort. */
void boot_screen_check(void);

/* Stores a copy of ACPI's root pointer of SIZE bytes. */
void boot_acpi_keep(const void *pointer, size_t size);
/* Unless a copy is stored, looks for the root pointer in a BIOS's memory; sets boot_info.acpi_rsdp. */
void boot_acpi_find(void);

#endif
