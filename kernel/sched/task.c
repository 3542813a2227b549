/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a task that the core needs itself: references, pending signals, the current task's
 * capabilities. Processes, signals and credentials as such are above it, in kernel/task/.
 *
 * A task's last reference may be dropped where its stack cannot be freed (in an interrupt, on that very
 * stack). The task then goes on a list that task_reap works off.
 *
 * Lock: dead_lock, irqsave, innermost.
 */
#include <kernel/sched/task.h>

#include <kernel/base/assert.h>
#include <kernel/base/hooks.h>
#include <kernel/sched/credentials.h>

static struct spinlock dead_lock = SPINLOCK_INITIALIZER;
static LIST_HEAD(, task) dead_tasks; /* dead_lock */

/* --- references --- */

void task_get(struct task *task)
{
	unsigned int before = atomic_fetch_add(&task->references, 1);

	ASSERT(before != 0);
}

void task_put(struct task *task)
{
	unsigned int before = atomic_fetch_sub(&task->references, 1);

	ASSERT(before != 0);
	if (before != 1)
		return;
	unsigned long state = spin_lock_irqsave(&dead_lock);

	LIST_INSERT_HEAD(&dead_tasks, task, dead);
	spin_unlock_irqrestore(&dead_lock, state);
	atomic_store(&this_cpu(sched_requests).reap, true);
}

void task_reap(void)
{
	_Atomic bool *requested = &this_cpu(sched_requests).reap;

	if (!atomic_load_explicit(requested, memory_order_relaxed))
		return;
	atomic_store(requested, false);
	for (;;) {
		unsigned long state = spin_lock_irqsave(&dead_lock);
		struct task *task = LIST_FIRST(&dead_tasks);

		if (task)
			LIST_REMOVE(task, dead);
		spin_unlock_irqrestore(&dead_lock, state);
		if (!task)
			break;
		hook_task_freed(task);
	}
}

/* --- pending signals --- */

bool signal_is_pending(struct task *task)
{
	return task->signals.attention || task->signals.fatal;
}

bool signal_is_fatal_pending(struct task *task)
{
	return task->signals.fatal;
}

/* --- credentials --- */

const struct credentials *credentials_current(void)
{
	return task_current()->credentials;
}

const struct credentials *credentials_share(const struct credentials *credentials)
{
	atomic_fetch_add(&((struct credentials *)credentials)->references, 1);
	return credentials;
}

bool capable(unsigned int cap)
{
	return credentials_have(credentials_current(), cap);
}
