// SPDX-License-Identifier: BSD-2-Clause
/* Waiting for a spin lock, without the tracepoints of kernel/smp/spinlock.c. */
#include <kernel/base/spinlock.h>

void spin_wait(struct spinlock *lock)
{
	spin_wait_untraced(lock);
}
