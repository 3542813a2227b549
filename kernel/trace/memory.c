/* SPDX-License-Identifier: BSD-2-Clause */
/* The account of the memory of traces. See memory.h. */
#include "memory.h"

#include <stdatomic.h>

#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>

static _Atomic size_t bytes_taken;

void *trace_memory_get(size_t size)
{
	void *memory = NULL;

	if (atomic_fetch_add(&bytes_taken, size) + size <= page_total_count() / 4 * PAGE_SIZE)
		memory = kzalloc(size);
	if (!memory)
		bytes_taken -= size;
	return memory;
}

void trace_memory_put(void *memory, size_t size)
{
	if (!memory)
		return;
	kfree(memory);
	bytes_taken -= size;
}
