/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Anonymous shared memory: pages that are visible in the space that mapped them and in all its forks.
 *
 * The object has a fixed number of entries for pages, each filled at the first access from any space.
 * Areas (also the parts of a split one) hold references to it.
 *
 * Lock: object->lock (a mutex), inside a space's mutex.
 */
#include <stdatomic.h>

#include <kernel/mm/kmalloc.h>
#include <uapi/linux/errno.h>

#include "vm.h"

/* Entries in one table: a page of pointers. */
#define SLOTS_PER_TABLE (PAGE_SIZE / sizeof(void *))

struct shared_memory {
	_Atomic unsigned int references;
	struct mutex lock;
	struct vm_mapping mapping;
	uint64_t number;
	size_t page_count, table_count;
	void **tables[]; /* L: each NULL or SLOTS_PER_TABLE entries, a page or NULL */
};			 /* L: lock */

static _Atomic uint64_t last_number;

static void open_area(struct vm_area *area)
{
	struct shared_memory *memory = area->private;

	atomic_fetch_add(&memory->references, 1);
}

static void close_area(struct vm_area *area)
{
	struct shared_memory *memory = area->private;

	if (atomic_fetch_sub(&memory->references, 1) != 1)
		return;
	for (size_t table = 0; table < memory->table_count; table++) {
		if (!memory->tables[table])
			continue;
		for (size_t slot = 0; slot < SLOTS_PER_TABLE; slot++)
			if (memory->tables[table][slot])
				page_put(memory->tables[table][slot]);
		page_put(memory->tables[table]);
	}
	kfree(memory);
}

static void *fault_page(struct vm_area *area, uint64_t offset, bool write, bool *writable)
{
	struct shared_memory *memory = area->private;
	size_t number = offset >> PAGE_SHIFT, table = number / SLOTS_PER_TABLE;
	void *page = NULL;

	/* mremap made a view beyond the object's end. */
	if (number >= memory->page_count)
		return NULL;
	*writable = true;
	mutex_lock(&memory->lock);
	if (!memory->tables[table])
		memory->tables[table] = oom_page_alloc();
	if (memory->tables[table]) {
		void **slot = &memory->tables[table][number % SLOTS_PER_TABLE];

		if (!*slot && (*slot = oom_page_alloc()))
			page_set_kind(*slot, PAGE_SHARED);
		page = *slot;
		if (page)
			page_get(page);
	}
	mutex_unlock(&memory->lock);
	return page ? page : VM_NO_MEMORY;
}

static bool is_resident(struct vm_area *area, uint64_t offset)
{
	struct shared_memory *memory = area->private;
	size_t number = offset >> PAGE_SHIFT;

	if (number >= memory->page_count)
		return false;
	mutex_lock(&memory->lock);
	void **table = memory->tables[number / SLOTS_PER_TABLE];
	bool resident = table && table[number % SLOTS_PER_TABLE];

	mutex_unlock(&memory->lock);
	return resident;
}

/* Removes the pages from the object first, so that no fault brings them back, and then unmaps them in
 * every space. */
static int remove_pages(struct vm_area *area, uint64_t offset, uint64_t bytes)
{
	struct shared_memory *memory = area->private;
	size_t first = offset >> PAGE_SHIFT, end = (offset + bytes) >> PAGE_SHIFT;

	if (end > memory->page_count)
		end = memory->page_count;
	mutex_lock(&memory->lock);
	for (size_t number = first; number < end; number++) {
		void **table = memory->tables[number / SLOTS_PER_TABLE];

		if (!table || !table[number % SLOTS_PER_TABLE])
			continue;
		page_put(table[number % SLOTS_PER_TABLE]);
		table[number % SLOTS_PER_TABLE] = NULL;
	}
	mutex_unlock(&memory->lock);
	vm_unmap_file_range(&memory->mapping, offset, offset + bytes, true);
	return 0;
}

static const struct vm_area_ops shared_memory_ops = {
	.open = open_area,
	.close = close_area,
	.fault = fault_page,
	.resident = is_resident,
	.remove = remove_pages,
	.mergeable = true,
};

uint64_t shared_memory_number(const struct vm_area *area)
{
	return area->ops == &shared_memory_ops ? ((struct shared_memory *)area->private)->number :
						 0;
}

int shared_memory_attach(struct vm_area *area)
{
	size_t pages = (area->end - area->start) >> PAGE_SHIFT;
	size_t tables = (pages + SLOTS_PER_TABLE - 1) / SLOTS_PER_TABLE;
	size_t size = sizeof(struct shared_memory) + tables * sizeof(void **);

	if (size > KMALLOC_MAX)
		return -ENOMEM;
	struct shared_memory *memory = kzalloc(size);

	if (!memory)
		return -ENOMEM;
	memory->references = 1;
	memory->number = atomic_fetch_add(&last_number, 1) + 1;
	memory->page_count = pages;
	memory->table_count = tables;
	mutex_init(&memory->lock);
	vm_mapping_init(&memory->mapping);
	area->private = memory;
	area->mapping = &memory->mapping;
	area->ops = &shared_memory_ops;
	area->offset = 0;
	return 0;
}
