/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of contended locks, at their hooks in <kernel/base/hooks.h>. A free lock reports nothing and
 * costs nothing.
 *
 * The lock may be any of the kernel's, and is held at contention_end: so the code under trace_emit must not
 * take a lock whose contention is traced. It takes its locks with spin_lock_untraced.
 */
#include <kernel/base/hooks.h>
#include <kernel/trace/emit.h>

HOOK_LISTENER(lock_contended, 1, (const void *lock, unsigned int flags))
{
	TRACE_RECORD(trace_contention_begin, 0)
	room = { .record = { .lock_addr = (void *)(uintptr_t)lock, .flags = flags } };

	if (trace_is_on(TRACE_contention_begin))
		trace_emit(TRACE_contention_begin, &room, sizeof(room.record), 1);
}

HOOK_LISTENER(lock_acquired, 1, (const void *lock, int result))
{
	TRACE_RECORD(trace_contention_end, 0)
	room = { .record = { .lock_addr = (void *)(uintptr_t)lock, .ret = result } };

	if (trace_is_on(TRACE_contention_end))
		trace_emit(TRACE_contention_end, &room, sizeof(room.record), 1);
}
