/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of every ISA: address translation. <machine/mmu.h> has struct arch_space
 * (page-table root), and the range [USER_START, USER_END) of user mappings; <machine/page_table.h> has
 * the format of page tables (<kernel/mm/tables.h>).
 */
#ifndef ARCH_MMU_H
#define ARCH_MMU_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/mm/page.h>
#include <machine/mmu.h>

struct text;

/* Makes a root with the kernel's half and an empty user half. 0 or -ENOMEM. Task context. */
int arch_space_init(struct arch_space *space);
/* Frees the root; user_tables_trim has freed all tables below it. No CPU has the space loaded. */
void arch_space_destroy(struct arch_space *space);
/* Call when the space's tables have lost an entry. CPUs that have not loaded the space, but hold old
 * translations of it, will not use those again. CPUs that have it loaded need arch_tlb_flush_local;
 * determine these CPUs after this call. Any context. */
void arch_space_forget_elsewhere(struct arch_space *space);
/* Loads the space (NULL: the kernel's own) on this CPU. Interrupts off. */
void arch_space_load(struct arch_space *space);

/* Flushes the translations of [START, END) on this CPU only. Interrupts on or off. */
void arch_tlb_flush_local(uintptr_t start, uintptr_t end);

/* Maps the page at PADDR permanently at ADDRESS, in [KERNEL_STACKS_START, KERNEL_STACKS_END) of
 * <machine/mmu.h>, where no page is mapped: writable, not executable. False: no memory. Any context but
 * NMI. */
bool arch_kernel_map(uintptr_t address, paddr_t paddr);

/* Returns a permanent uncached kernel mapping of a device's SIZE bytes at PADDR; NULL: no room, or no
 * such address on this CPU. After arch_init. */
void *arch_device_map(paddr_t paddr, size_t size);
/* The same for memory of pixels, where writes may be combined and delayed a little. */
void *arch_framebuffer_map(paddr_t paddr, size_t size);

/* Prints how much of the direct map has pages of each size: Linux's lines of /proc/meminfo. Any
 * context. */
void arch_direct_map_describe(struct text *text);

/* Returns whether the byte at ADDRESS is mapped in the kernel's half: for walks of a stack that may be
 * damaged. Any context. */
bool arch_kernel_readable(uintptr_t address);

#endif
