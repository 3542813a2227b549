// SPDX-License-Identifier: BSD-2-Clause
/* faults-registers.c: observations of what is announced, of registers, and of RDPMC. */

#include "faults.h"

#define LEAF_PMU	 0xa
#define LEAF_PERFMON	 0x80000022
#define NO_BRANCHES	 5  /* leaf 0xA, EBX */
#define PDCM		 15 /* leaf 1, ECX */
#define PERFCTR_CORE	 23 /* leaf 8000_0001, ECX */
#define MAX_GENERAL	 15
#define CR4_PCE		 (1ull << 8)
#define SELECT_IN_USE	 (EVENT_INSNS | EVTSEL_OS)
#define RESERVED	 (1ull << 63)
#define RESERVED_STATUS	 (1ull << 50)
#define RESERVED_COUNTER (1ull << 60)

static uint32_t cpuid_register(uint32_t leaf, unsigned int i)
{
	uint32_t regs[4];

	cpuid(leaf, regs);
	return regs[i];
}

enum { EAX, EBX, ECX, EDX };

static uint64_t announced_general(void)
{
	return config.amd ? cpuid_register(LEAF_PERFMON, EBX) & 0xf :
			    cpuid_register(LEAF_PMU, EAX) >> 8 & 0xff;
}

static bool can_read(uint32_t index)
{
	uint64_t value;

	return !rdmsr_faults(index, &value);
}

/* The value of a register after a write; RESERVED if the register faults. */
static uint64_t written(uint32_t index, uint64_t value)
{
	if (wrmsr_faults(index, value) || rdmsr_faults(index, &value))
		return RESERVED;
	return value;
}

/* --- what CPUID announces --- */

static uint64_t version(void)
{
	return (cpuid_register(LEAF_PMU, EAX) & 0xff) != config.version;
}

/* Version 4 has GLOBAL_STATUS_SET. */
static uint64_t version_without_registers(void)
{
	return (cpuid_register(LEAF_PMU, EAX) & 0xff) >= 4 && !can_read(MSR_GLOBAL_STATUS_SET);
}

static uint64_t missing_width(void)
{
	unsigned int width = cpuid_register(LEAF_PMU, EAX) >> 16 & 0xff;
	uint64_t top = 1ull << (width - 1);

	return !(written(MSR_A_PMC(0), top) & top);
}

static uint64_t hidden_width(void)
{
	unsigned int width = cpuid_register(LEAF_PMU, EAX) >> 16 & 0xff;

	return written(MSR_A_PMC(0), 1ull << width) != RESERVED;
}

/* How many counters are announced and not there; negative: the other way around. */
static uint64_t missing_counters(void)
{
	unsigned int there = 0;

	while (there < MAX_GENERAL && can_read(MSR_EVTSEL(there)))
		there++;
	return announced_general() - there;
}

static uint64_t missing_fixed(void)
{
	unsigned int announced = cpuid_register(LEAF_PMU, EDX) & 0x1f, missing = 0;

	for (unsigned int i = 0; i < announced; i++)
		missing += !can_read(MSR_FIXED(i));
	return missing + !can_read(MSR_FIXED_CTRL);
}

static uint64_t announced_elsewhere;

static void note_announced(unsigned int cpu)
{
	(void)cpu;
	announced_elsewhere = announced_general();
}

static uint64_t different_cpus(void)
{
	run_on_others(note_announced);
	return announced_general() - announced_elsewhere;
}

static uint64_t hidden_event(void)
{
	return (cpuid_register(LEAF_PMU, EBX) >> NO_BRANCHES & 1) &&
	       count(EVENT_BRANCHES | EVTSEL_OS, kernel_sequences[0].fn) == 1 + MEASURE_BRANCHES;
}

static uint64_t missing_capabilities(void)
{
	return (cpuid_register(1, ECX) >> PDCM & 1) && !can_read(MSR_PERF_CAPABILITIES);
}

static uint64_t refused_full_width(void)
{
	return (rdmsr(MSR_PERF_CAPABILITIES) & CAP_FW_WRITE) && wrmsr_faults(MSR_A_PMC(0), 0);
}

static uint64_t full_width(void)
{
	return written(MSR_A_PMC(0), 0x123456789a);
}

static uint64_t missing_core(void)
{
	return (cpuid_register(0x80000001, ECX) >> PERFCTR_CORE & 1) &&
	       !can_read(MSR_AMD_CORE_EVTSEL(0));
}

static uint64_t missing_v2(void)
{
	return (cpuid_register(LEAF_PERFMON, EAX) & 1) && !can_read(MSR_AMD_GLOBAL_STATUS);
}

static uint64_t alias(void)
{
	pmu_clear();
	wrmsr(MSR_AMD_CORE_CTR(4), 77);
	return rdmsr(MSR_AMD_CORE_CTR(0));
}

static uint64_t legacy(void)
{
	return written(MSR_AMD_LEGACY_CTR(0), 77);
}

/* --- registers --- */

static uint64_t select_int(void)
{
	return !!(written(MSR_EVTSEL(0), EVENT_INSNS | EVTSEL_INT) & EVTSEL_INT);
}

static uint64_t accepted_intel(void)
{
	unsigned int accepted = 0;

	accepted += !wrmsr_faults(MSR_EVTSEL(0), RESERVED);
	accepted += !wrmsr_faults(MSR_FIXED_CTRL, RESERVED);
	accepted += !wrmsr_faults(MSR_GLOBAL_CTRL, RESERVED);
	accepted += !wrmsr_faults(MSR_GLOBAL_OVF_CTRL, RESERVED_STATUS);
	accepted += !wrmsr_faults(MSR_FIXED(0), RESERVED_COUNTER);
	accepted += !wrmsr_faults(MSR_A_PMC(0), RESERVED_COUNTER);
	return accepted;
}

/* Bits 19, 21, 36 to 39 and 42 to 63. */
static uint64_t refused_amd(void)
{
	unsigned int refused = 0;

	for (unsigned int bit = 0; bit < 64; bit++)
		refused += wrmsr_faults(MSR_EVTSEL(0), 1ull << bit);
	pmu_clear();
	return refused;
}

static uint64_t accepted_absent(void)
{
	return can_read(MSR_EVTSEL((unsigned int)config.counters));
}

static uint64_t reset_global_ctrl(void)
{
	return at_reset.global_ctrl == (1ull << config.counters) - 1 ? 0 : 1 + at_reset.global_ctrl;
}

static uint64_t reset_select(void)
{
	return at_reset.select;
}

static uint64_t reset_counter(void)
{
	return at_reset.counter;
}

static uint64_t reset_status(void)
{
	return at_reset.status;
}

static uint64_t kept_select, kept_counter;

static void set_kept(unsigned int cpu)
{
	(void)cpu;
	pmu_clear();
	wrmsr(MSR_EVTSEL(0), SELECT_IN_USE);
	wrmsr(MSR_A_PMC(0), 1234);
}

static void read_kept(unsigned int cpu)
{
	(void)cpu;
	kept_select = rdmsr(MSR_EVTSEL(0));
	kept_counter = rdmsr(MSR_A_PMC(0));
}

static uint64_t after_init(void)
{
	run_on_others(set_kept);
	restart_last_cpu();
	run_on_others(read_kept);
	return kept_select == SELECT_IN_USE ? kept_counter : kept_select;
}

static uint64_t legacy_width(void)
{
	return written(MSR_PMC(0), 0x80000000) >> 32;
}

/* A few instructions are counted beside. */
static uint64_t write_running(void)
{
	pmu_clear();
	wrmsr(MSR_A_PMC(0), 1000000);
	pmu_program(0, EVENT_INSNS | EVTSEL_OS | EVTSEL_EN);
	pmu_enable(1);
	pmu_start();
	wrmsr(MSR_A_PMC(0), 5000000);
	pmu_stop();
	return rdmsr(MSR_A_PMC(0)) / 1000000;
}

static uint64_t low_bits(void)
{
	return written(MSR_A_PMC(0), 0x7f);
}

static uint64_t write_fixed(void)
{
	pmu_clear();
	return written(MSR_FIXED(0), 77);
}

static uint64_t counter_kept(void)
{
	pmu_clear();
	wrmsr(MSR_A_PMC(0), 77);
	wrmsr(MSR_EVTSEL(0), 0);
	return rdmsr(MSR_A_PMC(0));
}

/* --- RDPMC --- */

static volatile uint64_t user_faults;

static void count_fault(struct frame *f)
{
	user_faults++;
	f->rip += 2;
}

static void user_rdpmc(void *unused)
{
	(void)unused;
	rdpmc(0);
	__asm__ volatile("int %0" ::"i"(VECTOR_LEAVE));
}

static uint64_t faults_of_user(bool pce)
{
	uint64_t cr4;

	pmu_clear();
	global_enable = global_disable;
	set_gate(VECTOR_LEAVE, leave_user, 3);
	on_trap(VECTOR_GP, count_fault);
	__asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
	__asm__ volatile("movq %0, %%cr4" ::"r"(pce ? cr4 | CR4_PCE : cr4 & ~CR4_PCE));
	user_faults = 0;
	measure_user(user_rdpmc, NULL, 2);
	__asm__ volatile("movq %0, %%cr4" ::"r"(cr4));
	on_trap(VECTOR_GP, NULL);
	return user_faults;
}

static uint64_t faults_without_pce(void)
{
	return faults_of_user(false);
}

static uint64_t faults_with_pce(void)
{
	return faults_of_user(true);
}

static uint64_t rdpmc_absent(void)
{
	uint64_t value;

	return rdpmc_faults((uint32_t)config.counters, &value);
}

static uint64_t rdpmc_fixed(void)
{
	uint64_t value;

	return rdpmc_faults(RDPMC_FIXED, &value);
}

static uint64_t rdpmc_upper(void)
{
	return rdpmc(0) >> config.width;
}

static uint64_t rdpmc_width(void)
{
	wrmsr(MSR_A_PMC(0), 0x123456789a);
	return rdpmc(0) & width_mask();
}

const struct fault faults_registers[] = {
	{ "cpuid-version-high", 4, 0, version_without_registers, 0, 1, 1 },
	{ "cpuid-version-0", 2, 0, version, 0, 1, 1 },
	{ "cpuid-width-high", 2, 0, missing_width, 0, 1, 1 },
	{ "cpuid-width-low", 2, 0, hidden_width, 0, 1, 1 },
	{ "cpuid-counters-high", 1, AMD_V2, missing_counters, 0, 2, 1 },
	{ "cpuid-counters-low", 1, AMD_V2, missing_counters, 0, (uint64_t)-1, 1 },
	{ "cpuid-fixed-absent", 2, 0, missing_fixed, 0, NR_FIXED + 1, 1 },
	{ "cpuid-cpus-differ", 1, AMD_V2, different_cpus, 0, 1, 2 },
	{ "event-hidden", 1, 0, hidden_event, 0, 1, 1 },
	{ "perfcap-gp", 2, 0, missing_capabilities, 0, 1, 1 },
	{ "full-width-gp", 2, 0, refused_full_width, 0, 1, 1 },
	{ "full-width-truncated", 2, 0, full_width, 0x123456789a, 0x3456789a, 1 },
	{ "core-absent", 0, AMD_CORE, missing_core, 0, 1, 1 },
	{ "v2-absent", 0, AMD_V2, missing_v2, 0, 1, 1 },
	{ "core-aliases", 0, AMD_CORE, alias, 0, 77, 1 },
	{ "legacy-dead", 0, AMD_CORE, legacy, 77, 0, 1 },
	{ "evtsel-reads-back", 1, AMD_K8, select_int, 1, 0, 1 },
	{ "reserved-accepted", 2, 0, accepted_intel, 0, 6, 1 },
	{ "reserved-refused", 0, AMD_K8, refused_amd, 0, 28, 1 },
	{ "absent-accepted", 1, AMD_CORE, accepted_absent, 0, 1, 1 },
	{ "reset-global-ctrl", 2, AMD_V2, reset_global_ctrl, 0, 1, 1 },
	{ "reset-select", 1, AMD_K8, reset_select, 0, 0x4300c0, 1 },
	{ "reset-counter", 1, AMD_K8, reset_counter, 0, 0x12345678, 1 },
	{ "init-clears", 1, AMD_K8, after_init, 1234, 0, 2 },
	{ "write-not-extended", 1, 0, legacy_width, 0xffff, 0, 1 },
	{ "write-running-adds", 1, AMD_K8, write_running, 5, 6, 1 },
	{ "write-low-bits-lost", 1, AMD_K8, low_bits, 0x7f, 0x40, 1 },
	{ "fixed-write-ignored", 2, 0, write_fixed, 77, 0, 1 },
	{ "select-write-clears", 1, AMD_K8, counter_kept, 77, 0, 1 },
	{ "status-at-reset", 2, AMD_V2, reset_status, 0, 1, 1 },
	{ "rdpmc-allowed", 1, AMD_K8, faults_without_pce, 1, 0, 1 },
	{ "rdpmc-refused", 1, AMD_K8, faults_with_pce, 0, 1, 1 },
	{ "rdpmc-absent-0", 1, AMD_K8, rdpmc_absent, 1, 0, 1 },
	{ "rdpmc-fixed-gp", 2, 0, rdpmc_fixed, 0, 1, 1 },
	{ "rdpmc-upper-bits", 1, AMD_K8, rdpmc_upper, 0, 0xffff, 1 },
	{ "rdpmc-32-bits", 2, AMD_K8, rdpmc_width, 0x123456789a, 0x3456789a, 1 },
	{ NULL, 0, 0, NULL, 0, 0, 0 },
};
