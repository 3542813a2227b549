/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations of users on events: enable, disable, refresh, reset, change the period.
 *
 * An operation concerns an event or its group, and the children of both; a change of the period the event
 * alone. Each event's part is one call on the CPU where the event is, and takes place at one moment. So does
 * the part of a whole group in one task.
 *
 * Locks, in order: the context's mutex for a group, family_mutex, the context's lock through perf_call_run.
 */
#include <kernel/perf/control.h>

#include <kernel/base/assert.h>
#include <kernel/perf/call.h>
#include <kernel/perf/cpu.h>
#include <kernel/perf/event.h>
#include <kernel/perf/first_abi.h>
#include <kernel/perf/frequency.h>
#include <kernel/perf/inherit.h>
#include <kernel/perf/membership.h>
#include <kernel/perf/schedule.h>
#include <kernel/perf/settings.h>
#include <kernel/perf/throttle.h>
#include <kernel/perf/userpage.h>
#include <uapi/linux/errno.h>

/* --- one event, inside a call --- */

void perf_event_enable_locked(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns)
{
	perf_context_assert_locked(event->context);
	if (event->state >= EVENT_INACTIVE || event->state == EVENT_DEAD || event->revoked)
		return;

	/* Also from the error state: a pinned event gets another chance. */
	perf_event_set_state(event, EVENT_INACTIVE, now_ns);
	/* Not attached: it is on its way to another CPU, which schedules it in. */
	if (!cpu || !event->attached)
		return;
	if (event->leader != event && event->leader->state != EVENT_ACTIVE)
		return;
	perf_cpu_sched_group(cpu, event->leader, now_ns);
}

void perf_event_disable_locked(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns)
{
	bool active = event->state == EVENT_ACTIVE;

	perf_context_assert_locked(event->context);
	/* In the first ABI this ends the error state, too; on Linux, only enabling does. */
	if (event->state == EVENT_ERROR && perf_event_is_first_abi(event))
		perf_event_set_state(event, EVENT_OFF, now_ns);
	if (event->state < EVENT_INACTIVE)
		return;
	if (cpu) {
		if (event == event->leader)
			perf_group_sched_out(cpu, event, now_ns);
		else
			perf_event_sched_out(cpu, event, now_ns);
	}
	perf_event_set_state(event, EVENT_OFF, now_ns);
	/* perf_event_sched_out has updated the page of an active event. */
	if (!active)
		perf_userpage_update(event);
}

/* --- groups and children --- */

/* An operation's effect on each event; the context locked. */
typedef void (*event_function)(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns);

/* An operation on one event or on its group. */
struct operation {
	struct perf_call call;
	bool group;
	event_function function;
};

/* Operates on TARGET, a leader if the operation is on the GROUP, and on its children, each at its own
 * moment. */
static void operate_on(struct perf_event *target, bool group, perf_call_function locked,
		       event_function function)
{
	struct operation operation = { perf_call_about(target), group, function };
	struct perf_event *child;

	perf_family_lock(target);
	perf_call_run(&operation.call, PERF_CALL_CHANGE, locked);
	LIST_FOREACH(child, &target->children, child_link) {
		operation.call = perf_call_about(child);
		perf_call_run(&operation.call, PERF_CALL_CHANGE, locked);
	}
	perf_family_unlock(target);
}

static void alone(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	const struct operation *operation = __containerof(call, struct operation, call);

	if (call->event->leader == call->event)
		operation->function(cpu, call->event, now_ns);
}

/* Operates on the children of LEADER's siblings that lost their leader: remove_on_exec took the child of
 * LEADER. The other children have been operated on with their group. */
static void operate_on_orphans(struct perf_event *leader, event_function function)
{
	struct operation operation = { .function = function };
	struct perf_event *sibling, *child;

	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link) {
		perf_family_lock(sibling);
		LIST_FOREACH(child, &sibling->children, child_link) {
			operation.call = perf_call_about(child);
			perf_call_run(&operation.call, PERF_CALL_CHANGE, alone);
		}
		perf_family_unlock(sibling);
	}
}

static void operate(struct perf_event *event, bool group, perf_call_function locked,
		    event_function function)
{
	if (!group) {
		operate_on(event, false, locked, function);
		return;
	}
	/* The mutex keeps the group and its leader. */
	struct perf_context *context = perf_event_lock_context(event);

	operate_on(event->leader, true, locked, function);
	operate_on_orphans(event->leader, function);
	mutex_unlock(&context->mutex);
}

/* Members first: all are scheduled in with their leader. */
static void members_first(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	const struct operation *operation = __containerof(call, struct operation, call);
	struct perf_event *leader = call->event->leader, *sibling;

	if (!operation->group) {
		operation->function(cpu, call->event, now_ns);
		return;
	}
	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link)
		operation->function(cpu, sibling, now_ns);
	operation->function(cpu, leader, now_ns);
}

/* The leader first: all members are scheduled out with it. */
static void leader_first(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	const struct operation *operation = __containerof(call, struct operation, call);
	struct perf_event *leader = call->event->leader, *sibling;

	if (!operation->group) {
		operation->function(cpu, call->event, now_ns);
		return;
	}
	operation->function(cpu, leader, now_ns);
	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link)
		operation->function(cpu, sibling, now_ns);
}

/* --- enable, disable, refresh --- */

void perf_event_enable(struct perf_event *event, bool group)
{
	operate(event, group, members_first, perf_event_enable_locked);
}

void perf_event_disable(struct perf_event *event, bool group)
{
	operate(event, group, leader_first, perf_event_disable_locked);
}

int perf_event_refresh(struct perf_event *event, int overflows)
{
	if (event->attr.inherit || !perf_event_is_sampling(event))
		return -EINVAL;

	atomic_fetch_add(&event->event_limit, overflows);
	perf_event_enable(event, false);
	return 0;
}

/* --- count and period --- */

static void reset_locked(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns)
{
	/* The update takes the count so far from the counter, so that no later update adds it. */
	perf_context_assert_locked(event->context);
	if (event->state == EVENT_ACTIVE)
		event->pmu->read(event);
	event->count_base = atomic_load(&event->count);
	perf_userpage_update(event);
}

void perf_event_reset(struct perf_event *event, bool group)
{
	operate(event, group, leader_first, reset_locked);
}

struct period_change {
	struct perf_call call;
	uint64_t period;
};

static void change_period_locked(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	const struct period_change *change = __containerof(call, struct period_change, call);
	struct perf_event *event = call->event;
	bool active = event->state == EVENT_ACTIVE;

	if (event->attr.freq) {
		event->attr.sample_freq = change->period;
	} else {
		event->attr.sample_period = change->period;
		event->sampling.period = change->period;
	}

	if (active) {
		perf_event_unthrottle(event, false);
		event->pmu->stop(event, PMU_UPDATE);
	}
	perf_event_restart_period(event, atomic_load(&event->count));
	if (active)
		event->pmu->start(event, PMU_RELOAD);
}

int perf_event_change_period(struct perf_event *event, uint64_t period)
{
	struct period_change change = { perf_call_about(event), period };

	if (!perf_event_is_sampling(event) || period == 0)
		return -EINVAL;
	if (event->attr.freq ? period > (uint64_t)perf_sample_rate_max : period > INT64_MAX)
		return -EINVAL;

	perf_call_run(&change.call, PERF_CALL_CHANGE, change_period_locked);
	return 0;
}
