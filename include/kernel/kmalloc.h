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

/* SIZE bytes (1 … KMALLOC_MAX), zeroed, aligned to 16 (to 64 from 64 bytes upwards), or NULL.
 * Task and interrupt context. */
void *kzalloc(size_t size);

/* A copy of the SIZE bytes (below KMALLOC_MAX) at BYTES with a zero byte after them, for kfree, or NULL. Context as
 * above. */
static inline char *kcopy_text(const char *bytes, size_t size)
{
	char *copy = kzalloc(size + 1);

	if (copy)
		memcpy(copy, bytes, size);
	return copy;
}

/* Frees what kzalloc returned; NULL is allowed. Task and interrupt context. */
void kfree(void *object);

/* Objects allocated and not freed. For leak tests. Any context. */
size_t kmalloc_count(void);
/* Pages that the allocator holds without an object in them: as good as free. Any context. */
size_t kmalloc_spare_pages(void);

/* What the objects of one size take. Slabs are pages. */
struct kmalloc_use {
	size_t object_size, used, slabs, objects_in_slab;
};

/* The use of size number INDEX (0 …), or false: there are no more. Task context. */
bool kmalloc_class_use(size_t index, struct kmalloc_use *use);

#endif
