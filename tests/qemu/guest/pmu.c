// SPDX-License-Identifier: BSD-2-Clause
/* pmu.c: programming the counters for a measurement, and judging its result. */

#include "pmu.h"

void pmu_clear(void)
{
	wrmsr(MSR_GLOBAL_CTRL, 0);
	wrmsr(MSR_DEBUGCTL, 0);
	wrmsr(MSR_FIXED_CTRL, 0);
	for (unsigned int i = 0; i < config.counters; i++) {
		wrmsr(MSR_EVTSEL(i), 0);
		wrmsr(MSR_A_PMC(i), 0);
	}
	for (unsigned int i = 0; i < NR_FIXED; i++)
		wrmsr(MSR_FIXED(i), 0);
	wrmsr(MSR_GLOBAL_OVF_CTRL, rdmsr(MSR_GLOBAL_STATUS));
	*apic_register(APIC_LVT_PMI) = APIC_LVT_MASKED;
}

void counts_prepare(unsigned int rings)
{
	uint64_t selection = EVENT_BRANCHES | EVTSEL_EN;

	pmu_clear();
	if (rings & FIXED_OS)
		selection |= EVTSEL_OS;
	if (rings & FIXED_USR)
		selection |= EVTSEL_USR;
	wrmsr(MSR_EVTSEL(0), selection);
	wrmsr(MSR_FIXED_CTRL, rings * 0x111);
	global_enable = 1 | STATUS_FIXED(0) | STATUS_FIXED(1) | STATUS_FIXED(2);
}

struct counts counts_read(void)
{
	return (struct counts){ .insns = rdmsr(MSR_FIXED(0)),
				.cycles = rdmsr(MSR_FIXED(1)),
				.reference = rdmsr(MSR_FIXED(2)),
				.branches = rdmsr(MSR_PMC(0)) };
}

void counts_check(struct counts got, uint64_t insns, uint64_t branches, const char *what,
		  const char *name)
{
	tap_equal(got.insns, insns, "instructions%s: %s", what, name);
	tap_equal(got.branches, branches, "branches%s: %s", what, name);
	if (got.cycles != insns + branches || got.reference != insns + branches)
		tap_equal(got.cycles == insns + branches ? got.reference : got.cycles,
			  insns + branches, "cycles%s: %s", what, name);
}
