/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lock-order checker of the debug build.
 *
 * Locks that are initialised at the same place in the source form one class. The checker stores each
 * CPU's held spin locks and each task's held mutexes. When a CPU waits for a lock while it holds
 * another, the order of the two classes is added to a graph. An order that contradicts the graph is a
 * deadlock that has not happened yet: panic, with both orders. Two locks of one class are not compared.
 *
 * A class that an interrupt takes must never be taken with interrupts on: the interrupt could arrive at
 * that moment. NMIs wait for no lock at all. Locks that an NMI takes without waiting are not recorded,
 * because the NMI may have interrupted this file.
 *
 * Lock: graph_lock, a bare word, irqsave, innermost of all.
 */
#ifdef TALLY_LOCK_ORDER

#include <stdatomic.h>

#include <arch/cpu.h>
#include <arch/task.h>
#include <kernel/base/cpu.h>
#include <kernel/base/debug.h>
#include <kernel/base/log.h>
#include <kernel/base/symbol.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>

#include "lock_graph.h"

#define HELD_MAX 16

struct held {
	const struct spinlock *lock;
	unsigned int class;
	const void *where; /* return address of the caller that took it */
};

struct held_locks {
	struct held entries[HELD_MAX];
	unsigned int count;
} CACHE_ALIGNED;

enum use { USED_IN_INTERRUPT = 1, USED_WITH_INTERRUPTS_ON = 2 };

/* Class 0: locks whose site is unknown. */
static struct class
{
	const struct lock_site *site;
	_Atomic unsigned int uses;
	const void *where[2]; /* the first use of either kind */
} classes[LOCK_CLASSES_MAX];

static struct lock_graph graph;
/* The place that first took the second lock of an order. */
static const void *first_seen[LOCK_CLASSES_MAX][LOCK_CLASSES_MAX];
static atomic_flag graph_lock = ATOMIC_FLAG_INIT;
/* A violation was found: the checker stops, because the panic may break any rule. */
static _Atomic bool ended;

static PERCPU(struct held_locks, held_locks);

static const char *function_of(const void *address)
{
	size_t offset;
	const char *name = symbol_find((uintptr_t)address, &offset);

	return name ? name : "?";
}

static void enter_graph(void)
{
	while (atomic_flag_test_and_set_explicit(&graph_lock, memory_order_acquire))
		arch_cpu_relax();
}

static void leave_graph(void)
{
	atomic_flag_clear_explicit(&graph_lock, memory_order_release);
}

/* Returns the number of SITE's class; 0: there are more sites than classes. Interrupts off. */
static unsigned int class_of(struct lock_site *site)
{
	static unsigned int last;

	if (!site || site->class)
		return site ? site->class : 0;
	enter_graph();
	if (!site->class && last + 1 < LOCK_CLASSES_MAX) {
		classes[++last].site = site;
		site->class = last;
	}
	leave_graph();
	return site->class;
}

/* Checks a wait for SECOND at WHERE while FIRST is held. Interrupts off. */
static void check_order(unsigned int first, unsigned int second, const void *where)
{
	unsigned int next = 0;

	if (!first || !second || first == second || lock_graph_has(&graph, first, second))
		return;
	enter_graph();
	bool right = lock_graph_add(&graph, first, second, &next);

	if (right)
		first_seen[first][second] = where;
	leave_graph();
	if (right)
		return;
	const struct lock_site *a = classes[first].site, *b = classes[second].site,
			       *c = classes[next].site;

	ended = true;
	panic("lock order: %s takes %s:%u after %s:%u, %s took %s:%u after %s:%u",
	      function_of(where), b->file, b->line, a->file, a->line,
	      function_of(first_seen[second][next]), c->file, c->line, b->file, b->line);
}

/* Records the contexts in which a spin lock's class is taken, and checks that they are compatible. */
static void check_use(unsigned int class, bool irqs_on, const void *where)
{
	unsigned int use = arch_interrupt_frame() ? USED_IN_INTERRUPT : 0;

	if (!use && irqs_on)
		use = USED_WITH_INTERRUPTS_ON;
	if (!class || !use || (classes[class].uses & use))
		return;
	classes[class].where[use - 1] = where;
	unsigned int uses = atomic_fetch_or(&classes[class].uses, use) | use;

	if (uses != (USED_IN_INTERRUPT | USED_WITH_INTERRUPTS_ON))
		return;
	ended = true;
	panic("lock order: %s:%u is taken by an interrupt (%s), and with interrupts on (%s)",
	      classes[class].site->file, classes[class].site->line,
	      function_of(classes[class].where[0]), function_of(classes[class].where[1]));
}

static void remember(struct spinlock *lock, unsigned int class, const void *where)
{
	struct held_locks *held = &this_cpu(held_locks);

	if (held->count < HELD_MAX)
		held->entries[held->count] = (struct held){ lock, class, where };
	held->count++;
}

void lock_order_take(struct spinlock *lock)
{
	const void *where = __builtin_return_address(0);

	if (ended)
		return;
	if (arch_in_nmi()) {
		ended = true;
		panic("lock order: an NMI waits for a lock (%s)", function_of(where));
	}
	bool irqs_on = arch_irqs_enabled();
	unsigned long state = arch_irq_save();
	unsigned int class = class_of(lock->site);
	const struct held_locks *held = &this_cpu(held_locks);

	check_use(class, irqs_on, where);
	for (unsigned int i = 0; i < held->count && i < HELD_MAX; i++)
		check_order(held->entries[i].class, class, where);
	remember(lock, class, where);
	arch_irq_restore(state);
}

void lock_order_note(struct spinlock *lock)
{
	if (ended || arch_in_nmi())
		return;
	unsigned long state = arch_irq_save();

	remember(lock, class_of(lock->site), __builtin_return_address(0));
	arch_irq_restore(state);
}

void lock_order_give(struct spinlock *lock)
{
	if (ended || arch_in_nmi())
		return;
	unsigned long state = arch_irq_save();
	struct held_locks *held = &this_cpu(held_locks);
	unsigned int at = held->count < HELD_MAX ? held->count : HELD_MAX;

	while (at > 0 && held->entries[at - 1].lock != lock)
		at--;
	if (held->count > 0)
		held->count--;
	/* Locks are not always released in the reverse order. */
	for (; at > 0 && at <= held->count && at < HELD_MAX; at++)
		held->entries[at - 1] = held->entries[at];
	arch_irq_restore(state);
}

void lock_order_take_mutex(struct mutex *mutex)
{
	struct lock_order_task *own = &task_current()->lock_order;
	const void *where = __builtin_return_address(0);

	if (ended)
		return;
	unsigned long state = arch_irq_save();
	const struct held_locks *held = &this_cpu(held_locks);
	unsigned int class = class_of(mutex->site);

	if (held->count > 0) {
		ended = true;
		panic("lock order: %s may sleep for a mutex with a spin lock held (%s)",
		      function_of(where), function_of(held->entries[0].where));
	}
	for (unsigned int i = 0; i < own->count && i < LOCK_ORDER_MUTEXES_MAX; i++)
		check_order(class_of(own->mutexes[i]->site), class, where);
	if (own->count < LOCK_ORDER_MUTEXES_MAX)
		own->mutexes[own->count] = mutex;
	own->count++;
	arch_irq_restore(state);
}

void lock_order_check_sleep(void)
{
	const void *where = __builtin_return_address(0);

	if (ended)
		return;
	unsigned long state = arch_irq_save();
	const struct held_locks *held = &this_cpu(held_locks);

	if (held->count > 0) {
		ended = true;
		panic("lock order: %s may sleep with a spin lock held (%s)", function_of(where),
		      function_of(held->entries[0].where));
	}
	arch_irq_restore(state);
}

void lock_order_give_mutex(struct mutex *mutex)
{
	struct lock_order_task *own = &task_current()->lock_order;
	unsigned int at = own->count < LOCK_ORDER_MUTEXES_MAX ? own->count : LOCK_ORDER_MUTEXES_MAX;

	if (ended)
		return;
	while (at > 0 && own->mutexes[at - 1] != mutex)
		at--;
	if (own->count > 0)
		own->count--;
	for (; at > 0 && at <= own->count && at < LOCK_ORDER_MUTEXES_MAX; at++)
		own->mutexes[at - 1] = own->mutexes[at];
}

#endif
