/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Perf's listeners to the hooks of <kernel/base/hooks.h>.
 *
 * Place 1 belongs to the tracepoints where both listen, but at a fork: see kernel/trace/listeners.c.
 */
#include <kernel/base/hooks.h>
#include <kernel/perf/context.h>
#include <kernel/perf/hotplug.h>
#include <kernel/perf/mapped_area.h>
#include <kernel/perf/ownership.h>
#include <kernel/perf/settings.h>
#include <kernel/perf/sideband.h>
#include <kernel/perf/software.h>
#include <kernel/perf/task.h>
#include <uapi/linux/perf_event.h>
#include <uapi/linux/sched.h>

/* --- context switches --- */

HOOK_LISTENER(task_out, 2, (struct task * prev, struct task *next))
{
	perf_software_event(PERF_COUNT_SW_CONTEXT_SWITCHES, 1, NULL, 0);
}

inline __attribute__((always_inline)) void hook_switch_out(struct task *prev, struct task *next)
{
	perf_task_sched_out(prev, next);
}

inline __attribute__((always_inline)) void hook_switch_in(struct task *task)
{
	perf_task_sched_in(task);
}

HOOK_LISTENER(task_migrated, 1, (void))
{
	perf_software_event(PERF_COUNT_SW_CPU_MIGRATIONS, 1, NULL, 0);
}

/* --- tasks --- */

int hook_task_copied(struct task *parent, struct task *child, uint64_t clone_flags)
{
	unsigned int how = 0;

	if (clone_flags & CLONE_THREAD)
		how |= PERF_FORK_THREAD;
	if (clone_flags & CLONE_CLEAR_SIGHAND)
		how |= PERF_FORK_CLEARS_HANDLERS;
	return perf_task_fork(parent, child, how);
}

HOOK_LISTENER(task_forked, 1, (const struct task *parent, struct task *child, uint64_t clone_flags))
{
	perf_task_started(child);
}

HOOK_LISTENER(task_renamed, 1, (struct task * task))
{
	perf_task_renamed(task, false);
}

HOOK_LISTENER(task_changes_program, 1, (struct task * task, bool dumpable))
{
	perf_task_exec(task);
	perf_task_renamed(task, true);
	/* Before any of the new program is visible. */
	if (!dumpable)
		perf_task_end_events(task);
}

HOOK_LISTENER(task_exits, 1, (struct task * task))
{
	perf_task_exit(task);
}

HOOK_LISTENER(task_freed, 2, (struct task * task))
{
	perf_task_free(task);
}

long hook_task_events_set(bool enable)
{
	return perf_task_events_set(enable);
}

/* --- settings --- */

bool hook_addresses_are_hidden(void)
{
	return perf_paranoid > 1;
}

/* --- memory --- */

HOOK_LISTENER(fault_begun, 1, (struct trap_frame * frame, uintptr_t address))
{
	perf_software_event(PERF_COUNT_SW_PAGE_FAULTS, 1, frame, address);
}

HOOK_LISTENER(fault_served, 1, (struct trap_frame * frame, uintptr_t address))
{
	perf_software_event(PERF_COUNT_SW_PAGE_FAULTS_MIN, 1, frame, address);
}

HOOK_LISTENER(unaligned, 1, (struct trap_frame * frame, uintptr_t address))
{
	perf_software_event(PERF_COUNT_SW_ALIGNMENT_FAULTS, 1, frame, address);
}

HOOK_LISTENER(area_mapped, 1, (const struct vm_area *area))
{
	perf_area_mapped(area);
}

HOOK_LISTENER(area_unmapped, 1, (const struct vm_area *area))
{
	perf_area_unmapped(area);
}

/* --- CPUs --- */

HOOK_LISTENER(cpu_goes_offline, 1, (unsigned int cpu, unsigned int target))
{
	perf_cpu_goes_offline(cpu, target);
}

HOOK_LISTENER(cpu_starts, 1, (void))
{
	perf_cpu_starts();
}
