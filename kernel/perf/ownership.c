/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The owner of an event: the task that opened it.
 *
 * Events that users opened are in one list, for prctl(PR_TASK_PERF_EVENTS_*), which enables or disables the
 * events that the caller opened, wherever they count. No counting path takes owned_mutex, the lock of the
 * list; it comes before a context's mutex.
 */
#include <kernel/perf/ownership.h>

#include <kernel/base/assert.h>
#include <kernel/perf/control.h>
#include <kernel/perf/event.h>
#include <kernel/perf/first_abi.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>

static LIST_HEAD(, perf_event) owned = LIST_HEAD_INITIALIZER(owned); /* owned_mutex */
static struct mutex owned_mutex;

void perf_ownership_init(void)
{
	LIST_INIT(&owned);
	mutex_init(&owned_mutex);
}

void perf_event_own(struct perf_event *event)
{
	mutex_lock(&owned_mutex);
	event->owner = task_current();
	task_get(event->owner);
	LIST_INSERT_HEAD(&owned, event, owned_link);
	mutex_unlock(&owned_mutex);
}

/* Makes EVENT an event without owner. owned_mutex held. */
static void disown(struct perf_event *event)
{
	mutex_assert_held(&owned_mutex);
	LIST_REMOVE(event, owned_link);
	task_put(event->owner);
	event->owner = NULL;
}

void perf_event_disown(struct perf_event *event)
{
	mutex_lock(&owned_mutex);
	if (event->owner)
		disown(event);
	mutex_unlock(&owned_mutex);
}

void perf_events_disown(const struct task *task)
{
	struct perf_event *event, *next;

	mutex_lock(&owned_mutex);
	LIST_FOREACH_SAFE(event, &owned, owned_link, next)
		if (event->owner == task)
			disown(event);
	mutex_unlock(&owned_mutex);
}

long perf_task_events_set(bool enable)
{
	struct perf_event *event;

	mutex_lock(&owned_mutex);
	LIST_FOREACH(event, &owned, owned_link) {
		/* The first ABI has another rule. */
		if (event->owner != task_current() || perf_event_is_first_abi(event))
			continue;
		if (enable)
			perf_event_enable(event, false);
		else
			perf_event_disable(event, false);
	}
	mutex_unlock(&owned_mutex);
	perf_first_events_set(enable);
	return 0;
}
