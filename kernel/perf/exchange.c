/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contexts of clones change places when one task gives the processor to another, instead of all events
 * of one leaving the counters and as many alike of the other coming.
 *
 * A context that a fork made has no events but children (inherit.c), which nobody knows by name: a user
 * asks their parents, and gets the sum. So when two tasks have contexts of which one is like the other,
 * it does not matter which of them counts which task. The context that is on the counters stays there
 * and becomes that of the task that comes; the task that goes gets the other's. Every sum is the same as
 * after an ordinary switch, that of times, too: each context's time runs while it is active.
 *
 * Images. Two contexts are images of each other while context->image is the same number and not 0. The
 * number is given to a context when it is made: what its maker has, or, if that has none because its
 * events were opened by users, one that all its clones get until the maker changes. A context that
 * changes, because an event comes or goes, loses its number for good; from then on it stays with its
 * task. Switching events on and off changes nothing here: that is done to a whole family (event.c), and
 * who is first and who is last in it was never said.
 *
 * No number is given where it does matter who is counted: see is_plain.
 *
 * Who looks at task->perf of a task that may be switched meanwhile gets a context that may be another
 * task's by the time it is locked. perf_context_claim says whether it is not, and keeps it so.
 *
 * Locks: an exchange holds the lock of the active context and, only if it is free at that moment, that of
 * the other; else the switch is an ordinary one. context->task, image and task->perf of the two change
 * with both locks held, on the processor that switches. What a maker gives to its clones is guarded by its
 * mutex.
 */
#include <kernel/assert.h>
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/perf/exchange.h>
#include <kernel/task.h>

static _Atomic uint64_t last_image;

/* Whether nobody can tell whom EVENT, of a task, counts, so long as somebody like it counts the others. */
static bool is_plain(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	/* Who is sampled, or told about at its end; what one task alone may come to be in error for, or have
	 * switched on or taken away by execve; and registers that are assigned to tasks. */
	return event->parent && !attr->sample_period && !attr->sigtrap && !attr->inherit_stat &&
	       !attr->pinned && !attr->enable_on_exec && !attr->remove_on_exec &&
	       attr->type != PERF_TYPE_BREAKPOINT;
}

void perf_context_become_image(struct perf_context *clone, struct perf_context *maker)
{
	struct perf_event *event;
	unsigned int missing = 0;

	ASSERT(mutex_held(&maker->mutex) && mutex_held(&clone->mutex));
	TAILQ_FOREACH(event, &maker->members, member_link)
		missing += event->attr.inherit;
	TAILQ_FOREACH(event, &clone->members, member_link) {
		if (!is_plain(event))
			return;
		missing--;
	}
	if (missing)
		return;

	uint64_t image = atomic_load(&maker->image);
	if (!image) {
		if (!maker->clones_image)
			maker->clones_image = atomic_fetch_add(&last_image, 1) + 1;
		image = maker->clones_image;
	}
	atomic_store(&clone->image, image);
}

bool perf_context_claim(struct perf_context *context, const struct task *task)
{
	unsigned long irq = spin_lock_irqsave(&context->lock);
	bool right = context->task == task;

	if (right)
		atomic_store(&context->image, 0);
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

/* TASK, which does not look meanwhile, has CONTEXT, locked, from now on. */
static void give(struct task *task, struct perf_context *context)
{
	context->task = task;
	atomic_store_explicit(&task->perf, __containerof(context, struct perf_task, context),
			      memory_order_relaxed);
}

bool perf_context_exchange(struct perf_context *active, struct perf_context *other)
{
	/* OTHER's task does not run yet, so OTHER is active nowhere and stays its own. */
	spin_lock(&active->lock);
	bool exchanged = spin_try_lock(&other->lock);
	if (exchanged) {
		exchanged = perf_contexts_are_images(active, other);
		if (exchanged) {
			struct task *prev = active->task, *next = other->task;

			ASSERT_DEBUG(active->cpu == (int)cpu_id() && other->cpu < 0);
			give(next, active);
			give(prev, other);
		}
		spin_unlock(&other->lock);
	}
	spin_unlock(&active->lock);
	return exchanged;
}
