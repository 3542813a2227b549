/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call chains of samples (PERF_SAMPLE_CALLCHAIN): the instruction and its callers, in the kernel and
 * in user space, innermost first.
 */
#ifndef KERNEL_PERF_CALLCHAIN_H
#define KERNEL_PERF_CALLCHAIN_H

#include <stddef.h>
#include <stdint.h>

struct perf_event;
struct trap_frame;

struct perf_callchain {
	uint64_t count;
	uint64_t entries[]; /* PERF_CONTEXT_* marks and addresses */
};

/* Once, by perf_init. */
void perf_callchain_init(void);

/*
 * Get: an event with call chains is made; there is memory for chains while there is such an event: 0,
 * -ENOMEM. Put: the event is gone. Task context; any mutex may be held.
 */
int perf_callchain_get(void);
void perf_callchain_put(void);

/* Sets *LIMIT, perf_stack_depth_max or perf_contexts_per_stack_max, to VALUE: 0, or -EBUSY while there are
 * events with call chains. Task context. */
int perf_callchain_set_limit(_Atomic int *limit, int value);

/*
 * Returns the chain, of at most ENTRIES_MAX entries, of a sample of EVENT that interrupted FRAME, with the
 * user registers USER (NULL: there are none). The chain is this CPU's until perf_callchain_done, which the
 * caller calls before the interrupted code goes on. Any context, NMI included.
 */
struct perf_callchain *perf_callchain_take(const struct perf_event *event,
					   const struct trap_frame *frame,
					   const struct trap_frame *user, size_t entries_max);
void perf_callchain_done(void);

#endif
