/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of Intel's counters. */
#ifndef ARCH_X86_64_PMU_INTEL_EVENTS_H
#define ARCH_X86_64_PMU_INTEL_EVENTS_H

#include <stdint.h>

#include <uapi/linux/perf_event.h>

struct intel_pmu;
struct perf_event;
struct pmu_attribute;

/* Translates EVENT's attr, as struct counter_pmu's translate does. */
int intel_event_translate(const struct intel_pmu *pmu, struct perf_event *event);

/* Return the files of PMU in sysfs: the fields of a config, the events beside the generic ones (NULL: none), its name.
 * Constant; call once, at start, all CPUs running. */
const struct pmu_attribute *intel_formats(const struct intel_pmu *pmu);
const struct pmu_attribute *intel_model_events(const struct intel_pmu *pmu);
const struct pmu_attribute *intel_caps(const struct intel_pmu *pmu);

/* Fills CODES with the event bits of each generic event that PMU has a counter for, 0 for the others. Any
 * context. */
void intel_generic_events(const struct intel_pmu *pmu, uint64_t codes[PERF_COUNT_HW_MAX]);

#endif
