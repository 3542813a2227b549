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
/* One page below the hole: a system call at the last address could otherwise return to the
 * first non-canonical one. */
#define USER_END	    0x00007ffffffff000

#define DIRECT_MAP_BASE	    0xffff800000000000
#define KERNEL_MAP_BASE	    0xffffc00000000000
#define KERNEL_IMAGE_BASE   0xffffffff80000000
/* Where kernel stacks are (kernel/mm/kernel_stacks.c). */
#define KERNEL_STACKS_START KERNEL_MAP_BASE
#define KERNEL_STACKS_END   (KERNEL_MAP_BASE + (1ull << 38))

/* The image begins here (linker.ld). What is below belongs to the firmware, and to the start
 * of processors. */
#define KERNEL_LOAD_ADDRESS 0x100000
/* The early page tables (boot/x86_64/start.S) reach up to here. */
#define EARLY_MEMORY_END    0x100000000ull

#define PAGE_SHIFT	    12

/* Whether a program that does not say so has a stack that can be executed (Linux: VM_DATA_DEFAULT_FLAGS). */
#define DATA_IS_EXECUTABLE  false

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

/* A user address space's page tables. */
struct arch_space {
	uint64_t *root;	    /* the PML4, by its address in the direct map */
	size_t table_count; /* pages that they take, the root included */
};

/* Tables that were taken out of a space, linked through their first words. */
struct arch_tables {
	uint64_t *first;
};

#endif
#endif
