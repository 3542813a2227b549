/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for a spin lock that another CPU holds: the slow path of spin_lock. See
 * <kernel/spinlock.h>.
 */
#include <kernel/spinlock.h>

#include <kernel/trace/lock.h>

void spin_wait(struct spinlock *lock)
{
	trace_contention_begin(lock, TRACE_LOCK_SPIN);
	spin_wait_untraced(lock);
	trace_contention_end(lock, 0);
}
