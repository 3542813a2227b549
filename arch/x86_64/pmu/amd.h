/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AMD's core performance counters: registers, and the declarations that the files of the driver share.
 *
 * Three generations, each a superset of the one before. Sources: APM vol. 2 (24593), 13.2 "Performance
 * Monitoring Counters"; register numbers from its appendix A, CPUID from APM vol. 3, appendix E.
 */
#ifndef ARCH_X86_64_PMU_AMD_H
#define ARCH_X86_64_PMU_AMD_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/perf/pmu.h>

#include "counters.h"

struct perf_event;

/* The legacy counters, which every 64-bit CPU has: event selects, then counters. */
#define MSR_LEGACY_PERFEVTSEL0	0xc0010000
#define MSR_LEGACY_PERFCTR0	0xc0010004
#define LEGACY_COUNTERS		4
/* Core performance counter extensions: event select and counter in turn. */
#define MSR_CORE_PERFEVTSEL0	0xc0010200
#define MSR_CORE_PERFCTR0	0xc0010201
#define CORE_COUNTERS		6
/* Performance monitoring version 2. */
#define MSR_GLOBAL_STATUS	0xc0000300
#define MSR_GLOBAL_CONTROL	0xc0000301
#define MSR_GLOBAL_STATUS_CLEAR 0xc0000302
#define AMD_COUNTERS_MAX	15 /* CPUID has four bits for their number */

/* Every counter of every generation. */
#define AMD_WIDTH_BITS		48

enum amd_generation { AMD_LEGACY, AMD_CORE, AMD_VERSION_2 };

/* The data of CPUID, read once. The same on every CPU. */
struct amd_pmu {
	unsigned int family, model; /* by CPUID; they determine the events */
	enum amd_generation generation;
	unsigned int counter_count; /* 1 … AMD_COUNTERS_MAX */
};

/* Reads CPUID into PMU. False: the vendor is neither AMD nor Hygon. Any context. */
bool amd_pmu_probe(struct amd_pmu *pmu);

/* Returns whether the first counter of PMU holds what is written into it, and RDPMC reads it: hypervisors
 * announce counters that they lack. Leaves it 0. Task context, before the PMU is registered. */
bool amd_pmu_works(const struct amd_pmu *pmu);

/* Returns the registers of PMU. Any context. */
struct counter_registers amd_registers(const struct amd_pmu *pmu);

/* amd_events.c: translates EVENT, as struct counter_pmu's translate does. */
int amd_event_translate(const struct amd_pmu *pmu, struct perf_event *event);

/* Returns the event bits of each generic event, 0 where PMU has none: PERF_COUNT_HW_MAX numbers. Any
 * context. */
const uint64_t *amd_generic_events(const struct amd_pmu *pmu);

/* The fields of a config, and the PMU's properties, as files of sysfs. */
extern const struct pmu_attribute amd_formats[], amd_caps[];

/* amd.c: finds the PMU on this machine and registers it. False: there is none. Once, all CPUs running, task
 * context. */
bool amd_pmu_init(void);

#endif
