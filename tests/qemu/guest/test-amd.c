// SPDX-License-Identifier: BSD-2-Clause
/*
 * test-amd.c: AMD's PMU: CPUID, registers, and the counters that run freely.
 *
 * No write of a reserved bit faults: the bit reads back as 0. Registers of a later generation fault.
 */

#include "pmu.h"

#define LEAF_POWER	  0x6
#define LEAF_EXT_FEATURES 0x80000001
#define LEAF_EXT_POWER	  0x80000007
#define LEAF_EXT_MORE	  0x80000008
#define LEAF_PERFMON	  0x80000022
#define PERFMON_FREEZE	  (1u << 2)
#define POWER_EFF_FREQ	  (1u << 0)
#define EXT_PERFCTR_CORE  (1u << 23)
#define EXT_PERFCTR_NB	  (1u << 24)
#define EXT_PERFCTR_LLC	  (1u << 28)
#define EXT_EFF_FREQ_RO	  (1u << 10)
#define EXT_IRPERF	  (1u << 1)
#define PERFMON_V2	  1u
#define MAX_COUNTERS	  15
#define NR_LEGACY	  4
#define EVTSEL_EXISTING	  0x30fffd7ffffull

void test_amd_cpuid(void)
{
	uint32_t regs[4];
	bool is_core = config.amd >= AMD_CORE, is_v2 = config.amd >= AMD_V2;

	cpuid(0xa, regs);
	tap_equal(regs[0] | regs[1] | regs[2] | regs[3], 0, "Intel's leaf 0xA is empty");
	cpuid(LEAF_POWER, regs);
	tap_equal(regs[2], is_core ? POWER_EFF_FREQ : 0,
		  "APERF and MPERF, and nothing else of leaf 6");
	cpuid(LEAF_EXT_FEATURES, regs);
	tap_equal(regs[2] & (EXT_PERFCTR_CORE | EXT_PERFCTR_NB | EXT_PERFCTR_LLC),
		  is_core ? EXT_PERFCTR_CORE : 0,
		  "core performance extensions, none of the northbridge or L3");
	cpuid(LEAF_EXT_POWER, regs);
	tap_equal(regs[3] & EXT_EFF_FREQ_RO, is_core ? EXT_EFF_FREQ_RO : 0,
		  "the read-only APERF and MPERF");
	cpuid(LEAF_EXT_MORE, regs);
	tap_equal(regs[1] & EXT_IRPERF, is_core ? EXT_IRPERF : 0, "IRPERF");
	cpuid(0x80000000, regs);
	tap_ok(regs[0] >= LEAF_EXT_MORE && (!is_v2 || regs[0] >= LEAF_PERFMON),
	       "the leaves exist: %x", (uint64_t)regs[0]);
	if (regs[0] < LEAF_PERFMON)
		return;
	cpuid(LEAF_PERFMON, regs);
	tap_equal(regs[0], is_v2 ? PERFMON_V2 | PERFMON_FREEZE : 0, "PerfMonV2 and its freeze");
	tap_equal(regs[1], is_v2 ? config.counters : 0,
		  "its counters, and nothing of the northbridge");
	tap_equal(regs[2] | regs[3], 0, "the rest of the leaf is empty");
}

struct amd_register {
	const char *name;
	uint32_t index;
	unsigned int since; /* generation */
	uint64_t kept;	    /* bits that read back */
	bool is_read_only;
};

static void check_register(const struct amd_register *r)
{
	uint64_t value, wrong = 0;

	if (config.amd < r->since) {
		tap_ok(rdmsr_faults(r->index, &value) && wrmsr_faults(r->index, 0),
		       "%s (%x) does not exist", r->name, (uint64_t)r->index);
		return;
	}
	tap_ok(!rdmsr_faults(r->index, &value), "%s (%x) can be read", r->name, (uint64_t)r->index);
	if (r->is_read_only) {
		tap_ok(wrmsr_faults(r->index, 0), "%s (%x) cannot be written", r->name,
		       (uint64_t)r->index);
		return;
	}
	for (unsigned int bit = 0; bit < 64; bit++) {
		uint64_t one = 1ull << bit;

		if (wrmsr_faults(r->index, one) || rdmsr(r->index) != (one & r->kept))
			wrong |= one;
	}
	tap_equal(wrong, 0, "bits of %s (%x) that fault or read back wrong", r->name,
		  (uint64_t)r->index);
	wrmsr(r->index, 0);
}

#define NEVER 99

/* Each bit is tried alone, so that no selection both is enabled and has a ring. */
static void test_registers_one_by_one(void)
{
	const uint64_t counters = (1ull << config.counters) - 1;
	const struct amd_register single[] = {
		{ "GlobalStatus", MSR_AMD_GLOBAL_STATUS, AMD_V2, 0, false },
		{ "GlobalCtl", MSR_AMD_GLOBAL_CTL, AMD_V2, counters, false },
		{ "GlobalStatusClr", MSR_AMD_GLOBAL_STATUS_CLR, AMD_V2, 0, false },
		{ "GlobalStatusSet", MSR_AMD_GLOBAL_STATUS_SET, AMD_V2, 0, false },
		{ "DebugCtl", MSR_DEBUGCTL, AMD_K8, config.amd == AMD_V2 ? FREEZE_ON_PMI : 0,
		  false },
		{ "HWCR", MSR_AMD_HWCR, AMD_K8, HWCR_IRPERF_EN, false },
		{ "MPERF, read-only", MSR_AMD_MPERF_RO, AMD_CORE, 0, true },
		{ "APERF, read-only", MSR_AMD_APERF_RO, AMD_CORE, 0, true },
		{ "IRPERF", MSR_AMD_IRPERF, AMD_CORE, ~0ull, false },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(single); i++)
		check_register(&single[i]);
	for (unsigned int i = 0; i < NR_LEGACY; i++) {
		check_register(&(struct amd_register){ "PerfEvtSel", MSR_AMD_LEGACY_EVTSEL(i),
						       AMD_K8, EVTSEL_EXISTING, false });
		check_register(&(struct amd_register){ "PerfCtr", MSR_AMD_LEGACY_CTR(i), AMD_K8,
						       width_mask(), false });
	}
	for (unsigned int i = 0; i < MAX_COUNTERS; i++) {
		unsigned int since = i < config.counters ? AMD_CORE : NEVER;

		check_register(&(struct amd_register){ "PERF_CTL", MSR_AMD_CORE_EVTSEL(i), since,
						       EVTSEL_EXISTING, false });
		check_register(&(struct amd_register){ "PERF_CTR", MSR_AMD_CORE_CTR(i), since,
						       width_mask(), false });
	}
}

static void test_status(void)
{
	if (!has_global())
		return;
	wrmsr(MSR_AMD_GLOBAL_STATUS_SET, 5 | AMD_PMC_FREEZE | 1ull << 63);
	tap_equal(pmu_status(), 5 | AMD_PMC_FREEZE, "GlobalStatusSet sets what exists");
	wrmsr(MSR_AMD_GLOBAL_STATUS, 0);
	tap_equal(pmu_status(), 5 | AMD_PMC_FREEZE, "a write to GlobalStatus is ignored");
	wrmsr(MSR_AMD_GLOBAL_STATUS_CLR, 4);
	tap_equal(pmu_status(), 1 | AMD_PMC_FREEZE, "GlobalStatusClr clears its bits only");
	wrmsr(MSR_AMD_GLOBAL_STATUS_CLR, ~0ull);
	tap_equal(pmu_status(), 0, "and all of them");
}

static void test_rdpmc(void)
{
	uint64_t value, wrong = 0;

	for (unsigned int i = 0; i < config.counters; i++)
		wrmsr(MSR_A_PMC(i), width_mask() - i);
	for (unsigned int i = 0; i < 32; i++) {
		bool exists = i < config.counters;

		if (rdpmc_faults(i, &value) == exists || (exists && value != width_mask() - i))
			wrong |= 1ull << i;
	}
	tap_equal(wrong, 0, "RDPMC reads each core counter; northbridge, L3 and all others fault");
	for (unsigned int bit = 5; bit < 32; bit++) {
		if (!rdpmc_faults(1u << bit, &value))
			wrong |= 1ull << bit;
	}
	tap_equal(wrong, 0, "RDPMC faults for every other bit of ECX");
	pmu_clear();
}

void test_amd_registers(void)
{
	pmu_clear();
	test_registers_one_by_one();
	pmu_clear();
	test_status();
	test_rdpmc();
}

/* Where a counter counts in the kernel: the bits of its selection, and EFER.SVME. */
static void test_sides(void)
{
	static const struct {
		const char *name;
		uint64_t bits;
		bool counts, counts_with_svme;
	} cases[] = {
		{ "neither HostOnly nor GuestOnly", EVTSEL_OS | EVTSEL_EN, true, true },
		{ "HostOnly", EVTSEL_OS | EVTSEL_EN | EVTSEL_HOST_ONLY, false, true },
		{ "GuestOnly", EVTSEL_OS | EVTSEL_EN | EVTSEL_GUEST_ONLY, false, false },
		{ "both", EVTSEL_OS | EVTSEL_EN | EVTSEL_HOST_ONLY | EVTSEL_GUEST_ONLY, false,
		  true },
		{ "user mode only", EVTSEL_USR | EVTSEL_EN, false, false },
		{ "not EN", EVTSEL_OS | EVTSEL_USR, false, false },
	};
	const uint64_t efer = rdmsr(MSR_EFER);

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		for (unsigned int svme = 0; svme < 2; svme++) {
			bool counts = svme ? cases[i].counts_with_svme : cases[i].counts;

			pmu_clear();
			if (has_global())
				wrmsr(MSR_AMD_GLOBAL_CTL, 1);
			/* The switch: from its first WRMSR on, EFER is what the case says. */
			measure_switch = MSR_EFER;
			global_enable = svme ? efer | EFER_SVME : efer & ~EFER_SVME;
			global_disable = global_enable;
			wrmsr(MSR_EFER, global_enable);
			wrmsr(MSR_EVTSEL(0), EVENT_INSNS | cases[i].bits);
			wrmsr(MSR_A_PMC(0), 0);
			__asm__ volatile("nop\n\tnop\n\tnop");
			wrmsr(MSR_EVTSEL(0), 0);
			tap_equal(rdpmc(0) > 0, counts, "%s, SVME %u", cases[i].name,
				  (uint64_t)svme);
		}
	}
	wrmsr(MSR_EFER, efer);
	pmu_clear();
}

/* IRPERF counts instructions, APERF and MPERF cycles, in all rings and without overflow. */
void test_amd_free_running(void)
{
	const struct sequence *loop = &kernel_sequences[4];
	uint64_t first, second;

	test_sides();
	if (config.amd < AMD_CORE)
		return;
	pmu_clear();
	global_enable = global_disable;
	wrmsr(MSR_AMD_IRPERF, ~0ull);
	measure(loop->fn, scratch);
	tap_equal(rdmsr(MSR_AMD_IRPERF), ~0ull, "IRPERF stands still without IRPerfEn");
	wrmsr(MSR_AMD_HWCR, HWCR_IRPERF_EN);
	__asm__ volatile("rdmsr\n\tmovl %%eax, %%esi\n\tnop\n\tnop\n\trdmsr"
			 : "=S"(first), "=a"(second)
			 : "c"(MSR_AMD_IRPERF)
			 : "rdx");
	tap_equal(second - first, 4, "IRPERF counts instructions");
	wrmsr(MSR_AMD_IRPERF, ~0ull);
	__asm__ volatile("nop");
	tap_ok(rdmsr(MSR_AMD_IRPERF) < 100, "IRPERF has 64 bits");
	wrmsr(MSR_AMD_HWCR, 0);

	tap_equal(rdmsr(MSR_APERF), 0, "APERF begins with its first access");
	__asm__ volatile("rdmsr\n\tmovl %%eax, %%esi\n\tjmp 1f\n1:\tnop\n\trdmsr"
			 : "=S"(first), "=a"(second)
			 : "c"(MSR_APERF)
			 : "rdx");
	tap_equal(second - first, 5, "APERF counts cycles, a branch two");
	__asm__ volatile("rdmsr\n\tmovl %%eax, %%esi\n\tjmp 1f\n1:\tnop\n\trdmsr"
			 : "=S"(first), "=a"(second)
			 : "c"(MSR_MPERF)
			 : "rdx");
	tap_equal(second - first, 5, "MPERF counts the same");
	wrmsr(MSR_MPERF, 1ull << 63);
	tap_equal(rdmsr(MSR_AMD_MPERF_RO) >> 32, 1u << 31,
		  "its read-only name is the same register");
	tap_equal(has_global() ? pmu_status() : 0, 0, "none of them has a status bit");
	pmu_clear();
}
