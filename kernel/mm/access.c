/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access to a space from outside: reading and writing the memory of any program, and reporting what it
 * maps and takes.
 *
 * The current task's own memory is reached through <kernel/mm/usercopy.h> instead, which is faster and
 * survives addresses that are not mapped.
 *
 * Lock: space->mutex.
 */
#include <string.h>

#include <kernel/mm/tables.h>
#include <uapi/linux/errno.h>

#include "vm.h"

/* Returns whether FLAGS allow an access to AREA's memory. Linux: check_vma_flags. */
static bool may_access(const struct vm_area *area, unsigned int flags)
{
	bool force = flags & VM_ACCESS_FORCE;

	if (area->device)
		return false;
	if (!(flags & VM_ACCESS_WRITE))
		return (area->prot & VM_READ) || (force && (area->max_prot & VM_READ));
	if (area->prot & VM_WRITE)
		return true;
	return force && !area->shared && (area->max_prot & VM_WRITE);
}

/* Returns the direct-map address of the byte at ADDRESS, made present for an access with FLAGS; or NULL, with
 * *ERROR -EFAULT or -ENOMEM. */
static char *reach(struct vm_space *space, uintptr_t address, unsigned int flags, int *error)
{
	struct vm_area *area = area_at_growing(space, address);
	bool write = flags & VM_ACCESS_WRITE;
	unsigned int prot;

	*error = -EFAULT;
	if (!area || !may_access(area, flags))
		return NULL;
	enum fault_result result = page_make_present(area, address, write);

	if (result == FAULT_NO_MEMORY)
		*error = -ENOMEM;
	if (result != FAULT_DONE)
		return NULL;
	paddr_t paddr = user_tables_lookup(&space->arch, address & PAGE_MASK, &prot);

	*error = 0;
	return (char *)page_address(paddr) + (address & ~PAGE_MASK);
}

/* Copies up to the first byte that cannot be reached; returns the bytes copied. */
static size_t copy(struct vm_space *space, struct user_range range, char *buffer,
		   unsigned int flags, int *error)
{
	uintptr_t address = user_range_start(range);
	size_t size = user_range_size(range), done = 0;

	*error = 0;
	mutex_lock(&space->mutex);
	while (done < size) {
		size_t part = PAGE_SIZE - (address + done) % PAGE_SIZE;
		char *memory = reach(space, address + done, flags, error);

		if (!memory)
			break;
		if (part > size - done)
			part = size - done;
		if (flags & VM_ACCESS_WRITE)
			memcpy(memory, buffer + done, part);
		else
			memcpy(buffer + done, memory, part);
		done += part;
	}
	vm_space_unlock(space);
	return done;
}

size_t vm_access(struct vm_space *space, struct user_range range, void *buffer, unsigned int flags)
{
	int error;

	return copy(space, range, buffer, flags, &error);
}

int vm_write(struct vm_space *space, uintptr_t address, const void *source, size_t size)
{
	struct user_range range;
	int error;

	if (!user_range_make(address, size, &range))
		return -EFAULT;
	copy(space, range, (char *)(uintptr_t)source, VM_ACCESS_WRITE, &error);
	return error;
}

void vm_for_each_area(struct vm_space *space, uintptr_t from,
		      bool (*visit)(const struct vm_area *area, void *arg), void *arg)
{
	mutex_lock(&space->mutex);
	struct vm_area *area = area_at_or_above(space, from);

	while (area && visit(area, arg))
		area = RB_NEXT(vm_area_tree, &space->areas, area);
	vm_space_unlock(space);
}

const char *vm_area_name(const struct vm_area *area)
{
	const struct vm_space *space = area->space;

	if (area->name || area->file)
		return area->name;
	if (area->shared)
		return "/dev/zero (deleted)";
	if (area->start < space->brk && area->end > space->brk_start)
		return "[heap]";
	return area->start < space->stack_top && area->end >= space->stack_top ? "[stack]" : NULL;
}

void vm_area_resident(const struct vm_area *area, size_t pages[PAGE_KINDS])
{
	struct arch_space *arch = &area->space->arch;
	struct user_range range = area_range(area);
	uintptr_t at;

	memset(pages, 0, PAGE_KINDS * sizeof(pages[0]));
	for (; (at = user_tables_next(arch, range)) < area->end;
	     range = user_range_from(range, at + PAGE_SIZE)) {
		unsigned int prot;
		const void *page = page_address(user_tables_lookup(arch, at, &prot));

		if (page_is_counted(page))
			pages[page_kind(page)]++;
	}
}

size_t vm_resident_pages(const struct vm_space *space)
{
	size_t total = 0;

	for (unsigned int kind = 0; kind < PAGE_KINDS; kind++)
		total += space->resident_pages[kind];
	return total;
}

void vm_get_usage(struct vm_space *space, struct vm_usage *usage)
{
	struct vm_area *area;

	mutex_lock(&space->mutex);
	*usage = (struct vm_usage){
		.mapped = space->mapped_pages,
		.mapped_peak = space->mapped_pages_peak,
		.resident_total = vm_resident_pages(space),
		.resident_peak = space->resident_pages_peak,
		.locked = space->locked_pages,
		.tables = space->arch.table_count,
	};
	memcpy(usage->resident, space->resident_pages, sizeof(usage->resident));
	RB_FOREACH(area, vm_area_tree, &space->areas) {
		size_t pages = (area->end - area->start) >> PAGE_SHIFT;

		if (area->grows_down)
			usage->stack += pages;
		else if ((area->prot & VM_WRITE) && !area->shared)
			usage->data += pages;
		else if ((area->prot & VM_EXEC) && area->file)
			usage->executable += pages;
	}
	vm_space_unlock(space);
}
