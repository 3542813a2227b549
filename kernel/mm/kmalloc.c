/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel objects by size: slabs of one page (Bonwick, "The Slab Allocator", USENIX 1994, without
 * constructors and per-CPU magazines).
 *
 * A slab is a page whose first SLAB_HEADER_SIZE bytes say which class it belongs to; objects of
 * that class follow. So an object of a slab is never page aligned, and an object larger than the
 * largest class, which is a block of pages of its own, always is: kfree distinguishes them by that.
 *
 * Lock: class->lock, irqsave; the page allocator's lock is taken inside.
 */
#include <kernel/mm/kmalloc.h>

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/queue.h>

#include <kernel/base/assert.h>
#include <kernel/base/hooks.h>
#include <kernel/base/spinlock.h>
#include <kernel/mm/page.h>

#include "../debug/poison.h"

#define SLAB_HEADER_SIZE 64
#define SLAB_MAGIC	 0x62616c73u /* "slab" */

struct free_object {
	struct free_object *next;
};

struct slab_class;

struct slab {
	LIST_ENTRY(slab) link; /* C: in class->partial while it has a free object */
	struct slab_class *class;
	struct free_object *free; /* C */
	uint32_t used;		  /* C: objects given out */
	uint32_t magic;
}; /* C: class->lock */

_Static_assert(sizeof(struct slab) <= SLAB_HEADER_SIZE, "header overlaps the first object");

struct slab_class {
	size_t object_size;
	struct spinlock lock;
	LIST_HEAD(, slab) partial; /* C: slabs with at least one free object */
	size_t used, slabs;	   /* C: objects given out; pages */
};

/* From 576 on, the sizes that fill a page best while staying multiples of 64. */
static struct slab_class classes[] = {
	{ .object_size = 16 },	 { .object_size = 32 },	  { .object_size = 64 },
	{ .object_size = 128 },	 { .object_size = 192 },  { .object_size = 256 },
	{ .object_size = 384 },	 { .object_size = 576 },  { .object_size = 768 },
	{ .object_size = 1344 }, { .object_size = 1984 }, { .object_size = 4032 },
};

#define CLASS_COUNT (sizeof(classes) / sizeof(classes[0]))

static _Atomic size_t objects_live;
/* Pages of slabs without an object in use, kept for the next one. */
static _Atomic size_t spare_pages;

/* The index of the class for sizes above 32, by (size - 1) / 64. */
static const uint8_t class_of[] = {
	[0] = 2,       [1] = 3,	       [2] = 4,		[3] = 5,	  [4 ... 5] = 6,
	[6 ... 8] = 7, [9 ... 11] = 8, [12 ... 20] = 9, [21 ... 30] = 10, [31 ... 62] = 11,
};

static struct slab_class *class_for(size_t size)
{
	if (size <= 32)
		return &classes[size > 16];
	size_t index = (size - 1) / 64;

	return index < sizeof(class_of) ? &classes[class_of[index]] : NULL;
}

static unsigned int order_for(size_t size)
{
	unsigned int order = 0;

	while ((PAGE_SIZE << order) < size)
		order++;
	return order;
}

static struct slab *create_slab(struct slab_class *class)
{
	struct slab *slab = page_alloc(0);

	if (!slab)
		return NULL;
	slab->class = class;
	slab->magic = SLAB_MAGIC;
	for (size_t at = SLAB_HEADER_SIZE; at + class->object_size <= PAGE_SIZE;
	     at += class->object_size) {
		struct free_object *object = (struct free_object *)((char *)slab + at);

		poison_object_new(object, class->object_size);
		object->next = slab->free;
		slab->free = object;
	}
	LIST_INSERT_HEAD(&class->partial, slab, link);
	class->slabs++;
	spare_pages++;
	return slab;
}

void *kzalloc(size_t size)
{
	ASSERT(size != 0 && size <= KMALLOC_MAX);
	struct slab_class *class = class_for(size + POISON_TRAILER_SIZE);
	void *object = NULL;

	if (!class) {
		object = page_alloc(order_for(size));
	} else {
		unsigned long state = spin_lock_irqsave(&class->lock);
		struct slab *slab = LIST_FIRST(&class->partial);

		if (!slab)
			slab = create_slab(class);
		if (slab) {
			object = slab->free;
			slab->free = slab->free->next;
			class->used++;
			if (slab->used++ == 0)
				spare_pages--;
			if (!slab->free)
				LIST_REMOVE(slab, link);
		}
		spin_unlock_irqrestore(&class->lock, state);
		if (object) {
			poison_object_taken(object, class->object_size, size,
					    __builtin_return_address(0));
			memset(object, 0, size);
		}
	}
	if (object)
		atomic_fetch_add_explicit(&objects_live, 1, memory_order_relaxed);
	hook_memory_allocated(__builtin_return_address(0), object, size,
			      class ? class->object_size : PAGE_SIZE << order_for(size));
	return object;
}

static void free_in_slab(struct slab *slab, struct free_object *object, const void *caller)
{
	struct slab_class *class = slab->class;
	unsigned long state = spin_lock_irqsave(&class->lock);

	poison_object_freed(object, class->object_size, caller);
	ASSERT(slab->used != 0);
	class->used--;
	if (!slab->free)
		LIST_INSERT_HEAD(&class->partial, slab, link);
	object->next = slab->free;
	slab->free = object;
	/* One empty slab stays, so that a single object does not cost a page allocation each time. */
	if (--slab->used == 0) {
		if (LIST_FIRST(&class->partial) != slab || LIST_NEXT(slab, link)) {
			LIST_REMOVE(slab, link);
			class->slabs--;
			page_put(slab);
		} else {
			spare_pages++;
		}
	}
	spin_unlock_irqrestore(&class->lock, state);
}

void kfree(void *object)
{
	hook_memory_freed(__builtin_return_address(0), object);
	if (!object)
		return;
	if ((uintptr_t)object & (PAGE_SIZE - 1)) {
		struct slab *slab = (struct slab *)((uintptr_t)object & PAGE_MASK);

		ASSERT(slab->magic == SLAB_MAGIC);
		free_in_slab(slab, object, __builtin_return_address(0));
	} else {
		page_put(object);
	}
	atomic_fetch_sub_explicit(&objects_live, 1, memory_order_relaxed);
}

size_t kmalloc_count(void)
{
	return atomic_load_explicit(&objects_live, memory_order_relaxed);
}

size_t kmalloc_spare_pages(void)
{
	return spare_pages;
}

bool kmalloc_class_use(size_t index, struct kmalloc_use *use)
{
	if (index >= CLASS_COUNT)
		return false;
	struct slab_class *class = &classes[index];
	unsigned long state = spin_lock_irqsave(&class->lock);

	*use = (struct kmalloc_use){
		.object_size = class->object_size,
		.used = class->used,
		.slabs = class->slabs,
		.objects_in_slab = (PAGE_SIZE - SLAB_HEADER_SIZE) / class->object_size,
	};
	spin_unlock_irqrestore(&class->lock, state);
	return true;
}
