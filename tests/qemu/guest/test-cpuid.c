// SPDX-License-Identifier: BSD-2-Clause
/* test-cpuid.c: CPUID and IA32_PERF_CAPABILITIES announce the configured PMU. */

#include "pmu.h"

#define LEAF_FEATURES 1
#define LEAF_PMU      0xa
#define FEATURE_PDCM  (1u << 15)
/* Missing of seven architectural events: LLC references, LLC misses, mispredicted branches. */
#define EVENTS_ABSENT 0x58

void test_cpuid(void)
{
	uint32_t regs[4];

	if (config.amd) {
		test_amd_cpuid();
		return;
	}
	cpuid(0, regs);
	tap_ok(regs[0] >= LEAF_PMU, "there is a leaf 0xA");
	cpuid(LEAF_FEATURES, regs);
	tap_equal(!!(regs[2] & FEATURE_PDCM), config.version >= 2,
		  "PDCM: IA32_PERF_CAPABILITIES exists");
	if (config.version >= 2)
		tap_equal(rdmsr(MSR_PERF_CAPABILITIES), CAP_FW_WRITE,
			  "its only capability: FW_WRITE");

	cpuid(LEAF_PMU, regs);
	tap_equal(regs[0] & 0xff, config.version, "version");
	tap_equal(regs[0] >> 8 & 0xff, config.counters, "general counters");
	tap_equal(regs[0] >> 16 & 0xff, config.width, "width of general counters");
	tap_equal(regs[0] >> 24, 7, "length of the vector of events");
	tap_equal(regs[1], EVENTS_ABSENT, "events that are not available");
	tap_equal(regs[2], config.version >= 5 ? (1 << NR_FIXED) - 1 : 0,
		  "bitmap of fixed counters");
	tap_equal(regs[3] & 0x1f, config.version >= 2 ? NR_FIXED : 0, "fixed counters");
	tap_equal(regs[3] >> 5 & 0xff, config.version >= 2 ? config.width : 0,
		  "width of fixed counters");
	tap_equal(regs[3] >> 13, config.version >= 5 ? 4 : 0,
		  "AnyThread deprecation, no other bit");
}
