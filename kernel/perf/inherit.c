/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inheritance: events with attr.inherit of a task that forks.
 *
 * The new task gets a group for each group of the forking task whose leader is inherited, in the same state.
 * Each of these events, here called a child, has as parent the event that a user opened, however many tasks
 * lie in between. It counts its own task; the user reads the sum from the parent. When the child's task
 * exits, its counts and times are added to the parent's.
 *
 * A child belongs to its parent: it has no descriptor, writes to the parent's ring, is enabled and disabled
 * by the parent's ioctls and ends, at the latest, with the parent. It holds a reference to the parent, so
 * that the parent's structure outlives it; the reference from perf_event_create is that of the parent's list.
 *
 * Locks: family_mutex guards the lists of children and makes update and unlink one step for a reader. It
 * comes after a context's mutex and after output_mutex; slots_mutex and buffers_mutex come after it. The
 * mutexes of two tasks' contexts are taken in the order parent, child.
 */
#include <kernel/perf/inherit.h>

#include <kernel/base/assert.h>
#include <kernel/perf/clone_context.h>
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/perf/membership.h>
#include <kernel/perf/output.h>
#include <kernel/perf/task.h>
#include <uapi/linux/errno.h>

static struct mutex family_mutex;

void perf_inherit_init(void)
{
	mutex_init(&family_mutex);
}

/* --- the family of one event --- */

void perf_family_lock(const struct perf_event *event)
{
	if (event->attr.inherit)
		mutex_lock(&family_mutex);
}

void perf_family_unlock(const struct perf_event *event)
{
	if (event->attr.inherit)
		mutex_unlock(&family_mutex);
}

bool perf_family_is_locked(const struct perf_event *event)
{
	return !event->attr.inherit || mutex_held(&family_mutex);
}

bool perf_event_is_over(struct perf_event *event)
{
	if (perf_event_peek_state(event) != EVENT_DEAD)
		return false;
	perf_family_lock(event);
	bool over = LIST_EMPTY(&event->children);
	perf_family_unlock(event);
	return over;
}

/* Adds the counts of CHILD, which is in no context any more, to its parent's, and takes it off the parent's
 * list. */
static void add_to_parent(struct perf_event *child)
{
	struct perf_event *parent = child->parent;

	mutex_lock(&family_mutex);
	atomic_fetch_add(&parent->child_count, perf_event_own_count(child));
	atomic_fetch_add(&parent->child_time_enabled_ns, child->time_enabled_ns);
	atomic_fetch_add(&parent->child_time_running_ns, child->time_running_ns);
	LIST_REMOVE(child, child_link);
	child->linked = false;
	mutex_unlock(&family_mutex);
}

void perf_event_end_child(struct perf_event *child)
{
	struct perf_event *parent = child->parent;

	mutex_assert_held(&child->context->mutex);
	add_to_parent(child);
	perf_output_release(child);
	deferred_work_sync(&child->pending);
	perf_event_put(child);
	wait_queue_wake(&parent->waiters);
	perf_event_put(parent);
}

/* Closes PARENT for new children; returns the first of those it has, with a reference, or NULL. */
static struct perf_event *close_and_get_first(struct perf_event *parent)
{
	mutex_lock(&family_mutex);
	parent->closed = true;
	struct perf_event *child = LIST_FIRST(&parent->children);
	if (child)
		perf_event_get(child);
	mutex_unlock(&family_mutex);
	return child;
}

void perf_event_end_children(struct perf_event *parent)
{
	struct perf_event *child;

	while ((child = close_and_get_first(parent))) {
		struct perf_context *context = child->context;

		mutex_lock(&context->mutex);
		/* Its task may just have exited. */
		if (child->linked) {
			perf_event_detach_locked(child);
			perf_event_end_child(child);
		}
		mutex_unlock(&context->mutex);
		perf_event_put(child);
	}
}

/* --- fork --- */

/* Makes a child of EVENT in CONTEXT, in the group of LEADER (NULL: its own); NULL without an error: EVENT's
 * parent is being closed. */
static struct perf_event *inherit_event(struct perf_event *event, struct perf_event *leader,
					struct perf_context *context, int *error)
{
	struct perf_event *parent = event->parent ? event->parent : event;
	/* perf_family_lock depends on it; all members of a task's group agree (open.c). */
	ASSERT(parent->attr.inherit);
	struct perf_event *child =
		perf_event_create(&parent->attr, parent->cpu, context->task, leader, error);

	if (!child)
		return NULL;
	child->group_generation = event->group_generation;
	child->group_index = event->group_index;
	child->sampling.period = event->sampling.period;
	child->sampling.next_at = event->sampling.period;
	child->clock_offset_ns = parent->clock_offset_ns;
	child->context = context;
	perf_context_get(context);

	mutex_lock(&family_mutex);
	bool closed = parent->closed;
	if (!closed) {
		/* Enabling or disabling a family reaches all children that it has by then. */
		child->state = perf_event_peek_state(event) >= EVENT_INACTIVE ? EVENT_INACTIVE :
										EVENT_OFF;
		perf_event_get(parent);
		child->parent = parent;
		child->linked = true;
		LIST_INSERT_HEAD(&parent->children, child, child_link);
	}
	mutex_unlock(&family_mutex);
	if (closed) {
		perf_event_put(child);
		return NULL;
	}

	perf_context_install(context, child);
	perf_output_inherit(child, parent);
	return child;
}

/* Makes children of LEADER's group. While LEADER's parent is being closed, its siblings are inherited each by
 * itself, as they are about to be alone; and a group that misses a sibling that is being closed has other
 * members. */
static int inherit_group(struct perf_event *leader, struct perf_context *context)
{
	struct perf_event *sibling;
	int error = 0;
	struct perf_event *child = inherit_event(leader, NULL, context, &error);

	if (error)
		return error;
	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link) {
		if (inherit_event(sibling, child, context, &error))
			continue;
		if (error)
			return error;
		if (child)
			child->group_generation++;
	}
	return 0;
}

/* A trap would kill a task that has no handler any more. */
static bool is_inherited(const struct perf_event *leader, unsigned int how)
{
	return leader->attr.inherit && (how & PERF_FORK_THREAD || !leader->attr.inherit_thread) &&
	       !(how & PERF_FORK_CLEARS_HANDLERS && leader->attr.sigtrap);
}

static bool any_inherited(const struct perf_context *context, unsigned int how)
{
	struct perf_event *event;

	TAILQ_FOREACH(event, &context->members, member_link)
		if (event->leader == event && is_inherited(event, how))
			return true;
	return false;
}

static int inherit_groups(struct perf_context *from, struct perf_context *to, unsigned int how)
{
	struct perf_event *event;
	int error = 0;

	TAILQ_FOREACH(event, &from->members, member_link) {
		if (event->leader == event && is_inherited(event, how))
			error = inherit_group(event, to);
		if (error)
			return error;
	}
	return 0;
}

int perf_context_inherit(struct perf_context *from, struct task *child, unsigned int how)
{
	mutex_assert_held(&from->mutex);
	if (!any_inherited(from, how))
		return 0;
	struct perf_context *to = perf_context_make(child);
	if (!to)
		return -ENOMEM;

	mutex_lock(&to->mutex);
	int error = inherit_groups(from, to, how);
	perf_context_become_clone(to, from);
	mutex_unlock(&to->mutex);
	return error;
}
