/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of AMD's counters. */
#ifndef ARCH_X86_64_PMU_AMD_EVENTS_H
#define ARCH_X86_64_PMU_AMD_EVENTS_H

#include <stdint.h>

#include <kernel/perf/pmu.h>

struct amd_pmu;
struct perf_event;

/* Translates EVENT, as struct counter_pmu's translate does. */
int amd_event_translate(const struct amd_pmu *pmu, struct perf_event *event);

/* Returns the event bits of each generic event, 0 where PMU has none: PERF_COUNT_HW_MAX numbers. Any
 * context. */
const uint64_t *amd_generic_events(const struct amd_pmu *pmu);

/* The fields of a config, and the PMU's properties, as files of sysfs. */
extern const struct pmu_attribute amd_formats[], amd_caps[];

#endif
