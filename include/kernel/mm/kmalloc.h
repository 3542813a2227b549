/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel objects: allocation of memory by size, in slabs on top of pages.
 */
#ifndef KERNEL_KMALLOC_H
#define KERNEL_KMALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Largest object. */
#define KMALLOC_MAX ((size_t)1 << 20)

/* Allocates SIZE bytes (1 … KMALLOC_MAX), zeroed, aligned to 16 (to 64 from 64 bytes upwards); NULL: no
 * memory. Task and interrupt context. */
void *kzalloc(size_t size);

/* Copies the SIZE bytes (below KMALLOC_MAX) at BYTES and adds a zero byte; for kfree. NULL: no memory.
 * Context as above. */
static inline char *kcopy_text(const char *bytes, size_t size)
{
	char *copy = kzalloc(size + 1);

	if (copy)
		memcpy(copy, bytes, size);
	return copy;
}

/* Frees what kzalloc returned; NULL is allowed. Task and interrupt context. */
void kfree(void *object);

/* Begins an epoch: sets the free objects aside. Until no page can be allocated, the instructions of kzalloc and kfree depend
 * only on the calls of this epoch. Call it before page_set_aside(), because it frees pages. It may be called at any time, by one
 * task at a time, and loses no memory. Task context. */
void kmalloc_set_aside(void);

/* Returns the objects of earlier epochs that were freed in this one to their slabs, which may free pages. Task and interrupt
 * context, without a lock of kmalloc's or of the pages. */
void kmalloc_take_back(void);

/* Returns the number of objects allocated and not freed. For leak tests. Any context. */
size_t kmalloc_count(void);
/* Returns the pages that the allocator holds without an object in them: as good as free. Any context. */
size_t kmalloc_spare_pages(void);

/* The use of one size of objects. Slabs are pages. */
struct kmalloc_use {
	size_t object_size, used, slabs, objects_in_slab;
};

/* Fills in the use of size number INDEX (0 …); false: there are no more. Task context. */
bool kmalloc_class_use(size_t index, struct kmalloc_use *use);

#endif
