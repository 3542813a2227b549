// SPDX-License-Identifier: BSD-2-Clause
/* AMD's core performance counters: from the description in CPUID to the counters' registers (counters.c). */
#include "amd.h"

#include <kernel/base/log.h>

#include "amd_events.h"
#include "amd_probe.h"
#include "amd_registers.h"
#include "counters.h"
#include "event_select.h"

static struct amd_pmu amd;

static int translate(struct perf_event *event)
{
	return amd_event_translate(&amd, event);
}

bool amd_pmu_init(void)
{
	static const char *const names[] = {
		[AMD_LEGACY] = "legacy counters",
		[AMD_CORE] = "core performance counters",
		[AMD_VERSION_2] = "performance monitoring version 2",
	};
	struct counter_pmu pmu = { .translate = translate };
	char events[160];

	if (!amd_pmu_probe(&amd))
		return false;
	if (!amd_pmu_works(&amd)) {
		if (amd.generation > AMD_LEGACY)
			log_info("PMU: AMD, %s announced, but they do not hold what is written",
				 names[amd.generation]);
		return false;
	}
	pmu.registers = amd_registers(&amd);
	pmu.formats = amd_formats;
	pmu.events = generic_events_list(amd_generic_events(&amd), NULL);
	pmu.caps = amd_caps;
	if (!counters_pmu_start(&pmu))
		return false;
	generic_events_describe(amd_generic_events(&amd), events, sizeof(events));
	log_info("PMU: AMD, family 0x%x, %s; %u counters of %u bits", amd.family,
		 names[amd.generation], amd.counter_count, AMD_WIDTH_BITS);
	log_info("PMU: events: %s", events);
	return true;
}
