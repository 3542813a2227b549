// SPDX-License-Identifier: BSD-2-Clause
/* test-absent.c: without pmu=on the machine is as it was: no PMU, and RDPMC is undefined. */

#include "pmu.h"

#define VECTOR_UD    6
#define LEAF_PMU     0xa
#define FEATURE_PDCM (1u << 15)

static unsigned int undefined;

static void count_undefined(struct frame *f)
{
	undefined++;
	f->rip += 2;
}

void test_absent(void)
{
	static const uint32_t registers[] = {
		MSR_PMC(0),	 MSR_EVTSEL(0), MSR_FIXED(0), MSR_FIXED_CTRL,	  MSR_GLOBAL_STATUS,
		MSR_GLOBAL_CTRL, MSR_DEBUGCTL,	MSR_A_PMC(0), MSR_GLOBAL_OVF_CTRL
	};
	uint32_t regs[4];
	uint64_t value;

	cpuid(LEAF_PMU, regs);
	tap_equal(regs[0] | regs[1] | regs[2] | regs[3], 0, "CPUID leaf 0xA is empty");
	cpuid(1, regs);
	tap_ok(!(regs[2] & FEATURE_PDCM), "no PDCM");
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
