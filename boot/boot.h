/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the files of boot/ use to fill in boot_info, for every loader; see <kernel/base/boot.h>. */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#include <kernel/base/boot.h>

/* Adds a piece of RAM of LENGTH bytes, in any order. */
void boot_memory_add(paddr_t start, uint64_t length);
/* Call after the last piece: puts boot_info.ram into its final order. */
void boot_memory_sort(void);
/* Computes boot_info.free from ram, the modules and the kernel. */
void boot_memory_find_free(void);

/* Warns of words of the command line that no code looks for. After log_init. */
void boot_options_check(void);

/* Checks that the first module is a whole initramfs in RAM and overlaps nothing. A boot that cannot
 * work ends here, because no later code could report the cause. After boot_memory_sort and log_init. */
void boot_modules_check(void);
/* Adds a module, in the loader's order. */
void boot_module_add(paddr_t start, paddr_t end);
/* Sets the command line to TEXT, terminated within BOOT_COMMAND_LINE_SIZE. */
void boot_command_line_set(const char *text);

bool boot_range_overlaps_kernel(struct page_range range);
bool boot_range_overlaps_ram(struct page_range range);
bool boot_range_overlaps_module(struct page_range range);
bool boot_range_in_ram(struct page_range range);

#endif
