/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The members of a context: how an event joins its context and its group, and how it leaves them.
 *
 * An event leaves in one of two ways. A detached event leaves its group as well, and the siblings of a leader
 * become groups of their own: a user closes it, or its parent ends. A retired event leaves its context only:
 * its task exits or executes another program, and readers still find the group and its last counts. An event
 * whose CPU goes off line is detached, too, but revoked instead of dead; one of the whole machine's PMU moves to
 * another context with its group (hotplug.c).
 *
 * Locks: the context's mutex is held, and each change is one call (call.h), which locks the context.
 */
#include <kernel/perf/membership.h>

#include <kernel/base/assert.h>
#include <kernel/base/hooks.h>
#include <kernel/base/smp.h>
#include <kernel/perf/call.h>
#include <kernel/perf/clone_context.h>
#include <kernel/perf/context.h>
#include <kernel/perf/cpu.h>
#include <kernel/perf/event.h>
#include <kernel/perf/groups.h>
#include <kernel/perf/schedule.h>
#include <kernel/perf/userpage.h>

struct perf_context *perf_event_lock_context(struct perf_event *event)
{
	for (;;) {
		struct perf_context *context = perf_event_context(event);

		mutex_lock(&context->mutex);
		if (context == perf_event_context(event))
			return context;
		mutex_unlock(&context->mutex);
	}
}

/* --- joining --- */

static void install_locked(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	struct perf_context *context = call->context;
	struct perf_event *event = call->event;

	perf_context_assert_locked(context);
	event->timestamp_ns = perf_context_time(context, now_ns);
	event->attached = true;
	perf_context_unclone(context);
	TAILQ_INSERT_TAIL(&context->members, event, member_link);
	if (event->leader == event) {
		perf_group_give_index(event);
	} else {
		perf_group_unqueue(event->leader);
		TAILQ_INSERT_TAIL(&event->leader->siblings, event, sibling_link);
		event->leader->sibling_count++;
		if (!event->parent) /* inherit.c sets a child's */
			event->leader->group_generation++;
	}
	perf_group_queue(event->leader);
	context->hardware_count += perf_event_is_hardware(event);
	if (!context->task)
		atomic_store(&hook_switch_on_cpu[context->cpu], true);

	if (!cpu || event->state < EVENT_INACTIVE)
		return;
	if (event->leader != event && event->leader->state != EVENT_ACTIVE)
		return;
	perf_cpu_disable_pmus(cpu); /* EVENT may be the first that needs it */
	perf_cpu_sched_group(cpu, event->leader, now_ns);
}

void perf_context_install(struct perf_context *context, struct perf_event *event)
{
	struct perf_call call = perf_call_about(event);

	mutex_assert_held(&context->mutex);
	ASSERT(!context->dead && event->context == context);
	perf_call_run(&call, PERF_CALL_CHANGE, install_locked);
}

/* --- leaving --- */

/* Takes EVENT from the members of its context. */
static void remove_member(struct perf_event *event)
{
	struct perf_context *context = event->context;

	event->attached = false;
	TAILQ_REMOVE(&context->members, event, member_link);
	context->hardware_count -= perf_event_is_hardware(event);
	if (!context->task && TAILQ_EMPTY(&context->members))
		atomic_store(&hook_switch_on_cpu[context->cpu], false);
}

/* Takes the event out of its context, in STATE from now on, if it is not in a lower one. The group stays as it
 * is, for its readers. */
static void leave_context(struct perf_cpu *cpu, struct perf_event *event, enum event_state state,
			  uint64_t now_ns)
{
	perf_context_assert_locked(event->context);
	if (!event->attached)
		return;
	if (cpu)
		perf_event_sched_out(cpu, event, now_ns);
	if (event->state > state)
		perf_event_set_state(event, state, now_ns);
	perf_userpage_update(event);
	perf_context_unclone(event->context);
	remove_member(event);
}

/* Does the same, and schedules out the group of a leader: without its leader a group cannot be active. */
static void retire_group_locked(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	struct perf_event *event = call->event;

	if (cpu && event->leader == event)
		perf_group_sched_out(cpu, event, now_ns);
	leave_context(cpu, event, EVENT_DEAD, now_ns);
}

void perf_event_retire(struct perf_event *event)
{
	struct perf_call call = perf_call_about(event);

	mutex_assert_held(&event->context->mutex);
	perf_call_run(&call, PERF_CALL_CHANGE, retire_group_locked);
}

/* Makes EVENT, which was a sibling, the leader of a group of its own. */
static void lead_itself(struct perf_event *event)
{
	perf_context_assert_locked(event->context);
	event->leader = event;
	if (!event->attached)
		return;
	perf_group_give_index(event);
	perf_group_queue(event);
	if (event->state == EVENT_ACTIVE)
		perf_group_set_active(event, true);
}

/* Takes the event out of its context, in STATE from now on, and out of its group, which lives on without
 * it. */
static void leave_all(struct perf_cpu *cpu, struct perf_event *event, enum event_state state,
		      uint64_t now_ns)
{
	struct perf_event *sibling;

	perf_context_assert_locked(event->context);
	if (event->leader != event) {
		struct perf_event *leader = event->leader;

		perf_group_unqueue(leader);
		TAILQ_REMOVE(&leader->siblings, event, sibling_link);
		leader->sibling_count--;
		leader->group_generation++;
		perf_group_queue(leader);
		perf_event_update_times(event, now_ns); /* while it is off with its leader */
		lead_itself(event);
	}
	TAILQ_FOREACH(sibling, &event->siblings, sibling_link)
		perf_event_update_times(sibling, now_ns);
	leave_context(cpu, event, state, now_ns);

	while ((sibling = TAILQ_FIRST(&event->siblings))) {
		TAILQ_REMOVE(&event->siblings, sibling, sibling_link);
		event->sibling_count--;
		lead_itself(sibling);
	}
}

static void detach_locked(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	leave_all(cpu, call->event, EVENT_DEAD, now_ns);
	/* Another group may fit now. */
	if (cpu)
		perf_cpu_sched_in(cpu, now_ns);
}

void perf_event_revoke(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns)
{
	leave_all(cpu, event, EVENT_OFF, now_ns);
	event->revoked = true;
}

void perf_event_detach_locked(struct perf_event *event)
{
	struct perf_call call = perf_call_about(event);

	mutex_assert_held(&event->context->mutex);
	perf_call_run(&call, PERF_CALL_CHANGE, detach_locked);
}

void perf_event_detach(struct perf_event *event)
{
	struct perf_context *context = perf_event_lock_context(event);

	perf_event_detach_locked(event);
	mutex_unlock(&context->mutex);
	deferred_work_sync(&event->pending);
}

/* --- moving to another CPU's context --- */

void perf_event_leave_for(struct perf_event *event, struct perf_context *to,
			  struct perf_member_list *members, uint64_t now_ns)
{
	perf_context_assert_locked(event->context);
	if (event->leader == event)
		perf_group_unqueue(event);
	perf_event_update_times(event, now_ns);
	remove_member(event);
	if (atomic_load(&event->ring))
		LIST_REMOVE(event, ring_link);
	TAILQ_INSERT_TAIL(members, event, member_link);
	event->timestamp_ns = perf_context_time(to, now_ns);
}

void perf_members_depart(struct perf_member_list *members, struct perf_context *to)
{
	struct perf_event *event;

	/* Siblings first: a call about a leader changes their times, too. */
	TAILQ_FOREACH_REVERSE(event, members, perf_member_list, member_link) {
		struct perf_context *from = event->context;

		event->cpu = to->cpu;
		perf_context_get(to);
		__atomic_store_n(&event->context, to, __ATOMIC_RELEASE);
		perf_context_put(from);
	}
}

void perf_members_arrive(struct perf_cpu *cpu, struct perf_member_list *members, uint64_t now_ns)
{
	struct perf_context *context = &cpu->context;
	struct perf_event *first = TAILQ_FIRST(members), *event;

	perf_context_assert_locked(context);
	TAILQ_FOREACH(event, members, member_link) {
		event->attached = true;
		context->hardware_count += perf_event_is_hardware(event);
		if (atomic_load(&event->ring))
			LIST_INSERT_HEAD(&context->with_ring, event, ring_link);
	}
	TAILQ_CONCAT(&context->members, members, member_link);
	atomic_store(&hook_switch_on_cpu[context->cpu], true);
	perf_cpu_disable_pmus(cpu); /* they may be the first that need it */
	for (event = first; event; event = TAILQ_NEXT(event, member_link)) {
		if (event->leader != event)
			continue;
		event->group_index = 0;
		perf_group_give_index(event);
		perf_group_queue(event);
		perf_cpu_sched_group(cpu, event, now_ns);
	}
}
