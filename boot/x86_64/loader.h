/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of boot/x86_64/ do for each other: what a multiboot loader says beside memory and modules. */
#ifndef BOOT_LOADER_H
#define BOOT_LOADER_H

#include "../boot.h"

/* Fills in boot_info from what the loader left: MAGIC and INFO are its two registers. Does not
 * return from a boot that cannot work. Boot CPU, start, the early page tables loaded. */
void boot_info_read(uint32_t magic, paddr_t info);

/* What both forms of multiboot say of the screen in the same layout. */
struct loader_screen {
	uint64_t address;
	uint32_t pitch, width, height;
	uint8_t depth, type;
} __attribute__((packed));

/* Keeps what a loader says; COLOURS: position and size of red, green and blue. */
void boot_screen_keep(const struct loader_screen *said, const uint8_t *colours);
/* Judges it: boot_info.screen and .framebuffer. What cannot be used is said in the log. After
 * log_init and boot_memory_sort. */
void boot_screen_check(void);

/* Keeps a copy of ACPI's root pointer of SIZE bytes. */
void boot_acpi_keep(const void *pointer, size_t size);
/* Looks for the root pointer where a BIOS puts it, unless a copy is kept; sets
 * boot_info.acpi_rsdp. */
void boot_acpi_find(void);

#endif
