// SPDX-License-Identifier: BSD-2-Clause
/* test-smp.c: every CPU has its own PMU, and they count at the same time. */

#include "pmu.h"

#define MAX_CPUS 64
#define ROUNDS	 300
#define PERIOD	 777
/* Where the CPUs are threads of the host the NMIs race with them; one thread runs the CPUs in an order of its own. */
#define NMIS	 (config.one_thread ? 20000u : 200000u)
#define ICR_SELF 0x40000 /* as an NMI: APIC_LVT_NMI */

/* Each CPU writes its own. */
static struct {
	struct counts first;
	unsigned int rounds_wrong;
	volatile unsigned int pmis;
	uint64_t rip;
} results[MAX_CPUS];

static unsigned int this_cpu(void)
{
	return *apic_register(0x20) >> 24;
}

/* A loop of 2,002 instructions, 1,001 branches, again and again. */
static void count(unsigned int cpu)
{
	const struct sequence *loop = &kernel_sequences[4];

	results[cpu].rounds_wrong = 0;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct counts got;

		counts_prepare(FIXED_OS);
		measure(loop->fn, scratch);
		got = counts_read();
		if (i == 0)
			results[cpu].first = got;
		if (got.insns != loop->insns + MEASURE_INSNS ||
		    got.branches != loop->branches + MEASURE_BRANCHES ||
		    got.cycles != got.insns + got.branches || got.reference != got.cycles)
			results[cpu].rounds_wrong++;
	}
}

static void pmi_handler(struct frame *f)
{
	unsigned int cpu = this_cpu();

	pmu_stop();
	results[cpu].pmis++;
	results[cpu].rip = f->rip;
}

/* CALL and MOV, then the loop of DEC and JNZ: after an odd number of instructions at DEC or JNZ. */
static void sample(unsigned int cpu)
{
	const struct sequence *loop = &kernel_sequences[4];

	results[cpu].rounds_wrong = 0;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		/* Each CPU its own period, always odd: past CALL and MOV, one into the loop. */
		uint64_t period = PERIOD + 2 * cpu;

		pmu_clear();
		pmu_program(0, EVENT_INSNS | EVTSEL_OS | EVTSEL_EN | EVTSEL_INT);
		wrmsr(MSR_A_PMC(0), width_mask() + 1 - period);
		*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
		results[cpu].pmis = 0;
		pmu_enable(1);
		measure(loop->fn, scratch);
		/* MOV has 5 bytes and DEC 2, so JNZ is 7 after the start. */
		if (results[cpu].pmis != 1 || results[cpu].rip != (uint64_t)(uintptr_t)loop->fn + 7)
			results[cpu].rounds_wrong++;
	}
}

/* A state of the PMU that counts, and with a register of each kind. */
struct kept {
	uint32_t index;
	uint64_t value;
};

static const struct kept kept_intel[] = {
	{ 0x186, EVENT_INSNS | EVTSEL_USR | EVTSEL_EN },
	{ 0x4c1, 1234 },
	{ MSR_FIXED_CTRL, FIXED_USR << 4 },
	{ MSR_FIXED(1), 5678 },
	{ MSR_DEBUGCTL, FREEZE_ON_PMI },
	{ MSR_GLOBAL_CTRL, 1 | STATUS_FIXED(1) },
};

static const struct kept kept_amd[] = {
	{ MSR_AMD_LEGACY_EVTSEL(0), EVENT_INSNS | EVTSEL_USR | EVTSEL_EN },
	{ MSR_AMD_LEGACY_CTR(0), 1234 },
	{ MSR_AMD_LEGACY_EVTSEL(3), 0xd1 | EVTSEL_GUEST_ONLY },
	{ MSR_AMD_LEGACY_CTR(3), 5678 },
};

static const struct kept *kept(unsigned int *nr)
{
	*nr = config.amd ? ARRAY_SIZE(kept_amd) : ARRAY_SIZE(kept_intel);
	return config.amd ? kept_amd : kept_intel;
}

static void set_kept(unsigned int cpu)
{
	unsigned int nr;
	const struct kept *k = kept(&nr);

	(void)cpu;
	for (unsigned int i = 0; i < nr; i++)
		wrmsr(k[i].index, k[i].value);
}

static void check_kept(unsigned int cpu)
{
	unsigned int nr;
	const struct kept *k = kept(&nr);

	results[cpu].rounds_wrong = 0;
	for (unsigned int i = 0; i < nr; i++)
		results[cpu].rounds_wrong += rdmsr(k[i].index) != k[i].value;
	pmu_clear();
}

static void test_init(void)
{
	unsigned int last = (unsigned int)config.cpus - 1;

	tap_equal(run_on_others(set_kept), config.cpus - 1, "the other CPUs run");
	restart_last_cpu();
	run_on_others(check_kept);
	tap_equal(results[last].rounds_wrong, 0, "PMU registers that INIT has changed");
}

/* --- NMIs wait for the IRET of the one before, whatever the other CPUs do --- */

static volatile unsigned int nmis, nmis_inside, nmi_depth;

/* Asks for the next one, which must come after this one's IRET; ends all at one that does not. */
static void nmi_handler(struct frame *f)
{
	(void)f;
	if (nmi_depth++) {
		nmis_inside++;
		nmis = NMIS;
	} else if (++nmis < NMIS) {
		*apic_register(APIC_ICR) = ICR_SELF | APIC_LVT_NMI;
	}
	nmi_depth--;
}

/* CPU 0 has NMIs; QEMU keeps in its state what loads of FPU state by any CPU change. */
static void nmis_beside_fpu_loads(unsigned int cpu)
{
	uint8_t environment[28];

	if (cpu == 0)
		*apic_register(APIC_ICR) = ICR_SELF | APIC_LVT_NMI;
	__asm__ volatile("fninit\n\tfnstenv %0" : "=m"(environment));
	while (nmis < NMIS)
		if (cpu != 0)
			__asm__ volatile("fldenv %0" ::"m"(environment));
}

static void test_nmis(void)
{
	on_trap(VECTOR_NMI, nmi_handler);
	run_on_all(nmis_beside_fpu_loads);
	tap_equal(nmis_inside, 0, "NMIs that came before the IRET of another, of %u",
		  (uint64_t)NMIS);
}

void test_smp(void)
{
	test_init();

	run_on_all(count);
	for (unsigned int cpu = 0; cpu < config.cpus; cpu++) {
		counts_check(results[cpu].first, kernel_sequences[4].insns + MEASURE_INSNS,
			     kernel_sequences[4].branches + MEASURE_BRANCHES, 0, "",
			     "a loop on a CPU");
		tap_equal(results[cpu].rounds_wrong, 0, "wrong counts, CPU %u, of %u",
			  (uint64_t)cpu, (uint64_t)ROUNDS);
	}

	on_trap(VECTOR_NMI, pmi_handler);
	run_on_all(sample);
	for (unsigned int cpu = 0; cpu < config.cpus; cpu++)
		tap_equal(results[cpu].rounds_wrong, 0, "wrong PMIs, CPU %u, of %u", (uint64_t)cpu,
			  (uint64_t)ROUNDS);
	test_nmis();
}
