/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Swapping clone contexts at a context switch. The first comment of kernel/perf/clone_context.c has the
 * details.
 */
#ifndef KERNEL_PERF_CLONE_CONTEXT_H
#define KERNEL_PERF_CLONE_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <kernel/perf/context.h>

struct task;

/* Makes CLONE, which inherited from PARENT and whose task does not run yet, a clone like PARENT's others, if
 * a swap could not be observed. Both mutexes held. Task context. */
void perf_context_become_clone(struct perf_context *clone, struct perf_context *parent);

/* Ends all clone relations of CONTEXT, which an event joins or leaves. Context locked, its mutex held. */
void perf_context_unclone(struct perf_context *context);

/* Whether CONTEXT is TASK's; if so it stays TASK's from now on. Task context. */
bool perf_context_claim(struct perf_context *context, const struct task *task);

/* Whether CONTEXT is TASK's at this moment. While CONTEXT's mutex is held it stays TASK's, or is swapped with
 * a clone. Task context. */
bool perf_context_is_of(struct perf_context *context, const struct task *task);

/* Whether A and B are clones of each other: for certain with both locked, else a moment ago. Any context. */
static inline bool perf_contexts_are_clones(const struct perf_context *a,
					    const struct perf_context *b)
{
	uint64_t clone_id = atomic_load_explicit(&a->clone_id, memory_order_relaxed);

	return clone_id && clone_id == atomic_load_explicit(&b->clone_id, memory_order_relaxed);
}

/* Swaps the tasks of ACTIVE, which is active here and stays active, and OTHER. False: they are no clones, or
 * OTHER is locked; nothing has changed. Interrupts off, in the switch from ACTIVE's task to OTHER's; neither
 * task is exiting. */
bool perf_context_swap(struct perf_context *active, struct perf_context *other);

#endif
