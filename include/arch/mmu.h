/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every ISA must provide about address translation. struct arch_space (page-table root) is in
 * <machine/mmu.h>, with USER_START and USER_END, the range [USER_START, USER_END) that user
 * mappings may use.
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
/* Frees the root; all tables below it are gone by arch_space_trim. The space is loaded nowhere. */
void arch_space_destroy(struct arch_space *space);
/* Loads the space (NULL: the kernel's own) on this processor. Interrupts off. */
void arch_space_load(struct arch_space *space);

/* PROT: enum vm_prot. All four: caller holds the space's mutex; one page at ADDRESS, page aligned,
 * in the user half. */
/* replaces; -ENOMEM */
int arch_space_map(struct arch_space *space, uintptr_t address, paddr_t paddr, unsigned int prot);
/* Removes the mapping; returns what was mapped, or 0. No TLB flush. */
paddr_t arch_space_unmap(struct arch_space *space, uintptr_t address);
/* Changes the protection if mapped. No TLB flush. */
void arch_space_protect(struct arch_space *space, uintptr_t address, unsigned int prot);
/* What is mapped and how, or 0. */
paddr_t arch_space_lookup(struct arch_space *space, uintptr_t address, unsigned int *prot);

/* The first address from ADDRESS on where a page is mapped, END if there is none before it; what no
 * table covers is skipped at once. Caller holds the space's mutex; both page aligned. */
uintptr_t arch_space_next(struct arch_space *space, uintptr_t address, uintptr_t end);

/* Removes mappings from [*ADDRESS, END), at most MOST, into PAGES; returns how many. *ADDRESS is
 * then where to go on, END when there are no more. No TLB flush. Caller holds the space's mutex; all
 * page aligned. */
size_t arch_space_take(struct arch_space *space, uintptr_t *address, uintptr_t end, paddr_t *pages,
		       size_t most);
/* Maps in TO what FROM maps in [START, END), writable in neither from now on, and calls SHARED for
 * each page. TO has nothing there yet. 0 or -ENOMEM, then only a part is done. No TLB flush. Caller
 * holds FROM's mutex, nobody else has TO. */
int arch_space_share(struct arch_space *from, struct arch_space *to, uintptr_t start, uintptr_t end,
		     void (*shared)(paddr_t paddr, void *arg), void *arg);
/* Takes the page tables of [START, END) that cover nothing outside of [FLOOR, CEILING), where no page
 * is mapped, out of the space; false: there are none. After a TLB flush of [START, END) on every
 * processor that has the space loaded, arch_tables_free ends them. Caller holds the space's mutex. */
bool arch_space_trim(struct arch_space *space, uintptr_t start, uintptr_t end, uintptr_t floor,
		     uintptr_t ceiling, struct arch_tables *taken);
void arch_tables_free(struct arch_tables *taken);

/* Forgets cached translations of [START, END) on this processor only. Interrupts off or not. */
void arch_tlb_flush_local(uintptr_t start, uintptr_t end);

/* A kernel mapping of COUNT fresh pages with an unmapped guard page below, NX, for stacks; or NULL.
 * Freed by the second. Task context. */
void *arch_kernel_stack_alloc(void);
void arch_kernel_stack_free(void *base);

/* An uncached kernel mapping, for good, of a device's SIZE bytes at PADDR; NULL: no room, or
 * no such address on this processor. After arch_init. */
void *arch_device_map(paddr_t paddr, size_t size);
/* The same for memory of pixels, where writes may be put together and come a little later. */
void *arch_framebuffer_map(paddr_t paddr, size_t size);

/* How much of the direct map has pages of each size: Linux's lines of /proc/meminfo. Any context. */
void arch_direct_map_describe(struct text *text);

/* Whether the byte at ADDRESS is mapped in the kernel's half: for walks of a stack that may be
 * damaged. Any context. */
bool arch_kernel_readable(uintptr_t address);

#endif
