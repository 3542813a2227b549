/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One CPU of the perf core: its state, and the operations on it.
 *
 * An operation happens at one moment, which perf_cpu_begin reads once. It disables the PMUs at most once, and
 * only if an active context has a hardware event: so a CPU without such events pays no access to its PMU.
 *
 * Everything here runs on the CPU concerned, interrupts off, with the active task context locked.
 */
#include <kernel/perf/cpu.h>

#include <kernel/base/assert.h>
#include <kernel/base/cpu.h>
#include <kernel/perf/context.h>
#include <kernel/perf/pmu.h>

struct perf_cpu perf_cpus[CPUS_MAX];

static bool has_hardware(const struct perf_cpu *cpu)
{
	return cpu->context.hardware_count > 0 ||
	       (cpu->task_context && cpu->task_context->hardware_count > 0);
}

void perf_cpu_disable_pmus(struct perf_cpu *cpu)
{
	perf_cpu_assert_locked(cpu);
	if (cpu->pmus_disabled || !has_hardware(cpu))
		return;
	cpu->pmus_disabled = true;
	perf_pmu_disable_all();
}

void perf_cpu_enable_pmus(struct perf_cpu *cpu)
{
	cpu->pmus_disabled = false;
	perf_pmu_enable_all();
}
