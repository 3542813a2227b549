// SPDX-License-Identifier: BSD-2-Clause
/* Intel's architectural PMU: from the description in CPUID to the counters' registers (counters.c). */
#include "intel.h"

#include <kernel/base/bits.h>
#include <kernel/base/log.h>

#include "counters.h"
#include "event_select.h"
#include "extra_registers.h"
#include "intel_events.h"
#include "intel_models.h"
#include "intel_probe.h"
#include "intel_registers.h"

static struct intel_pmu intel;

static int translate(struct perf_event *event)
{
	return intel_event_translate(&intel, event);
}

static struct counter_registers registers_of(const struct intel_pmu *pmu)
{
	struct counter_registers registers = {
		.counters = pmu->counters,
		.general_width_bits = pmu->general_width_bits,
		.fixed_width_bits = pmu->fixed_width_bits,
		.writes_sign_extended = !pmu->full_width_writes,
		.select = MSR_IA32_PERFEVTSEL0,
		.general = pmu->full_width_writes ? MSR_IA32_A_PMC0 : MSR_IA32_PMC0,
		.fixed = MSR_IA32_FIXED_CTR0,
		.fixed_control = MSR_IA32_FIXED_CTR_CTRL,
	};

	if (pmu->version >= 2) {
		registers.global_control = MSR_IA32_PERF_GLOBAL_CTRL;
		registers.global_status = MSR_IA32_PERF_GLOBAL_STATUS;
		registers.global_clear = MSR_IA32_PERF_GLOBAL_OVF_CTRL;
	}
	return registers;
}

bool intel_pmu_init(void)
{
	uint64_t codes[PERF_COUNT_HW_MAX];
	char events[160];

	if (!intel_pmu_probe(&intel))
		return false;
	intel_generic_events(&intel, codes);
	if (intel.model)
		extra_registers_start(intel.model->extra, intel.model->extra_count);

	struct counter_pmu pmu = {
		.registers = registers_of(&intel),
		.translate = translate,
		.formats = intel_formats(&intel),
		.events = generic_events_list(codes, intel_model_events(&intel)),
		.caps = intel_caps(&intel),
	};
	if (!counters_pmu_start(&pmu))
		return false;
	generic_events_describe(codes, events, sizeof(events));
	log_info(
		"PMU: Intel, %s%sversion %u; %u general counters of %u bits, %u fixed of %u bits; %s writes",
		intel.model ? intel.model->name : "", intel.model ? ", " : "", intel.version,
		intel.general_count, intel.general_width_bits,
		bits_count(intel.counters >> FIXED_INDEX), intel.fixed_width_bits,
		intel.full_width_writes ? "full-width" : "32-bit");
	log_info("PMU: events: %s", events);
	return true;
}
