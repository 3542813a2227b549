// SPDX-License-Identifier: BSD-2-Clause
/*
 * test-registers.c: which registers exist, which of their bits can be written, and which indices RDPMC
 * has. Nothing counts here: GLOBAL_CTRL is 0 except where its own bits are tried.
 */

#include "pmu.h"

#define MAX_COUNTERS	   8
#define MSR_A_PMC_INTEL(i) (0x4c1 + (i))

enum reading { READS_BACK, READS_ZERO, READ_ONLY };

struct expected_register {
	const char *name;
	uint32_t index;
	unsigned int since_version;
	enum reading reading;
	uint64_t writable;
	uint64_t ignored; /* of those: read as 0 */
};

static uint64_t any(uint64_t bits)
{
	return config.version >= 3 && config.version < 5 ? bits : 0;
}

/* Writes each bit alone; returns the bits that did not fault, and checks what is read back. */
static uint64_t try_bits(const struct expected_register *r, uint64_t *wrong)
{
	uint64_t accepted = 0, value, expected;

	for (unsigned int bit = 0; bit < 64; bit++) {
		uint64_t one = 1ull << bit;

		if (wrmsr_faults(r->index, one))
			continue;
		accepted |= one;
		expected = r->reading == READS_BACK ? one & ~r->ignored : 0;
		if (rdmsr_faults(r->index, &value) || value != expected)
			*wrong |= one;
	}
	return accepted;
}

static void check_register(const struct expected_register *r)
{
	uint64_t value, wrong = 0;

	if (config.version < r->since_version) {
		tap_ok(rdmsr_faults(r->index, &value) && wrmsr_faults(r->index, 0),
		       "%s does not exist", r->name);
		return;
	}
	tap_ok(!rdmsr_faults(r->index, &value), "%s can be read", r->name);
	if (r->reading == READ_ONLY) {
		tap_ok(wrmsr_faults(r->index, 0), "%s cannot be written", r->name);
		return;
	}
	tap_equal(try_bits(r, &wrong), r->writable, "bits of %s that can be written", r->name);
	tap_equal(wrong, 0, "bits of %s that read back wrong", r->name);
	tap_ok(!wrmsr_faults(r->index, 0), "%s can be cleared", r->name);
}

/* GLOBAL_CTRL's bits start counters; nothing is selected that could count. */
static void test_single_registers(void)
{
	uint64_t counters = ((1ull << config.counters) - 1) | STATUS_FIXED(0) | STATUS_FIXED(1) |
			    STATUS_FIXED(2);
	uint64_t reset = counters | STATUS_OVF_BUF | STATUS_COND_CHGD;
	uint64_t frozen = config.version >= 4 ? STATUS_LBR_FRZ | STATUS_CTR_FRZ : 0;
	const struct expected_register registers[] = {
		{ "FIXED_CTR_CTRL", MSR_FIXED_CTRL, 2, READS_BACK, 0xbbb | any(0x444), 0 },
		{ "GLOBAL_STATUS", MSR_GLOBAL_STATUS, 2, READ_ONLY, 0, 0 },
		{ "GLOBAL_CTRL", MSR_GLOBAL_CTRL, 2, READS_BACK, counters, 0 },
		{ "GLOBAL_OVF_CTRL", MSR_GLOBAL_OVF_CTRL, 2, READS_ZERO, reset | frozen, 0 },
		{ "GLOBAL_STATUS_SET", MSR_GLOBAL_STATUS_SET, 4, READS_ZERO,
		  counters | STATUS_OVF_BUF | frozen, 0 },
		{ "GLOBAL_INUSE", MSR_GLOBAL_INUSE, 4, READ_ONLY, 0, 0 },
		{ "PERF_CAPABILITIES", MSR_PERF_CAPABILITIES, 2, READ_ONLY, 0, 0 },
		{ "DEBUGCTL", MSR_DEBUGCTL, 1, READS_BACK,
		  config.version >= 2 ? FREEZE_ON_PMI | 3 : 3, 3 },
		{ "PERF_METRICS", MSR_PERF_METRICS, 99, READ_ONLY, 0, 0 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(registers); i++)
		check_register(&registers[i]);
}

static void test_counter_registers(void)
{
	uint64_t evtsel = 0xffffffff & ~EVTSEL_ANY;
	uint64_t value;

	evtsel |= any(EVTSEL_ANY);
	for (unsigned int i = 0; i < MAX_COUNTERS; i++) {
		bool exists = i < config.counters;
		struct expected_register a_pmc = { "A_PMCx",   MSR_A_PMC_INTEL(i), exists ? 2 : 99,
						   READS_BACK, width_mask(),	   0 };
		struct expected_register select = { "PERFEVTSELx", MSR_EVTSEL(i), exists ? 1 : 99,
						    READS_BACK,	   evtsel,	  0 };

		check_register(&a_pmc);
		check_register(&select);
		tap_equal(rdmsr_faults(MSR_PMC(i), &value), i >= config.counters,
			  "PMCx exists if the counter does");
	}
	for (unsigned int i = 0; i <= NR_FIXED; i++) {
		struct expected_register fixed = { "FIXED_CTRx",	  MSR_FIXED(i),
						   i < NR_FIXED ? 2 : 99, READS_BACK,
						   width_mask(),	  0 };

		check_register(&fixed);
	}
}

static void test_status(void)
{
	if (config.version < 4)
		return;
	pmu_clear();
	wrmsr(MSR_GLOBAL_STATUS_SET, 1 | STATUS_FIXED(1) | STATUS_CTR_FRZ);
	tap_equal(rdmsr(MSR_GLOBAL_STATUS), 1 | STATUS_FIXED(1) | STATUS_CTR_FRZ,
		  "GLOBAL_STATUS has what STATUS_SET was given");
	wrmsr(MSR_GLOBAL_OVF_CTRL, STATUS_FIXED(1));
	tap_equal(rdmsr(MSR_GLOBAL_STATUS), 1 | STATUS_CTR_FRZ,
		  "STATUS_RESET clears its bits only");
	wrmsr(MSR_GLOBAL_OVF_CTRL, 1 | STATUS_CTR_FRZ);
	tap_equal(rdmsr(MSR_GLOBAL_STATUS), 0, "STATUS_RESET clears the rest");

	tap_equal(rdmsr(MSR_GLOBAL_INUSE), 0, "nothing is in use");
	wrmsr(MSR_EVTSEL(0), EVENT_INSNS);
	wrmsr(MSR_FIXED_CTRL, FIXED_USR << 4);
	tap_equal(rdmsr(MSR_GLOBAL_INUSE), 1 | STATUS_FIXED(1), "a selected counter is in use");
	wrmsr(MSR_FIXED_CTRL, FIXED_PMI << 8);
	tap_equal(rdmsr(MSR_GLOBAL_INUSE), 1 | INUSE_PMI, "a counter's interrupt is in use");
	pmu_clear();
}

static void test_rdpmc_index(void)
{
	uint64_t value, wrong = 0;
	/* Without full-width writes bit 31 would be extended. */
	uint64_t number = is_version_1() ? 0x7fffff00 : width_mask() >> 1;

	for (unsigned int i = 0; i < MAX_COUNTERS; i++) {
		bool exists = i < config.counters;

		if (exists)
			wrmsr(MSR_A_PMC(i), number + i);
		if (rdpmc_faults(i, &value) == exists || (exists && value != number + i))
			wrong |= 1ull << i;
	}
	tap_equal(wrong, 0, "RDPMC reads every general counter and no other");
	for (unsigned int i = 0; i < MAX_COUNTERS; i++) {
		bool exists = i < NR_FIXED && !is_version_1();

		if (exists)
			wrmsr(MSR_FIXED(i), width_mask() - i);
		if (rdpmc_faults(RDPMC_FIXED | i, &value) == exists ||
		    (exists && value != width_mask() - i))
			wrong |= 1ull << i;
	}
	tap_equal(wrong, 0, "RDPMC reads every fixed counter and no other");
	for (unsigned int bit = 4; bit < 32; bit++) {
		if (1u << bit != RDPMC_FIXED && !rdpmc_faults(1u << bit, &value))
			wrong |= 1ull << bit;
	}
	tap_equal(wrong, 0, "RDPMC faults for every other bit of ECX");
	pmu_clear();
}

void test_registers(void)
{
	if (config.amd) {
		test_amd_registers();
		return;
	}
	pmu_clear();
	test_single_registers();
	test_counter_registers();
	test_status();
	test_rdpmc_index();
}
