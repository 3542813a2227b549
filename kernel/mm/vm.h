/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface that the files of kernel/mm/ share about address spaces. Every function: space->mutex
 * held. */
#ifndef MM_VM_H
#define MM_VM_H

#include <kernel/mm/user_range.h>
#include <kernel/mm/vm.h>

RB_PROTOTYPE(vm_area_tree, vm_area, node, compare_areas)

/* Free addresses that stay below a growing stack. As Linux's stack_guard_gap. */
#define STACK_GUARD_SIZE (256 * PAGE_SIZE)

/* area.c */

/* Returns the area that contains ADDRESS, or the first above it, or NULL. */
struct vm_area *area_at_or_above(struct vm_space *space, uintptr_t address);
/* Returns the area that contains ADDRESS, or NULL. */
struct vm_area *area_at(struct vm_space *space, uintptr_t address);
/* As area_at, but first grows the stack above ADDRESS down to it if the stack may grow. */
struct vm_area *area_at_growing(struct vm_space *space, uintptr_t address);
/* Returns whether SIZE bytes more of mappings are within the limit. Linux: may_expand_vm. */
bool space_may_grow(const struct vm_space *space, size_t size);
/* Returns the most pages that the current task may lock in SPACE; SIZE_MAX: unlimited. */
size_t space_locked_pages_max(const struct vm_space *space);
/* Returns whether AREA must not be split. */
static inline bool area_is_indivisible(const struct vm_area *area)
{
	return area->ops && area->ops->indivisible;
}

/* Splits the area that contains ADDRESS, so that an area begins there. 0, -ENOMEM, or -EINVAL if the area is
 * indivisible. */
int area_split_at(struct vm_space *space, uintptr_t address);
/* Checks whether area_split_at may split there, and changes nothing: 0 or -EINVAL. */
int area_check_split_at(struct vm_space *space, uintptr_t address);
/* Returns AREA's addresses. */
static inline struct user_range area_range(const struct vm_area *area)
{
	return user_range_clip(area->start, area->end - area->start);
}

/* Merges AREA with its neighbours where they are alike; returns the area that covers it then. */
struct vm_area *area_merge(struct vm_area *area);
/* Merges every area that lies in or touches [START, END]. */
void areas_merge(struct vm_space *space, uintptr_t start, uintptr_t end);
/* Makes AREA [START, END), where no other area is; each address keeps its offset in the object. */
void area_resize(struct vm_area *area, uintptr_t start, uintptr_t end);
/* Puts AREA into its space's tree. The caller updates the sums of sizes. */
void area_insert(struct vm_area *area);
/* Inserts COPY, which has the contents of an area of this or another space, and takes its references. */
void area_copied(struct vm_area *copy);
/* Frees AREA, which is out of the tree and has no pages mapped; vm_space_unlock drops the reference to its
 * file. */
void area_free(struct vm_area *area);
/* Gets all pages of RANGE, a part of AREA: 0, -ENOMEM, -EFAULT (the file ends before), -EINTR (a fatal signal
 * is pending). */
int area_populate(struct vm_area *area, struct user_range range);
/* vm_map without the checks of size. */
long space_map(struct vm_space *space, const struct vm_request *request, size_t size);
/* Unmaps RANGE, page aligned. 0, -ENOMEM, or -EINVAL: an end lies inside an indivisible area. */
int areas_unmap(struct vm_space *space, struct user_range range);

/* report.c */

/* Queues a report of AREA, which the current task has mapped or whose protection it has changed, for perf;
 * vm_space_unlock delivers it. */
void area_report(struct vm_area *area);
/* The same for AREA, which the current task is about to remove. */
void area_report_unmapped(struct vm_area *area);
/* Delivers REPORTS to perf and frees them. No space->mutex held. */
void reports_deliver(struct vm_report_list *reports);

/* place.c */

/* Finds the place for REQUEST of SIZE bytes, whole pages: in *PLACE. 0 or a negative error. */
int place_find(struct vm_space *space, const struct vm_request *request, size_t size,
	       struct user_range *place);

/* fault.c */

/* Unmaps the pages in RANGE, flushes the TLBs of all CPUs and drops the pages. */
void pages_unmap(struct vm_space *space, struct user_range range);
/* The same, but keeps the private copies of private areas. */
void pages_unmap_borrowed(struct vm_space *space, struct user_range range);
/* Frees the page tables of RANGE that cover nothing else in [FLOOR, CEILING), where no area is. */
void tables_trim(struct vm_space *space, uintptr_t floor, uintptr_t ceiling,
		 struct user_range range);
/* Makes the page tables of AREA obey its protection. */
void pages_protect(struct vm_area *area);
/* Flushes [START, END) from the TLBs of all CPUs that have SPACE loaded, and of the devices that share it. */
void tlb_flush(struct vm_space *space, uintptr_t start, uintptr_t end);
/* Counts PAGE, which was just mapped, in SPACE's resident pages. */
void page_count_in(struct vm_space *space, const void *page);
/* Drops and takes a mapping's reference to PAGE; neither does anything to a page without references. */
void page_put_mapped(void *page);
void page_get_mapped(void *page);
/* Returns whether PAGE has references, and counts as memory: not the zero page, which maps all anonymous memory that was
 * read and never written, nor a device's registers. */
bool page_is_counted(const void *page);

/* The outcome of an access to a page. */
enum fault_result { FAULT_DONE, FAULT_NO_AREA, FAULT_NO_ACCESS, FAULT_BUS, FAULT_NO_MEMORY };
/* Makes the page at ADDRESS accessible in AREA for WRITE; the caller has checked the protection. */
enum fault_result page_make_present(struct vm_area *area, uintptr_t address, bool write);

/* oom.c */

/* Allocates a page for a program's memory or its page tables, like page_alloc(0), but returns NULL already
 * when only the kernel's reserve is left. */
void *oom_page_alloc(void);
/* mapping.c */

/* Puts AREA, whose mapping is set, on the mapping's list, and takes it off. */
void mapping_add(struct vm_area *area);
void mapping_remove(struct vm_area *area);

/* space.c */

/* Unlocks space->mutex, delivers the reports, and then drops the files of freed areas: a file's release may
 * take other spaces' mutexes, or wait for a task that holds one. Task context. */
void vm_space_unlock(struct vm_space *space);

/* shared.c */

/* Makes AREA show a new shared memory object of AREA's size. 0 or -ENOMEM. */
int shared_memory_attach(struct vm_area *area);

#endif
