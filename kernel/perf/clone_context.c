/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Swapping clone contexts: when the CPU switches from one task to another whose context is a clone of the
 * same parent, the two contexts swap their tasks, and no event leaves its counter.
 *
 * A context that a fork made has only inherited events (inherit.c). Users have no descriptors of these: they
 * read the parents, and get the sum over the family. So it makes no difference which of two clones counts
 * which task. The context on the counters stays there and becomes that of the task switched in; the task
 * switched out gets the other. Every sum is as after an ordinary switch, times included: each context's time
 * runs while it is active.
 *
 * Clones. Two contexts are clones while their clone_id is the same number and not 0. A context gets its
 * number when fork makes it: its parent's, or, if the parent has none because users opened its events, one
 * that all the parent's clones get until the parent changes. A context that an event joins or leaves loses
 * its number for good and stays with its task (Linux: unclone_ctx). Enabling and disabling does not count as
 * a change: control.c does it to a whole family, and in no promised order.
 *
 * Only contexts whose swapping cannot be observed get a number: see is_swappable.
 *
 * A reader that follows task->perf of a task that may be switched meanwhile gets a context that may be
 * another task's by the time it is locked. perf_context_claim returns whether it still is the task's, and
 * keeps it so.
 *
 * Locks: a swap holds the lock of the active context and tries the lock of the other; if another CPU holds that,
 * the switch is an ordinary one. context->task, clone_id and task->perf of the two change with both
 * locks held, on the CPU that switches. A parent's mutex guards its clones_id.
 */
#include <kernel/perf/clone_context.h>

#include <kernel/base/assert.h>
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/sched/task.h>

static _Atomic uint64_t last_clone_id;

/* True if swapping EVENT with its clone cannot be observed. */
static bool is_swappable(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	/* Not swappable: sampling events, inherit_stat, pinned events, exec flags, breakpoints. */
	return event->parent && !attr->sample_period && !attr->sigtrap && !attr->inherit_stat &&
	       !attr->pinned && !attr->enable_on_exec && !attr->remove_on_exec &&
	       attr->type != PERF_TYPE_BREAKPOINT;
}

void perf_context_become_clone(struct perf_context *clone, struct perf_context *parent)
{
	struct perf_event *event;
	unsigned int missing = 0;

	mutex_assert_held(&parent->mutex);
	mutex_assert_held(&clone->mutex);
	TAILQ_FOREACH(event, &parent->members, member_link)
		missing += event->attr.inherit;
	TAILQ_FOREACH(event, &clone->members, member_link) {
		if (!is_swappable(event))
			return;
		missing--;
	}
	if (missing)
		return;

	uint64_t clone_id = atomic_load(&parent->clone_id);
	if (!clone_id) {
		if (!parent->clones_id)
			parent->clones_id = atomic_fetch_add(&last_clone_id, 1) + 1;
		clone_id = parent->clones_id;
	}
	atomic_store(&clone->clone_id, clone_id);
}

void perf_context_unclone(struct perf_context *context)
{
	perf_context_assert_locked(context);
	atomic_store_explicit(&context->clone_id, 0, memory_order_relaxed);
	context->clones_id = 0;
}

bool perf_context_claim(struct perf_context *context, const struct task *task)
{
	unsigned long irq = spin_lock_irqsave(&context->lock);
	bool right = context->task == task;

	if (right)
		atomic_store(&context->clone_id, 0);
	spin_unlock_irqrestore(&context->lock, irq);
	return right;
}

bool perf_context_is_of(struct perf_context *context, const struct task *task)
{
	unsigned long irq = spin_lock_irqsave(&context->lock);
	bool right = context->task == task;

	spin_unlock_irqrestore(&context->lock, irq);
	return right;
}

/* Gives CONTEXT, locked, to TASK, which does not run meanwhile. */
static void give(struct task *task, struct perf_context *context)
{
	spin_assert_held(&context->lock);
	context->task = task;
	atomic_store_explicit(&task->perf, __containerof(context, struct perf_task, context),
			      memory_order_relaxed);
}

bool perf_context_swap(struct perf_context *active, struct perf_context *other)
{
	/* OTHER's task does not run yet, so OTHER is active nowhere and stays OTHER's task's. */
	spin_lock(&active->lock);
	bool swapped = spin_try_lock(&other->lock);
	if (swapped) {
		swapped = perf_contexts_are_clones(active, other);
		if (swapped) {
			struct task *prev = active->task, *next = other->task;

			ASSERT_DEBUG(active->cpu == (int)cpu_id() && other->cpu < 0);
			give(next, active);
			give(prev, other);
		}
		spin_unlock(&other->lock);
	}
	spin_unlock(&active->lock);
	return swapped;
}
