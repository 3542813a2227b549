/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rotation: groups that do not fit together share the counters, one after the other.
 *
 * Rotation moves the first active flexible hardware group of a context to the end of its order, every
 * interval of its PMU (perf_event_mux_interval_ms) while some group waits. So groups of equal size get equal
 * shares.
 *
 * The timer is armed while a group waits, and runs in its interrupt: it locks the active task context.
 */
#include <kernel/perf/rotation.h>

#include <kernel/base/cpu.h>
#include <kernel/perf/context.h>
#include <kernel/perf/cpu.h>
#include <kernel/perf/event.h>
#include <kernel/perf/groups.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/schedule.h>

void perf_cpu_arm_rotation(struct perf_cpu *cpu, const struct pmu *pmu, uint64_t now_ns)
{
	if (!cpu->rotation_armed) {
		cpu->rotation_armed = true;
		timer_arm(&cpu->rotation_timer,
			  now_ns + (uint64_t)pmu->mux_interval_ms * NSEC_PER_MSEC);
	}
}

/* Returns the group to rotate: the first active flexible hardware group, or, when none is active, the first
 * that could be. */
static struct perf_event *group_to_rotate(struct perf_cpu *cpu, struct perf_context *context)
{
	struct perf_groups *groups = &context->flexible;
	struct perf_event *leader, *first = NULL;
	struct perf_group_walk walk;

	TAILQ_FOREACH(leader, &groups->active, active_link)
		if (leader->group_competes && (!first || leader->group_index < first->group_index))
			first = leader;
	if (first)
		return first;
	perf_group_walk_begin(&walk, groups, &groups->hardware, (int)cpu_id());
	return perf_group_walk_next(&walk);
}

/* Rotates both contexts. group_did_not_fit arms the timer again if a group still has to wait. */
static void rotate(struct perf_cpu *cpu, uint64_t now_ns)
{
	struct perf_context *task_context = cpu->task_context;
	struct perf_event *cpu_leader = NULL, *task_leader = NULL;

	if (cpu->context.rotate_needed)
		cpu_leader = group_to_rotate(cpu, &cpu->context);
	if (task_context && task_context->rotate_needed)
		task_leader = group_to_rotate(cpu, task_context);

	cpu->context.rotate_needed = false;
	if (task_context)
		task_context->rotate_needed = false;

	/* The task's flexible groups have the lowest rank: they are scheduled out in either case. */
	if (task_context && (cpu_leader || task_leader))
		perf_context_sched_out(cpu, task_context, PERF_FLEXIBLE, now_ns);
	if (cpu_leader) {
		perf_context_sched_out(cpu, &cpu->context, PERF_FLEXIBLE, now_ns);
		perf_group_rotate(cpu_leader);
	}
	if (task_leader)
		perf_group_rotate(task_leader);
	/* Also without a group to rotate: one of software events may wait that its PMU refused. */
	perf_cpu_sched_in(cpu, now_ns);
}

static void rotation_timer_fire(struct timer *timer)
{
	struct perf_cpu *cpu = &this_cpu(perf_cpus);
	struct perf_context *task_context = cpu->task_context;

	if (task_context)
		spin_lock(&task_context->lock);
	cpu->rotation_armed = false;
	rotate(cpu, perf_cpu_begin(cpu, true));
	perf_cpu_end(cpu);
	if (task_context)
		spin_unlock(&task_context->lock);
}

void perf_rotation_stop(struct perf_cpu *cpu)
{
	timer_cancel(&cpu->rotation_timer);
	cpu->rotation_armed = false;
}

void perf_rotation_init(struct perf_cpu *cpu)
{
	timer_init(&cpu->rotation_timer, rotation_timer_fire);
}
