/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wait queues and mutexes: everything that sleeps, on top of sched_sleep and sched_wake.
 *
 * A sleeper first becomes TASK_SLEEPING and then looks whether what it waits for has happened; a
 * waker first makes it happen and then calls sched_wake. One of them sees the other's store
 * (both are sequentially consistent), so no wake-up is lost.
 *
 * task->woken remembers a wake-up from when its task was added to a queue until it sleeps.
 *
 * Locks: as <kernel/wait.h> says.
 */
#include <kernel/assert.h>
#include <kernel/sched.h>
#include <kernel/signal.h>
#include <kernel/task.h>
#include <kernel/time.h>
#include <kernel/wait.h>
#include <uapi/linux/errno.h>

struct sleep_timer {
	struct timer timer;
	struct task *task;
};

void wait_queue_init(struct wait_queue *queue)
{
	spin_init(&queue->lock);
	TAILQ_INIT(&queue->entries);
}

void wait_queue_add(struct wait_queue *queue, struct wait_entry *entry)
{
	unsigned long state = spin_lock_irqsave(&queue->lock);

	entry->task = task_current();
	entry->queued = true;
	TAILQ_INSERT_TAIL(&queue->entries, entry, link);
	spin_unlock_irqrestore(&queue->lock, state);
}

void wait_queue_remove(struct wait_queue *queue, struct wait_entry *entry)
{
	unsigned long state = spin_lock_irqsave(&queue->lock);

	if (entry->queued) {
		entry->queued = false;
		TAILQ_REMOVE(&queue->entries, entry, link);
	}
	spin_unlock_irqrestore(&queue->lock, state);
}

void wait_queue_wake(struct wait_queue *queue)
{
	unsigned long state = spin_lock_irqsave(&queue->lock);
	struct wait_entry *entry;

	TAILQ_FOREACH(entry, &queue->entries, link) {
		atomic_store(&entry->task->woken, true);
		sched_wake(entry->task);
	}
	spin_unlock_irqrestore(&queue->lock, state);
}

static void wake_sleeper(struct timer *timer)
{
	struct sleep_timer *sleep = (struct sleep_timer *)timer;

	sched_wake(sleep->task);
}

static int sleep_until(uint64_t deadline_ns, bool (*interrupted)(struct task *task))
{
	struct task *self = task_current();
	struct sleep_timer sleep = { .task = self };
	int result;

	timer_init(&sleep.timer, wake_sleeper);
	if (deadline_ns != UINT64_MAX) {
		unsigned long state = arch_irq_save();

		timer_arm(&sleep.timer, deadline_ns);
		arch_irq_restore(state);
	}
	for (;;) {
		atomic_store(&self->state, TASK_SLEEPING);
		if (atomic_exchange(&self->woken, false))
			result = 0;
		else if (interrupted(self))
			result = -EINTR;
		else if (clock_ns() >= deadline_ns)
			result = -ETIMEDOUT;
		else {
			sched_sleep();
			continue;
		}
		break;
	}
	atomic_store(&self->state, TASK_RUNNABLE);
	if (deadline_ns != UINT64_MAX)
		timer_cancel(&sleep.timer);
	return result;
}

int wait_sleep(uint64_t deadline_ns)
{
	return sleep_until(deadline_ns, signal_is_pending);
}

int wait_sleep_killable(uint64_t deadline_ns)
{
	return sleep_until(deadline_ns, signal_is_fatal_pending);
}

void mutex_init(struct mutex *mutex)
{
	spin_init(&mutex->lock);
	atomic_init(&mutex->owner, NULL);
	wait_queue_init(&mutex->waiters);
}

void mutex_lock(struct mutex *mutex)
{
	struct task *self = task_current();
	struct wait_entry entry = { .task = self };
	unsigned long state = spin_lock_irqsave(&mutex->lock);

	ASSERT(mutex->owner != self);
	if (!mutex->owner) {
		mutex->owner = self;
		spin_unlock_irqrestore(&mutex->lock, state);
		return;
	}
	TAILQ_INSERT_TAIL(&mutex->waiters.entries, &entry, link);
	spin_unlock_irqrestore(&mutex->lock, state);
	for (;;) {
		atomic_store(&self->state, TASK_SLEEPING);
		if (mutex->owner == self)
			break;
		sched_sleep();
	}
	atomic_store(&self->state, TASK_RUNNABLE);
	/* The unlocker may still be using our entry, which is on this stack. */
	state = spin_lock_irqsave(&mutex->lock);
	spin_unlock_irqrestore(&mutex->lock, state);
}

void mutex_unlock(struct mutex *mutex)
{
	unsigned long state = spin_lock_irqsave(&mutex->lock);

	ASSERT(mutex->owner == task_current());
	struct wait_entry *first = TAILQ_FIRST(&mutex->waiters.entries);

	if (first) {
		struct task *next = first->task;

		TAILQ_REMOVE(&mutex->waiters.entries, first, link);
		mutex->owner = next;
		sched_wake(next);
	} else {
		mutex->owner = NULL;
	}
	spin_unlock_irqrestore(&mutex->lock, state);
}

bool mutex_held(struct mutex *mutex)
{
	return mutex->owner == task_current();
}
