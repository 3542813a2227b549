/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The right of user space to read counters by instruction (rdpmc). It belongs to an address space, while
 * that maps an event whose counter may be read so; each CPU that runs the space is told of the first and of
 * the last such mapping.
 */
#include <kernel/perf/event.h>
#include <kernel/perf/user_access.h>
#include <kernel/smp.h>
#include <kernel/task.h>
#include <kernel/vm.h>

#include <arch/pmu.h>

static void update_user_access(void *argument)
{
	struct vm_space *space = argument;

	if (task_current()->space == space)
		arch_pmu_user_access_update(space);
}

void perf_user_access_count(struct perf_event *event, struct vm_space *space, int change)
{
	if (!event->user_readable)
		return;
	unsigned int before = change > 0 ? atomic_fetch_add(&space->perf_rdpmc, 1) :
					   atomic_fetch_sub(&space->perf_rdpmc, 1) - 1;
	if (before == 0)
		smp_call_mask(atomic_load(&space->active_cpus), update_user_access, space);
}
