/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of the tracepoints of locks. See <kernel/trace/lock.h> for their places.
 *
 * The lock may be any of the kernel's, and is held at contention_end: so the code under trace_emit must not
 * take a lock whose contention is traced. It takes its locks with spin_lock_untraced.
 */
#include <kernel/trace/lock.h>

#include <kernel/trace/emit.h>

void trace_contention_begin_slow(const void *lock, unsigned int flags)
{
	TRACE_RECORD(trace_contention_begin, 0)
	room = { .record = { .lock_addr = (void *)(uintptr_t)lock, .flags = flags } };

	trace_emit(TRACE_contention_begin, &room, sizeof(room.record), 1);
}

void trace_contention_end_slow(const void *lock, int result)
{
	TRACE_RECORD(trace_contention_end, 0)
	room = { .record = { .lock_addr = (void *)(uintptr_t)lock, .ret = result } };

	trace_emit(TRACE_contention_end, &room, sizeof(room.record), 1);
}
