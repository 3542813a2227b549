/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of contended locks: kernel/trace/lock.c. A free lock reports nothing and costs nothing.
 */
#ifndef KERNEL_TRACE_LOCK_H
#define KERNEL_TRACE_LOCK_H

#include <kernel/trace/emit.h>
#include <kernel/trace/event.h>

void trace_contention_begin_slow(const void *lock, unsigned int flags);
void trace_contention_end_slow(const void *lock, int result);

/* The running code begins to wait for LOCK, as FLAGS describe. A second call before the end: the kind of
 * wait changes. Any context but NMI, any locks held. */
static inline void trace_contention_begin(const void *lock, unsigned int flags)
{
	if (trace_is_on(TRACE_contention_begin))
		trace_contention_begin_slow(lock, flags);
}

/* The wait ends: with LOCK (RESULT is 0), or with a negative error. */
static inline void trace_contention_end(const void *lock, int result)
{
	if (trace_is_on(TRACE_contention_end))
		trace_contention_end_slow(lock, result);
}

#endif
