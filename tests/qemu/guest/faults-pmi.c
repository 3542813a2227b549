// SPDX-License-Identifier: BSD-2-Clause
/* faults-pmi.c: observations of the status of overflows, of the PMI, and of the freeze. */

#include "faults.h"

#define INSNS_OS  (EVENT_INSNS | EVTSEL_OS)
#define PERIOD	  200
#define SHORT	  50
#define LATE	  100
#define STI	  __asm__ volatile("sti")
#define CLI	  __asm__ volatile("cli")
#define MAX_SPINS 100000000

/* The handler's notes. Another CPU's handler may run, too. */
static volatile struct {
	unsigned int times, vector, cpu;
	uint64_t insns;
	bool masked, frozen;
} pmi;

static uint64_t frozen_bit(void)
{
	return config.amd ? AMD_PMC_FREEZE : STATUS_CTR_FRZ;
}

/* Before version 4, a freeze clears the global control. */
static bool is_frozen(void)
{
	if (!has_global())
		return false;
	if (!config.amd && config.version < 4)
		return rdmsr(MSR_GLOBAL_CTRL) == 0;
	return pmu_status() & frozen_bit();
}

static void handler(struct frame *f)
{
	pmi.frozen = is_frozen();
	pmi.masked = *apic_register(APIC_LVT_PMI) & APIC_LVT_MASKED;
	pmi.insns = rdpmc(insns_rdpmc());
	pmi.vector = (unsigned int)f->vector;
	pmi.cpu = *apic_register(0x20) >> 24;
	pmu_stop();
	pmi.times++;
	if (f->vector == VECTOR_PMI)
		*apic_register(APIC_EOI) = 0;
}

static void prepare(uint32_t lvt)
{
	uint64_t debugctl = rdmsr(MSR_DEBUGCTL);

	pmu_clear();
	wrmsr(MSR_DEBUGCTL, debugctl);
	on_trap(VECTOR_NMI, handler);
	on_trap(VECTOR_PMI, handler);
	*apic_register(APIC_LVT_PMI) = lvt;
	pmi.times = 0;
	pmi.vector = 0;
	pmi.frozen = false;
}

/* General counter i overflows after `period` instructions of pmi_block, which has more than 400. */
static void overflow_on(unsigned int i, uint64_t period, uint64_t bits, uint32_t lvt)
{
	prepare(lvt);
	pmu_program(i, INSNS_OS | EVTSEL_EN | bits);
	wrmsr(MSR_A_PMC(i), width_mask() + 1 - period);
	pmu_enable(1ull << i);
	STI;
	measure(pmi_block, scratch);
	CLI;
}

static void overflow(uint32_t lvt)
{
	overflow_on(0, PERIOD, EVTSEL_INT, lvt);
}

static void overflow_fixed(uint32_t lvt)
{
	prepare(lvt);
	wrmsr(MSR_FIXED_CTRL, FIXED_OS | FIXED_PMI);
	wrmsr(MSR_FIXED(0), width_mask() + 1 - PERIOD);
	global_enable = STATUS_FIXED(0);
	measure(pmi_block, scratch);
}

/* --- status --- */

static uint64_t status(void)
{
	overflow(APIC_LVT_MASKED);
	return pmu_status();
}

static uint64_t status_cleared(void)
{
	overflow(APIC_LVT_MASKED);
	pmu_clear_status(1);
	return pmu_status();
}

static uint64_t status_fixed(void)
{
	overflow_fixed(APIC_LVT_MASKED);
	return pmu_status();
}

static uint64_t status_set(void)
{
	pmu_clear();
	wrmsr(config.amd ? MSR_AMD_GLOBAL_STATUS_SET : MSR_GLOBAL_STATUS_SET, 2);
	return pmu_status();
}

/* --- the PMI --- */

static uint64_t times(void)
{
	overflow(APIC_LVT_NMI);
	return pmi.times;
}

static uint64_t times_of_counter_1(void)
{
	overflow_on(1, PERIOD, EVTSEL_INT, APIC_LVT_NMI);
	return pmi.times;
}

static uint64_t times_of_fixed(void)
{
	overflow_fixed(APIC_LVT_NMI);
	return pmi.times;
}

static uint64_t times_without_int(void)
{
	overflow_on(0, PERIOD, 0, APIC_LVT_NMI);
	return pmi.times;
}

static uint64_t times_of_short(void)
{
	overflow_on(0, SHORT, EVTSEL_INT, APIC_LVT_NMI);
	return pmi.times;
}

static uint64_t times_masked(void)
{
	overflow(APIC_LVT_NMI | APIC_LVT_MASKED);
	return pmi.times;
}

static uint64_t vector_of_nmi(void)
{
	overflow(APIC_LVT_NMI | VECTOR_PMI);
	return pmi.vector;
}

static uint64_t masked(void)
{
	overflow(APIC_LVT_NMI);
	return pmi.masked;
}

static void set_lvt(unsigned int cpu)
{
	(void)cpu;
	*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
}

static uint64_t cpu_of_pmi(void)
{
	run_on_others(set_lvt);
	overflow(APIC_LVT_NMI);
	for (unsigned int i = 0; !pmi.times && i < MAX_SPINS; i++)
		__asm__ volatile("pause");
	return pmi.times ? pmi.cpu : config.cpus;
}

/* Both counters are user mode's, so that the handler is not counted. */
static uint64_t lateness(void)
{
	prepare(APIC_LVT_NMI);
	set_gate(VECTOR_LEAVE, leave_user, 3);
	pmu_program(0, EVENT_INSNS | EVTSEL_USR | EVTSEL_EN | EVTSEL_INT);
	wrmsr(MSR_A_PMC(0), width_mask() + 1 - PERIOD);
	pmu_program_insns(FIXED_USR);
	pmu_enable(1);
	measure_user(user_block, scratch, 2);
	return pmi.insns - PERIOD;
}

static uint64_t times_of_stop(void)
{
	prepare(APIC_LVT_NMI);
	pmu_program(0, INSNS_OS | EVTSEL_EN | EVTSEL_INT);
	pmu_program(0, 0);
	return pmi.times;
}

/* --- the freeze --- */

static uint64_t frozen_with(uint64_t debugctl)
{
	wrmsr(MSR_DEBUGCTL, debugctl);
	overflow(APIC_LVT_NMI);
	wrmsr(MSR_DEBUGCTL, 0);
	return pmi.frozen;
}

static uint64_t freeze(void)
{
	return frozen_with(FREEZE_ON_PMI);
}

static uint64_t freeze_unasked(void)
{
	return frozen_with(0);
}

static uint64_t thawed(void)
{
	frozen_with(FREEZE_ON_PMI);
	pmu_clear_status(frozen_bit());
	return is_frozen();
}

const struct fault faults_pmi[] = {
	{ "status-not-set", 2, AMD_V2, status, 1, 0, 1 },
	{ "status-not-cleared", 2, AMD_V2, status_cleared, 0, 1, 1 },
	{ "status-wrong-counter", 2, AMD_V2, status, 1, 2, 1 },
	{ "status-fixed-missing", 2, 0, status_fixed, STATUS_FIXED(0), 0, 1 },
	{ "status-set-ignored", 4, AMD_V2, status_set, 2, 0, 1 },
	{ "status-cond-changed", 2, 0, status, 1, 1 | STATUS_COND_CHGD, 1 },
	{ "pmi-never", 1, AMD_K8, times, 1, 0, 1 },
	{ "pmi-twice", 1, AMD_K8, times, 1, 2, 1 },
	{ "pmi-only-counter-0", 1, AMD_K8, times_of_counter_1, 1, 0, 1 },
	{ "pmi-not-fixed", 2, 0, times_of_fixed, 1, 0, 1 },
	{ "pmi-as-vector", 1, AMD_K8, vector_of_nmi, VECTOR_NMI, VECTOR_PMI, 1 },
	{ "pmi-next-cpu", 1, AMD_K8, cpu_of_pmi, 0, 1, 2 },
	{ "pmi-without-enable", 1, AMD_K8, times_without_int, 0, 1, 1 },
	{ "pmi-late", 1, AMD_K8, lateness, 0, LATE, 1 },
	{ "pmi-spurious", 2, AMD_K8, times_of_stop, 0, 1, 1 },
	{ "pmi-lost-short", 1, AMD_K8, times_of_short, 1, 0, 1 },
	{ "lvt-not-masked", 1, 0, masked, 1, 0, 1 },
	{ "lvt-masked", 0, AMD_K8, masked, 0, 1, 1 },
	{ "lvt-mask-ignored", 1, AMD_K8, times_masked, 0, 1, 1 },
	{ "freeze-ignored", 2, AMD_V2, freeze, 1, 0, 1 },
	{ "freeze-never-thawed", 4, AMD_V2, thawed, 0, 1, 1 },
	{ "freeze-always", 2, AMD_V2, freeze_unasked, 0, 1, 1 },
	{ NULL, 0, 0, NULL, 0, 0, 0 },
};
