/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduling of groups on one CPU's PMUs. All functions: interrupts off on the CPU, its active task context
 * locked, PMUs disabled if a change concerns an event that is on one.
 */
#ifndef KERNEL_PERF_SCHEDULE_H
#define KERNEL_PERF_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/base/assert.h>
#include <kernel/base/cpu.h>
#include <kernel/perf/context.h>
#include <kernel/time/time.h>

struct perf_event;

/* The default time between two rotations of groups that do not fit together: one tick of Linux's usual
 * CONFIG_HZ=250, its default for perf_event_mux_interval_ms there. */
#define PERF_ROTATION_NS (4 * NSEC_PER_MSEC)

/* The interval in which throttling counts samples: the same tick. */
#define PERF_TICK_NS	 (4 * NSEC_PER_MSEC)

enum perf_groups_kind { PERF_PINNED = 1, PERF_FLEXIBLE = 2, PERF_ALL = 3 };

/*
 * One CPU as the perf core sees it. The comment of each field begins with the letter of its lock:
 *
 *   E  none: on this CPU only, interrupts off
 *   N  as E; an NMI on this CPU reads it, too
 */
struct perf_cpu {
	struct perf_context context;	   /* with its own rules */
	struct perf_context *task_context; /* E: active here; NULL: none */
	struct timer rotation_timer;	   /* E */
	struct timer tick_timer;	   /* E */
	bool rotation_armed;		   /* E */
	bool tick_armed;		   /* E */
	uint64_t moment_ns;		   /* N: the moment of the current operation; 0: none */
	bool pmus_disabled;		   /* E: for the current operation */
	unsigned int hardware_active;	   /* E: active hardware events */
	struct perf_event *exclusive;	   /* E: its group is active, alone */
} __attribute__((aligned(512)));	   /* a power of two: one shift finds this CPU's */

extern struct perf_cpu perf_cpus[CPUS_MAX];

/*
 * An operation: all changes between begin and end happen at the moment that begin returns, in ns of
 * clock_ns(). With DISABLE_PMUS, or from perf_cpu_disable_pmus on, the PMUs of hardware events are disabled,
 * unless no active context has such an event. Operations do not nest.
 */
void perf_cpu_disable_pmus(struct perf_cpu *cpu);
/* Enables the PMUs that perf_cpu_disable_pmus disabled. For perf_cpu_end. */
void perf_cpu_enable_pmus(struct perf_cpu *cpu);

static inline uint64_t perf_cpu_begin(struct perf_cpu *cpu, bool disable_pmus)
{
	ASSERT_DEBUG(!cpu->moment_ns);
	ASSERT_DEBUG(!cpu->pmus_disabled);
	cpu->moment_ns = clock_ns();
	if (disable_pmus)
		perf_cpu_disable_pmus(cpu);
	return cpu->moment_ns;
}

static inline void perf_cpu_end(struct perf_cpu *cpu)
{
	if (cpu->pmus_disabled)
		perf_cpu_enable_pmus(cpu);
	cpu->moment_ns = 0;
}

/* Returns the moment of the current operation, or clock_ns() between operations. Any context on that CPU. */
static inline uint64_t perf_cpu_clock_ns(const struct perf_cpu *cpu)
{
	return cpu->moment_ns ? cpu->moment_ns : clock_ns();
}

/* Schedules out one event, or one group: its active members become inactive. */
void perf_event_sched_out(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns);
void perf_group_sched_out(struct perf_cpu *cpu, struct perf_event *leader, uint64_t now_ns);

/* Schedules out the groups of CONTEXT that are of KINDS. */
void perf_context_sched_out(struct perf_cpu *cpu, struct perf_context *context,
			    enum perf_groups_kind kinds, uint64_t now_ns);

/* Schedules in the groups that fit, in order of priority: the CPU's pinned groups, the task's, the CPU's
 * flexible ones, the task's. Active groups stay. */
void perf_cpu_sched_in(struct perf_cpu *cpu, uint64_t now_ns);

/* Schedules in LEADER's group, which was enabled or changed, if need be in place of groups that come after
 * it. */
void perf_cpu_sched_group(struct perf_cpu *cpu, struct perf_event *leader, uint64_t now_ns);

/* Makes the rotation and tick timers of CPU; each is armed only while it is needed. At start. */
void perf_schedule_init(struct perf_cpu *cpu);

/* Arms the tick timer, unless it is armed, for the next multiple of PERF_TICK_NS. */
void perf_cpu_arm_tick(struct perf_cpu *cpu, uint64_t now_ns);

#endif
