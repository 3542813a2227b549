/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Futexes: FUTEX_WAIT and FUTEX_WAKE with their bit-set forms, and FUTEX_REQUEUE,
 * FUTEX_CMP_REQUEUE.
 *
 * Waiters hang in a hash table by what the word is: an address of an address space, or, in memory
 * that processes share, a physical address. The word is compared and the waiter enqueued with the
 * bucket locked, by a load that does not sleep; a waker takes the same lock after the word was
 * changed. So no wake-up is lost.
 *
 * Locks: bucket->lock; two buckets in the order of their addresses.
 */
#include <kernel/futex.h>

#include <sys/queue.h>

#include <arch/usercopy.h>
#include <kernel/process.h>
#include <kernel/spinlock.h>
#include <kernel/syscall.h>
#include <kernel/task.h>
#include <kernel/time.h>
#include <kernel/usercopy.h>
#include <kernel/vm.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/futex.h>

#define BUCKET_COUNT 256

/* What word it is. */
struct key {
	const struct vm_space *space; /* NULL: place is a physical address */
	uint64_t place;
};

struct waiter {
	TAILQ_ENTRY(waiter) link; /* B */
	struct task *task;
	struct key key; /* B */
	uint32_t bits;
	_Atomic bool woken;	       /* written under B, when it leaves the list */
	struct bucket *_Atomic bucket; /* written under B: where it hangs */
};				       /* B: bucket->lock */

static struct bucket {
	struct spinlock lock;
	TAILQ_HEAD(waiter_list, waiter)
	waiters; /* B; an all-zero list is made empty at its first use */
} buckets[BUCKET_COUNT];

/* The key of the word at user ADDRESS. PRIVATE: the program says that no other process has it.
 * 0 or -EFAULT. */
static int make_key(uintptr_t address, bool private, struct key *key)
{
	struct vm_space *space = task_current()->space;
	uint32_t word;

	*key = (struct key){ space, address };
	if (private)
		return 0;
	/* Makes the page present. */
	if (copy_from_user(&word, (const void *)address, sizeof(word)))
		return -EFAULT;
	paddr_t paddr = vm_shared_paddr(space, address);

	if (paddr)
		*key = (struct key){ NULL, paddr };
	return 0;
}

static bool is_same(const struct key *a, const struct key *b)
{
	return a->space == b->space && a->place == b->place;
}

static struct bucket *bucket_of(const struct key *key)
{
	uint64_t hash = ((uintptr_t)key->space ^ key->place >> 2) * 0x9e3779b97f4a7c15;

	return &buckets[hash >> 56];
}

static void lock_bucket(struct bucket *bucket)
{
	spin_lock(&bucket->lock);
	if (!bucket->waiters.tqh_last)
		TAILQ_INIT(&bucket->waiters);
}

static void lock_buckets(struct bucket *a, struct bucket *b)
{
	lock_bucket(a < b ? a : b);
	if (a != b)
		lock_bucket(a < b ? b : a);
}

static void unlock_buckets(struct bucket *a, struct bucket *b)
{
	if (a != b)
		spin_unlock(&b->lock);
	spin_unlock(&a->lock);
}

/* Takes WAITER off its list and lets it go on. Its bucket is locked. */
static void release(struct bucket *bucket, struct waiter *waiter)
{
	struct task *task = waiter->task;

	TAILQ_REMOVE(&bucket->waiters, waiter, link);
	waiter->woken = true;
	task->woken = true;
	sched_wake(task);
}

/* Wakes up to COUNT waiters of BITS for KEY. Bucket locked. */
static int wake_locked(struct bucket *bucket, const struct key *key, unsigned int count,
		       uint32_t bits)
{
	struct waiter *waiter, *next;
	int woken = 0;

	for (waiter = TAILQ_FIRST(&bucket->waiters); waiter && (unsigned int)woken < count;
	     waiter = next) {
		next = TAILQ_NEXT(waiter, link);
		if (!is_same(&waiter->key, key) || !(waiter->bits & bits))
			continue;
		release(bucket, waiter);
		woken++;
	}
	return woken;
}

static int wake(uintptr_t address, bool private, unsigned int count, uint32_t bits)
{
	struct key key;

	if (make_key(address, private, &key))
		return -EFAULT;
	struct bucket *bucket = bucket_of(&key);

	lock_bucket(bucket);
	int woken = wake_locked(bucket, &key, count, bits);

	spin_unlock(&bucket->lock);
	return woken;
}

int futex_wake(uintptr_t address, unsigned int count)
{
	return wake(address, false, count, FUTEX_BITSET_MATCH_ANY);
}

/* Hangs WAITER up if the word at ADDRESS still is VALUE. 0, -EAGAIN, -EFAULT. */
static int enqueue(struct waiter *waiter, uintptr_t address, uint32_t value)
{
	for (;;) {
		struct bucket *bucket = bucket_of(&waiter->key);
		uint32_t word;

		lock_bucket(bucket);
		int error = arch_load_user_nofault(&word, (const void *)address, sizeof(word));

		if (!error && word != value)
			error = -EAGAIN;
		if (!error) {
			waiter->bucket = bucket;
			TAILQ_INSERT_TAIL(&bucket->waiters, waiter, link);
		}
		spin_unlock(&bucket->lock);
		if (error != -EFAULT)
			return error;
		/* Not there yet: bring the page in where sleeping is allowed. */
		if (copy_from_user(&word, (const void *)address, sizeof(word)))
			return -EFAULT;
	}
}

/* Takes WAITER off if nobody woke it. */
static void dequeue(struct waiter *waiter)
{
	for (;;) {
		struct bucket *bucket = waiter->bucket;

		lock_bucket(bucket);
		if (waiter->bucket == bucket) {
			if (!waiter->woken)
				TAILQ_REMOVE(&bucket->waiters, waiter, link);
			spin_unlock(&bucket->lock);
			return;
		}
		spin_unlock(&bucket->lock);
	}
}

static int wait(uintptr_t address, bool private, uint32_t value, uint64_t deadline_ns,
		uint32_t bits)
{
	struct waiter waiter = { .task = task_current(), .bits = bits };
	int error = make_key(address, private, &waiter.key);

	if (!error)
		error = enqueue(&waiter, address, value);
	if (error)
		return error;
	while (!waiter.woken && !error)
		error = wait_sleep(deadline_ns);
	dequeue(&waiter);
	return waiter.woken ? 0 : error;
}

/* Wakes up to WAKE waiters of FROM and moves up to MOVE of the rest to TO. COMPARE: only if the
 * word is VALUE. */
static long requeue(uintptr_t from, uintptr_t to, bool private, unsigned int wake_count,
		    unsigned int move_count, bool compare, uint32_t value)
{
	struct waiter *waiter, *next;
	struct key key_from, key_to;
	unsigned int moved = 0;
	uint32_t word;

	if (make_key(from, private, &key_from) || make_key(to, private, &key_to))
		return -EFAULT;
	struct bucket *a = bucket_of(&key_from), *b = bucket_of(&key_to);

	if (compare && copy_from_user(&word, (const void *)from, sizeof(word)))
		return -EFAULT;
	lock_buckets(a, b);
	if (compare &&
	    (arch_load_user_nofault(&word, (const void *)from, sizeof(word)) || word != value)) {
		unlock_buckets(a, b);
		return -EAGAIN;
	}
	int woken = wake_locked(a, &key_from, wake_count, FUTEX_BITSET_MATCH_ANY);

	for (waiter = TAILQ_FIRST(&a->waiters); waiter && moved < move_count; waiter = next) {
		next = TAILQ_NEXT(waiter, link);
		if (!is_same(&waiter->key, &key_from))
			continue;
		TAILQ_REMOVE(&a->waiters, waiter, link);
		waiter->key = key_to;
		waiter->bucket = b;
		TAILQ_INSERT_TAIL(&b->waiters, waiter, link);
		moved++;
	}
	unlock_buckets(a, b);
	return compare ? woken + (long)moved : woken;
}

/* The deadline that a wait was given. COMMAND: WAIT's is relative, WAIT_BITSET's absolute. */
static int get_deadline(unsigned long user_time, unsigned int operation, uint64_t *deadline_ns)
{
	struct kernel_timespec time;

	*deadline_ns = UINT64_MAX;
	if (!user_time)
		return 0;
	if (copy_from_user(&time, (const void *)user_time, sizeof(time)))
		return -EFAULT;
	if (!timespec_is_valid(&time))
		return -EINVAL;
	uint64_t ns = timespec_to_ns(&time);

	if ((operation & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)) == FUTEX_WAIT) {
		*deadline_ns = clock_deadline(ns);
	} else if (operation & FUTEX_CLOCK_REALTIME) {
		uint64_t epoch_ns = clock_epoch_ns();

		*deadline_ns = ns > epoch_ns ? ns - epoch_ns : 0;
	} else {
		*deadline_ns = ns;
	}
	return 0;
}

static long wait_user(const unsigned long arg[6], unsigned int operation, uint32_t bits)
{
	uint64_t deadline_ns;
	int error = get_deadline(arg[3], operation, &deadline_ns);

	if (!error && !bits)
		error = -EINVAL;
	return error ? error :
		       wait(arg[0], operation & FUTEX_PRIVATE_FLAG, (uint32_t)arg[2], deadline_ns,
			    bits);
}

long sys_futex(const unsigned long arg[6])
{
	uintptr_t address = arg[0];
	unsigned int operation = (unsigned int)arg[1];
	unsigned int command = operation & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
	bool private = operation & FUTEX_PRIVATE_FLAG;

	if (address % sizeof(uint32_t))
		return -EINVAL;
	if (address >= USER_END)
		return -EFAULT;
	switch (command) {
	case FUTEX_WAIT:
		return wait_user(arg, operation, FUTEX_BITSET_MATCH_ANY);
	case FUTEX_WAIT_BITSET:
		return wait_user(arg, operation, (uint32_t)arg[5]);
	case FUTEX_WAKE:
		return wake(address, private, (unsigned int)arg[2], FUTEX_BITSET_MATCH_ANY);
	case FUTEX_WAKE_BITSET:
		if (!(uint32_t)arg[5])
			return -EINVAL;
		return wake(address, private, (unsigned int)arg[2], (uint32_t)arg[5]);
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		if (arg[4] % sizeof(uint32_t) || (int)arg[2] < 0 || (int)arg[3] < 0)
			return -EINVAL;
		return requeue(address, arg[4], private, (unsigned int)arg[2], (unsigned int)arg[3],
			       command == FUTEX_CMP_REQUEUE, (uint32_t)arg[5]);
	default:
		return -ENOSYS;
	}
}
