/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every ISA must provide about address translation. struct arch_space (page-table root) is in
 * <machine/mmu.h>, with USER_START and USER_END, the range [USER_START, USER_END) that user
 * mappings may use; the format of page tables in <machine/page_table.h> (<kernel/tables.h>).
 */
#ifndef ARCH_MMU_H
#define ARCH_MMU_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/page.h>
#include <machine/mmu.h>

struct text;

/* A root with the kernel's half and nothing in the user's. 0 or -ENOMEM. Task context. */
int arch_space_init(struct arch_space *space);
/* Frees the root; all tables below it are gone by user_tables_trim. The space is loaded nowhere. */
void arch_space_destroy(struct arch_space *space);
/* The space's tables have lost something: CPUs that have it not loaded, and remember translations of it from
 * before, do not use them again. Those that have it loaded are told by arch_tlb_flush_local; who they are is looked
 * at after this. Any context. */
void arch_space_forget_elsewhere(struct arch_space *space);
/* Loads the space (NULL: the kernel's own) on this CPU. Interrupts off. */
void arch_space_load(struct arch_space *space);

/* Forgets cached translations of [START, END) on this CPU only. Interrupts off or not. */
void arch_tlb_flush_local(uintptr_t start, uintptr_t end);

/* Maps the page at PADDR at ADDRESS, where none is, in [KERNEL_STACKS_START, KERNEL_STACKS_END) of
 * <machine/mmu.h>, for good: writable, not executable. False: no memory. Any context but NMI. */
bool arch_kernel_map(uintptr_t address, paddr_t paddr);

/* An uncached kernel mapping, for good, of a device's SIZE bytes at PADDR; NULL: no room, or
 * no such address on this CPU. After arch_init. */
void *arch_device_map(paddr_t paddr, size_t size);
/* The same for memory of pixels, where writes may be put together and come a little later. */
void *arch_framebuffer_map(paddr_t paddr, size_t size);

/* How much of the direct map has pages of each size: Linux's lines of /proc/meminfo. Any context. */
void arch_direct_map_describe(struct text *text);

/* Whether the byte at ADDRESS is mapped in the kernel's half: for walks of a stack that may be
 * damaged. Any context. */
bool arch_kernel_readable(uintptr_t address);

#endif
