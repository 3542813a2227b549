/* SPDX-License-Identifier: BSD-2-Clause */
/* perfctr's listeners to the hooks of <kernel/base/hooks.h>: its virtual counters follow their task,
 * and its low level the CPUs. */
#include <kernel/base/hooks.h>
#include <kernel/perfctr/perfctr.h>
#include <kernel/perfctr/vperfctr.h>
#include <kernel/sched/task.h>

HOOK_LISTENER(task_out, 3, (struct task * prev, struct task *next))
{
	perfctr_task_switch(prev, next);
}

HOOK_LISTENER(cpu_tick, 2, (struct process * process))
{
	perfctr_task_tick(task_current());
}

/* The new program may be one that others may not inspect. */
HOOK_LISTENER(task_changes_program, 2, (struct task * task, bool dumpable))
{
	if (!dumpable)
		perfctr_task_end(task);
}

HOOK_LISTENER(task_exits, 2, (struct task * task))
{
	perfctr_task_end(task);
}

HOOK_LISTENER(cpu_starts, 2, (void))
{
	perfctr_cpu_starts();
}
