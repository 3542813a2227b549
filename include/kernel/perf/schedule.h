/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduling of groups on one CPU's PMUs. All of it: interrupts off on the CPU, its active task context locked, PMUs
 * disabled if anything on them changes.
 */
#ifndef KERNEL_PERF_SCHEDULE_H
#define KERNEL_PERF_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/assert.h>
#include <kernel/cpu.h>
#include <kernel/perf/context.h>
#include <kernel/time.h>

struct perf_event;

/* Time between two rotations of groups that do not fit together, until it is set: one tick of Linux's usual
 * CONFIG_HZ=250, its default for perf_event_mux_interval_ms there. */
#define PERF_ROTATION_NS (4 * NSEC_PER_MSEC)

/* What throttling counts samples in: the same tick. */
#define PERF_TICK_NS	 (4 * NSEC_PER_MSEC)

enum perf_groups_kind { PERF_PINNED = 1, PERF_FLEXIBLE = 2, PERF_ALL = 3 };

/* One CPU as the perf core sees it. */
struct perf_cpu {
	struct perf_context context;
	struct perf_context *task_context; /* active here; NULL: none */
	struct timer rotation_timer, tick_timer;
	bool rotation_armed, tick_armed;
	uint64_t moment_ns;	      /* when the operation in hand takes place, 0: none */
	bool pmus_disabled;	      /* for the operation in hand */
	unsigned int hardware_active; /* events on PMUs that can run out of counters */
	struct perf_event *exclusive; /* its group is on, alone */
} __attribute__((aligned(512)));      /* a power of two: one shift finds this CPU's */

extern struct perf_cpu perf_cpus[CPUS_MAX];

/*
 * An operation: everything between begin and end takes place at the moment that begin returns, in
 * ns of clock_ns(). With DISABLE_PMUS, or from perf_cpu_disable_pmus on, the PMUs of hardware
 * events are disabled, unless no active context has such an event. Operations do not nest.
 */
void perf_cpu_disable_pmus(struct perf_cpu *cpu);
/* Enables what perf_cpu_disable_pmus disabled. For perf_cpu_end. */
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

/* The moment of the operation in hand, or clock_ns(). Any context on that CPU. */
static inline uint64_t perf_cpu_clock_ns(const struct perf_cpu *cpu)
{
	return cpu->moment_ns ? cpu->moment_ns : clock_ns();
}

/* Takes one event off its counter, or a group; active members become inactive. */
void perf_event_sched_out(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns);
void perf_group_sched_out(struct perf_cpu *cpu, struct perf_event *leader, uint64_t now_ns);

/* Takes the groups of CONTEXT that are of the KINDS off. */
void perf_context_sched_out(struct perf_cpu *cpu, struct perf_context *context,
			    enum perf_groups_kind kinds, uint64_t now_ns);

/* Puts on what fits, in order of priority: the CPU's pinned groups, the task's, the
 * CPU's flexible ones, the task's. What is on stays. */
void perf_cpu_sched_in(struct perf_cpu *cpu, uint64_t now_ns);

/* LEADER's group has become able to count, or has changed: puts it on, if need be in place of
 * groups that come after it. */
void perf_cpu_sched_group(struct perf_cpu *cpu, struct perf_event *leader, uint64_t now_ns);

/* The rotation and tick timers of CPU are made; each is armed only while it is needed. At start. */
void perf_schedule_init(struct perf_cpu *cpu);

/* Arms the tick timer, if it is not, for the next multiple of PERF_TICK_NS. */
void perf_cpu_arm_tick(struct perf_cpu *cpu, uint64_t now_ns);

#endif
