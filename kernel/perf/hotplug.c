/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events when a CPU goes off line or comes on line (kernel/sched/hotplug.c).
 *
 * The PMUs of the whole machine count on one CPU each: if that CPU goes, their events move to another one.
 * All other events of the CPU's context are revoked, as on Linux: each leaves its group and the context and
 * is off for good, even when the CPU comes back; readers find its last count. From then on the context is
 * active nowhere, so what users do to the events happens under its lock (context.c), and an event that is
 * opened there gets ENODEV.
 *
 * The events of tasks need nothing: no task runs on the CPU. Those bound to it wait until it comes back.
 *
 * Migration. Between the two contexts an event is in none, for the time of two cross calls, and both contexts'
 * mutexes keep groups as they are. Each event has its new context and CPU as soon as it has left the old
 * context, so that calls (call.h), which need no mutex, happen on the new CPU and change only its state.
 *
 * Locks: two CPUs' contexts' mutexes in the order of the CPUs' numbers, then output_mutex. The caller
 * holds hotplug_mutex, outermost.
 */
#include <kernel/perf/hotplug.h>

#include <arch/pmu.h>
#include <kernel/base/assert.h>
#include <kernel/base/smp.h>
#include <kernel/perf/context.h>
#include <kernel/perf/cpu.h>
#include <kernel/perf/event.h>
#include <kernel/perf/groups.h>
#include <kernel/perf/membership.h>
#include <kernel/perf/output.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/rotation.h>
#include <kernel/perf/schedule.h>
#include <kernel/perf/tick.h>
#include <kernel/sched/task.h>

/* --- migration --- */

struct migration {
	const struct pmu *pmu;
	struct perf_context *to;
	struct perf_member_list
		members; /* those between the two contexts: leaders before their siblings */
};

static bool belongs_to(struct perf_event *event, const struct pmu *pmu)
{
	const struct perf_event *hardware = perf_group_first_hardware(event->leader);

	return hardware && hardware->pmu == pmu;
}

/* Begins a change of both contexts of this CPU: locks the task's, and returns the moment. */
static uint64_t begin(struct perf_cpu *cpu)
{
	if (cpu->task_context)
		spin_lock(&cpu->task_context->lock);
	return perf_cpu_begin(cpu, true);
}

static void end(struct perf_cpu *cpu)
{
	perf_cpu_end(cpu);
	if (cpu->task_context)
		spin_unlock(&cpu->task_context->lock);
}

/* On the CPU that the events leave. */
static void take_out(void *argument)
{
	struct migration *migration = argument;
	struct perf_cpu *cpu = &this_cpu(perf_cpus);
	struct perf_event *event, *next;
	uint64_t now_ns = begin(cpu);

	TAILQ_FOREACH_SAFE(event, &cpu->context.members, member_link, next)
		if (event->leader == event && belongs_to(event, migration->pmu))
			perf_group_sched_out(cpu, event, now_ns);
	TAILQ_FOREACH_SAFE(event, &cpu->context.members, member_link, next)
		if (belongs_to(event, migration->pmu))
			perf_event_leave_for(event, migration->to, &migration->members, now_ns);
	perf_members_depart(&migration->members, migration->to);
	perf_cpu_sched_in(cpu, now_ns);
	end(cpu);
}

/* On the CPU that they come to. */
static void put_in(void *argument)
{
	struct migration *migration = argument;
	struct perf_cpu *cpu = &this_cpu(perf_cpus);

	perf_members_arrive(cpu, &migration->members, begin(cpu));
	end(cpu);
}

void perf_migrate_events(struct pmu *pmu, unsigned int from, unsigned int to)
{
	struct perf_context *first = perf_context_of_cpu(from < to ? from : to);
	struct perf_context *second = perf_context_of_cpu(from < to ? to : from);
	struct migration migration = { .pmu = pmu, .to = perf_context_of_cpu(to) };

	ASSERT(from != to);
	TAILQ_INIT(&migration.members);
	mutex_lock(&first->mutex);
	mutex_lock(&second->mutex);
	perf_output_lock(); /* the lists of events with rings */
	smp_call(from, take_out, &migration);
	if (!TAILQ_EMPTY(&migration.members))
		smp_call(to, put_in, &migration);
	perf_output_unlock();
	mutex_unlock(&second->mutex);
	mutex_unlock(&first->mutex);
}

/* --- a CPU goes off line --- */

/* On that CPU. Afterwards its context is active nowhere. */
static void leave(void *unused)
{
	struct perf_cpu *cpu = &this_cpu(perf_cpus);
	struct perf_context *context = &cpu->context;
	struct perf_event *event;

	ASSERT(!cpu->task_context);
	uint64_t now_ns = perf_cpu_begin(cpu, true);

	while ((event = TAILQ_FIRST(&context->members)))
		perf_event_revoke(cpu, event, now_ns);
	perf_cpu_end(cpu);
	context->rotate_needed = false;
	perf_rotation_stop(cpu);
	perf_tick_stop(cpu);

	spin_lock(&context->lock);
	context->time_ns = perf_context_time(context, now_ns);
	context->cpu = -1;
	spin_unlock(&context->lock);
}

void perf_cpu_goes_offline(unsigned int cpu, unsigned int target)
{
	struct perf_context *context = perf_context_of_cpu(cpu);
	struct pmu *pmu;

	for (uint32_t type = 0; (pmu = perf_pmu_next(type)); type = pmu->type + 1)
		if ((pmu->capabilities & PMU_SYSTEM_WIDE) && atomic_load(&pmu->cpu) == (int)cpu) {
			atomic_store(&pmu->cpu, (int)target);
			perf_migrate_events(pmu, cpu, target);
		}
	mutex_lock(&context->mutex);
	smp_call(cpu, leave, NULL);
	mutex_unlock(&context->mutex);
}

/* --- a CPU comes on line --- */

void perf_cpu_starts(void)
{
	struct perf_context *context = &this_cpu(perf_cpus).context;
	struct pmu *pmu;

	/* The CPU has missed each change of the counters' holder, and of the rights of user space. */
	for (uint32_t type = 0; (pmu = perf_pmu_next(type)); type = pmu->type + 1)
		if (pmu->start_cpu)
			pmu->start_cpu();
	arch_pmu_user_access_update(task_current()->space);

	spin_lock(&context->lock);
	context->clock_offset_ns = context->time_ns - clock_ns();
	context->cpu = (int)cpu_id();
	spin_unlock(&context->lock);
}
