// SPDX-License-Identifier: BSD-2-Clause
/* The simulated scheduler's context switch and task end, in the order that <kernel/sched/sched.h> and
 * <kernel/base/hooks.h> promise to the perf core. */
#include <kernel/base/assert.h>
#include <kernel/base/hooks.h>
#include <kernel/perf/context.h>
#include <kernel/perf/task.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <kernel/time/time.h>

#include "internal.h"

void sim_switch(struct task *next)
{
	struct sim_cpu *cpu = sim_this_cpu();
	struct task *prev = cpu->current;
	unsigned long irqs = arch_irq_save();

	ASSERT(next != prev && !atomic_load(&next->running));
	prev->sched.run_time_ns += clock_ns() - prev->sched.started_ns;
	if (hook_switch_is_on(prev))
		perf_task_sched_out(prev, next);
	cpu->current = next;
	cpu->frame = next->arch.user_frame;
	atomic_store(&prev->running, false);
	atomic_store(&next->cpu, (int)cpu_id());
	atomic_store(&next->running, true);
	next->sched.started_ns = clock_ns();
	if (hook_switch_is_on(next))
		perf_task_sched_in(next);
	arch_irq_restore(irqs);
}

void sim_task_exit(struct task *task)
{
	ASSERT(task == task_current());
	perf_task_exit(task);
	atomic_store(&task->state, TASK_ZOMBIE);
}

uint64_t sched_run_time_ns(struct task *task)
{
	uint64_t time_ns = task->sched.run_time_ns;

	if (atomic_load(&task->running))
		time_ns += clock_ns() - task->sched.started_ns;
	return time_ns;
}
