/* SPDX-License-Identifier: BSD-2-Clause */
/* The description of Intel's counters in CPUID: leaf 0xA, SDM vol. 2A, CPUID. */
#ifndef ARCH_X86_64_PMU_INTEL_PROBE_H
#define ARCH_X86_64_PMU_INTEL_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct intel_model;

/* The data of CPUID, read once. The same on every CPU. */
struct intel_pmu {
	unsigned int version;	    /* 1 … 5 */
	unsigned int general_count; /* 1 … GENERAL_MAX */
	unsigned int general_width_bits;
	unsigned int fixed_width_bits; /* 0: no fixed counters */
	uint64_t counters;	       /* those that exist; bit n: counter index n */
	uint32_t events_missing;       /* missing architectural events: bit of CPUID.0AH:EBX */
	bool full_width_writes;
	bool any_thread; /* EVENTSEL_ANY may be set */
	const struct intel_model
		*model; /* the CPU model's own events; NULL: the architectural ones only */
};

/* Reads CPUID into PMU. False: no architectural performance monitoring (or not an Intel processor). Any
 * context. */
bool intel_pmu_probe(struct intel_pmu *pmu);

#endif
