/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of kernel/mm/ share about address spaces. Every function: space->mutex held. */
#ifndef MM_VM_H
#define MM_VM_H

#include <kernel/vm.h>

RB_PROTOTYPE(vm_area_tree, vm_area, node, compare_areas)

/* Free addresses that stay below a growing stack. As Linux's stack_guard_gap. */
#define STACK_GUARD_SIZE (256 * PAGE_SIZE)

/* The area that contains ADDRESS, or the first above it, or NULL. */
struct vm_area *area_at_or_above(struct vm_space *space, uintptr_t address);
/* The area that contains ADDRESS, or NULL. */
struct vm_area *area_at(struct vm_space *space, uintptr_t address);
/* The same, where a stack that ADDRESS lies below has grown if it may. */
struct vm_area *area_at_growing(struct vm_space *space, uintptr_t address);
/* Makes area boundaries at ADDRESS, so that no area contains it inside. 0 or -ENOMEM. */
int area_split_at(struct vm_space *space, uintptr_t address);
/* AREA, already out of the tree, with its pages unmapped, goes. */
void area_free(struct vm_area *area);

/* Removes the pages mapped in [START, END) from every processor's view and drops them. */
void pages_unmap(struct vm_space *space, uintptr_t start, uintptr_t end);
/* Makes the page tables of AREA obey its protection. */
void pages_protect(struct vm_area *area);
/* Makes other processors, and this one, forget translations of [START, END). */
void tlb_flush(struct vm_space *space, uintptr_t start, uintptr_t end);

/* How an access to a page went. */
enum fault_result { FAULT_DONE, FAULT_NO_AREA, FAULT_NO_ACCESS, FAULT_BUS, FAULT_NO_MEMORY };
/* Makes the page at ADDRESS accessible in AREA for WRITE; protection is the caller's question. */
enum fault_result page_make_present(struct vm_area *area, uintptr_t address, bool write);

/* Memory that several spaces see: AREA becomes a view of a new object of AREA's size. 0 or
 * -ENOMEM. */
int shared_memory_attach(struct vm_area *area);

#endif
