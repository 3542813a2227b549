/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Poison: see poison.h.
 *
 * An object of a slab ends with a trailer, which names its present or last user. The guard lies between
 * the requested bytes and the trailer.
 *
 *   [ requested | guard, at least 8 bytes | trailer ]
 */
#ifdef TALLY_DEBUG

#include "poison.h"

#include <stdint.h>
#include <string.h>

#include <kernel/base/log.h>
#include <kernel/base/symbol.h>

#define FILL_FREE   0x6b
#define FILL_GUARD  0xbb
#define MAGIC_TAKEN 0x74616b656e212121
#define MAGIC_FREE  0x6672656521212121

struct trailer {
	uint64_t magic;
	uint32_t size;	    /* requested bytes */
	const void *caller; /* return address of the allocating or the freeing call */
};

_Static_assert(sizeof(struct trailer) + 8 <= POISON_TRAILER_SIZE, "no room for the guard");

static const char *name_of(const void *address)
{
	size_t offset;
	const char *name = symbol_find((uintptr_t)address, &offset);

	return name ? name : "no function yet";
}

static struct trailer *trailer_of(void *object, size_t object_size)
{
	return (struct trailer *)((char *)object + object_size) - 1;
}

/* Returns the first byte of SIZE that is not VALUE, or NULL. */
static const unsigned char *find_other(const void *memory, size_t size, unsigned char value)
{
	const unsigned char *at = memory, *end = at + size;
	const uint64_t word = value * 0x0101010101010101u;

	/* Compare words for speed: this runs while signals are sent, too; in an emulator it is a good part of a
	 * page's cost, so eight words at once. */
	if ((uintptr_t)at % sizeof(word) == 0)
		for (; (size_t)(end - at) >= 8 * sizeof(word); at += 8 * sizeof(word)) {
			const uint64_t *words = (const uint64_t *)at;

			if (((words[0] ^ word) | (words[1] ^ word) | (words[2] ^ word) |
			     (words[3] ^ word) | (words[4] ^ word) | (words[5] ^ word) |
			     (words[6] ^ word) | (words[7] ^ word)) != 0)
				break;
		}
	while (at < end && *at == value) {
		uint64_t eight = ~word;

		if ((uintptr_t)at % sizeof(word) == 0 && (size_t)(end - at) >= sizeof(word))
			eight = *(const uint64_t *)at;
		at += eight == word ? sizeof(word) : 1;
	}
	return at < end ? at : NULL;
}

void poison_fill(void *memory, size_t size)
{
	memset(memory, FILL_FREE, size);
}

void poison_check(const void *memory, size_t size, const char *what, const void *freed_by)
{
	const unsigned char *wrong = find_other(memory, size, FILL_FREE);

	if (wrong)
		panic("use after free: %s at %p, freed by %s, has 0x%02x at offset %zu", what,
		      memory, name_of(freed_by), *wrong,
		      (size_t)(wrong - (const unsigned char *)memory));
}

void poison_object_new(void *object, size_t object_size)
{
	struct trailer *trailer = trailer_of(object, object_size);

	poison_fill((char *)object + sizeof(void *),
		    object_size - sizeof(void *) - sizeof(*trailer));
	*trailer = (struct trailer){ .magic = MAGIC_FREE };
}

void poison_object_taken(void *object, size_t object_size, size_t size, const void *caller)
{
	struct trailer *trailer = trailer_of(object, object_size);

	if (trailer->magic != MAGIC_FREE)
		panic("a free object at %p of %zu bytes, freed by %s, has a damaged trailer",
		      object, object_size, name_of(trailer->caller));
	poison_check((char *)object + sizeof(void *),
		     object_size - sizeof(void *) - sizeof(*trailer), "an object", trailer->caller);
	memset((char *)object + size, FILL_GUARD, object_size - size - sizeof(*trailer));
	*trailer = (struct trailer){ MAGIC_TAKEN, (uint32_t)size, caller };
}

void poison_object_freed(void *object, size_t object_size, const void *caller)
{
	struct trailer *trailer = trailer_of(object, object_size);

	if (trailer->magic == MAGIC_FREE)
		panic("freed twice: the object at %p, first by %s, now by %s", object,
		      name_of(trailer->caller), name_of(caller));
	if (trailer->magic != MAGIC_TAKEN ||
	    find_other((char *)object + trailer->size,
		       object_size - trailer->size - sizeof(*trailer), FILL_GUARD))
		panic("written past its end: the object at %p of %u bytes, allocated by %s", object,
		      trailer->size, name_of(trailer->caller));
	poison_object_new(object, object_size);
	trailer->caller = caller;
}

#endif
