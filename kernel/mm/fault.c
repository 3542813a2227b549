/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages of an address space: bringing them in at a fault, copying them when they are written to,
 * taking them away.
 *
 * A mapped page has one reference for each page table that maps it. A private page that is mapped
 * read-only in a writable area is one that fork shared: the writer copies it, or, when it is the
 * only one left, just makes it writable.
 *
 * Pages that leave are dropped only after every processor that has the space loaded has forgotten
 * the translation.
 *
 * Lock: space->mutex held by all but vm_fault and vm_write, which take it.
 */
#include <string.h>

#include <arch/task.h>
#include <kernel/assert.h>
#include <kernel/entry.h>
#include <kernel/inode.h>
#include <kernel/log.h>
#include <kernel/perf.h>
#include <kernel/smp.h>
#include <kernel/task.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

#include "vm.h"

/* Pages taken away between two flushes. */
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
	cpumask_t active = space->active_cpus;

	/* A processor that loads the space from now on sees the tables as they are now. */
	if (active)
		smp_call_mask(active, flush_here, &range);
}

void pages_unmap(struct vm_space *space, uintptr_t start, uintptr_t end)
{
	void *pages[UNMAP_BATCH];
	unsigned int count = 0;
	uintptr_t from = start;

	for (struct vm_area *area = area_at_or_above(space, start); area && area->start < end;
	     area = RB_NEXT(vm_area_tree, &space->areas, area)) {
		uintptr_t at = area->start > start ? area->start : start;
		uintptr_t stop = area->end < end ? area->end : end;

		for (; (at = arch_space_next(&space->arch, at, stop)) < stop; at += PAGE_SIZE) {
			if (count == 0)
				from = at;
			pages[count++] = page_address(arch_space_unmap(&space->arch, at));
			if (count < UNMAP_BATCH)
				continue;
			tlb_flush(space, from, at + PAGE_SIZE);
			while (count)
				page_put(pages[--count]);
		}
	}
	if (count)
		tlb_flush(space, from, end);
	while (count)
		page_put(pages[--count]);
}

/* What AREA's pages may be mapped with when WRITABLE tells whether this one may be written to
 * without a fault. */
static unsigned int page_prot(const struct vm_area *area, bool writable)
{
	return writable ? area->prot : area->prot & ~(unsigned int)VM_WRITE;
}

void pages_protect(struct vm_area *area)
{
	struct arch_space *arch = &area->space->arch;

	uintptr_t at = area->start;

	/* Whoever may write from now on asks by a fault whether the page is its own. */
	for (; (at = arch_space_next(arch, at, area->end)) < area->end; at += PAGE_SIZE)
		arch_space_protect(arch, at, page_prot(area, false));
	tlb_flush(area->space, area->start, area->end);
}

/* A new page with what AREA shows at ADDRESS. */
static enum fault_result fill_private(struct vm_area *area, uintptr_t address, void **page)
{
	uint64_t offset = area->offset + (address - area->start);

	if (area->inode && offset >= ((area->file_bytes + PAGE_SIZE - 1) & PAGE_MASK))
		return FAULT_BUS;
	*page = page_alloc(0);
	if (!*page)
		return FAULT_NO_MEMORY;
	if (area->inode && offset < area->file_bytes) {
		uint64_t left = area->file_bytes - offset;

		inode_copy(area->inode, offset, *page, left < PAGE_SIZE ? (size_t)left : PAGE_SIZE);
	}
	return FAULT_DONE;
}

/* A write to private page OLD, mapped read-only at ADDRESS. */
static enum fault_result unshare(struct vm_area *area, uintptr_t address, void *old)
{
	struct vm_space *space = area->space;

	if (page_references(old) == 1) {
		/* Other processors that still think it read-only fault and come here. */
		arch_space_protect(&space->arch, address, area->prot | VM_WRITE);
		arch_tlb_flush_local(address, address + PAGE_SIZE);
		return FAULT_DONE;
	}
	void *copy = page_alloc(0);

	if (!copy)
		return FAULT_NO_MEMORY;
	memcpy(copy, old, PAGE_SIZE);
	if (arch_space_map(&space->arch, address, page_paddr(copy), area->prot | VM_WRITE) < 0) {
		page_put(copy);
		return FAULT_NO_MEMORY;
	}
	tlb_flush(space, address, address + PAGE_SIZE);
	page_put(old);
	return FAULT_DONE;
}

enum fault_result page_make_present(struct vm_area *area, uintptr_t address, bool write)
{
	struct vm_space *space = area->space;
	unsigned int had = 0;
	bool writable = true;
	void *page = NULL;

	address &= PAGE_MASK;
	paddr_t present = arch_space_lookup(&space->arch, address, &had);

	if (present && (!write || (had & VM_WRITE))) {
		/* Another thread was faster, or the translation in the TLB was older than the
		 * table. */
		arch_tlb_flush_local(address, address + PAGE_SIZE);
		return FAULT_DONE;
	}
	if (area->ops) {
		page = area->ops->fault(area, area->offset + (address - area->start), write,
					&writable);
		if (!page || (write && !writable)) {
			if (page)
				page_put(page);
			return FAULT_BUS;
		}
	} else if (present) {
		return unshare(area, address, page_address(present));
	} else {
		enum fault_result result = fill_private(area, address, &page);

		if (result != FAULT_DONE)
			return result;
	}
	if (arch_space_map(&space->arch, address, page_paddr(page), page_prot(area, writable)) <
	    0) {
		page_put(page);
		return FAULT_NO_MEMORY;
	}
	if (present) {
		tlb_flush(space, address, address + PAGE_SIZE);
		page_put(page_address(present));
	}
	return FAULT_DONE;
}

static enum fault_result serve(struct vm_space *space, uintptr_t address, bool write, bool exec)
{
	struct vm_area *area = area_at_growing(space, address);

	if (!area)
		return FAULT_NO_AREA;
	unsigned int needed = write ? VM_WRITE : exec ? VM_EXEC : VM_READ;

	/* The processor cannot map pages that are writable or executable, but not readable. */
	if (needed == VM_READ ? !area->prot : !(area->prot & needed))
		return FAULT_NO_ACCESS;
	return page_make_present(area, address, write);
}

/* How each result is told to the program: Linux's bad_area and do_sigbus. */
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

	perf_software_event(PERF_COUNT_SW_PAGE_FAULTS, 1, frame, address);
	if (space && address < USER_END) {
		mutex_lock(&space->mutex);
		result = serve(space, address, write, exec);
		mutex_unlock(&space->mutex);
	}
	if (result == FAULT_DONE) {
		task->faults_minor++;
		perf_software_event(PERF_COUNT_SW_PAGE_FAULTS_MIN, 1, frame, address);
		return true;
	}
	if (result == FAULT_NO_MEMORY) {
		log_warning("out of memory: killing %d (%s)", task->tgid, task->comm);
		task_signal(task, SIGKILL);
		return arch_frame_is_user(frame);
	}
	if (!arch_frame_is_user(frame))
		return false;
	user_exception(frame, fault_signals[result].signal, fault_signals[result].code, address);
	return true;
}

int vm_write(struct vm_space *space, uintptr_t address, const void *source, size_t size)
{
	const char *from = source;
	int error = 0;

	mutex_lock(&space->mutex);
	while (size && !error) {
		struct vm_area *area = area_at_growing(space, address);
		size_t in_page = PAGE_SIZE - (address & ~PAGE_MASK);
		size_t part = size < in_page ? size : in_page;
		unsigned int prot;

		if (!area || area->ops || !(area->prot & VM_WRITE)) {
			error = -EFAULT;
			break;
		}
		if (page_make_present(area, address, true) != FAULT_DONE) {
			error = -ENOMEM;
			break;
		}
		paddr_t paddr = arch_space_lookup(&space->arch, address & PAGE_MASK, &prot);

		memcpy((char *)page_address(paddr) + (address & ~PAGE_MASK), from, part);
		address += part;
		from += part;
		size -= part;
	}
	mutex_unlock(&space->mutex);
	return error;
}
