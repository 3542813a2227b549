// SPDX-License-Identifier: BSD-2-Clause
/* faults-pebs.c: observations of precise sampling, on a machine that has it (x-pebs=on). */

#include "faults.h"

#include "pebs.h"

#define PERIOD	100 /* instruction 100 is JNZ, after 49 DEC */
#define RECORDS 20

static uint64_t is_absent(void)
{
	uint64_t value;

	return rdmsr_faults(MSR_PEBS_ENABLE, &value);
}

static uint64_t sample(unsigned int room, unsigned int threshold, uint32_t lvt)
{
	return pebs_sample(pebs_loop(), EVENT_INSNS, PERIOD, room, threshold, lvt);
}

static uint64_t made(void)
{
	return sample(PEBS_RECORDS, PEBS_RECORDS + 1, APIC_LVT_MASKED);
}

static uint64_t place(void)
{
	made();
	return pebs_records[0].eventing_ip - (uint64_t)pebs_loop();
}

static uint64_t counted_down(void)
{
	made();
	return pebs_records[0].cx;
}

static uint64_t made_in_3(void)
{
	return sample(3, PEBS_RECORDS, APIC_LVT_MASKED);
}

static uint64_t times_below(void)
{
	sample(PEBS_RECORDS, PEBS_RECORDS + 1, APIC_LVT_NMI);
	return pebs_pmi.times;
}

static uint64_t times_at_5(void)
{
	sample(PEBS_RECORDS, 5, APIC_LVT_NMI);
	return pebs_pmi.times;
}

static uint64_t status(void)
{
	made();
	return pmu_status();
}

const struct fault faults_pebs[] = {
	{ "pebs-absent", 2, 0, is_absent, 0, 1, 1 },
	{ "pebs-ip-late", 2, 0, place, 7, 5, 1 },
	{ "pebs-no-registers", 2, 0, counted_down, 951, 0, 1 },
	{ "pebs-not-reloaded", 2, 0, made, RECORDS, 1, 1 },
	{ "pebs-index-stuck", 2, 0, made, RECORDS, 0, 1 },
	{ "pebs-past-end", 2, 0, made_in_3, 3, RECORDS, 1 },
	{ "pebs-threshold-ignored", 2, 0, times_below, 0, 1, 1 },
	{ "pebs-pmi-never", 2, 0, times_at_5, 1, 0, 1 },
	{ "pebs-status-set", 2, 0, status, 0, 1, 1 },
	{ NULL, 0, 0, NULL, 0, 0, 0 },
};
