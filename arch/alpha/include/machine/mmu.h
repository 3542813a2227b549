/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Alpha's address map and page-table root; see <arch/mmu.h>.
 *
 *   USER_START … USER_END                  a program's memory: Linux/alpha's TASK_SIZE
 *   DIRECT_MAP_BASE + physical address     KSEG: all of the machine's memory, without page tables. The
 *                                          kernel's image is here too
 *   DEVICE_BASE + address the same for devices: physical bit 43 KERNEL_MAP_BASE, 8 GiB kernel stacks
 *   between guard pages
 *
 * Source: Alpha Architecture Handbook version 4, II-B section 3.2 (43-bit addresses, 8 KiB pages).
 */
#ifndef MACHINE_MMU_H
#define MACHINE_MMU_H

#define USER_START	    0x10000
#define USER_END	    0x0000040000000000

#define DIRECT_MAP_BASE	    0xfffffc0000000000
#define KERNEL_IMAGE_BASE   DIRECT_MAP_BASE
#define DEVICE_BASE	    0xfffffd0000000000
#define KERNEL_MAP_BASE	    0xfffffe0000000000
/* Bounds of the kernel stacks (kernel/mm/kernel_stacks.c). */
#define KERNEL_STACKS_START KERNEL_MAP_BASE
#define KERNEL_STACKS_END   (KERNEL_MAP_BASE + 0x200000000)

/* Load address of the image (linker.ld). Memory below belongs to the console, and ends with the
 * parameters that the emulator's loader leaves. */
#define KERNEL_LOAD_ADDRESS 0x400000
/* There are no early page tables: KSEG reaches all memory from the start. */
#define EARLY_MEMORY_END    0x10000000000

/* RAM from here on stays unused; KSEG reaches no other. */
#define USED_MEMORY_END	    EARLY_MEMORY_END

#define PAGE_SHIFT	    13

/* True if the default stack of a program is executable (Linux: VM_DATA_DEFAULT_FLAGS). */
#define DATA_IS_EXECUTABLE  true

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

#include <kernel/base/cpu.h>

/* A user address space's page tables. */
struct arch_space {
	uint64_t *root;	    /* level 1 of the architecture's, by its address in the direct map */
	size_t table_count; /* pages of the tables, the root included */
	/* its address space number on each CPU (arch/alpha/asn.h) */
	_Atomic uint64_t tags[CPUS_MAX];
};

/* Tables that have been removed from a space, linked through their first words. */
struct arch_tables {
	uint64_t *first;
};

#endif
#endif
