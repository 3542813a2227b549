/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contexts: the events of one task, or of one CPU.
 *
 * The first comment of kernel/perf/context.c has the purpose of a context, its states and the rules of
 * locking. kernel/perf/schedule.c puts its groups on the PMU.
 */
#ifndef KERNEL_PERF_CONTEXT_H
#define KERNEL_PERF_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/base/assert.h>
#include <kernel/base/cpu.h>
#include <kernel/base/spinlock.h>
#include <kernel/perf/groups.h>
#include <kernel/sched/wait.h>
#include <kernel/time/time.h>

struct perf_event;
struct task;

/*
 * The comment of each field begins with the letters of its locks:
 *
 *   A  none: atomic
 *   L  perf_context->lock, irqsave; the context of a CPU on line: being on that CPU, interrupts off, and not
 *      the lock
 *   M  perf_context->mutex: membership, for open, close, fork, exit and group reads
 *
 * Two letters: a change needs both locks, a reader needs one of them.
 */
struct perf_context {
	struct spinlock lock; /* L */
	struct mutex mutex;   /* M */

	/* L: NULL: a CPU's context. Changes only while clone_id is not 0 (clone_context.c), so a context with
	 * a member that is not swappable keeps it. Not to be followed once the context is dead. */
	struct task *task;
	/* L: CPU where it is active; -1: none, so a CPU's is off line. Atomic for callers that look for it without the lock */
	_Atomic int cpu;

	/* The context's own time, which runs while the context is active: time_ns while it is inactive,
	 * clock_ns() + clock_offset_ns while it is active. */
	uint64_t time_ns;	  /* L */
	uint64_t clock_offset_ns; /* L: also read in the PMI, on the CPU where the context is active */

	TAILQ_HEAD(perf_member_list, perf_event) members; /* LM: every event */
	struct perf_groups pinned, flexible;		  /* L: those enabled */
	LIST_HEAD(, perf_event) with_ring;		  /* L: events that have a ring */
	unsigned int hardware_count;			  /* L: members that are hardware events */
	bool rotate_needed;				  /* L: some flexible group did not fit */
	/* L: equal in clones, see clone_context.c; 0: no clone. Set by fork before the task runs. Atomic for
	 * a look without the lock */
	_Atomic uint64_t clone_id;
	uint64_t clones_id; /* M: the clone_id of its clones while it has none; 0: not known yet */
	bool dead;	    /* LM: the task has exited */
	bool traps_waiting; /* L: some member's pending_trap waits for the task to run */
	_Atomic unsigned int references; /* A */
};

/* task->perf points to this. */
struct perf_task {
	struct perf_context context; /* with its own locks */
};

/* Asserts that the caller may change what CONTEXT->lock protects: it holds the lock or, for the context of a
 * CPU on line, runs on that CPU with interrupts off. Debug build only. */
static inline void perf_context_assert_locked(struct perf_context *context)
{
	ASSERT_DEBUG(context->task || context->cpu < 0 ?
			     spin_held(&context->lock) :
			     context->cpu == (int)cpu_id() && !arch_irqs_enabled());
}

/* Asserts that CONTEXT does not change meanwhile: it is locked, or active on this CPU with interrupts off (so
 * also in an NMI). Enough to read what its lock protects. Debug build only. */
static inline void perf_context_assert_stable(struct perf_context *context)
{
	ASSERT_DEBUG(!arch_irqs_enabled() &&
		     (context->cpu == (int)cpu_id() || spin_held(&context->lock)));
}

/* Returns CONTEXT's time at NOW_NS of clock_ns(). Context locked, or in an NMI on the CPU where the context
 * is active. */
static inline uint64_t perf_context_time(const struct perf_context *context, uint64_t now_ns)
{
	return atomic_load_explicit(&context->cpu, memory_order_relaxed) < 0 ?
		       context->time_ns :
		       now_ns + context->clock_offset_ns;
}

/* Returns the context of CPU. Any context. */
struct perf_context *perf_context_of_cpu(unsigned int cpu);

/* Returns the context of TASK with a reference; makes and activates one if there is none. NULL with *ERROR:
 * -ENOMEM, -ESRCH (TASK is exiting). Task context, interrupts on. */
struct perf_context *perf_context_of_task(struct task *task, int *error);

/* Returns the context of TASK with a reference; NULL: it has none, or TASK is exiting. Any context. */
struct perf_context *perf_context_get_of_task(struct task *task);

/* Returns the context of TASK with the reference that task->perf had, or NULL. TASK, which exits, has no
 * context from now on. Any context. */
struct perf_context *perf_context_unpublish(struct task *task);

/* Schedules out the events of CONTEXT, unpublished, which is dead from now on. Its mutex held. Task
 * context, interrupts on. */
void perf_context_deactivate_for_good(struct perf_context *context);

/* Makes a context for TASK, which does not run yet and which no other CPU knows; task->perf has the
 * reference. NULL: no memory. Task context. */
struct perf_context *perf_context_make(struct task *task);

/* Takes a reference, and drops one; the last one frees the context. get: any context; put: task context. */
void perf_context_get(struct perf_context *context);
void perf_context_put(struct perf_context *context);

/* Makes the contexts of the CPUs. Once, before all else in the core. */
void perf_contexts_init(void);

/* At a context switch on this CPU from PREV to NEXT, respectively to TASK. Out: makes PREV's context
 * inactive, or swaps it with NEXT's. In: makes TASK's context active here. Interrupts off, no context
 * locked. */
void perf_task_sched_out(struct task *prev, struct task *next);
void perf_task_sched_in(struct task *task);

#endif
