/* SPDX-License-Identifier: BSD-2-Clause */
/* The description of AMD's counters in CPUID (APM vol. 3, appendix E). */
#ifndef ARCH_X86_64_PMU_AMD_PROBE_H
#define ARCH_X86_64_PMU_AMD_PROBE_H

#include <stdbool.h>

#include "counters.h"

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

#endif
