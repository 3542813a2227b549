/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wait queues and mutexes: everything that sleeps, on top of sched_sleep and sched_wake.
 *
 * A sleeper first becomes TASK_SLEEPING and then checks its condition; a waker first makes the condition
 * true and then calls sched_wake. One of them sees the other's store (both are sequentially consistent),
 * so no wake-up is lost.
 *
 * task->woken records a wake-up from the time when the task was added to a queue until it sleeps.
 *
 * Locks: see <kernel/sched/wait.h>.
 */
#include <kernel/sched/wait.h>

#include <kernel/base/assert.h>
#include <kernel/base/hooks.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>

/* Most wake-ups with the queue locked: then interrupts and other users of the queue have a chance. */
#define WAKE_BATCH  64
/* How often a taken mutex is tried before sleeping. */
#define MUTEX_SPINS 100

struct sleep_timer {
	struct timer timer;
	struct task *task;
};

void wait_queue_init(struct wait_queue *queue)
{
	spin_init(&queue->lock);
	TAILQ_INIT(&queue->entries);
}

static void add(struct wait_queue *queue, struct wait_entry *entry, wait_function *function,
		bool exclusive)
{
	unsigned long state = spin_lock_irqsave(&queue->lock);

	entry->task = task_current();
	entry->function = function;
	entry->exclusive = exclusive;
	entry->queued = true;
	if (exclusive)
		TAILQ_INSERT_TAIL(&queue->entries, entry, link);
	else
		TAILQ_INSERT_HEAD(&queue->entries, entry, link);
	spin_unlock_irqrestore(&queue->lock, state);
	/* Pairs with the fence in wait_queue_wake_events. */
	atomic_thread_fence(memory_order_seq_cst);
}

void wait_queue_add(struct wait_queue *queue, struct wait_entry *entry)
{
	add(queue, entry, NULL, false);
}

void wait_queue_add_exclusive(struct wait_queue *queue, struct wait_entry *entry)
{
	add(queue, entry, NULL, true);
}

void wait_queue_add_function(struct wait_queue *queue, struct wait_entry *entry,
			     wait_function *function, bool exclusive)
{
	add(queue, entry, function, exclusive);
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

/* Wakes the waiter of ENTRY; returns whether the wake-up was used. Queue locked. */
static bool wake_entry(struct wait_queue *queue, struct wait_entry *entry, unsigned int events)
{
	if (entry->function)
		return entry->function(entry, events & ~WAKE_SYNC);
	if (entry->exclusive) {
		/* So that the next wake-up goes to the next waiter, even before this one runs. */
		entry->queued = false;
		TAILQ_REMOVE(&queue->entries, entry, link);
	}
	atomic_store(&entry->task->woken, true);
	if (events & WAKE_SYNC)
		sched_wake_sync(entry->task);
	else
		sched_wake(entry->task);
	return true;
}

/* The place holder of another waker is no waiter. */
static bool pass_place(struct wait_entry *entry, unsigned int events)
{
	return false;
}

/* Unlocks the queue for a moment, with a place holder before ENTRY; returns the entry there afterwards. */
static struct wait_entry *unlock_briefly(struct wait_queue *queue, struct wait_entry *entry,
					 unsigned long *state)
{
	struct wait_entry place = { .function = pass_place };

	TAILQ_INSERT_BEFORE(entry, &place, link);
	spin_unlock_irqrestore(&queue->lock, *state);
	*state = spin_lock_irqsave(&queue->lock);
	entry = TAILQ_NEXT(&place, link);
	TAILQ_REMOVE(&queue->entries, &place, link);
	return entry;
}

/* Wakes the waiters, in batches. A caller with more than one batch keeps the queue's container alive. */
static bool wake_all(struct wait_queue *queue, unsigned int events)
{
	unsigned long state = spin_lock_irqsave(&queue->lock);
	struct wait_entry *entry, *next;
	unsigned int woken = 0;
	bool useful = false;

	for (entry = TAILQ_FIRST(&queue->entries); entry; entry = next) {
		if (__builtin_expect(++woken % WAKE_BATCH == 0, 0)) {
			entry = unlock_briefly(queue, entry, &state);
			if (!entry)
				break;
		}
		bool exclusive = entry->exclusive;

		next = TAILQ_NEXT(entry, link);
		bool used = wake_entry(queue, entry, events);

		useful |= used;
		if (exclusive && used)
			break;
	}
	spin_unlock_irqrestore(&queue->lock, state);
	return useful;
}

bool wait_queue_wake_events(struct wait_queue *queue, unsigned int events)
{
	/* Most queues are empty. A task that adds itself checks its condition after that, and the caller made
	 * the condition true before this: one of the two sees the other. */
	atomic_thread_fence(memory_order_seq_cst);
	return __atomic_load_n(&queue->entries.tqh_first, __ATOMIC_RELAXED) &&
	       wake_all(queue, events);
}

void wait_queue_wake(struct wait_queue *queue)
{
	wait_queue_wake_events(queue, 0);
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

static int sleep_blocked(uint64_t deadline_ns, bool (*interrupted)(struct task *task))
{
	struct task *self = task_current();

	self->sched.blocked = true;
	int result = sleep_until(deadline_ns, interrupted);

	self->sched.blocked = false;
	return result;
}

int wait_sleep_killable(uint64_t deadline_ns)
{
	return sleep_blocked(deadline_ns, signal_is_fatal_pending);
}

static bool nothing_interrupts(struct task *task)
{
	return false;
}

int wait_sleep_uninterrupted(uint64_t deadline_ns)
{
	return sleep_blocked(deadline_ns, nothing_interrupts);
}

void(mutex_init)(struct mutex *mutex)
{
	spin_init(&mutex->lock);
	atomic_init(&mutex->owner, NULL);
	wait_queue_init(&mutex->waiters);
}

/* Takes MUTEX if it is free. */
static bool try_lock(struct mutex *mutex, struct task *self)
{
	struct task *none = NULL;

	return atomic_compare_exchange_strong(&mutex->owner, &none, self);
}

/* Takes MUTEX if its holder releases it soon: cheaper than sleeping when the holder runs. */
static bool spin_for(struct mutex *mutex, struct task *self)
{
	for (unsigned int i = 0; i < MUTEX_SPINS; i++) {
		if (!mutex->owner && try_lock(mutex, self))
			return true;
		arch_cpu_relax();
	}
	return false;
}

/* The part of mutex_lock that is no fast path: another task has MUTEX. SELF: the current task. */
static __attribute__((noinline)) void wait_for(struct mutex *mutex, struct task *self)
{
	struct wait_entry entry = { .task = self };

	hook_lock_contended(mutex, HOOK_LOCK_MUTEX | HOOK_LOCK_SPIN);
	if (spin_for(mutex, self)) {
		hook_lock_acquired(mutex, 0);
		return;
	}
	hook_lock_contended(mutex, HOOK_LOCK_MUTEX);
	self->sched.blocked = true;
	unsigned long state = spin_lock_irqsave(&mutex->lock);

	TAILQ_INSERT_TAIL(&mutex->waiters.entries, &entry, link);
	for (;;) {
		atomic_store(&self->state, TASK_SLEEPING);
		if (mutex->owner == self || try_lock(mutex, self))
			break;
		spin_unlock_irqrestore(&mutex->lock, state);
		sched_sleep();
		state = spin_lock_irqsave(&mutex->lock);
	}
	atomic_store(&self->state, TASK_RUNNABLE);
	self->sched.blocked = false;
	TAILQ_REMOVE(&mutex->waiters.entries, &entry, link);
	spin_unlock_irqrestore(&mutex->lock, state);
	hook_lock_acquired(mutex, 0);
}

void mutex_lock(struct mutex *mutex)
{
	struct task *self = task_current();

	ASSERT(mutex->owner != self);
	lock_order_take_mutex(mutex);
	if (!try_lock(mutex, self))
		wait_for(mutex, self);
}

void mutex_unlock(struct mutex *mutex)
{
	lock_order_give_mutex(mutex);
	unsigned long state = spin_lock_irqsave(&mutex->lock);

	ASSERT(mutex->owner == task_current());
	struct wait_entry *first = TAILQ_FIRST(&mutex->waiters.entries);

	/* A waiter that was woken once and found the mutex taken again gets it now. Other waiters may be
	 * overtaken: a mutex that always went to the first would wait for that task's CPU each time. */
	mutex->owner = first && first->queued ? first->task : NULL;
	if (first) {
		first->queued = true;
		sched_wake(first->task);
	}
	spin_unlock_irqrestore(&mutex->lock, state);
}

bool mutex_held(struct mutex *mutex)
{
	return mutex->owner == task_current();
}
