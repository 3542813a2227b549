/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of boot/ do for each other while boot_info is being filled in, whatever the loader; see
 * <kernel/boot.h>. */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#include <kernel/boot.h>

/* One more piece of RAM, of LENGTH bytes, in any order. */
void boot_memory_add(paddr_t start, uint64_t length);
/* All pieces are there: puts boot_info.ram into its final order. */
void boot_memory_sort(void);
/* boot_info.free from ram, the modules and the kernel. */
void boot_memory_find_free(void);

/* Warns of words of the command line that boot_option is never asked for. After log_init. */
void boot_options_check(void);

/* The first module must be a whole initramfs in RAM, and lie over nothing: a boot that cannot work ends here,
 * because nothing later could say what is wrong with it. After boot_memory_sort and log_init. */
void boot_modules_check(void);
/* Adds a module, in the loader's order. */
void boot_module_add(paddr_t start, paddr_t end);
/* The command line is TEXT, terminated within BOOT_COMMAND_LINE_SIZE. */
void boot_command_line_set(const char *text);

bool boot_range_overlaps_kernel(struct page_range range);
bool boot_range_overlaps_ram(struct page_range range);
bool boot_range_overlaps_module(struct page_range range);
bool boot_range_in_ram(struct page_range range);

#endif
