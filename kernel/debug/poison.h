/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of the debug build for memory that is free: a free fills the memory with a pattern, and the
 * next allocation looks for the pattern. Any other byte is a write after the free. A release build has
 * none of this.
 */
#ifndef DEBUG_POISON_H
#define DEBUG_POISON_H

#include <stddef.h>

#ifdef TALLY_DEBUG

/* Bytes at the end of an object that belong to the checks. */
#define POISON_TRAILER_SIZE 32

/* Fills SIZE bytes of freed memory. Any context. */
void poison_fill(void *memory, size_t size);
/* Panics if the pattern is damaged. WHAT names such memory; FREED_BY: the return address of the freeing
 * call. Any context. */
void poison_check(const void *memory, size_t size, const char *what, const void *freed_by);

/* OBJECT, of a slab's OBJECT_SIZE bytes, is allocated with SIZE bytes for the call that returns to
 * CALLER: checks that it was not written since the free, and guards the bytes between the two sizes.
 * The lock of the slab's class is held. */
void poison_object_taken(void *object, size_t object_size, size_t size, const void *caller);
/* OBJECT is freed: checks that it was allocated, was not freed already, and was not written past its
 * end. Then fills it, except for the first word, which belongs to the free list. */
void poison_object_freed(void *object, size_t object_size, const void *caller);
/* OBJECT is new in its slab, and free. */
void poison_object_new(void *object, size_t object_size);

#else

#define POISON_TRAILER_SIZE 0

static inline void poison_object_taken(void *object, size_t object_size, size_t size,
				       const void *caller)
{
}

static inline void poison_object_freed(void *object, size_t object_size, const void *caller)
{
}

static inline void poison_object_new(void *object, size_t object_size)
{
}

#endif
#endif
