/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tick of a CPU: it unthrottles events and adapts frequencies (throttle.c, frequency.c).
 *
 * The timer is armed only while an active event is throttled or has a frequency, and runs in its interrupt:
 * it locks the active task context.
 */
#include <kernel/perf/tick.h>

#include <kernel/base/cpu.h>
#include <kernel/perf/context.h>
#include <kernel/perf/cpu.h>
#include <kernel/perf/event.h>
#include <kernel/perf/groups.h>
#include <kernel/perf/throttle.h>

void perf_cpu_arm_tick(struct perf_cpu *cpu, uint64_t now_ns)
{
	if (!cpu->tick_armed) {
		cpu->tick_armed = true;
		timer_arm(&cpu->tick_timer, (now_ns / PERF_TICK_NS + 1) * PERF_TICK_NS);
	}
}

static bool tick_groups(struct perf_groups *groups, uint64_t now_ns)
{
	struct perf_event *leader, *sibling;
	bool again = false;

	TAILQ_FOREACH(leader, &groups->active, active_link) {
		again |= perf_event_tick(leader, now_ns);
		TAILQ_FOREACH(sibling, &leader->siblings, sibling_link)
			if (sibling->state == EVENT_ACTIVE)
				again |= perf_event_tick(sibling, now_ns);
	}
	return again;
}

static bool tick_context(struct perf_context *context, uint64_t now_ns)
{
	bool again = tick_groups(&context->pinned, now_ns);

	return tick_groups(&context->flexible, now_ns) || again;
}

static void tick_timer_fire(struct timer *timer)
{
	struct perf_cpu *cpu = &this_cpu(perf_cpus);
	struct perf_context *task_context = cpu->task_context;

	if (task_context)
		spin_lock(&task_context->lock);
	cpu->tick_armed = false;
	uint64_t now_ns = perf_cpu_begin(cpu, true);
	bool again = tick_context(&cpu->context, now_ns);
	if (task_context)
		again |= tick_context(task_context, now_ns);
	if (again)
		perf_cpu_arm_tick(cpu, now_ns);
	perf_cpu_end(cpu);
	if (task_context)
		spin_unlock(&task_context->lock);
}

void perf_tick_stop(struct perf_cpu *cpu)
{
	timer_cancel(&cpu->tick_timer);
	cpu->tick_armed = false;
}

void perf_tick_init(struct perf_cpu *cpu)
{
	timer_init(&cpu->tick_timer, tick_timer_fire);
}
