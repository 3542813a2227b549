/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of the debug build (make DEBUG=1) that other folders must help with. In a release build they
 * are empty. Poisoned memory concerns kernel/mm alone (kernel/debug/poison.h).
 *
 * TALLY_LOCK_ORDER is defined in the debug kernel, and not in the hosted unit tests.
 */
#ifndef KERNEL_DEBUG_H
#define KERNEL_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

/* The place in the source that initialises a lock: the class of the lock. */
struct lock_site {
	const char *file;
	uint32_t line;
	_Atomic uint32_t class; /* its class's number; 0: the lock was never taken */
};

struct mutex;
struct spinlock;

#ifdef TALLY_LOCK_ORDER

/* The task is about to wait for LOCK; has taken it without waiting; releases it. Panic on an order of
 * locks that contradicts an earlier one, on a class of locks that is taken in interrupts and also with
 * interrupts on, and on waiting in an NMI. Any context. */
void lock_order_take(struct spinlock *lock);
void lock_order_note(struct spinlock *lock);
void lock_order_give(struct spinlock *lock);
/* The same for mutexes, which also require that no spin lock is held. Task context. */
void lock_order_take_mutex(struct mutex *mutex);
void lock_order_give_mutex(struct mutex *mutex);

/* The running task may be about to sleep: panics if it holds a spin lock. Task context. */
void lock_order_check_sleep(void);

/* Greatest number of mutexes that a task holds. */
#define LOCK_ORDER_MUTEXES_MAX 8
struct lock_order_task {
	const struct mutex *mutexes[LOCK_ORDER_MUTEXES_MAX];
	unsigned int count;
};

#else

static inline void lock_order_take(struct spinlock *lock)
{
}

static inline void lock_order_note(struct spinlock *lock)
{
}

static inline void lock_order_give(struct spinlock *lock)
{
}

static inline void lock_order_take_mutex(struct mutex *mutex)
{
}

static inline void lock_order_give_mutex(struct mutex *mutex)
{
}

static inline void lock_order_check_sleep(void)
{
}

#endif

/* The watchdog of interrupts that stay off (irqs_off.c). start: at start, once. The others: this CPU's
 * timer interrupt is set to DEADLINE_NS; it has arrived; an NMI starts; it ends. Interrupts off. */
#ifdef TALLY_LOCK_ORDER
void debug_irqs_off_start(void);
void debug_timer_set(uint64_t deadline_ns);
void debug_timer_interrupt(void);
void debug_nmi_begin(void);
void debug_nmi_end(void);
#else
static inline void debug_irqs_off_start(void)
{
}

static inline void debug_timer_set(uint64_t deadline_ns)
{
}

static inline void debug_timer_interrupt(void)
{
}

static inline void debug_nmi_begin(void)
{
}

static inline void debug_nmi_end(void)
{
}
#endif

/* Sets the stack canaries' number for this boot. Start, from a function that never returns. */
#ifdef TALLY_LOCK_ORDER
void debug_canary_init(void);
#else
static inline void debug_canary_init(void)
{
}
#endif

#endif
