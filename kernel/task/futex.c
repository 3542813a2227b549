/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Futexes: tasks that sleep until a wake-up for a word of user memory.
 *
 * A hash table holds the waiters. The key of a word is an address of an address space or, in memory that
 * processes share, a physical address. A waiter is enqueued with the bucket locked, after a comparison of
 * the word by a load that does not sleep; a waker takes the same lock after the word was changed. So no
 * wake-up is lost.
 *
 * A bucket counts its waiters and the tasks about to become one: the count goes up before the comparison,
 * and a waker reads the count after the word was changed. So a waker that reads 0 has no task to wake, and
 * takes no lock.
 *
 * A task may wait for several words, with a waiter for each. Waiters for locks with priority inheritance
 * are in these buckets too and belong to futex_pi.c; the operations of this file neither wake nor move
 * them, but fail when they find one (EINVAL).
 *
 * Locks: bucket->lock; two buckets in the order of their addresses.
 */
#include "futex.h"

#include <arch/usercopy.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/user_range.h>
#include <kernel/mm/usercopy.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <kernel/task/futex.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/futex.h>

#include "futex_queue.h"

#define BUCKET_COUNT 256

static struct futex_bucket buckets[BUCKET_COUNT];

/* Set in the place of a private word that was named as a shared one: another futex, as on Linux. */
#define NOT_PRIVATE 1u

int futex_make_key(const struct futex *futex, struct futex_key *key)
{
	struct vm_space *space = task_current()->space;
	uintptr_t address = futex->address;
	struct user_range range;
	uint32_t word;

	if (address % sizeof(word))
		return -EINVAL;
	/* On x86-64 Linux checks only the start of the word. */
	if (!user_range_make(address, 0, &range))
		return -EFAULT;
	*key = (struct futex_key){ space, address };
	if (futex->private)
		return 0;
	/* Makes the page present. */
	if (copy_from_user(&word, (const void *)address, sizeof(word)))
		return -EFAULT;
	paddr_t paddr = vm_shared_paddr(space, address);

	*key = paddr ? (struct futex_key){ NULL, paddr } :
		       (struct futex_key){ space, address | NOT_PRIVATE };
	return 0;
}

bool futex_is_same(const struct futex_key *a, const struct futex_key *b)
{
	return a->space == b->space && a->place == b->place;
}

struct futex_bucket *futex_bucket_of(const struct futex_key *key)
{
	uint64_t hash = ((uintptr_t)key->space ^ key->place >> 2) * 0x9e3779b97f4a7c15;

	return &buckets[hash >> 56];
}

void futex_lock_bucket(struct futex_bucket *bucket)
{
	spin_lock(&bucket->lock);
	if (!bucket->waiters.tqh_last)
		TAILQ_INIT(&bucket->waiters);
}

void futex_lock_buckets(struct futex_bucket *a, struct futex_bucket *b)
{
	futex_lock_bucket(a < b ? a : b);
	if (a != b)
		futex_lock_bucket(a < b ? b : a);
}

void futex_unlock_buckets(struct futex_bucket *a, struct futex_bucket *b)
{
	if (a != b)
		spin_unlock(&b->lock);
	spin_unlock(&a->lock);
}

void futex_hang(struct futex_bucket *bucket, struct futex_waiter *waiter)
{
	struct futex_waiter *before = NULL;

	waiter->bucket = bucket;
	waiter->priority = waiter->task->sched.own_priority;
	/* Linux's order: real-time tasks by their priority, then all others. */
	if (waiter->priority)
		TAILQ_FOREACH(before, &bucket->waiters, link)
			if (before->priority < waiter->priority)
				break;
	if (before)
		TAILQ_INSERT_BEFORE(before, waiter, link);
	else
		TAILQ_INSERT_TAIL(&bucket->waiters, waiter, link);
}

void futex_unhang(struct futex_bucket *bucket, struct futex_waiter *waiter)
{
	TAILQ_REMOVE(&bucket->waiters, waiter, link);
	bucket->waiter_count--;
	waiter->woken = true;
}

void futex_release(struct futex_bucket *bucket, struct futex_waiter *waiter)
{
	struct task *task = waiter->task;

	futex_unhang(bucket, waiter);
	task->woken = true;
	sched_wake(task);
}

/* Wakes up to COUNT waiters of BITS for KEY: returns how many, or -EINVAL when one with priority inheritance
 * is among them. Bucket locked. */
static int wake_locked(struct futex_bucket *bucket, const struct futex_key *key, unsigned int count,
		       uint32_t bits)
{
	struct futex_waiter *waiter, *next;
	unsigned int woken = 0;

	for (waiter = TAILQ_FIRST(&bucket->waiters); waiter && woken < count; waiter = next) {
		next = TAILQ_NEXT(waiter, link);
		if (!futex_is_same(&waiter->key, key))
			continue;
		if (waiter->pi)
			return -EINVAL;
		if (!(waiter->bits & bits))
			continue;
		futex_release(bucket, waiter);
		woken++;
	}
	return (int)woken;
}

int futex_wake_bits(const struct futex *futex, unsigned int count, uint32_t bits)
{
	struct futex_key key;
	int error = futex_make_key(futex, &key);

	if (!bits)
		return -EINVAL;
	if (error)
		return error;
	struct futex_bucket *bucket = futex_bucket_of(&key);

	/* Between the program's store to the word and the load of the count. */
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&bucket->waiter_count, memory_order_relaxed) == 0)
		return 0;
	futex_lock_bucket(bucket);
	int woken = wake_locked(bucket, &key, count, bits);

	spin_unlock(&bucket->lock);
	return woken;
}

int futex_wake(uintptr_t address, unsigned int count)
{
	const struct futex futex = { .address = address };

	return futex_wake_bits(&futex, count, FUTEX_BITSET_MATCH_ANY);
}

/* --- waiting --- */

int futex_enqueue(struct futex_waiter *waiter, uintptr_t address, uint32_t value)
{
	struct futex_bucket *bucket = futex_bucket_of(&waiter->key);

	for (;;) {
		uint32_t word;

		bucket->waiter_count++;
		futex_lock_bucket(bucket);
		int error = arch_load_user_nofault(&word, (const void *)address, sizeof(word));

		if (!error && word != value)
			error = -EAGAIN;
		if (!error) {
			futex_hang(bucket, waiter);
		} else {
			bucket->waiter_count--;
		}
		spin_unlock(&bucket->lock);
		if (error != -EFAULT)
			return error;
		/* The page is not present: bring it in here, where sleeping is allowed. */
		if (copy_from_user(&word, (const void *)address, sizeof(word)))
			return -EFAULT;
	}
}

struct futex_bucket *futex_lock_waiter(struct futex_waiter *waiter)
{
	for (;;) {
		struct futex_bucket *bucket = waiter->bucket;

		futex_lock_bucket(bucket);
		/* A requeue may move the waiter until the lock is held. */
		if (waiter->bucket == bucket)
			return bucket;
		spin_unlock(&bucket->lock);
	}
}

/* Takes WAITER off unless it was woken; returns whether it was. */
static bool dequeue(struct futex_waiter *waiter)
{
	struct futex_bucket *bucket = futex_lock_waiter(waiter);
	bool woken = waiter->woken;

	if (!woken)
		futex_unhang(bucket, waiter);
	spin_unlock(&bucket->lock);
	return woken;
}

/* Takes all off; returns the last that was woken, or -1. */
static int dequeue_all(struct futex_waiter *waiters, unsigned int count)
{
	int woken = -1;

	for (unsigned int i = 0; i < count; i++)
		if (dequeue(&waiters[i]))
			woken = (int)i;
	return woken;
}

static bool any_woken(const struct futex_waiter *waiters, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (waiters[i].woken)
			return true;
	return false;
}

static int wait(struct futex_waiter *waiters, const struct futex_wait *waits, unsigned int count,
		uint64_t deadline_ns)
{
	unsigned int queued;
	int error = 0;

	for (unsigned int i = 0; i < count && !error; i++) {
		waiters[i].task = task_current();
		waiters[i].bits = waits[i].bits;
		error = waits[i].bits ? futex_make_key(&waits[i].futex, &waiters[i].key) : -EINVAL;
	}
	for (queued = 0; queued < count && !error; queued += !error)
		error = futex_enqueue(&waiters[queued], waits[queued].futex.address,
				      waits[queued].value);
	while (!error && !any_woken(waiters, count))
		error = wait_sleep(deadline_ns);
	int woken = dequeue_all(waiters, queued);

	return woken >= 0 ? woken : error;
}

int futex_wait(const struct futex_wait *waits, unsigned int count, uint64_t deadline_ns)
{
	if (count == 1) {
		struct futex_waiter waiter = { 0 };

		return wait(&waiter, waits, 1, deadline_ns);
	}
	struct futex_waiter *waiters = kzalloc(count * sizeof(*waiters));

	if (!waiters)
		return -ENOMEM;
	int result = wait(waiters, waits, count, deadline_ns);

	kfree(waiters);
	return result;
}

/* --- two words --- */

void futex_move(struct futex_waiter *waiter, struct futex_bucket *a, struct futex_bucket *b,
		const struct futex_key *key)
{
	waiter->key = *key;
	if (a == b)
		return;
	TAILQ_REMOVE(&a->waiters, waiter, link);
	a->waiter_count--;
	b->waiter_count++;
	futex_hang(b, waiter);
}

long futex_requeue(const struct futex *from, const struct futex *to, unsigned int wake_count,
		   unsigned int move_count, const uint32_t *expected)
{
	struct futex_waiter *waiter, *next;
	struct futex_key key_from, key_to;
	unsigned int woken = 0, moved = 0;
	uint32_t word;
	int error = futex_make_key(from, &key_from);

	if (!error)
		error = futex_make_key(to, &key_to);
	/* Makes the page present, too. */
	if (!error && expected && copy_from_user(&word, (const void *)from->address, sizeof(word)))
		error = -EFAULT;
	if (error)
		return error;
	struct futex_bucket *a = futex_bucket_of(&key_from), *b = futex_bucket_of(&key_to);

	futex_lock_buckets(a, b);
	if (expected && (arch_load_user_nofault(&word, (const void *)from->address, sizeof(word)) ||
			 word != *expected)) {
		futex_unlock_buckets(a, b);
		return -EAGAIN;
	}
	for (waiter = TAILQ_FIRST(&a->waiters);
	     waiter && (woken < wake_count || moved < move_count); waiter = next) {
		next = TAILQ_NEXT(waiter, link);
		if (!futex_is_same(&waiter->key, &key_from))
			continue;
		if (waiter->pi) {
			error = -EINVAL;
			break;
		}
		if (woken < wake_count) {
			futex_release(a, waiter);
			woken++;
		} else {
			futex_move(waiter, a, b, &key_to);
			moved++;
		}
	}
	futex_unlock_buckets(a, b);
	return error ? error : (long)woken + moved;
}

/* An operation of FUTEX_WAKE_OP, taken apart. */
struct change {
	uint32_t operation, comparison;
	int32_t operand, with;
};

/* Returns the signed number of 12 bits at SHIFT of CODE. */
static int32_t signed_12_bits(uint32_t code, unsigned int shift)
{
	return (int32_t)(code << (20 - shift)) >> 20;
}

static struct change decode(uint32_t code)
{
	struct change change = {
		.operation = code >> 28 & 7,
		.comparison = code >> 24 & 15,
		.operand = signed_12_bits(code, 12),
		.with = signed_12_bits(code, 0),
	};

	if (code >> 28 & FUTEX_OP_OPARG_SHIFT)
		change.operand = (int32_t)(1u << (change.operand & 31));
	return change;
}

/* Applies CHANGE to WORD, into *RESULT. 0, -ENOSYS. */
static int apply(const struct change *change, uint32_t word, uint32_t *result)
{
	uint32_t operand = (uint32_t)change->operand;

	switch (change->operation) {
	case FUTEX_OP_SET:
		*result = operand;
		return 0;
	case FUTEX_OP_ADD:
		*result = word + operand;
		return 0;
	case FUTEX_OP_OR:
		*result = word | operand;
		return 0;
	case FUTEX_OP_ANDN:
		*result = word & ~operand;
		return 0;
	case FUTEX_OP_XOR:
		*result = word ^ operand;
		return 0;
	default:
		return -ENOSYS;
	}
}

/* Compares WORD, the old value, as CHANGE says: 0, 1 or -ENOSYS. */
static int compare(const struct change *change, int32_t word)
{
	switch (change->comparison) {
	case FUTEX_OP_CMP_EQ:
		return word == change->with;
	case FUTEX_OP_CMP_NE:
		return word != change->with;
	case FUTEX_OP_CMP_LT:
		return word < change->with;
	case FUTEX_OP_CMP_LE:
		return word <= change->with;
	case FUTEX_OP_CMP_GT:
		return word > change->with;
	case FUTEX_OP_CMP_GE:
		return word >= change->with;
	default:
		return -ENOSYS;
	}
}

/* Changes the word before it locks the buckets, where a fault may sleep: a task that enqueues later sees the
 * new word, a task that enqueued earlier is woken. */
int futex_wake_and_change(const struct futex *first, const struct futex *second, unsigned int count,
			  unsigned int second_count, uint32_t operation)
{
	const struct change change = decode(operation);
	uint32_t *user = (uint32_t *)second->address;
	struct futex_key key, second_key;
	uint32_t before, after;
	int error = futex_make_key(first, &key);

	if (!error)
		error = futex_make_key(second, &second_key);
	if (!error)
		error = copy_from_user(&before, user, sizeof(before));
	if (error)
		return error;
	for (uint32_t seen = before;; before = seen) {
		error = apply(&change, before, &after);
		if (!error)
			error = user_compare_exchange(user, &seen, after);
		if (error)
			return error;
		if (seen == before)
			break;
	}
	int matches = compare(&change, (int32_t)before);

	if (matches < 0)
		return matches;
	struct futex_bucket *a = futex_bucket_of(&key), *b = futex_bucket_of(&second_key);

	futex_lock_buckets(a, b);
	int woken = wake_locked(a, &key, count, FUTEX_BITSET_MATCH_ANY);

	int more = 0;

	if (matches && woken >= 0)
		more = wake_locked(b, &second_key, second_count, FUTEX_BITSET_MATCH_ANY);
	futex_unlock_buckets(a, b);
	return woken < 0 ? woken : more < 0 ? more : woken + more;
}
