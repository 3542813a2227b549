/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events when a CPU goes off line or comes on line.
 */
#ifndef KERNEL_PERF_HOTPLUG_H
#define KERNEL_PERF_HOTPLUG_H

struct pmu;

/*
 * Moves the groups with hardware events of PMU from the context of CPU FROM to that of CPU TO, which are both
 * on line. Counts, times, states and identifiers stay; each group is scheduled out on FROM and, if it is
 * enabled, in on TO. Task context, interrupts on, no lock of the core held. Callers do not run at the same
 * time. Linux: perf_pmu_migrate_context.
 */
void perf_migrate_events(struct pmu *pmu, unsigned int from, unsigned int to);

/* CPU, which runs no task any more, is about to go off line: moves the events of the whole machine's PMUs that
 * count there to CPU TARGET, and revokes all others. Task context, interrupts on; one caller at a time. */
void perf_cpu_goes_offline(unsigned int cpu, unsigned int target);

/* This CPU has come on line: puts its counters into the state of their drivers' start, and makes its context
 * active. Interrupts off, the idle task. */
void perf_cpu_starts(void);

#endif
