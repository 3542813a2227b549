/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Anonymous shared memory: pages that every space forked from the one that mapped them sees.
 *
 * The object has a fixed number of page slots, filled at the first access from anywhere. Areas
 * (also the parts of a split one) hold references to it.
 *
 * Lock: object->lock (a mutex), inside a space's mutex.
 */
#include <stdatomic.h>

#include <kernel/assert.h>
#include <kernel/kmalloc.h>
#include <uapi/linux/errno.h>

#include "vm.h"

/* Slots in one table: a page of pointers. */
#define SLOTS_PER_TABLE (PAGE_SIZE / sizeof(void *))

struct shared_memory {
	_Atomic unsigned int references;
	struct mutex lock;
	size_t table_count;
	void **tables[]; /* L: each NULL or SLOTS_PER_TABLE pages or NULLs */
};			 /* L: lock */

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

	ASSERT(table < memory->table_count);
	*writable = true;
	mutex_lock(&memory->lock);
	if (!memory->tables[table])
		memory->tables[table] = page_alloc(0);
	if (memory->tables[table]) {
		void **slot = &memory->tables[table][number % SLOTS_PER_TABLE];

		if (!*slot)
			*slot = page_alloc(0);
		page = *slot;
		if (page)
			page_get(page);
	}
	mutex_unlock(&memory->lock);
	return page;
}

static const struct vm_area_ops shared_memory_ops = {
	.open = open_area,
	.close = close_area,
	.fault = fault_page,
};

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
	memory->table_count = tables;
	mutex_init(&memory->lock);
	area->private = memory;
	area->ops = &shared_memory_ops;
	area->offset = 0;
	return 0;
}
