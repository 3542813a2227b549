/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spin locks.
 *
 * The kernel is not preemptive, so a holder keeps its processor. Data that an interrupt handler
 * touches is locked with the _irqsave form everywhere. An NMI takes no lock, ever: what it touches
 * is per-CPU and ordered by the PMU's own freeze, or lock-free (the ring buffer).
 *
 * The lock is one word that names its holder, so spin_assert_held() can check the locking rules
 * that are written beside the data. Not fair, on purpose: processors are a host's threads more
 * often than not, and the next one of a fair queue may not be running while all others wait for it.
 * With tickets, four virtual processors on two of the host's came to a standstill over one lock.
 */
#ifndef KERNEL_SPINLOCK_H
#define KERNEL_SPINLOCK_H

#include <stdatomic.h>
#include <stdbool.h>

#include <kernel/assert.h>
#include <kernel/cpu.h>
#include <kernel/debug.h>

struct spinlock {
	_Atomic int owner; /* CPU + 1 of the holder, 0: free */
#ifdef TALLY_LOCK_ORDER
	struct lock_site *site; /* its class, see <kernel/debug.h> */
#endif
};

#ifdef TALLY_LOCK_ORDER

/* So that the checker sees who takes the lock. */
#define SPIN_INLINE    static inline __attribute__((always_inline))
#define LOCK_SITE_HERE (&(struct lock_site){ __FILE__, __LINE__, 0 })
/* Of a variable outside of functions. */
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

/* Makes LOCK free. Before anyone else can see it. */
static inline void spin_init(struct spinlock *lock)
{
	atomic_init(&lock->owner, 0);
}

#endif

/* Whether this processor holds LOCK. For assertions only. */
static inline bool spin_held(struct spinlock *lock)
{
	return atomic_load_explicit(&lock->owner, memory_order_relaxed) == (int)cpu_id() + 1;
}

#define spin_assert_held(lock) ASSERT_DEBUG(spin_held(lock))

/* What the two ways of taking LOCK have in common. */
static inline bool spin_get(struct spinlock *lock)
{
	int nobody = 0;

	return atomic_compare_exchange_strong_explicit(&lock->owner, &nobody, (int)cpu_id() + 1,
						       memory_order_acquire, memory_order_relaxed);
}

/* Takes LOCK if it is free at this moment; returns whether. Any context: the one form an NMI may
 * use, for what it can do without. */
SPIN_INLINE bool spin_try_lock(struct spinlock *lock)
{
	bool taken = spin_get(lock);

	if (taken)
		lock_order_note(lock);
	return taken;
}

/* Spins until LOCK, which somebody has, is this processor's. */
static inline void spin_wait_untraced(struct spinlock *lock)
{
	do {
		ASSERT(!spin_held(lock));
		while (atomic_load_explicit(&lock->owner, memory_order_relaxed) != 0)
			arch_cpu_relax();
	} while (!spin_get(lock));
}

/* The same, and the tracepoints of contention tell of it: kernel/smp/spinlock.c. */
void spin_wait(struct spinlock *lock);

/* Takes LOCK; spins until it is free. Not from an NMI; not twice on one processor. */
SPIN_INLINE void spin_lock(struct spinlock *lock)
{
	lock_order_take(lock);
	if (!spin_get(lock))
		spin_wait(lock);
}

/* The same for the locks that tracepoints themselves need: nothing is told of them, as what is told may
 * be about somebody who has just taken one. */
SPIN_INLINE void spin_lock_untraced(struct spinlock *lock)
{
	lock_order_take(lock);
	if (!spin_get(lock))
		spin_wait_untraced(lock);
}

/* Gives LOCK back. The holder only. */
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

/* Gives LOCK back and restores the interrupt state. */
static inline void spin_unlock_irqrestore(struct spinlock *lock, unsigned long state)
{
	spin_unlock(lock);
	arch_irq_restore(state);
}

#endif
