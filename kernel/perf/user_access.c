/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The right of user space to read counters by instruction (rdpmc). An address space has it while it maps an
 * event whose counter may be read so; a cross call reports the first and the end of the last such mapping to
 * each CPU that runs the space.
 *
 * Locks: none; the number of mappings, space->perf_rdpmc, is atomic.
 */
#include <kernel/perf/user_access.h>

#include <arch/pmu.h>
#include <kernel/base/smp.h>
#include <kernel/mm/vm.h>
#include <kernel/perf/event.h>
#include <kernel/sched/task.h>

static void update_user_access(void *argument)
{
	struct vm_space *space = argument;

	if (task_current()->space == space)
		arch_pmu_user_access_update(space);
}

void perf_user_access_change(struct vm_space *space, int change)
{
	unsigned int before = change > 0 ? atomic_fetch_add(&space->perf_rdpmc, 1) :
					   atomic_fetch_sub(&space->perf_rdpmc, 1) - 1;
	if (before == 0) {
		const cpumask_t active = cpumask_shared_read(&space->active_cpus);

		smp_call_mask(&active, update_user_access, space);
	}
}

void perf_user_access_count(struct perf_event *event, struct vm_space *space, int change)
{
	if (event->user_readable)
		perf_user_access_change(space, change);
}
