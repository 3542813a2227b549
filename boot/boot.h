/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of boot/ do for each other while boot_info is being filled in; see
 * <kernel/boot.h>. */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#include <kernel/boot.h>

/* The early page tables (start.S) reach up to here. */
#define EARLY_MEMORY_END 0x100000000ull

/* One more piece of RAM, of LENGTH bytes, in any order. */
void boot_memory_add(paddr_t start, uint64_t length);
/* All pieces are there: puts boot_info.ram into its final order. */
void boot_memory_sort(void);
/* boot_info.free from ram, the modules and the kernel. */
void boot_memory_find_free(void);

/* Warns of words of the command line that boot_option is never asked for. After log_init. */
void boot_options_check(void);

bool boot_range_overlaps_kernel(struct page_range range);
bool boot_range_overlaps_ram(struct page_range range);
bool boot_range_in_ram(struct page_range range);

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
