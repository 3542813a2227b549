/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of the perf core: its tables, its own PMUs, then those of the machine. */
#include <kernel/perf/init.h>

#include <string.h>

#include <arch/pmu.h>
#include <kernel/base/boot.h>
#include <kernel/base/log.h>
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

/* Whether the command line has pmu=off: the kernel touches no register of a PMU, on any CPU. */
static bool pmus_are_off(void)
{
	char word[8];

	if (!boot_option("pmu", word, sizeof(word)))
		return false;
	if (strcmp(word, "off") != 0)
		boot_failure("pmu=%s: the only value is off", word);
	log_info("PMU: not used: the command line has pmu=off");
	return true;
}

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
	if (!pmus_are_off())
		arch_pmu_init();
}

START(START_CORE, perf_init);
