/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One CPU of the perf core, and the operations on it. Unless a comment says otherwise: interrupts off on the
 * CPU, its active task context locked.
 */
#ifndef KERNEL_PERF_CPU_H
#define KERNEL_PERF_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/base/assert.h>
#include <kernel/base/cpu.h>
#include <kernel/perf/context.h>
#include <kernel/time/time.h>

struct perf_event;

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

/* Asserts that this is CPU, interrupts are off and its active task context is locked. Debug build only. */
static inline void perf_cpu_assert_locked(struct perf_cpu *cpu)
{
	perf_context_assert_locked(&cpu->context);
	if (cpu->task_context)
		perf_context_assert_locked(cpu->task_context);
}

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

#endif
