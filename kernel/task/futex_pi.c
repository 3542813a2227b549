/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Futexes that are locks with priority inheritance: futex(2), "Priority-inheritance futexes".
 *
 * A program takes and releases such a lock by itself as long as no task waits: its word is 0 or the owner's
 * tid. A task that finds it taken enters the kernel and sets FUTEX_WAITERS, so that the owner enters the
 * kernel to release it. While a task waits, the kernel knows the lock: all its waiters in the bucket point to
 * one struct pi_state, which has the state for <kernel/sched/pi.h>. Its owner and the word agree, except
 * between an owner's exit and the next owner's confirmation.
 *
 * The word belongs to the program, which may change it at any time. The kernel reads and changes it with the
 * bucket locked, by accesses that do not sleep. An invalid word is an error; a word that changes concurrently
 * is read again. The task yields the CPU before that, and stops when a fatal signal is pending: a program
 * that keeps changing words delays only itself.
 *
 * FUTEX_WAIT_REQUEUE_PI, waiting for a plain word and moving to a lock afterwards, is for condition
 * variables.
 *
 * Locks: B, see futex_queue.h.
 */
#include <string.h>

#include <arch/usercopy.h>
#include <kernel/base/assert.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/pi.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <kernel/task/signal.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/futex.h>

#include "futex_queue.h"

/* A lock that tasks wait for. */
struct pi_state {
	struct pi_lock lock;
	unsigned int users; /* B: waiters that point here, and a task about to become one */
};

/* A waiter for a lock, or for being moved to one. */
struct futex_pi_wait {
	struct futex_waiter waiter;
	struct pi_waiter pi;
	struct pi_state *state;	 /* B: NULL: not moved yet */
	struct futex_key target; /* of the lock */
};

static void wait_init(struct futex_pi_wait *wait, const struct futex_key *target)
{
	memset(wait, 0, sizeof(*wait));
	wait->waiter.task = wait->pi.task = task_current();
	wait->waiter.bits = FUTEX_BITSET_MATCH_ANY;
	wait->waiter.pi = wait;
	wait->target = *target;
}

/* B held. */
static void drop_state(struct pi_state *state)
{
	if (--state->users)
		return;
	pi_lock_clear(&state->lock);
	kfree(state);
}

/* --- the word: bucket locked, nothing sleeps --- */

/* Reads the word. -EFAULT: its page is not present. */
static int load(uintptr_t address, uint32_t *word)
{
	return arch_load_user_nofault(word, (const void *)address, sizeof(*word));
}

/* Replaces WORD at ADDRESS with NEW. -EFAULT as above; -EAGAIN: another word is there, now in *WORD. */
static int exchange(uintptr_t address, uint32_t *word, uint32_t new)
{
	uint32_t seen = *word;
	/* With interrupts off a fault is not resolved. */
	unsigned long state = arch_irq_save();
	int error = user_compare_exchange((uint32_t *)address, &seen, new);

	arch_irq_restore(state);
	if (error)
		return error;
	error = seen == *word ? 0 : -EAGAIN;
	*word = seen;
	return error;
}

/* Makes the word at ADDRESS present and writable. Nothing locked. 0, -EFAULT. */
static int fault_in(uintptr_t address)
{
	uint32_t word;

	if (copy_from_user(&word, (const void *)address, sizeof(word)))
		return -EFAULT;
	return user_compare_exchange((uint32_t *)address, &word, word);
}

/* Prepares another access to the word at ADDRESS after ERROR, with nothing locked. 0: try again; else the
 * final error. ENDING, with a reference: an owner that is about to exit. */
static int prepare_retry(uintptr_t address, int error, struct task *ending)
{
	if (error == -EFAULT)
		error = fault_in(address);
	else if (error == -EBUSY)
		error = pi_wait_for_end(ending);
	else if (error == -EAGAIN)
		error = 0;
	else
		return error;
	if (ending)
		task_put(ending);
	if (!error && signal_is_fatal_pending(task_current()))
		error = -EINTR;
	if (!error)
		sched_yield();
	return error;
}

/* --- becoming the owner, or finding the owner --- */

/* Joins the waiters of STATE (NULL: they wait for something else) if WORD, at ADDRESS, agrees with it. */
static int join(struct pi_state *state, uintptr_t address, uint32_t word)
{
	uint32_t now, tid = word & FUTEX_TID_MASK;

	if (!state)
		return -EINVAL;
	uint32_t owner = (uint32_t)pi_lock_owner_tid(&state->lock);

	if (load(address, &now))
		return -EFAULT;
	if (now != word)
		return -EAGAIN;
	if (word & FUTEX_OWNER_DIED ? tid != owner && tid : !owner || tid != owner)
		return -EINVAL;
	state->users++;
	return 0;
}

/* WORD at ADDRESS names no task. -ESRCH if it still does; -EAGAIN: an exiting owner has changed it. */
static int no_owner(uintptr_t address, uint32_t word)
{
	uint32_t now;

	if (load(address, &now))
		return -EFAULT;
	return now == word ? -ESRCH : -EAGAIN;
}

/* Gives STATE, new, the owner that WORD at ADDRESS names, for the first waiter. */
static int begin(struct pi_state *state, uintptr_t address, uint32_t word, struct task **ending)
{
	struct task *owner = task_find((pid_t)(word & FUTEX_TID_MASK));
	int error;

	if (!owner)
		return no_owner(address, word);
	error = owner->process ? pi_lock_set_owner(&state->lock, owner) : -EPERM;
	if (error == -EBUSY) {
		*ending = owner;
		return error;
	}
	task_put(owner);
	if (error == -ESRCH)
		return no_owner(address, word);
	state->users = !error;
	return error;
}

/* Makes TASK the owner of the lock at ADDRESS, or finds the owner to wait for. 1: TASK is the owner; 0: it
 * has to wait for *STATE, of which it is a user; else an error for prepare_retry. CROWDED: other tasks are
 * about to wait for TASK, by *STATE. SPARE: a state to be used if there is none, NULL afterwards. Bucket
 * locked. */
static int acquire(uintptr_t address, const struct futex_key *key, struct task *task, bool crowded,
		   struct pi_state **spare, struct pi_state **state, struct task **ending)
{
	struct futex_bucket *bucket = futex_bucket_of(key);
	struct futex_waiter *first;
	uint32_t word;
	int error = load(address, &word);

	*state = NULL;
	if (error)
		return error;
	if ((word & FUTEX_TID_MASK) == (uint32_t)task->tid)
		return -EDEADLK;
	TAILQ_FOREACH(first, &bucket->waiters, link)
		if (futex_is_same(&first->key, key))
			break;
	if (first) {
		struct pi_state *known = first->pi ? first->pi->state : NULL;

		error = join(known, address, word);
		*state = error ? NULL : known;
		return error;
	}
	if (!(word & FUTEX_TID_MASK)) {
		uint32_t new = (word & FUTEX_OWNER_DIED) | (uint32_t)task->tid;

		error = exchange(address, &word, crowded ? new | FUTEX_WAITERS : new);
		if (error || !crowded)
			return error ? error : 1;
		error = pi_lock_set_owner(&(*spare)->lock, task);
		(*spare)->users = 1;
		ASSERT(!error);
	} else {
		error = exchange(address, &word, word | FUTEX_WAITERS);
		if (!error)
			error = begin(*spare, address, word | FUTEX_WAITERS, ending);
		if (error)
			return error;
	}
	bool owner = !(word & FUTEX_TID_MASK);

	*state = *spare;
	*spare = NULL;
	return owner;
}

/* The current task got the lock at ADDRESS, by WAIT, from an owner that exited: writes its tid into the word.
 * 0, -EFAULT. */
static int confirm(struct futex_pi_wait *wait, uintptr_t address)
{
	uint32_t own = (uint32_t)task_current()->tid | FUTEX_WAITERS | FUTEX_OWNER_DIED;
	struct futex_bucket *bucket = wait->waiter.bucket;
	uint32_t word;

	for (;;) {
		futex_lock_bucket(bucket);
		int error = load(address, &word);

		if (!error)
			error = exchange(address, &word, own);
		/* Other tasks compare word and owner. */
		if (!error)
			pi_lock_confirm(&wait->state->lock);
		spin_unlock(&bucket->lock);
		if (!error)
			return 0;
		if (error == -EFAULT && fault_in(address)) {
			/* The word cannot be written; the task owns the lock nevertheless. */
			pi_lock_confirm(&wait->state->lock);
			return -EFAULT;
		}
	}
}

/* Sleeps until WAIT is granted. 0 or as wait_sleep. */
static int sleep_for(struct futex_pi_wait *wait, uint64_t deadline_ns)
{
	int error = 0;

	while (!wait->pi.granted && !error)
		error = wait_sleep(deadline_ns);
	return error;
}

/* Ends WAIT, for the lock at ADDRESS, whose sleep ended with ERROR. 0: the task has got the lock after
 * all. */
static int finish(struct futex_pi_wait *wait, uintptr_t address, int error)
{
	struct futex_bucket *bucket = futex_lock_waiter(&wait->waiter);
	bool granted = wait->state ? pi_stop_waiting(&wait->pi) : wait->pi.granted;
	bool abandoned = granted && wait->state && pi_lock_is_abandoned(&wait->state->lock);

	if (granted)
		error = 0;
	if (abandoned) {
		/* The waiter stays in the bucket, where others find it, until the word is right. */
		spin_unlock(&bucket->lock);
		error = confirm(wait, address);
		futex_lock_bucket(bucket);
	}
	if (!wait->waiter.woken)
		futex_unhang(bucket, &wait->waiter);
	if (wait->state)
		drop_state(wait->state);
	spin_unlock(&bucket->lock);
	return error;
}

/* --- locking and unlocking --- */

static struct pi_state *new_state(void)
{
	struct pi_state *state = kzalloc(sizeof(*state));

	if (state)
		pi_lock_init(&state->lock);
	return state;
}

int futex_lock_pi(const struct futex *futex, uint64_t deadline_ns, bool try)
{
	struct task *self = task_current(), *ending;
	struct futex_pi_wait wait;
	struct futex_key key;
	struct pi_state *spare = new_state();
	int error = spare ? futex_make_key(futex, &key) : -ENOMEM;

	if (error) {
		kfree(spare);
		return error;
	}
	struct futex_bucket *bucket = futex_bucket_of(&key);

	wait_init(&wait, &key);
	wait.waiter.key = key;
	for (;;) {
		ending = NULL;
		bucket->waiter_count++;
		futex_lock_bucket(bucket);
		error = acquire(futex->address, &key, self, false, &spare, &wait.state, &ending);
		if (error >= 0)
			break;
		bucket->waiter_count--;
		spin_unlock(&bucket->lock);
		error = prepare_retry(futex->address, error, ending);
		if (error) {
			kfree(spare);
			return error;
		}
	}
	kfree(spare);
	bool queued = false;

	if (!error) {
		error = pi_wait(&wait.state->lock, &wait.pi, try);
		queued = error >= 0;
	} else {
		error = 0;
	}
	if (queued) {
		futex_hang(bucket, &wait.waiter);
	} else {
		bucket->waiter_count--;
		if (wait.state)
			drop_state(wait.state);
	}
	spin_unlock(&bucket->lock);
	return queued ? finish(&wait, futex->address, sleep_for(&wait, deadline_ns)) : error;
}

/* Releases the lock of KEY, whose word at ADDRESS was WORD and names the current task, to the first waiter if
 * any. 0, or an error for prepare_retry; *CHANGED: -EAGAIN is the program's result. Bucket locked. */
static int unlock(uintptr_t address, const struct futex_key *key, uint32_t word, bool *changed)
{
	struct futex_bucket *bucket = futex_bucket_of(key);
	struct task *self = task_current();
	struct futex_waiter *first;
	uint32_t seen = word;
	int error;

	TAILQ_FOREACH(first, &bucket->waiters, link)
		if (futex_is_same(&first->key, key))
			break;
	if (!first) {
		error = exchange(address, &seen, 0);
		*changed = error == -EAGAIN;
		return error;
	}
	struct pi_state *state = first->pi ? first->pi->state : NULL;

	if (!state || pi_lock_owner_tid(&state->lock) != self->tid)
		return -EINVAL;
	/* All waiters in the bucket without the lock wait for it. The first one gets it: it cannot stop
	 * waiting while the bucket is locked, though a change of priority may make another one the first. */
	struct pi_waiter *next = pi_lock_first(&state->lock);

	error = exchange(address, &seen, (uint32_t)next->task->tid | FUTEX_WAITERS);
	/* Only a flag differs: another task has begun to wait. */
	if (error == -EAGAIN && (seen & FUTEX_TID_MASK) != word)
		return -EINVAL;
	if (!error)
		pi_hand_over(&state->lock, next);
	return error;
}

int futex_unlock_pi(const struct futex *futex)
{
	struct task *self = task_current();
	struct futex_key key;

	for (;;) {
		bool changed = false;
		uint32_t word;

		if (copy_from_user(&word, (const void *)futex->address, sizeof(word)))
			return -EFAULT;
		if ((word & FUTEX_TID_MASK) != (uint32_t)self->tid)
			return -EPERM;
		int error = futex_make_key(futex, &key);

		if (error)
			return error;
		struct futex_bucket *bucket = futex_bucket_of(&key);

		futex_lock_bucket(bucket);
		error = unlock(futex->address, &key, word, &changed);
		spin_unlock(&bucket->lock);
		if (!error || changed)
			return error;
		error = prepare_retry(futex->address, error, NULL);
		if (error)
			return error;
	}
}

/* --- moving from a word to a lock --- */

int futex_wait_requeue_pi(const struct futex_wait *request, const struct futex *lock,
			  uint64_t deadline_ns)
{
	struct futex_pi_wait wait;
	struct futex_key target;

	if (request->futex.address == lock->address || !request->bits)
		return -EINVAL;
	int error = futex_make_key(lock, &target);

	wait_init(&wait, &target);
	if (!error)
		error = futex_make_key(&request->futex, &wait.waiter.key);
	if (error)
		return error;
	bool same = futex_is_same(&wait.waiter.key, &target);

	error = futex_enqueue(&wait.waiter, request->futex.address, request->value);
	if (error)
		return error;
	error = finish(&wait, lock->address, same ? -EINVAL : sleep_for(&wait, deadline_ns));
	/* After the move the call cannot restart: the word has changed. As Linux. */
	return wait.state && error == -EINTR ? -EAGAIN : error;
}

/* Finds the first waiter for KEY, to be moved to TARGET, in *RESULT; NULL: there is none. -EINVAL: it waits
 * for something else. */
static int first_to_move(struct futex_bucket *bucket, const struct futex_key *key,
			 const struct futex_key *target, struct futex_pi_wait **result)
{
	struct futex_waiter *first;

	*result = NULL;
	TAILQ_FOREACH(first, &bucket->waiters, link)
		if (futex_is_same(&first->key, key))
			break;
	if (!first)
		return 0;
	*result = first->pi;
	return first->pi && !first->pi->state && futex_is_same(&first->pi->target, target) ?
		       0 :
		       -EINVAL;
}

/* Wakes WAIT, in bucket A, as the owner of the lock. */
static void grant(struct futex_bucket *a, struct futex_pi_wait *wait)
{
	wait->pi.granted = true;
	futex_release(a, &wait->waiter);
}

/* Moves waiters for KEY in bucket A to the lock of STATE, B and TARGET, until COUNT including the first DONE:
 * returns their total, or an error. */
static long move_all(struct futex_bucket *a, const struct futex_key *key, struct futex_bucket *b,
		     const struct futex_key *target, struct pi_state *state, unsigned int count,
		     unsigned int done)
{
	struct futex_waiter *waiter, *next;

	for (waiter = TAILQ_FIRST(&a->waiters); waiter && done < count; waiter = next) {
		struct futex_pi_wait *wait = waiter->pi;

		next = TAILQ_NEXT(waiter, link);
		if (!futex_is_same(&waiter->key, key))
			continue;
		if (!wait || wait->state || !futex_is_same(&wait->target, target))
			return -EINVAL;
		int result = pi_wait(&state->lock, &wait->pi, false);

		if (result < 0)
			return result;
		wait->state = state;
		state->users++;
		futex_move(waiter, a, b, target);
		if (result) {
			/* The owner exited just now: the waiter confirms by itself. */
			waiter->task->woken = true;
			sched_wake(waiter->task);
		}
		done++;
	}
	return done;
}

/* One attempt of futex_requeue_pi, with both buckets locked: its result, or an error for prepare_retry and
 * the word at *FAULT; *CHANGED: -EAGAIN is the program's result. */
static long requeue(const struct futex *from, const struct futex_key *key, const struct futex *lock,
		    const struct futex_key *target, unsigned int move, uint32_t expected,
		    struct pi_state **spare, struct task **ending, uintptr_t *fault, bool *changed)
{
	struct futex_bucket *a = futex_bucket_of(key), *b = futex_bucket_of(target);
	struct futex_pi_wait *first;
	struct pi_state *state;
	uint32_t word;

	*fault = from->address;
	if (load(from->address, &word))
		return -EFAULT;
	*fault = lock->address;
	*changed = word != expected;
	if (*changed)
		return -EAGAIN;
	long result = first_to_move(a, key, target, &first);

	if (result || !first)
		return result;
	result = acquire(lock->address, target, first->waiter.task, move != 0, spare, &state,
			 ending);
	if (result < 0)
		return result;
	if (result)
		grant(a, first);
	/* One waiter is woken, or moves to the head of the lock's waiters. */
	if (state) {
		result = move_all(a, key, b, target, state, move + 1, (unsigned int)result);
		drop_state(state);
	}
	return result;
}

long futex_requeue_pi(const struct futex *from, const struct futex *lock, unsigned int move,
		      uint32_t expected)
{
	struct futex_key key, target;
	long result;

	if (from->address == lock->address)
		return -EINVAL;
	struct pi_state *spare = new_state();

	if (!spare)
		return -ENOMEM;
	for (;;) {
		struct task *ending = NULL;
		uintptr_t fault = 0;
		bool changed = false;

		result = futex_make_key(from, &key);
		if (!result)
			result = futex_make_key(lock, &target);
		if (!result && futex_is_same(&key, &target))
			result = -EINVAL;
		if (result)
			break;
		struct futex_bucket *a = futex_bucket_of(&key), *b = futex_bucket_of(&target);

		futex_lock_buckets(a, b);
		result = requeue(from, &key, lock, &target, move, expected, &spare, &ending, &fault,
				 &changed);
		futex_unlock_buckets(a, b);
		if (result >= 0 || changed)
			break;
		result = prepare_retry(fault, (int)result, ending);
		if (result)
			break;
	}
	kfree(spare);
	return result;
}
