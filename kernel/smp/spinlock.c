/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for a spin lock that another CPU holds: the slow path of spin_lock. See
 * <kernel/base/spinlock.h>.
 */
#include <kernel/base/spinlock.h>

#include <kernel/base/hooks.h>

void spin_wait(struct spinlock *lock)
{
	hook_lock_contended(lock, HOOK_LOCK_SPIN);
	spin_wait_untraced(lock);
	hook_lock_acquired(lock, 0);
}
