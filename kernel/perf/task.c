/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a task that forks, executes another program, or exits.
 *
 * Only the task itself, in its own context, does these things. Its context may be swapped with a clone at any
 * context switch (clone_context.c), so all of them but exit, which ends swaps, first make sure of it:
 * lock_own.
 *
 * Locks: the context's mutex; docs/locking.md has what comes before and after it.
 */
#include <kernel/perf/task.h>

#include <kernel/base/assert.h>
#include <kernel/perf/call.h>
#include <kernel/perf/clone_context.h>
#include <kernel/perf/context.h>
#include <kernel/perf/control.h>
#include <kernel/perf/cpu.h>
#include <kernel/perf/event.h>
#include <kernel/perf/inherit.h>
#include <kernel/perf/membership.h>
#include <kernel/perf/ownership.h>
#include <kernel/perf/schedule.h>
#include <kernel/perf/sideband.h>
#include <kernel/sched/task.h>

/* Returns the context of TASK, the running one, with a reference and its mutex held; or NULL. Until the mutex
 * is unlocked the context is TASK's, or is swapped with a clone. */
static struct perf_context *lock_own(struct task *task)
{
	for (;;) {
		struct perf_context *context = perf_context_get_of_task(task);

		if (!context)
			return NULL;
		mutex_lock(&context->mutex);
		if (perf_context_is_of(context, task))
			return context;
		/* Swapped during the wait, and perhaps changed by its new task. */
		mutex_unlock(&context->mutex);
		perf_context_put(context);
	}
}

/* --- fork --- */

int perf_task_fork(struct task *parent, struct task *child, unsigned int how)
{
	/* A task that others can find could have a context already. */
	ASSERT(!atomic_load(&child->perf));
	if (!atomic_load(&parent->perf))
		return 0;
	struct perf_context *context = lock_own(parent);
	if (!context)
		return 0;
	int error = perf_context_inherit(context, child, how);
	mutex_unlock(&context->mutex);
	perf_context_put(context);
	return error;
}

/* --- members that end --- */

static void retire(struct perf_event *event)
{
	if (event->parent) {
		perf_event_detach_locked(event);
		perf_sideband_read(event);
		perf_event_end_child(event);
		return;
	}
	perf_event_retire(event);
	wait_queue_wake(&event->waiters); /* pollers see the end */
}

/* Retires all members, or those with remove_on_exec. The context's mutex held. */
static void retire_all(struct perf_context *context, bool on_exec)
{
	struct perf_event *event, *next;

	mutex_assert_held(&context->mutex);
	TAILQ_FOREACH_SAFE(event, &context->members, member_link, next) {
		if (!on_exec || event->attr.remove_on_exec)
			retire(event);
	}
}

/* --- exec --- */

static void enable_on_exec_locked(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	struct perf_event *event;

	TAILQ_FOREACH(event, &call->context->members, member_link) {
		if (!event->attr.enable_on_exec)
			continue;
		event->attr.enable_on_exec = 0;
		if (event->state == EVENT_OFF)
			perf_event_enable_locked(cpu, event, now_ns);
	}
}

void perf_task_exec(struct task *task)
{
	struct perf_context *context = lock_own(task);

	if (!context)
		return;
	/* A context with clones has no events that exec changes; one without stays this task's. */
	if (!atomic_load(&context->clone_id)) {
		struct perf_call call = { .context = context };

		perf_call_run(&call, PERF_CALL_CHANGE, enable_on_exec_locked);
		retire_all(context, true);
	}
	mutex_unlock(&context->mutex);
	perf_context_put(context);
}

static void sched_out_locked(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	perf_context_unclone(call->context);
	if (cpu)
		perf_context_sched_out(cpu, call->context, PERF_ALL, now_ns);
}

void perf_task_end_events(struct task *task)
{
	struct perf_context *context = lock_own(task);

	while (context && !perf_context_claim(context, task)) {
		mutex_unlock(&context->mutex);
		perf_context_put(context);
		context = lock_own(task);
	}
	/* As at its exit: no samples follow the EXIT record. */
	if (context) {
		struct perf_call call = { .context = context };

		perf_call_run(&call, PERF_CALL_CHANGE, sched_out_locked);
	}
	perf_sideband_exit(context, task);
	if (context) {
		retire_all(context, false);
		mutex_unlock(&context->mutex);
		perf_context_put(context);
	}
	perf_events_disown(task);
}

/* --- exit --- */

void perf_task_exit(struct task *task)
{
	struct perf_context *context = perf_context_unpublish(task);

	if (context) {
		mutex_lock(&context->mutex);
		perf_context_deactivate_for_good(context);
	}
	if (task == task_current())
		perf_sideband_exit(context, task);
	if (!context)
		return;
	retire_all(context, false);
	mutex_unlock(&context->mutex);
	perf_context_put(context);
}

void perf_task_free(struct task *task)
{
	/* A task that never ran has not passed through its own exit. */
	perf_task_exit(task);
}
