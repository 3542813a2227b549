/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Priority inheritance: the graph of locks and waiters, and the priorities that owners inherit. See
 * <kernel/sched/pi.h>.
 *
 * A change starts at one lock and goes up its chain until a priority stays unchanged, or for PI_DEPTH_MAX
 * locks. Chains have no cycle, so every walk ends, even where two long chains were joined.
 *
 * A waiter has two numbers: its task's priority, which owners inherit, and its place in a queue, which
 * treats all fair tasks as equal (Linux: __waiter_prio).
 *
 * Lock: pi_graph_lock, and run queues' locks within.
 */
#include <kernel/sched/pi.h>

#include <kernel/base/assert.h>
#include <kernel/base/spinlock.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <uapi/linux/errno.h>

static struct spinlock pi_graph_lock = SPINLOCK_INITIALIZER;
static uint64_t last_order; /* G */

/* Woken when a task has exited, for pi_wait_for_end. */
static struct wait_queue ended_tasks = {
	.lock = SPINLOCK_INITIALIZER,
	.entries = TAILQ_HEAD_INITIALIZER(ended_tasks.entries),
};

static int place_of(int priority)
{
	return priority < PRIORITY_REALTIME ? priority : PRIORITY_NICE_0;
}

static int compare_waiters(const struct pi_waiter *a, const struct pi_waiter *b)
{
	int difference = place_of(a->priority) - place_of(b->priority);

	return difference ? difference : a->order < b->order ? -1 : a->order > b->order;
}

static int compare_locks(const struct pi_lock *a, const struct pi_lock *b)
{
	int difference = a->priority - b->priority;

	return difference ? difference : (uintptr_t)a < (uintptr_t)b ? -1 : a != b;
}

RB_GENERATE_STATIC(pi_waiter_tree, pi_waiter, node, compare_waiters)
RB_GENERATE_STATIC(pi_lock_tree, pi_lock, node, compare_locks)

static struct pi_waiter *first_waiter(struct pi_lock *lock)
{
	return RB_MIN(pi_waiter_tree, &lock->waiters);
}

/* Returns the priority that LOCK's owner inherits from it. G held. */
static int priority_of(struct pi_lock *lock)
{
	const struct pi_waiter *first = first_waiter(lock);

	return first ? first->priority : PRIORITY_NONE;
}

/* Puts WAITER into its lock's queue with its task's priority. G held. */
static void enqueue(struct pi_waiter *waiter)
{
	waiter->priority = sched_priority(&waiter->task->sched);
	waiter->order = ++last_order;
	RB_INSERT(pi_waiter_tree, &waiter->lock->waiters, waiter);
}

/* Sets the priority that TASK inherits from its locks. Returns the lock that it waits for, if its place there
 * has changed, or NULL. G held. */
static struct pi_lock *inherit(struct task *task)
{
	const struct pi_lock *first = RB_MIN(pi_lock_tree, &task->pi.locks);
	struct pi_waiter *waiter = task->pi.waiter;

	sched_set_inherited(task, first ? first->priority : PRIORITY_NONE);
	if (!waiter || place_of(waiter->priority) == place_of(sched_priority(&task->sched)))
		return NULL;
	RB_REMOVE(pi_waiter_tree, &waiter->lock->waiters, waiter);
	enqueue(waiter);
	return waiter->lock;
}

/* Updates the priority of LOCK's owner after a change of its waiters, and so on up the chain. G held. */
static void follow(struct pi_lock *lock)
{
	for (unsigned int depth = 0; lock && lock->owner && depth < PI_DEPTH_MAX; depth++) {
		int priority = priority_of(lock);

		if (priority == lock->priority)
			return;
		RB_REMOVE(pi_lock_tree, &lock->owner->pi.locks, lock);
		lock->priority = priority;
		RB_INSERT(pi_lock_tree, &lock->owner->pi.locks, lock);
		lock = inherit(lock->owner);
	}
}

/* Gives LOCK, which has no owner, to OWNER (NULL: none). G held. */
static void give(struct pi_lock *lock, struct task *owner)
{
	lock->owner = owner;
	if (!owner)
		return;
	lock->priority = priority_of(lock);
	RB_INSERT(pi_lock_tree, &owner->pi.locks, lock);
	follow(inherit(owner));
}

/* Takes LOCK from its owner. G held. */
static void take(struct pi_lock *lock)
{
	struct task *owner = lock->owner;

	if (!owner)
		return;
	RB_REMOVE(pi_lock_tree, &owner->pi.locks, lock);
	lock->owner = NULL;
	follow(inherit(owner));
}

/* Grants LOCK, which has no owner, to WAITER, one of its waiters. G held. */
static void grant(struct pi_lock *lock, struct pi_waiter *waiter)
{
	struct task *task = waiter->task;

	RB_REMOVE(pi_waiter_tree, &lock->waiters, waiter);
	task->pi.waiter = NULL;
	waiter->lock = NULL;
	give(lock, task);
	waiter->granted = true;
	task->woken = true;
	sched_wake(task);
}

/* The same for the first waiter, if there is one. G held. */
static void grant_to_first(struct pi_lock *lock)
{
	struct pi_waiter *first = first_waiter(lock);

	if (first)
		grant(lock, first);
}

void pi_lock_init(struct pi_lock *lock)
{
	*lock = (struct pi_lock){ .priority = PRIORITY_NONE };
	RB_INIT(&lock->waiters);
}

int pi_lock_set_owner(struct pi_lock *lock, struct task *owner)
{
	int error = 0;

	spin_lock(&pi_graph_lock);
	ASSERT_DEBUG(!lock->owner);
	if (owner->pi.end == PI_ALIVE)
		give(lock, owner);
	else
		error = owner->pi.end == PI_ENDING ? -EBUSY : -ESRCH;
	spin_unlock(&pi_graph_lock);
	return error;
}

void pi_lock_clear(struct pi_lock *lock)
{
	spin_lock(&pi_graph_lock);
	ASSERT_DEBUG(!first_waiter(lock));
	take(lock);
	spin_unlock(&pi_graph_lock);
}

pid_t pi_lock_owner_tid(struct pi_lock *lock)
{
	spin_lock(&pi_graph_lock);
	pid_t tid = lock->owner && !lock->abandoned ? lock->owner->tid : 0;

	spin_unlock(&pi_graph_lock);
	return tid;
}

bool pi_lock_is_abandoned(struct pi_lock *lock)
{
	spin_lock(&pi_graph_lock);
	bool abandoned = lock->abandoned;

	spin_unlock(&pi_graph_lock);
	return abandoned;
}

void pi_lock_confirm(struct pi_lock *lock)
{
	spin_lock(&pi_graph_lock);
	ASSERT_DEBUG(lock->owner == task_current());
	lock->abandoned = false;
	spin_unlock(&pi_graph_lock);
}

struct pi_waiter *pi_lock_first(struct pi_lock *lock)
{
	spin_lock(&pi_graph_lock);
	struct pi_waiter *first = first_waiter(lock);

	spin_unlock(&pi_graph_lock);
	return first;
}

/* Returns whether TASK may wait for LOCK: its owner does not wait for TASK in turn. G held. */
static bool may_wait(const struct pi_lock *lock, const struct task *task)
{
	for (unsigned int depth = 0; lock && lock->owner; depth++) {
		const struct pi_waiter *waiter = lock->owner->pi.waiter;

		if (lock->owner == task || depth == PI_DEPTH_MAX)
			return false;
		lock = waiter ? waiter->lock : NULL;
	}
	return true;
}

int pi_wait(struct pi_lock *lock, struct pi_waiter *waiter, bool try)
{
	struct task *task = waiter->task;
	int result = 0;

	spin_lock(&pi_graph_lock);
	ASSERT_DEBUG(!task->pi.waiter);
	if (!lock->owner) {
		give(lock, task);
		waiter->granted = true;
		result = 1;
	} else if (try) {
		result = -EAGAIN;
	} else if (!may_wait(lock, task)) {
		result = -EDEADLK;
	} else {
		waiter->lock = lock;
		task->pi.waiter = waiter;
		enqueue(waiter);
		follow(lock);
	}
	spin_unlock(&pi_graph_lock);
	return result;
}

bool pi_stop_waiting(struct pi_waiter *waiter)
{
	spin_lock(&pi_graph_lock);
	struct pi_lock *lock = waiter->lock;

	if (!waiter->granted && lock) {
		RB_REMOVE(pi_waiter_tree, &lock->waiters, waiter);
		waiter->task->pi.waiter = NULL;
		waiter->lock = NULL;
		follow(lock);
	}
	spin_unlock(&pi_graph_lock);
	return waiter->granted;
}

void pi_hand_over(struct pi_lock *lock, struct pi_waiter *waiter)
{
	spin_lock(&pi_graph_lock);
	ASSERT_DEBUG(lock->owner == task_current() && waiter->lock == lock);
	take(lock);
	grant(lock, waiter);
	spin_unlock(&pi_graph_lock);
}

void pi_update(struct task *task)
{
	spin_lock(&pi_graph_lock);
	follow(inherit(task));
	spin_unlock(&pi_graph_lock);
}

/* --- exits --- */

void pi_begin_end(void)
{
	spin_lock(&pi_graph_lock);
	task_current()->pi.end = PI_ENDING;
	spin_unlock(&pi_graph_lock);
}

void pi_finish_end(bool ended)
{
	struct task *self = task_current();
	struct pi_lock *lock;

	/* One lock at a time: a task may own many. */
	do {
		spin_lock(&pi_graph_lock);
		lock = RB_MIN(pi_lock_tree, &self->pi.locks);
		if (lock) {
			lock->abandoned = true;
			take(lock);
			grant_to_first(lock);
		} else {
			self->pi.end = ended ? PI_ENDED : PI_ALIVE;
		}
		spin_unlock(&pi_graph_lock);
	} while (lock);
	wait_queue_wake(&ended_tasks);
}

int pi_wait_for_end(struct task *task)
{
	struct wait_entry entry;
	int error = 0;

	wait_queue_add(&ended_tasks, &entry);
	while (task->pi.end == PI_ENDING && !error)
		error = wait_sleep_killable(UINT64_MAX);
	wait_queue_remove(&ended_tasks, &entry);
	return error;
}
