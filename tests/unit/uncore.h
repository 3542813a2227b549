/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PMU of the whole machine for tests: two counters, which count the units that uncore_work adds, whatever CPU does
 * the work.
 */
#ifndef TESTS_UNIT_UNCORE_H
#define TESTS_UNIT_UNCORE_H

#include "events.h"

#define UNCORE_COUNTERS 2

static _Atomic uint64_t uncore_units;
static _Atomic unsigned int uncore_used; /* counters */

static int uncore_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	return event->cpu < 0 || event->target ? -EINVAL : 0;
}

static void uncore_nothing(struct pmu *pmu)
{
}

static void uncore_read(struct perf_event *event)
{
	uint64_t now = atomic_load(&uncore_units), before = atomic_load(&event->hw.offset);

	ASSERT(event->hw.flags == 0 && event->cpu == (int)cpu_id());
	atomic_store(&event->hw.offset, now);
	atomic_fetch_add(&event->count, now - before);
}

static void uncore_start(struct perf_event *event, int flags)
{
	event->hw.flags = 0;
	atomic_store(&event->hw.offset, atomic_load(&uncore_units));
}

static void uncore_stop(struct perf_event *event, int flags)
{
	if (event->hw.flags & HW_STOPPED)
		return;
	if (flags & PMU_UPDATE)
		uncore_read(event);
	event->hw.flags = HW_STOPPED | HW_UPTODATE;
}

static int uncore_add(struct perf_event *event, int flags)
{
	if (atomic_fetch_add(&uncore_used, 1) == UNCORE_COUNTERS) {
		atomic_fetch_sub(&uncore_used, 1);
		return -EAGAIN;
	}
	event->hw.flags = HW_STOPPED | HW_UPTODATE;
	if (flags & PMU_START)
		uncore_start(event, flags);
	return 0;
}

static void uncore_del(struct perf_event *event, int flags)
{
	uncore_stop(event, PMU_UPDATE);
	atomic_fetch_sub(&uncore_used, 1);
}

static struct pmu uncore = {
	.name = "uncore",
	.capabilities = PMU_SYSTEM_WIDE | PMU_NO_INTERRUPT | PMU_NO_EXCLUDE,
	.event_init = uncore_event_init,
	.pmu_disable = uncore_nothing,
	.pmu_enable = uncore_nothing,
	.add = uncore_add,
	.del = uncore_del,
	.start = uncore_start,
	.stop = uncore_stop,
	.read = uncore_read,
};

/* A machine with this PMU, on CPU 0. The core forgets no PMU. */
static inline void start_uncore_machine(unsigned int cpus)
{
	static bool registered;

	start_machine(cpus, 4, NULL, 0);
	if (!registered)
		ASSERT(perf_pmu_register(&uncore, -1) == 0);
	registered = true;
	atomic_store(&uncore.cpu, 0);
	atomic_store(&uncore_used, 0);
	memset(&cpus_offline, 0, sizeof(cpus_offline));
}

static inline struct perf_event_attr uncore_attr(void)
{
	return (struct perf_event_attr){ .type = uncore.type,
					 .size = sizeof(struct perf_event_attr),
					 .read_format = TIMES };
}

static inline void uncore_work(uint64_t units)
{
	atomic_fetch_add(&uncore_units, units);
}

#endif
