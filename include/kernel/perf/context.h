/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contexts: the events of one task, or of one CPU.
 *
 * What a context is for, its states and the rules of locking are in the first comment of
 * kernel/perf/context.c; how groups are put on the PMU is in kernel/perf/schedule.c.
 */
#ifndef KERNEL_PERF_CONTEXT_H
#define KERNEL_PERF_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/cpu.h>
#include <kernel/perf/groups.h>
#include <kernel/spinlock.h>
#include <kernel/time.h>
#include <kernel/wait.h>

struct perf_event;
struct task;

struct perf_context {
	struct spinlock lock; /* L, irqsave; a CPU's context has none, see context.c */
	struct mutex mutex;   /* M: membership: open, close, fork, exit, group reads */
	/* L: NULL: a CPU's context. Not dereferenced once dead. A swap changes it while clone_id is not 0. */
	struct task *task;
	_Atomic int cpu; /* L: CPU where it is active, -1 */

	/* The context's own time: it runs while the context is active. While inactive, time_ns;
	 * while active, clock_ns() + clock_offset_ns. L */
	uint64_t time_ns, clock_offset_ns;

	TAILQ_HEAD(perf_member_list, perf_event) members; /* L, M: every event */
	struct perf_groups pinned, flexible;		  /* L: those enabled */
	LIST_HEAD(, perf_event) with_ring;		  /* L: those whose records have a place */
	unsigned int hardware_count;			  /* L: members that are hardware events */
	bool rotate_needed;	      /* L: some flexible group did not fit */
	_Atomic uint64_t clone_id;    /* L: clones have the same, see clone_context.c; 0: none */
	uint64_t clones_id; /* M: what its clones get while it has none; 0: not known yet */
	bool dead;		      /* L, M: the task is gone */
	_Atomic bool traps_waiting;   /* some member's pending_trap waits for the task to run */
	_Atomic unsigned int references;
}; /* L: lock; M: changed with both held, so either is enough to read */

/* What task->perf points to. */
struct perf_task {
	struct perf_context context;
};

/* Context's time at NOW_NS of clock_ns(). Lock held, or NMI on the CPU where it is active. */
static inline uint64_t perf_context_time(const struct perf_context *context, uint64_t now_ns)
{
	return atomic_load_explicit(&context->cpu, memory_order_relaxed) < 0 ?
		       context->time_ns :
		       now_ns + context->clock_offset_ns;
}

/* The context of CPU. Any context. */
struct perf_context *perf_context_of_cpu(unsigned int cpu);

/* The context of TASK with a reference, made and activated if there is none; NULL with *ERROR
 * -ENOMEM or -ESRCH (it is exiting). Task context, interrupts on. */
struct perf_context *perf_context_of_task(struct task *task, int *error);

/* A context for TASK, which does not run yet and is known to nobody; task->perf has the
 * reference. NULL: no memory. Task context. */
struct perf_context *perf_context_make(struct task *task);

/* Makes CONTEXT that of TASK, active nowhere, or with TASK NULL that of CPU. One
 * reference, no events. Before anyone else can see it. */
void perf_context_init(struct perf_context *context, struct task *task, int cpu);

/* One more reference, and one less; the last one frees. get: any context; put: task context. */
void perf_context_get(struct perf_context *context);
void perf_context_put(struct perf_context *context);

/* Makes the CPUs' contexts. Once, before anything else of the core. */
void perf_contexts_init(void);

/* Makes EVENT, whose context is CONTEXT, a member of it, and of the group of its leader, and
 * lets it count if its state says so. CONTEXT's mutex held, CONTEXT not dead. Task context,
 * interrupts on. */
void perf_context_install(struct perf_context *context, struct perf_event *event);

/* Takes EVENT out of its group and context and marks it dead: what it counted stays readable. Its
 * siblings, when it led, become groups of their own. Task context. */
void perf_event_detach(struct perf_event *event);

/* Detaches EVENT as perf_event_detach does, but for waiting for its deferred work. Its context's
 * mutex held. */
void perf_event_detach_locked(struct perf_event *event);

#endif
