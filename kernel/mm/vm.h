/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of kernel/mm/ share about address spaces. Every function: space->mutex held. */
#ifndef MM_VM_H
#define MM_VM_H

#include <kernel/user_range.h>
#include <kernel/vm.h>

RB_PROTOTYPE(vm_area_tree, vm_area, node, compare_areas)

/* Free addresses that stay below a growing stack. As Linux's stack_guard_gap. */
#define STACK_GUARD_SIZE (256 * PAGE_SIZE)

/* area.c */

/* The area that contains ADDRESS, or the first above it, or NULL. */
struct vm_area *area_at_or_above(struct vm_space *space, uintptr_t address);
/* The area that contains ADDRESS, or NULL. */
struct vm_area *area_at(struct vm_space *space, uintptr_t address);
/* The same, where a stack that ADDRESS lies below has grown if it may. */
struct vm_area *area_at_growing(struct vm_space *space, uintptr_t address);
/* Whether SIZE bytes more of mappings are within the limit. Linux: may_expand_vm. */
bool space_may_grow(const struct vm_space *space, size_t size);
/* Most pages that the running task may have locked in SPACE; SIZE_MAX: as many as there are. */
size_t space_locked_pages_max(const struct vm_space *space);
/* Whether no part of AREA may be treated without the rest. */
static inline bool area_is_indivisible(const struct vm_area *area)
{
	return area->ops && area->ops->indivisible;
}

/* Makes area boundaries at ADDRESS, so that no area contains it inside. 0, -ENOMEM, or -EINVAL if what
 * is there is indivisible. */
int area_split_at(struct vm_space *space, uintptr_t address);
/* Whether that is so, before anything is done: 0 or -EINVAL. */
int area_check_split_at(struct vm_space *space, uintptr_t address);
/* Where AREA is. */
static inline struct user_range area_range(const struct vm_area *area)
{
	return user_range_clip(area->start, area->end - area->start);
}

/* AREA becomes one with its neighbours where they are alike; returns the one that it is part of. */
struct vm_area *area_merge(struct vm_area *area);
/* The same for every area that lies in or touches [START, END]. */
void areas_merge(struct vm_space *space, uintptr_t start, uintptr_t end);
/* AREA becomes [START, END), where nothing else is; what it shows at an address stays the same. */
void area_resize(struct vm_area *area, uintptr_t start, uintptr_t end);
/* Puts AREA into its space's tree. The sums of sizes are the caller's. */
void area_insert(struct vm_area *area);
/* COPY has the contents of an area of this or another space: it gets its own references and is
 * inserted. */
void area_copied(struct vm_area *copy);
/* AREA, already out of the tree, with its pages unmapped, goes; its file's reference with
 * vm_space_unlock. */
void area_free(struct vm_area *area);
/* Gets all pages of RANGE, a part of AREA: 0, -ENOMEM, -EFAULT (its file ends before), -EINTR: the task is to
 * end. */
int area_populate(struct vm_area *area, struct user_range range);
/* vm_map without the checks of size. */
long space_map(struct vm_space *space, const struct vm_request *request, size_t size);
/* Unmaps RANGE, page aligned. 0, -ENOMEM, or -EINVAL: an end lies in what is indivisible. */
int areas_unmap(struct vm_space *space, struct user_range range);

/* report.c */

/* The running task has got AREA, or has changed its protection: perf is told when the space is
 * unlocked. */
void area_report(struct vm_area *area);
/* Tells perf what is in REPORTS, which are used up. No space's mutex held. */
void reports_tell(struct vm_report_list *reports);

/* place.c */

/* Where REQUEST of SIZE bytes, whole pages, is to go: in *PLACE. 0 or a negative error. */
int place_find(struct vm_space *space, const struct vm_request *request, size_t size,
	       struct user_range *place);

/* fault.c */

/* Removes the pages mapped in RANGE from every processor's view and drops them. */
void pages_unmap(struct vm_space *space, struct user_range range);
/* The same, but what a private area has made its own stays. */
void pages_unmap_borrowed(struct vm_space *space, struct user_range range);
/* Ends the page tables of RANGE that cover nothing else in [FLOOR, CEILING), where no area is. */
void tables_trim(struct vm_space *space, uintptr_t floor, uintptr_t ceiling,
		 struct user_range range);
/* Makes the page tables of AREA obey its protection. */
void pages_protect(struct vm_area *area);
/* Makes other processors, and this one, forget translations of [START, END). */
void tlb_flush(struct vm_space *space, uintptr_t start, uintptr_t end);
/* PAGE has come into SPACE's tables. */
void page_count_in(struct vm_space *space, const void *page);
/* Drops the reference that a mapping had to PAGE; and takes one. */
void page_put_mapped(void *page);
void page_get_mapped(void *page);
/* Whether PAGE is the one that all memory shows that was read but never written. */
bool page_is_zero(const void *page);

/* How an access to a page went. */
enum fault_result { FAULT_DONE, FAULT_NO_AREA, FAULT_NO_ACCESS, FAULT_BUS, FAULT_NO_MEMORY };
/* Makes the page at ADDRESS accessible in AREA for WRITE; protection is the caller's question. */
enum fault_result page_make_present(struct vm_area *area, uintptr_t address, bool write);

/* oom.c */

/* A page for a program or a table that it makes necessary, like page_alloc(0), but NULL already when only the
 * kernel's reserve is left. */
void *oom_page_alloc(void);
/* mapping.c */

/* AREA, with its mapping set, shows the object from now on; and no more. */
void mapping_add(struct vm_area *area);
void mapping_remove(struct vm_area *area);

/* space.c */

/* Gives SPACE's mutex back, and then the files of areas that are gone: what a file's release does may
 * need other spaces, or wait for who holds one. Task context. */
void vm_space_unlock(struct vm_space *space);

/* Memory that several spaces see: AREA becomes a view of a new object of AREA's size. 0 or
 * -ENOMEM. */
int shared_memory_attach(struct vm_area *area);

#endif
