/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contexts of clones that change places when their tasks are switched. The story is in the first comment of
 * kernel/perf/exchange.c.
 */
#ifndef KERNEL_PERF_EXCHANGE_H
#define KERNEL_PERF_EXCHANGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <kernel/perf/context.h>

struct task;

/* CLONE, which MAKER's task has just inherited into and nobody runs with yet, is an image of MAKER's other
 * clones, if it may be. Both mutexes held. Task context. */
void perf_context_become_image(struct perf_context *clone, struct perf_context *maker);

/* Whether CONTEXT is TASK's; if so it stays that from now on. Task context. */
bool perf_context_claim(struct perf_context *context, const struct task *task);

/* The same, just now: with CONTEXT's mutex held it stays TASK's, or like TASK's. Task context. */
bool perf_context_is_of(struct perf_context *context, const struct task *task);

/* Whether one may take the other's place. Sure with both locked, else a moment ago. Any context. */
static inline bool perf_contexts_are_images(const struct perf_context *a,
					    const struct perf_context *b)
{
	uint64_t image = atomic_load_explicit(&a->image, memory_order_relaxed);

	return image && image == atomic_load_explicit(&b->image, memory_order_relaxed);
}

/* ACTIVE, here, and OTHER get each other's task; ACTIVE stays so. Returns whether; if not, nothing has
 * changed. Interrupts off, ACTIVE's task about to be switched to OTHER's, neither exiting. */
bool perf_context_exchange(struct perf_context *active, struct perf_context *other);

#endif
