/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of memory, at their hooks in <kernel/base/hooks.h>.
 *
 * kmem_cache_alloc and kmem_cache_free are declared, as programs request all of kmem's events at once, and
 * never happen: Tally has no caches for one kind of object.
 *
 * Tally's allocations have no flags. A record shows the flags of the Linux allocation that does the same:
 * memory is zeroed, and with interrupts off the caller cannot sleep. There is one node and one kind of free
 * page.
 *
 * An allocation may happen under any lock, so emit.c's rules for tracepoints under locks apply.
 */
#include <arch/cpu.h>
#include <arch/task.h>
#include <kernel/base/hooks.h>
#include <kernel/mm/page.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/trace/emit.h>

/* Linux's GFP_KERNEL, GFP_ATOMIC and __GFP_ZERO; NUMA_NO_NODE; MIGRATE_UNMOVABLE. */
#define FLAGS_KERNEL	  0xcc0
#define FLAGS_ATOMIC	  0x820
#define FLAG_ZERO	  0x100
#define NO_NODE		  (-1)
#define MIGRATE_UNMOVABLE 0

static unsigned long flags_here(void)
{
	return FLAG_ZERO |
	       (arch_irqs_enabled() && !arch_interrupt_frame() ? FLAGS_KERNEL : FLAGS_ATOMIC);
}

HOOK_LISTENER(memory_allocated, 1,
	      (const void *caller, const void *object, size_t requested, size_t given))
{
	TRACE_RECORD(trace_kmalloc, 0)
	room = { .record = { .call_site = (unsigned long)caller,
			     .ptr = object,
			     .bytes_req = requested,
			     .bytes_alloc = given,
			     .gfp_flags = flags_here(),
			     .node = NO_NODE } };

	if (trace_is_on(TRACE_kmalloc))
		trace_emit(TRACE_kmalloc, &room, sizeof(room.record), 1);
}

HOOK_LISTENER(memory_freed, 1, (const void *caller, const void *object))
{
	TRACE_RECORD(trace_kfree, 0)
	room = { .record = { .call_site = (unsigned long)caller, .ptr = object } };

	if (trace_is_on(TRACE_kfree))
		trace_emit(TRACE_kfree, &room, sizeof(room.record), 1);
}

HOOK_LISTENER(pages_allocated, 1, (size_t frame, unsigned int order))
{
	TRACE_RECORD(trace_mm_page_alloc, 0)
	room = { .record = { .pfn = frame,
			     .order = order,
			     .gfp_flags = flags_here(),
			     .migratetype = MIGRATE_UNMOVABLE } };

	if (trace_is_on(TRACE_mm_page_alloc))
		trace_emit(TRACE_mm_page_alloc, &room, sizeof(room.record), 1);
}

HOOK_LISTENER(pages_freed, 1, (size_t frame, unsigned int order))
{
	TRACE_RECORD(trace_mm_page_free, 0)
	room = { .record = { .pfn = frame, .order = order } };

	if (trace_is_on(TRACE_mm_page_free))
		trace_emit(TRACE_mm_page_free, &room, sizeof(room.record), 1);
}

HOOK_LISTENER(pages_counted, 1, (const struct vm_space *space, unsigned int kind))
{
	/* Linux's numbers of the kinds. */
	static const int members[PAGE_KINDS] = {
		[PAGE_FILE] = 0, [PAGE_ANONYMOUS] = 1, [PAGE_SHARED] = 3
	};
	TRACE_RECORD(trace_rss_stat, 0)
	room = { .record = { .mm_id = (unsigned int)((uintptr_t)space >> 4) * 0x9e3779b1u,
			     .curr = task_current()->space == space,
			     .member = members[kind],
			     .size = (long)(space->resident_pages[kind] << PAGE_SHIFT) } };

	if (trace_is_on(TRACE_rss_stat))
		trace_emit(TRACE_rss_stat, &room, sizeof(room.record), 1);
}
