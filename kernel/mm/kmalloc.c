/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel objects by size: slabs of one page (Bonwick, "The Slab Allocator", USENIX 1994, without
 * constructors and per-CPU magazines).
 *
 * A slab is a page whose first SLAB_HEADER_SIZE bytes say which class it belongs to; objects of
 * that class follow. So an object of a slab is never page aligned, and an object larger than the
 * largest class, which is a block of pages of its own, always is: kfree distinguishes them by that.
 *
 * kmalloc_set_aside() begins an epoch: slabs of before are used only when no page can be allocated. An object of such a
 * slab that is freed is late: it waits in a list of its class. So the instructions of an allocation and of a free are those
 * of the epoch's own calls.
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
/* Late objects that return, and slabs that are set aside, at a time, with interrupts off. */
#define BATCH		 64

struct free_object {
	struct free_object *next;
};

struct slab_class;

LIST_HEAD(slab_list, slab);

struct slab {
	LIST_ENTRY(slab) link; /* C: in a list of its class while it has a free object */
	struct slab_class *class;
	struct free_object *free; /* C */
	uint32_t used;		  /* C: objects given out */
	uint32_t magic;
	uint32_t epoch; /* C: of its creation */
};			/* C: class->lock */

_Static_assert(sizeof(struct slab) <= SLAB_HEADER_SIZE, "header overlaps the first object");

struct slab_class {
	size_t object_size;
	struct spinlock lock;
	uint32_t epoch;		   /* C: the number of kmalloc_set_aside()s */
	struct slab_list partial;  /* C: slabs of this epoch with at least one free object */
	struct slab_list aside;	   /* C: those of earlier ones */
	struct slab_list unsorted; /* C: those on their way from partial to aside */
	struct free_object *late;  /* C: objects of earlier slabs that wait for their return */
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

/* Returns OBJECT to SLAB, which belongs in LIST; true: it was SLAB's last one in use. Its class's lock is held. */
static inline bool put_in_slab(struct slab *slab, struct slab_list *list,
			       struct free_object *object)
{
	if (!slab->free)
		LIST_INSERT_HEAD(list, slab, link);
	object->next = slab->free;
	slab->free = object;
	return --slab->used == 0;
}

/* Frees SLAB, which is in a list and has no object in use. Its class's lock is held. */
static __attribute__((noinline)) void free_slab(struct slab *slab)
{
	LIST_REMOVE(slab, link);
	slab->class->slabs--;
	page_put(slab);
}

/* Returns an object of CLASS that is late to its slab; false: there is none. CLASS's lock is held. */
static bool take_back_one(struct slab_class *class)
{
	struct free_object *object = class->late;
	struct slab *slab = (struct slab *)((uintptr_t)object & PAGE_MASK);

	if (!object)
		return false;
	class->late = object->next;
	if (put_in_slab(slab, &class->aside, object))
		free_slab(slab);
	return true;
}

/* Returns a slab of CLASS that is set aside and has a free object; NULL: there is none. CLASS's lock is held. */
static struct slab *find_aside(struct slab_class *class)
{
	if (LIST_EMPTY(&class->aside) && LIST_EMPTY(&class->unsorted))
		take_back_one(class);
	return !LIST_EMPTY(&class->aside) ? LIST_FIRST(&class->aside) :
					    LIST_FIRST(&class->unsorted);
}

/* Returns a slab of CLASS with a free object, a new one if possible; NULL: no memory. CLASS's lock is held. */
static struct slab *find_slab(struct slab_class *class)
{
	struct slab *slab = page_alloc_free(0);

	if (!slab)
		return find_aside(class);
	slab->class = class;
	slab->epoch = class->epoch;
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

/* Returns some of CLASS's late objects; false: none is left. CLASS's lock is held. */
static bool take_some_back(struct slab_class *class)
{
	for (unsigned int n = 0; n < BATCH; n++)
		if (!take_back_one(class))
			return false;
	return true;
}

void kmalloc_take_back(void)
{
	for (size_t i = 0; i < CLASS_COUNT; i++) {
		struct slab_class *class = &classes[i];
		bool more = true;

		while (more) {
			unsigned long state = spin_lock_irqsave(&class->lock);

			more = take_some_back(class);
			spin_unlock_irqrestore(&class->lock, state);
		}
	}
}

/* Takes an object of CLASS from a slab; NULL: no memory, but perhaps in other classes. */
static inline __attribute__((always_inline)) void *take_object(struct slab_class *class)
{
	struct free_object *object = NULL;
	unsigned long state = spin_lock_irqsave(&class->lock);
	struct slab *slab = LIST_FIRST(&class->partial);

	if (!slab)
		slab = find_slab(class);
	if (slab) {
		object = slab->free;
		slab->free = object->next;
		class->used++;
		if (slab->used++ == 0)
			spare_pages--;
		if (!slab->free)
			LIST_REMOVE(slab, link);
	}
	spin_unlock_irqrestore(&class->lock, state);
	return object;
}

/* The same after other classes have given pages back, without CLASS's lock. */
static __attribute__((noinline)) void *take_object_back(struct slab_class *class)
{
	kmalloc_take_back();
	return take_object(class);
}

void *kzalloc(size_t size)
{
	ASSERT(size != 0 && size <= KMALLOC_MAX);
	struct slab_class *class = class_for(size + POISON_TRAILER_SIZE);
	void *object;

	if (!class) {
		object = page_alloc(order_for(size));
	} else {
		object = take_object(class);
		if (!object)
			object = take_object_back(class);
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
	if (__builtin_expect(slab->epoch == class->epoch, true)) {
		/* One empty slab stays, so that a single object does not cost a page allocation each time. */
		if (put_in_slab(slab, &class->partial, object)) {
			if (LIST_FIRST(&class->partial) != slab || LIST_NEXT(slab, link))
				free_slab(slab);
			else
				spare_pages++;
		}
	} else {
		object->next = class->late;
		class->late = object;
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

/* Moves all slabs of CLASS from partial, of whatever length, to unsorted, which is empty. CLASS's lock is held. */
static void begin_to_set_aside(struct slab_class *class)
{
	struct slab *first = LIST_FIRST(&class->partial);

	ASSERT(LIST_EMPTY(&class->unsorted));
	class->epoch++;
	if (!first)
		return;
	class->unsorted.lh_first = first;
	first->link.le_prev = &class->unsorted.lh_first;
	LIST_INIT(&class->partial);
}

/* Moves some slabs with objects from unsorted to aside, and frees those without; false: none is left. CLASS's lock is held. */
static bool set_some_aside(struct slab_class *class)
{
	struct slab *slab;

	for (unsigned int n = 0; n < BATCH; n++) {
		slab = LIST_FIRST(&class->unsorted);
		if (!slab)
			return false;
		if (slab->used) {
			LIST_REMOVE(slab, link);
			LIST_INSERT_HEAD(&class->aside, slab, link);
		} else {
			spare_pages--;
			free_slab(slab);
		}
	}
	return true;
}

void kmalloc_set_aside(void)
{
	kmalloc_take_back();
	for (size_t i = 0; i < CLASS_COUNT; i++) {
		struct slab_class *class = &classes[i];
		unsigned long state = spin_lock_irqsave(&class->lock);
		bool more = true;

		begin_to_set_aside(class);
		while (more) {
			more = set_some_aside(class);
			spin_unlock_irqrestore(&class->lock, state);
			state = spin_lock_irqsave(&class->lock);
		}
		spin_unlock_irqrestore(&class->lock, state);
	}
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
