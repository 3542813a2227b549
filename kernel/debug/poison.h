/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the debug build does with memory that nobody owns: it is filled with a pattern when it is
 * freed, and the pattern is looked for when it is given out again. Who has written to it meanwhile
 * used what was not his any more. In a release build none of this is there.
 */
#ifndef DEBUG_POISON_H
#define DEBUG_POISON_H

#include <stddef.h>

#ifdef TALLY_DEBUG

/* Bytes at the end of an object that are the checks' own. */
#define POISON_TRAILER_SIZE 32

/* Fills SIZE bytes of freed memory. Any context. */
void poison_fill(void *memory, size_t size);
/* Panics if the pattern is not there any more; WHAT is the name of such memory, FREED_BY the return
 * address of who freed it. Any context. */
void poison_check(const void *memory, size_t size, const char *what, const void *freed_by);

/* OBJECT, of a slab's OBJECT_SIZE bytes, is given out for SIZE bytes to the caller that returns to
 * CALLER: nobody has written to it since it was freed. What lies between the two sizes is guarded.
 * Lock of the slab's class held. */
void poison_object_taken(void *object, size_t object_size, size_t size, const void *caller);
/* OBJECT is given back: it was taken, not twice, and nobody wrote behind its end. Then it is filled,
 * but for the first word, which is the free list's. */
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
