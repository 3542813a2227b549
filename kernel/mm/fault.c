/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages of an address space: mapping them at a fault, copying them on write, unmapping them.
 *
 * A mapped page has one reference for each page table that maps it. A private page that is mapped
 * read-only in a writable area may have other users, after a fork or because it belongs to a file: a
 * write copies it, or, if this is the only reference left, just makes it writable.
 *
 * Anonymous memory that was read and never written shows the zero page, which has no references and
 * counts nowhere; nor do the registers of a device that an area shows.
 *
 * An unmapped page is dropped only after every CPU that has the space loaded has flushed the
 * translation.
 *
 * Lock: space->mutex, held by the callers; vm_fault takes it.
 */
#include <string.h>

#include <arch/task.h>
#include <kernel/base/assert.h>
#include <kernel/base/entry.h>
#include <kernel/base/hooks.h>
#include <kernel/base/smp.h>
#include <kernel/mm/tables.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>

#include "vm.h"

/* Most pages unmapped between two flushes. */
#define UNMAP_BATCH 64

struct flush_range {
	uintptr_t start, end;
};

static void flush_here(void *arg)
{
	struct flush_range *range = arg;

	arch_tlb_flush_local(range->start, range->end);
}

void tlb_flush(struct vm_space *space, uintptr_t start, uintptr_t end)
{
	struct flush_range range = { start, end };

	arch_space_forget_elsewhere(&space->arch);
	const cpumask_t active = cpumask_shared_read(&space->active_cpus);

	/* A CPU that loads the space from now on sees the current tables. */
	if (cpumask_next(&active, 0) < CPUS_MAX)
		smp_call_mask(&active, flush_here, &range);
	if (space->sharer)
		space->sharer->flush(space->sharer, start, end);
}

static char zero_page[PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

static bool page_is_zero(const void *page)
{
	return page_paddr(page) == page_paddr(zero_page);
}

bool page_is_counted(const void *page)
{
	/* The zero page is part of the kernel, which page_alloc does not own. */
	return page_is_allocatable(page);
}

void page_get_mapped(void *page)
{
	if (page_is_counted(page))
		page_get(page);
}

void page_put_mapped(void *page)
{
	if (page_is_counted(page))
		page_put(page);
}

void page_count_in(struct vm_space *space, const void *page)
{
	if (!page_is_counted(page))
		return;
	space->resident_pages[page_kind(page)]++;
	size_t total = vm_resident_pages(space);

	if (total > space->resident_pages_peak)
		space->resident_pages_peak = total;
	hook_pages_counted(space, page_kind(page));
}

static void count_out(struct vm_space *space, const void *page)
{
	if (!page_is_counted(page))
		return;
	space->resident_pages[page_kind(page)]--;
	hook_pages_counted(space, page_kind(page));
}

/* Drops pages that are out of the tables and out of all TLBs. */
static void drop(struct vm_space *space, const paddr_t *pages, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		void *page = page_address(pages[i]);

		count_out(space, page);
		page_put_mapped(page);
	}
}

void pages_unmap(struct vm_space *space, struct user_range range)
{
	paddr_t pages[UNMAP_BATCH];

	while (user_range_size(range)) {
		uintptr_t from = user_range_start(range);
		size_t count = user_tables_take(&space->arch, &range, pages, UNMAP_BATCH);

		if (count)
			tlb_flush(space, from, user_range_start(range));
		drop(space, pages, count);
		sched_relax();
	}
}

void pages_unmap_borrowed(struct vm_space *space, struct user_range range)
{
	struct arch_space *arch = &space->arch;
	uintptr_t at;

	for (; (at = user_tables_next(arch, range)) < user_range_end(range);
	     range = user_range_from(range, at + PAGE_SIZE)) {
		unsigned int prot;
		paddr_t paddr = user_tables_lookup(arch, at, &prot);

		const void *page = page_address(paddr);

		if (page_is_zero(page) ||
		    (page_is_counted(page) && page_kind(page) == PAGE_ANONYMOUS))
			continue;
		user_tables_unmap(arch, at);
		tlb_flush(space, at, at + PAGE_SIZE);
		drop(space, &paddr, 1);
	}
}

void tables_trim(struct vm_space *space, uintptr_t floor, uintptr_t ceiling,
		 struct user_range range)
{
	struct arch_tables taken;

	if (!user_tables_trim(&space->arch, range, floor, ceiling, &taken))
		return;
	/* CPUs cache upper-level entries, too; a flush of any address drops all of those. */
	tlb_flush(space, user_range_start(range), user_range_end(range));
	user_tables_free(&taken);
}

/* Returns the protection to map a page of AREA with; WRITABLE: it may be written without a fault. A read-only
 * mapping in a write-only area needs VM_READ: without any access the page would not be present. */
static unsigned int page_prot(const struct vm_area *area, bool writable)
{
	if (area->registers)
		return area->prot | VM_UNCACHED;
	if (writable || !(area->prot & VM_WRITE))
		return area->prot;
	return (area->prot & ~(unsigned int)VM_WRITE) | VM_READ;
}

void pages_protect(struct vm_area *area)
{
	struct arch_space *arch = &area->space->arch;
	struct user_range range = area_range(area);
	uintptr_t at;

	/* The first write to each page faults and finds out whether the page has other users. */
	for (; (at = user_tables_next(arch, range)) < area->end;
	     range = user_range_from(range, at + PAGE_SIZE))
		user_tables_protect(arch, at, page_prot(area, false));
	tlb_flush(area->space, area->start, area->end);
}

/* Maps PAGE at ADDRESS of AREA; consumes the reference to PAGE. */
static enum fault_result enter(struct vm_area *area, uintptr_t address, void *page, bool writable)
{
	struct vm_space *space = area->space;

	if (user_tables_map(&space->arch, address, page_paddr(page), page_prot(area, writable)) <
	    0) {
		page_put_mapped(page);
		return FAULT_NO_MEMORY;
	}
	page_count_in(space, page);
	return FAULT_DONE;
}

/* Maps PAGE in place of OLD; consumes the reference to PAGE. */
static enum fault_result replace(struct vm_area *area, uintptr_t address, void *old, void *page,
				 bool writable)
{
	enum fault_result result = enter(area, address, page, writable);

	if (result != FAULT_DONE)
		return result;
	tlb_flush(area->space, address, address + PAGE_SIZE);
	count_out(area->space, old);
	page_put_mapped(old);
	return FAULT_DONE;
}

/* Gets the page of AREA's object for ADDRESS, with a reference. */
static enum fault_result get_object_page(struct vm_area *area, uintptr_t address, bool write,
					 bool *writable, void **page)
{
	*page = area->ops->fault(area, area->offset + (address - area->start), write, writable);
	if (*page == VM_NO_MEMORY)
		return FAULT_NO_MEMORY;
	if (!*page)
		return FAULT_BUS;
	if (area->file && !area->registers && page_kind(*page) == PAGE_ANONYMOUS)
		page_set_kind(*page, PAGE_FILE);
	return FAULT_DONE;
}

/* Makes a private page of AREA with the contents that AREA shows at ADDRESS at first. */
static enum fault_result make_own(struct vm_area *area, uintptr_t address, void **page)
{
	void *original = NULL;
	bool writable;

	if (area->ops) {
		enum fault_result result =
			get_object_page(area, address, false, &writable, &original);

		if (result != FAULT_DONE)
			return result;
	}
	*page = oom_page_alloc();
	if (*page && original)
		memcpy(*page, original, PAGE_SIZE);
	if (original)
		page_put(original);
	return *page ? FAULT_DONE : FAULT_NO_MEMORY;
}

/* Serves a write to private page OLD, mapped read-only at ADDRESS. */
static enum fault_result unshare(struct vm_area *area, uintptr_t address, void *old)
{
	if (!page_is_zero(old) && page_references(old) == 1) {
		/* Other CPUs with the old translation fault and come here. */
		user_tables_protect(&area->space->arch, address, area->prot);
		arch_tlb_flush_local(address, address + PAGE_SIZE);
		return FAULT_DONE;
	}
	void *copy = oom_page_alloc();

	if (!copy)
		return FAULT_NO_MEMORY;
	area->touched = true;
	if (!page_is_zero(old))
		memcpy(copy, old, PAGE_SIZE);
	return replace(area, address, old, copy, true);
}

/* Serves the first access to ADDRESS of a private area. */
static enum fault_result bring_private(struct vm_area *area, uintptr_t address, bool write)
{
	enum fault_result result = FAULT_DONE;
	bool writable = true;
	void *page = zero_page;

	area->touched |= write || !area->ops;
	if (area->ops && !write) {
		result = get_object_page(area, address, false, &writable, &page);
		writable = false;
	} else if (area->ops || write) {
		result = make_own(area, address, &page);
	} else {
		writable = false;
	}
	return result == FAULT_DONE ? enter(area, address, page, writable) : result;
}

/* Serves an access to ADDRESS of a shared object which the current translation (PRESENT, or 0: none) does not
 * allow. */
static enum fault_result bring_shared(struct vm_area *area, uintptr_t address, bool write,
				      paddr_t present)
{
	bool writable = true;
	void *page;
	enum fault_result result = get_object_page(area, address, write, &writable, &page);

	if (result != FAULT_DONE)
		return result;
	if (write && !writable) {
		page_put_mapped(page);
		return FAULT_BUS;
	}
	if (present)
		return replace(area, address, page_address(present), page, writable);
	return enter(area, address, page, writable);
}

enum fault_result page_make_present(struct vm_area *area, uintptr_t address, bool write)
{
	unsigned int had = 0;

	address &= PAGE_MASK;
	paddr_t present = user_tables_lookup(&area->space->arch, address, &had);

	if (present && (!write || (had & VM_WRITE))) {
		/* Another thread was faster, or the translation in the TLB was older than the
		 * table. */
		arch_tlb_flush_local(address, address + PAGE_SIZE);
		return FAULT_DONE;
	}
	if (area->shared && area->ops)
		return bring_shared(area, address, write, present);
	return present ? unshare(area, address, page_address(present)) :
			 bring_private(area, address, write);
}

static enum fault_result serve(struct vm_space *space, uintptr_t address, bool write, bool exec)
{
	struct vm_area *area = area_at_growing(space, address);

	if (!area)
		return FAULT_NO_AREA;
	unsigned int needed = write ? VM_WRITE : exec ? VM_EXEC : VM_READ;

	/* The hardware cannot map pages that are writable or executable, but not readable. */
	if (needed == VM_READ ? !area->prot : !(area->prot & needed))
		return FAULT_NO_ACCESS;
	return page_make_present(area, address, write);
}

/* The signal for each result: Linux's bad_area and do_sigbus. */
static const struct {
	int signal, code;
} fault_signals[] = {
	[FAULT_NO_AREA] = { SIGSEGV, SEGV_MAPERR },
	[FAULT_NO_ACCESS] = { SIGSEGV, SEGV_ACCERR },
	[FAULT_BUS] = { SIGBUS, BUS_ADRERR },
};

bool vm_fault(struct trap_frame *frame, uintptr_t address, bool write, bool exec)
{
	struct task *task = task_current();
	struct vm_space *space = task->space;
	enum fault_result result = FAULT_NO_AREA;

	hook_fault_begun(frame, address);
	if (space && address < USER_END) {
		do {
			mutex_lock(&space->mutex);
			result = serve(space, address, write, exec);
			vm_space_unlock(space);
		} while (result == FAULT_NO_MEMORY && hook_memory_short());
	}
	if (result == FAULT_DONE) {
		task->faults_minor++;
		hook_fault_served(frame, address);
		return true;
	}
	/* A fatal signal is pending: the exit path to user mode ends the task. */
	if (result == FAULT_NO_MEMORY)
		return arch_frame_is_user(frame);
	if (!arch_frame_is_user(frame))
		return false;
	user_exception(frame, fault_signals[result].signal, fault_signals[result].code, address);
	return true;
}
