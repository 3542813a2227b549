/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spin locks.
 *
 * The kernel is not preemptive, so a holder keeps its CPU. Data that an interrupt handler touches is
 * locked with the _irqsave form everywhere. An NMI never takes a lock: it touches only per-CPU data
 * that disabling the PMU protects, or lock-free data (the ring buffer).
 *
 * The lock is one word that names its holder, so spin_assert_held() can check the locking rules that
 * are written beside the data. The lock is not fair, on purpose: CPUs often are threads of a host, and
 * the next waiter of a fair queue may not be running while all others wait for it. With tickets, four
 * virtual CPUs on two of the host's came to a standstill over one lock.
 */
#ifndef KERNEL_SPINLOCK_H
#define KERNEL_SPINLOCK_H

#include <stdatomic.h>
#include <stdbool.h>

#include <kernel/base/assert.h>
#include <kernel/base/cpu.h>
#include <kernel/base/debug.h>

struct spinlock {
	_Atomic int owner; /* CPU + 1 of the holder, 0: free */
#ifdef TALLY_LOCK_ORDER
	struct lock_site *site; /* its class, see <kernel/base/debug.h> */
#endif
};

#ifdef TALLY_LOCK_ORDER

/* Inlined so that the checker sees the lock's caller. */
#define SPIN_INLINE    static inline __attribute__((always_inline))
#define LOCK_SITE_HERE (&(struct lock_site){ __FILE__, __LINE__, 0 })
/* For a variable outside of functions. */
#define SPINLOCK_INITIALIZER      \
	{                         \
		0, LOCK_SITE_HERE \
	}

#define spin_init(lock)                                                   \
	do {                                                              \
		static struct lock_site here = { __FILE__, __LINE__, 0 }; \
		struct spinlock *free_lock = (lock);                      \
                                                                          \
		atomic_init(&free_lock->owner, 0);                        \
		free_lock->site = &here;                                  \
	} while (0)

#else

#define SPIN_INLINE static inline
#define SPINLOCK_INITIALIZER \
	{                    \
		0            \
	}

/* Makes LOCK free. Before any other CPU can see it. */
static inline void spin_init(struct spinlock *lock)
{
	atomic_init(&lock->owner, 0);
}

#endif

/* Returns whether this CPU holds LOCK. For assertions only. */
static inline bool spin_held(struct spinlock *lock)
{
	return atomic_load_explicit(&lock->owner, memory_order_relaxed) == (int)cpu_id() + 1;
}

#define spin_assert_held(lock) ASSERT_DEBUG(spin_held(lock))

/* The common part of the two functions that take LOCK. */
static inline bool spin_get(struct spinlock *lock)
{
	int unowned = 0;

	return atomic_compare_exchange_strong_explicit(&lock->owner, &unowned, (int)cpu_id() + 1,
						       memory_order_acquire, memory_order_relaxed);
}

/* Takes LOCK if it is free at this moment; returns whether it did. Any context: the only form for an
 * NMI, which must be able to continue without the lock. */
SPIN_INLINE bool spin_try_lock(struct spinlock *lock)
{
	bool taken = spin_get(lock);

	if (taken)
		lock_order_note(lock);
	return taken;
}

/* Spins until this CPU has taken LOCK, which another CPU holds. */
static inline void spin_wait_untraced(struct spinlock *lock)
{
	do {
		ASSERT(!spin_held(lock));
		while (atomic_load_explicit(&lock->owner, memory_order_relaxed) != 0)
			arch_cpu_relax();
	} while (!spin_get(lock));
}

/* The same, reported to the tracepoints of contention: kernel/smp/spinlock.c. */
void spin_wait(struct spinlock *lock);

/* Takes LOCK; spins until it is free. Not from an NMI; not twice on one CPU. */
SPIN_INLINE void spin_lock(struct spinlock *lock)
{
	lock_order_take(lock);
	if (!spin_get(lock))
		spin_wait(lock);
}

/* The same without tracepoints, for the locks that tracepoints themselves need: a tracepoint may fire
 * in code that holds one of these locks. */
SPIN_INLINE void spin_lock_untraced(struct spinlock *lock)
{
	lock_order_take(lock);
	if (!spin_get(lock))
		spin_wait_untraced(lock);
}

/* Releases LOCK. The holder only. */
static inline void spin_unlock(struct spinlock *lock)
{
	ASSERT_DEBUG(spin_held(lock));
	lock_order_give(lock);
	atomic_store_explicit(&lock->owner, 0, memory_order_release);
}

/* Disables interrupts and takes LOCK; returns the previous interrupt state for
 * spin_unlock_irqrestore. */
SPIN_INLINE unsigned long spin_lock_irqsave(struct spinlock *lock)
{
	unsigned long state = arch_irq_save();
	spin_lock(lock);
	return state;
}

/* Releases LOCK and restores the interrupt state. */
static inline void spin_unlock_irqrestore(struct spinlock *lock, unsigned long state)
{
	spin_unlock(lock);
	arch_irq_restore(state);
}

#endif
