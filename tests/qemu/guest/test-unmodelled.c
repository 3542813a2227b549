// SPDX-License-Identifier: BSD-2-Clause
/* test-unmodelled.c: counts selections that the PMU does not model. unmodelled.t judges which of them the
 * emulator names; the guest checks that they count nothing. */

#include "pmu.h"

#define EVENT_NAMED	  0x412e
#define EVENT_NAMED_TOO	  0x00c5
#define EVENT_NAMED_AMD	  0x1000002cf /* 12 bits of event */
#define EVENT_NOT_COUNTED 0x01d1

#define ALL_GENERAL	  ((1ull << config.counters) - 1)
#define COUNTING	  (EVTSEL_USR | EVTSEL_OS | EVTSEL_EN)

static void work(uint64_t selection, uint64_t enable)
{
	pmu_clear();
	for (unsigned int i = 0; i < config.counters; i++)
		pmu_program(i, selection);
	pmu_enable(enable);
	if (enable)
		pmu_start();
	kernel_sequences[4].fn(scratch);
	pmu_stop();
}

static void count_on(unsigned int cpu)
{
	(void)cpu;
	work(EVENT_NAMED | COUNTING, ALL_GENERAL);
	work(EVENT_NAMED_TOO | COUNTING, ALL_GENERAL);
	if (config.amd)
		work(EVENT_NAMED_AMD | COUNTING, ALL_GENERAL);
}

void test_unmodelled(void)
{
	const uint64_t modelled[] = { EVENT_CYCLES, EVENT_REFERENCE, EVENT_INSNS, EVENT_BRANCHES };

	work(EVENT_NOT_COUNTED | COUNTING, 0);
	work(EVENT_NOT_COUNTED | EVTSEL_USR | EVTSEL_OS, ALL_GENERAL);
	work(EVENT_NOT_COUNTED | EVTSEL_EN, ALL_GENERAL);
	for (unsigned int i = 0; i < ARRAY_SIZE(modelled); i++)
		work(modelled[i] | COUNTING | EVTSEL_CMASK(i), ALL_GENERAL);
	work(EVENT_NAMED | COUNTING | EVTSEL_EDGE, ALL_GENERAL);
	run_on_all(count_on);
	for (unsigned int i = 0; i < config.counters; i++)
		tap_equal(rdmsr(MSR_A_PMC(i)), 0, "what no event models reads 0, counter %u",
			  (uint64_t)i);
}
