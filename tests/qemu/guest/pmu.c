// SPDX-License-Identifier: BSD-2-Clause
/* pmu.c: programming the counters for a measurement, and judging its result. */

#include "pmu.h"

#define NR_MEASURED 4

/* Bits of fixed counters that pmu_enable adds. Only a test of one CPU lets it be other than 0. */
static uint64_t fixed_enabled;

static void set_switch(void)
{
	if (has_global()) {
		measure_switch = config.amd ? MSR_AMD_GLOBAL_CTL : MSR_GLOBAL_CTRL;
		global_disable = 0;
	} else if (is_version_1()) {
		measure_switch = MSR_EVTSEL(0);
		global_disable = 0;
	} else {
		measure_switch = MSR_EFER;
		global_disable = rdmsr(MSR_EFER) & ~EFER_SVME;
	}
}

void pmu_start(void)
{
	wrmsr(measure_switch, global_enable);
}

void pmu_stop(void)
{
	wrmsr(measure_switch, global_disable);
}

void pmu_clear(void)
{
	set_switch();
	pmu_stop();
	wrmsr(MSR_DEBUGCTL, 0);
	for (unsigned int i = 0; i < config.counters; i++) {
		wrmsr(MSR_EVTSEL(i), 0);
		wrmsr(MSR_A_PMC(i), 0);
	}
	if (!config.amd && !is_version_1()) {
		wrmsr(MSR_FIXED_CTRL, 0);
		for (unsigned int i = 0; i < NR_FIXED; i++)
			wrmsr(MSR_FIXED(i), 0);
	}
	if (has_global())
		pmu_clear_status(pmu_status());
	fixed_enabled = 0;
	*apic_register(APIC_LVT_PMI) = APIC_LVT_MASKED;
}

void pmu_program(unsigned int i, uint64_t selection)
{
	if (is_version_1() && i == 0) {
		global_enable = selection;
		return;
	}
	if (config.amd && !has_global())
		selection |= EVTSEL_HOST_ONLY | EVTSEL_GUEST_ONLY;
	wrmsr(MSR_EVTSEL(i), selection);
}

static uint64_t in_rings(unsigned int rings)
{
	return (rings & FIXED_OS ? EVTSEL_OS : 0) | (rings & FIXED_USR ? EVTSEL_USR : 0);
}

void pmu_program_insns(unsigned int rings)
{
	if (config.amd || is_version_1()) {
		pmu_program(1, EVENT_INSNS | EVTSEL_EN | in_rings(rings));
	} else {
		wrmsr(MSR_FIXED_CTRL, rings);
		fixed_enabled = STATUS_FIXED(0);
	}
}

uint32_t insns_msr(void)
{
	return config.amd || is_version_1() ? MSR_A_PMC(1) : MSR_FIXED(0);
}

uint32_t insns_rdpmc(void)
{
	return config.amd || is_version_1() ? 1 : RDPMC_FIXED;
}

void pmu_enable(uint64_t general)
{
	if (is_version_1())
		return; /* pmu_program has set the switch */
	if (!has_global())
		global_enable = rdmsr(MSR_EFER) | EFER_SVME;
	else if (config.amd)
		global_enable = general | 2;
	else
		global_enable = general | fixed_enabled;
}

void counts_prepare(unsigned int rings)
{
	const uint64_t events[NR_MEASURED] = { EVENT_INSNS, EVENT_CYCLES, EVENT_REFERENCE,
					       EVENT_BRANCHES };

	pmu_clear();
	if (config.amd) {
		for (unsigned int i = 0; i < NR_MEASURED; i++)
			pmu_program(i, events[i] | EVTSEL_EN | in_rings(rings));
		pmu_enable((1 << NR_MEASURED) - 1);
		return;
	}
	pmu_program(0, EVENT_BRANCHES | EVTSEL_EN | in_rings(rings));
	wrmsr(MSR_FIXED_CTRL, rings * 0x111);
	global_enable = 1 | STATUS_FIXED(0) | STATUS_FIXED(1) | STATUS_FIXED(2);
}

struct counts counts_read(void)
{
	if (config.amd)
		return (struct counts){ rdmsr(MSR_A_PMC(0)), rdmsr(MSR_A_PMC(1)),
					rdmsr(MSR_A_PMC(2)), rdmsr(MSR_A_PMC(3)) };
	return (struct counts){ .insns = rdmsr(MSR_FIXED(0)),
				.cycles = rdmsr(MSR_FIXED(1)),
				.reference = rdmsr(MSR_FIXED(2)),
				.branches = rdmsr(MSR_PMC(0)) };
}

void counts_check(struct counts got, uint64_t insns, uint64_t branches, uint64_t deliveries,
		  const char *what, const char *name)
{
	tap_equal(got.insns, insns, "instructions%s: %s", what, name);
	tap_equal(got.branches, branches + (config.amd ? deliveries : 0), "branches%s: %s", what,
		  name);
	if (got.cycles != insns + branches || got.reference != insns + branches)
		tap_equal(got.cycles == insns + branches ? got.reference : got.cycles,
			  insns + branches, "cycles%s: %s", what, name);
}
