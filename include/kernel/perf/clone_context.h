/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Swapping clone contexts when their tasks are switched. The story is in the first comment of
 * kernel/perf/clone_context.c.
 */
#ifndef KERNEL_PERF_CLONE_CONTEXT_H
#define KERNEL_PERF_CLONE_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <kernel/perf/context.h>

struct task;

/* Makes CLONE, which inherited from MAKER and whose task does not run yet, a clone like MAKER's others, if
 * swapping it could not be observed. Both mutexes held. Task context. */
void perf_context_become_clone(struct perf_context *clone, struct perf_context *maker);

/* Whether CONTEXT is TASK's; if so it stays that from now on. Task context. */
bool perf_context_claim(struct perf_context *context, const struct task *task);

/* Whether CONTEXT is TASK's at this moment. With CONTEXT's mutex held it stays TASK's, or is swapped with a
 * clone. Task context. */
bool perf_context_is_of(struct perf_context *context, const struct task *task);

/* Whether A and B may be swapped. Sure with both locked, else a moment ago. Any context. */
static inline bool perf_contexts_are_clones(const struct perf_context *a,
					    const struct perf_context *b)
{
	uint64_t clone_id = atomic_load_explicit(&a->clone_id, memory_order_relaxed);

	return clone_id && clone_id == atomic_load_explicit(&b->clone_id, memory_order_relaxed);
}

/* Swaps the tasks of ACTIVE, which is active here and stays so, and OTHER. False: they are no clones, or OTHER is
 * locked; nothing has changed. Interrupts off, ACTIVE's task about to be switched to OTHER's, neither exiting. */
bool perf_context_swap(struct perf_context *active, struct perf_context *other);

#endif
