/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of memory: kernel/trace/kmem.c. Without a listener each costs a load and a branch.
 *
 * kmem_cache_alloc and kmem_cache_free are declared, as programs request all of kmem's events at once, and
 * never happen: Tally has no caches for one kind of object.
 */
#ifndef KERNEL_TRACE_KMEM_H
#define KERNEL_TRACE_KMEM_H

#include <stddef.h>

#include <kernel/trace/emit.h>
#include <kernel/trace/event.h>

struct vm_space;

void trace_kmalloc_slow(const void *caller, const void *object, size_t requested, size_t given);
void trace_kfree_slow(const void *caller, const void *object);
void trace_page_alloc_slow(size_t frame, unsigned int order);
void trace_page_free_slow(size_t frame, unsigned int order);
void trace_rss_slow(const struct vm_space *space, unsigned int kind);

/* CALLER has requested REQUESTED bytes and got OBJECT of GIVEN bytes; CALLER frees OBJECT. Task and interrupt
 * context, any locks held. */
static inline void trace_kmalloc(const void *caller, const void *object, size_t requested,
				 size_t given)
{
	if (trace_is_on(TRACE_kmalloc))
		trace_kmalloc_slow(caller, object, requested, given);
}

static inline void trace_kfree(const void *caller, const void *object)
{
	if (trace_is_on(TRACE_kfree))
		trace_kfree_slow(caller, object);
}

/* 2^ORDER pages from page FRAME on were allocated (HOOK_NO_FRAME: the allocation failed); are freed. Context
 * as above. */
static inline void trace_page_alloc(size_t frame, unsigned int order)
{
	if (trace_is_on(TRACE_mm_page_alloc))
		trace_page_alloc_slow(frame, order);
}

static inline void trace_page_free(size_t frame, unsigned int order)
{
	if (trace_is_on(TRACE_mm_page_free))
		trace_page_free_slow(frame, order);
}

/* The number of SPACE's resident pages of KIND (enum page_kind) has changed. Its mutex is held. */
static inline void trace_rss(const struct vm_space *space, unsigned int kind)
{
	if (trace_is_on(TRACE_rss_stat))
		trace_rss_slow(space, kind);
}

#endif
