/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduling of groups on one CPU's PMUs: which of the enabled groups are on counters now.
 *
 * This file is mechanism for the CPU it runs on. context.c decides who may call it, when contexts become
 * active and how other CPUs get here.
 *
 * Invariants:
 *  - A group is scheduled in whole or not at all: its leader is active if and only if every sibling that is
 *    enabled, and may count here, is active.
 *  - Order of priority: the CPU's pinned groups, the task's pinned ones, the CPU's flexible ones, the task's.
 *    A pinned group that does not fit goes into the error state; after the first flexible group of a context
 *    that does not fit, no further hardware group of that context is tried, so that rotation (rotation.c) is
 *    fair (Linux: merge_sched_in).
 *  - The cost grows with the number of active groups, not with that of open ones (groups.c); and with the
 *    mapped events of a context in which some wait, whose pages get fresh times.
 *  - One operation happens at one moment: the caller reads now_ns once, and every update of times uses it. So
 *    time_running of groups that replace one another adds up exactly.
 *
 * Everything here runs on the CPU concerned, interrupts off, with the active task context locked; changes of
 * an event that can raise a PMI happen with the PMUs disabled.
 */
#include <kernel/perf/schedule.h>

#include <kernel/base/cpu.h>
#include <kernel/perf/context.h>
#include <kernel/perf/cpu.h>
#include <kernel/perf/event.h>
#include <kernel/perf/groups.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/rotation.h>
#include <kernel/perf/throttle.h>
#include <kernel/perf/tick.h>
#include <kernel/perf/userpage.h>
#include <kernel/perf/wakeup.h>

/* --- one event, one group --- */

static bool may_count_here(const struct perf_event *event)
{
	return event->cpu < 0 || event->cpu == (int)cpu_id();
}

void perf_event_sched_out(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns)
{
	perf_context_assert_locked(event->context);
	if (event->state != EVENT_ACTIVE)
		return;

	event->pmu->del(event, 0);
	if (event->leader == event)
		perf_group_set_active(event, false);
	if (perf_event_is_hardware(event))
		cpu->hardware_active--;
	if (cpu->exclusive == event)
		cpu->exclusive = NULL;

	/* The overflow that used up the refresh limit came just now, and its deferred work had no chance to
	 * run yet. */
	bool off = atomic_exchange(&event->pending_disable, false);
	perf_event_set_state(event, off ? EVENT_OFF : EVENT_INACTIVE, now_ns);
	perf_userpage_update(event);
}

void perf_group_sched_out(struct perf_cpu *cpu, struct perf_event *leader, uint64_t now_ns)
{
	struct perf_event *sibling;

	perf_context_assert_locked(leader->context);
	if (leader->state != EVENT_ACTIVE)
		return;

	perf_event_sched_out(cpu, leader, now_ns);
	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link)
		perf_event_sched_out(cpu, sibling, now_ns);
}

static int event_sched_in(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns)
{
	if (event->state <= EVENT_OFF || !may_count_here(event))
		return 0;

	perf_event_set_state(event, EVENT_ACTIVE, now_ns);
	perf_event_unthrottle(event, false);
	if (event->leader == event)
		perf_group_set_active(event, true);

	int error = event->pmu->add(event, PMU_START);
	if (error) {
		if (event->leader == event)
			perf_group_set_active(event, false);
		perf_event_set_state(event, EVENT_INACTIVE, now_ns);
		return error;
	}

	if (perf_event_is_hardware(event))
		cpu->hardware_active++;
	if (event->attr.exclusive && event->leader->group_competes)
		cpu->exclusive = event;
	if (event->attr.freq)
		perf_cpu_arm_tick(cpu, now_ns);
	perf_userpage_update(event);
	return 0;
}

/* Schedules in all of the group or nothing. */
static int group_sched_in(struct perf_cpu *cpu, struct perf_event *leader, uint64_t now_ns)
{
	struct perf_event *sibling;
	int error = event_sched_in(cpu, leader, now_ns);

	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link) {
		if (error)
			break;
		error = event_sched_in(cpu, sibling, now_ns);
	}
	if (!error)
		return 0;

	perf_event_sched_out(cpu, leader, now_ns);
	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link)
		perf_event_sched_out(cpu, sibling, now_ns);
	return error;
}

/* --- all groups of a context --- */

static struct perf_groups *groups_of(struct perf_context *context, enum perf_groups_kind kind)
{
	return kind == PERF_PINNED ? &context->pinned : &context->flexible;
}

static void all_sched_out(struct perf_cpu *cpu, struct perf_groups *groups, uint64_t now_ns)
{
	struct perf_event *leader, *next;

	TAILQ_FOREACH_SAFE(leader, &groups->active, active_link, next)
		perf_group_sched_out(cpu, leader, now_ns);
}

void perf_context_sched_out(struct perf_cpu *cpu, struct perf_context *context,
			    enum perf_groups_kind kinds, uint64_t now_ns)
{
	perf_context_assert_locked(context);
	if (kinds & PERF_FLEXIBLE)
		all_sched_out(cpu, &context->flexible, now_ns);
	if (kinds & PERF_PINNED)
		all_sched_out(cpu, &context->pinned, now_ns);
}

/* Whether no exclusive attribute, of this group or of another, forbids to schedule it in. */
static bool may_sched_in(const struct perf_cpu *cpu, const struct perf_event *leader)
{
	return !cpu->exclusive && !(leader->attr.exclusive && cpu->hardware_active > 0);
}

/* Handles that LEADER's group could count but did not fit. */
static void group_did_not_fit(struct perf_cpu *cpu, struct perf_context *context,
			      struct perf_event *leader, uint64_t now_ns)
{
	if (leader->attr.pinned) {
		perf_event_set_state(leader, EVENT_ERROR, now_ns);
		perf_event_request_wakeup(leader);
		perf_userpage_update(leader);
	} else {
		struct perf_event *hardware = perf_group_first_hardware(leader);

		context->rotate_needed = true;
		perf_cpu_arm_rotation(cpu, hardware ? hardware->pmu : leader->pmu, now_ns);
	}
}

/* Schedules in the groups of one kind that fit. After the first that does not fit no other is tried: a pinned
 * one that comes later has failed as well, a flexible one waits with all that follow. */
static void context_sched_in(struct perf_cpu *cpu, struct perf_context *context,
			     enum perf_groups_kind kind, uint64_t now_ns)
{
	struct perf_groups *groups = groups_of(context, kind);
	struct perf_group_walk walk;
	struct perf_event *leader;
	bool hardware_left = true;

	/* At a context switch all of the CPU's own are usually active already. */
	if (!groups->waiting)
		return;
	if (!RB_EMPTY(&groups->software)) {
		perf_group_walk_begin(&walk, groups, &groups->software, (int)cpu_id());
		while ((leader = perf_group_walk_next(&walk)))
			if (leader->state == EVENT_INACTIVE &&
			    group_sched_in(cpu, leader, now_ns) != 0)
				group_did_not_fit(cpu, context, leader, now_ns);
	}
	if (RB_EMPTY(&groups->hardware))
		return;
	perf_group_walk_begin(&walk, groups, &groups->hardware, (int)cpu_id());
	while ((leader = perf_group_walk_next(&walk))) {
		if (leader->state != EVENT_INACTIVE)
			continue;
		if (hardware_left && may_sched_in(cpu, leader) &&
		    group_sched_in(cpu, leader, now_ns) == 0)
			continue;
		hardware_left = false;
		group_did_not_fit(cpu, context, leader, now_ns);
		if (kind == PERF_FLEXIBLE)
			return;
	}
}

/* The enabled time of waiting events runs on, so readers of their pages need a fresh base. */
static void update_waiting_pages(struct perf_context *context)
{
	struct perf_event *event;

	LIST_FOREACH(event, &context->with_ring, ring_link)
		if (event->state == EVENT_INACTIVE)
			perf_userpage_update(event);
}

void perf_cpu_sched_in(struct perf_cpu *cpu, uint64_t now_ns)
{
	struct perf_context *task_context = cpu->task_context;

	perf_cpu_assert_locked(cpu);
	context_sched_in(cpu, &cpu->context, PERF_PINNED, now_ns);
	if (task_context)
		context_sched_in(cpu, task_context, PERF_PINNED, now_ns);
	context_sched_in(cpu, &cpu->context, PERF_FLEXIBLE, now_ns);
	if (cpu->context.rotate_needed)
		update_waiting_pages(&cpu->context);
	if (!task_context)
		return;
	context_sched_in(cpu, task_context, PERF_FLEXIBLE, now_ns);
	if (task_context->rotate_needed)
		update_waiting_pages(task_context);
}

void perf_cpu_sched_group(struct perf_cpu *cpu, struct perf_event *leader, uint64_t now_ns)
{
	struct perf_context *context = leader->context;

	perf_cpu_assert_locked(cpu);
	if (leader->state < EVENT_INACTIVE || !may_count_here(leader))
		return;
	perf_group_sched_out(cpu, leader, now_ns);
	if (leader->state < EVENT_INACTIVE)
		return;

	/* While no group waits, a group that fits takes no other's place. */
	bool group_waits = cpu->context.rotate_needed ||
			   (cpu->task_context && cpu->task_context->rotate_needed);
	bool sched_in_alone = !leader->group_competes ||
			      (!group_waits && may_sched_in(cpu, leader));
	if (sched_in_alone && group_sched_in(cpu, leader, now_ns) == 0)
		return;

	/* Everything of lower rank is scheduled out, then all are scheduled in, in order. */
	enum perf_groups_kind groups = leader->attr.pinned ? PERF_ALL : PERF_FLEXIBLE;
	if (cpu->task_context)
		perf_context_sched_out(cpu, cpu->task_context, groups, now_ns);
	if (context == &cpu->context)
		perf_context_sched_out(cpu, &cpu->context, groups, now_ns);
	else if (leader->attr.pinned)
		perf_context_sched_out(cpu, &cpu->context, PERF_FLEXIBLE, now_ns);
	perf_cpu_sched_in(cpu, now_ns);
}
