/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of the perf core: its tables, its own PMUs, then those of the machine. */
#include <kernel/perf/init.h>

#include <arch/pmu.h>
#include <kernel/base/start.h>
#include <kernel/perf/breakpoint.h>
#include <kernel/perf/callchain.h>
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/perf/inherit.h>
#include <kernel/perf/output.h>
#include <kernel/perf/ownership.h>
#include <kernel/perf/software.h>
#include <kernel/perf/software_clock.h>

void perf_init(void)
{
	perf_contexts_init();
	perf_ownership_init();
	perf_output_init();
	perf_inherit_init();
	perf_callchain_init();
	perf_software_init();
	perf_software_clock_init();
	perf_breakpoint_init();
	arch_pmu_init();
}

START(START_CORE, perf_init);
