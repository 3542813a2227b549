// SPDX-License-Identifier: BSD-2-Clause
/* test-absent.c: without pmu=on the machine is as it was: no PMU, and RDPMC is undefined. */

#include "pmu.h"

#define LEAF_PMU	     0xa
#define FEATURE_PDCM	     (1u << 15)
#define LEAF_PERFMON	     0x80000022
#define FEATURE_PERFCTR_CORE (1u << 23)

static unsigned int undefined;

static void count_undefined(struct frame *f)
{
	undefined++;
	f->rip += 2;
}

void test_absent(void)
{
	static const uint32_t registers[] = {
		MSR_PMC(0),
		0x186,
		0x4c1,
		MSR_FIXED(0),
		MSR_FIXED_CTRL,
		MSR_GLOBAL_STATUS,
		MSR_GLOBAL_CTRL,
		MSR_GLOBAL_OVF_CTRL,
		MSR_DEBUGCTL,
		MSR_AMD_LEGACY_EVTSEL(0),
		MSR_AMD_LEGACY_CTR(0),
		MSR_AMD_CORE_EVTSEL(0),
		MSR_AMD_CORE_CTR(0),
		MSR_AMD_GLOBAL_STATUS,
		MSR_AMD_GLOBAL_CTL,
		MSR_AMD_HWCR,
		MSR_AMD_IRPERF,
		MSR_MPERF,
		MSR_APERF,
	};
	uint32_t regs[4];
	uint64_t value;

	cpuid(LEAF_PMU, regs);
	tap_equal(regs[0] | regs[1] | regs[2] | regs[3], 0, "CPUID leaf 0xA is empty");
	cpuid(1, regs);
	tap_ok(!(regs[2] & FEATURE_PDCM), "no PDCM");
	cpuid(0x80000001, regs);
	tap_ok(!(regs[2] & FEATURE_PERFCTR_CORE), "no core performance extensions");
	cpuid(0x80000000, regs);
	tap_ok(regs[0] < LEAF_PERFMON, "no PerfMonV2");
	for (unsigned int i = 0; i < ARRAY_SIZE(registers); i++)
		tap_ok(!wrmsr_faults(registers[i], ~0ull) && !rdmsr_faults(registers[i], &value) &&
			       value == 0,
		       "MSR %x is ignored, as are all that TCG does not know",
		       (uint64_t)registers[i]);
	on_trap(VECTOR_UD, count_undefined);
	rdpmc(0);
	on_trap(VECTOR_UD, NULL);
	tap_equal(undefined, 1, "RDPMC is undefined");
}
