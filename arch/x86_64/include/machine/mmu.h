/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64's address map and page-table root; see <arch/mmu.h>.
 *
 *   USER_START … USER_END                  a program's memory
 *   DIRECT_MAP_BASE + physical address     all of the machine's memory
 *   KERNEL_MAP_BASE, 512 GiB               kernel stacks between guard pages, device registers
 *   KERNEL_IMAGE_BASE + physical address   the kernel's own sections
 */
#ifndef MACHINE_MMU_H
#define MACHINE_MMU_H

#define USER_START	    0x10000
/* The page below the hole stays unused: a system call at its last address could otherwise return to the
 * first non-canonical address. */
#define USER_END	    0x00007ffffffff000

#define DIRECT_MAP_BASE	    0xffff800000000000
#define KERNEL_MAP_BASE	    0xffffc00000000000
#define KERNEL_IMAGE_BASE   0xffffffff80000000
/* Bounds of the kernel stacks (kernel/mm/kernel_stacks.c). */
#define KERNEL_STACKS_START KERNEL_MAP_BASE
#define KERNEL_STACKS_END   (KERNEL_MAP_BASE + (1ull << 38))

/* Load address of the image (linker.ld). Memory below belongs to the firmware, and to the start of
 * CPUs. */
#define KERNEL_LOAD_ADDRESS 0x100000
/* The early page tables (boot/x86_64/start.S) end here. */
#define EARLY_MEMORY_END    0x100000000ull

/* RAM from here on stays unused: its descriptors would take long to write at each start. */
#define USED_MEMORY_END	    0x2000000000ull

#define PAGE_SHIFT	    12

/* True if the default stack of a program is executable (Linux: VM_DATA_DEFAULT_FLAGS). */
#define DATA_IS_EXECUTABLE  false

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

/* A user address space's page tables. */
struct arch_space {
	uint64_t *root;	    /* the PML4, by its address in the direct map */
	size_t table_count; /* pages of the tables, the root included */
};

/* Tables that have been removed from a space, linked through their first words. */
struct arch_tables {
	uint64_t *first;
};

#endif
#endif
