// SPDX-License-Identifier: BSD-2-Clause
/* faults-counting.c: observations of what is counted, in which ring, by which counter. */

#include "faults.h"

#define INSNS_OS	(EVENT_INSNS | EVTSEL_OS)
#define INSNS_USR	(EVENT_INSNS | EVTSEL_USR)
#define CYCLES_OS	(EVENT_CYCLES | EVTSEL_OS)
/* A function of nothing but RET, with what measure() does. */
#define EMPTY		(kernel_sequences[0].fn)
#define EMPTY_INSNS	(1 + MEASURE_INSNS)
#define EMPTY_BRANCHES	(1 + MEASURE_BRANCHES)
#define EMPTY_CYCLES	(EMPTY_INSNS + EMPTY_BRANCHES)
/* halt_until_tick: 6 (2), of which the handler and RET, 4, come after HLT. */
#define HALT_INSNS	(6 + MEASURE_INSNS)
#define HALT_CYCLES	(HALT_INSNS + 2 + MEASURE_BRANCHES)
#define AFTER_HALT	(4 + MEASURE_INSNS - 1)
#define TIMER_TICKS	1000000
/* "SYSCALL 10 times": of user mode, and of the kernel. */
#define SYSCALLS_USER	32
#define SYSCALLS_KERNEL 15
/* "straight code", which has one CPUID. */
#define STRAIGHT	(6 + MEASURE_INSNS)
/* The REP instructions of "REP MOVSB of 0 to 70,000 bytes". */
#define PASSES		(1 + 65536 + 70000)

static uint64_t insns(void)
{
	return count(INSNS_OS, EMPTY);
}

static uint64_t branches(void)
{
	return count(EVENT_BRANCHES | EVTSEL_OS, EMPTY);
}

static uint64_t cycles(void)
{
	return count(CYCLES_OS, EMPTY);
}

static uint64_t reference(void)
{
	return count(EVENT_REFERENCE | EVTSEL_OS, EMPTY);
}

static uint64_t on_counter_2(void)
{
	pmu_clear();
	pmu_program(2, INSNS_OS | EVTSEL_EN);
	pmu_enable(4);
	measure(EMPTY, scratch);
	return rdmsr(MSR_A_PMC(2));
}

static uint64_t on_fixed_1(void)
{
	pmu_clear();
	wrmsr(MSR_FIXED_CTRL, FIXED_OS << 4);
	global_enable = STATUS_FIXED(1);
	measure(EMPTY, scratch);
	return rdmsr(MSR_FIXED(1));
}

static uint64_t counted_elsewhere;

static void count_elsewhere(unsigned int cpu)
{
	(void)cpu;
	pmu_clear();
	pmu_program(0, INSNS_OS | EVTSEL_EN);
	pmu_enable(1);
	measure(EMPTY, scratch);
	counted_elsewhere = rdmsr(MSR_A_PMC(0));
	pmu_clear();
}

static uint64_t on_other_cpu(void)
{
	run_on_others(count_elsewhere);
	return counted_elsewhere;
}

static uint64_t user_insns(void)
{
	return count_user(INSNS_USR, sequence(user_sequences, "SYSCALL 10")->fn);
}

static uint64_t without_enable(void)
{
	pmu_clear();
	pmu_program(0, INSNS_OS);
	pmu_enable(1);
	measure(EMPTY, scratch);
	return rdmsr(MSR_A_PMC(0));
}

/* The loop has 2,002 instructions. */
static uint64_t without_global_ctrl(void)
{
	uint64_t counted;

	pmu_clear();
	pmu_program(0, INSNS_OS | EVTSEL_EN);
	sequence(kernel_sequences, "a loop of 1,000 by DEC")->fn(NULL);
	counted = rdmsr(MSR_A_PMC(0));
	pmu_clear();
	return counted >= 2002;
}

static uint64_t edge(void)
{
	return count(CYCLES_OS | EVTSEL_EDGE, EMPTY);
}

/* Cycles in which nothing retires: one for each branch. */
static uint64_t inverted(void)
{
	return count(INSNS_OS | EVTSEL_INV | EVTSEL_CMASK(1), EMPTY);
}

static uint64_t sixteen_at_once(void)
{
	return count(INSNS_OS | EVTSEL_CMASK(16), EMPTY);
}

static uint64_t branch_not_taken(void)
{
	return count(EVENT_BRANCHES | EVTSEL_OS,
		     sequence(kernel_sequences, "a conditional branch that is not")->fn);
}

static uint64_t repeated(void)
{
	const struct sequence *s = sequence(kernel_sequences, "REP MOVSB");

	return count(INSNS_OS, s->fn) - s->insns - MEASURE_INSNS;
}

static uint64_t page_fault(void)
{
	const struct sequence *s = sequence(kernel_sequences, "a load that faults");

	return count(INSNS_OS, s->fn) - s->insns - MEASURE_INSNS;
}

static uint64_t with_exit(void)
{
	return count(INSNS_OS, sequence(kernel_sequences, "straight code")->fn);
}

static uint64_t halt_from(uint64_t start, uint64_t selection)
{
	uint64_t counted;

	*apic_register(APIC_TIMER_DIVIDE) = 0xb; /* by 1 */
	*apic_register(APIC_LVT_TIMER) = VECTOR_TIMER;
	*apic_register(APIC_TIMER_INITIAL) = TIMER_TICKS;
	counted = count_from(start, selection, halt_until_tick);
	__asm__ volatile("cli");
	*apic_register(APIC_LVT_TIMER) = APIC_LVT_MASKED;
	return counted;
}

static uint64_t halt(void)
{
	return halt_from(1000, INSNS_OS);
}

static uint64_t halt_cycles(void)
{
	return halt_from(0, CYCLES_OS);
}

/* No event of AMD's has the number 0x1C0. */
static uint64_t event_of_12_bits(void)
{
	return count(INSNS_OS | 1ull << 32, EMPTY);
}

static uint64_t beyond_width(void)
{
	return count_from(width_mask(), INSNS_OS, EMPTY) >> config.width;
}

const struct fault faults_counting[] = {
	{ "event-silent", 1, AMD_K8, branches, EMPTY_BRANCHES, 0, 1 },
	{ "counter-dead", 2, AMD_K8, on_counter_2, EMPTY_INSNS, 0, 1 },
	{ "fixed-dead", 2, 0, on_fixed_1, EMPTY_CYCLES, 0, 1 },
	{ "other-cpus-dead", 1, AMD_K8, on_other_cpu, EMPTY_INSNS, 0, 2 },
	{ "os-usr-swapped", 1, AMD_K8, user_insns, SYSCALLS_USER, SYSCALLS_KERNEL, 1 },
	{ "usr-ignored", 1, AMD_K8, user_insns, SYSCALLS_USER, 0, 1 },
	{ "os-ignored", 1, AMD_K8, insns, EMPTY_INSNS, 0, 1 },
	{ "rings-ignored", 1, AMD_K8, user_insns, SYSCALLS_USER, SYSCALLS_USER + SYSCALLS_KERNEL,
	  1 },
	{ "enable-ignored", 1, AMD_K8, without_enable, 0, EMPTY_INSNS, 1 },
	{ "global-ctrl-ignored", 2, AMD_V2, without_global_ctrl, 0, 1, 1 },
	{ "edge-ignored", 1, AMD_K8, edge, 0, EMPTY_CYCLES, 1 },
	{ "inv-ignored", 1, AMD_K8, inverted, EMPTY_BRANCHES, EMPTY_INSNS, 1 },
	{ "cmask-ignored", 1, AMD_K8, sixteen_at_once, 0, EMPTY_INSNS, 1 },
	{ "not-taken-lost", 1, AMD_K8, branch_not_taken, 2 + MEASURE_BRANCHES, 1 + MEASURE_BRANCHES,
	  1 },
	{ "rep-by-pass", 1, AMD_K8, repeated, 0, PASSES, 1 },
	{ "extra-per-interrupt", 1, AMD_K8, halt, 1000 + HALT_INSNS, 1000 + HALT_INSNS + 1, 1 },
	{ "extra-per-page-fault", 1, AMD_K8, page_fault, 0, 1, 1 },
	{ "extra-per-syscall", 1, AMD_K8, user_insns, SYSCALLS_USER, SYSCALLS_USER + 10, 1 },
	{ "extra-per-exit", 1, AMD_K8, with_exit, STRAIGHT, STRAIGHT + 1, 1 },
	{ "missing-per-exit", 1, AMD_K8, with_exit, STRAIGHT, STRAIGHT - 1, 1 },
	{ "interrupt-loses", 1, AMD_K8, halt, 1000 + HALT_INSNS, 1000 + HALT_INSNS - 5, 1 },
	{ "halt-loses", 1, AMD_K8, halt, 1000 + HALT_INSNS, AFTER_HALT, 1 },
	{ "halt-counts", 1, AMD_K8, halt_cycles, HALT_CYCLES, HALT_CYCLES + 1000, 1 },
	{ "cycles-stop", 1, AMD_K8, cycles, EMPTY_CYCLES, 0, 1 },
	{ "cycles-are-insns", 1, AMD_K8, cycles, EMPTY_CYCLES, EMPTY_INSNS, 1 },
	{ "ref-cycles-double", 1, 0, reference, EMPTY_CYCLES, 2 * EMPTY_CYCLES, 1 },
	{ "event-truncated", 0, AMD_K8, event_of_12_bits, 0, EMPTY_INSNS, 1 },
	{ "wrap-missing", 1, AMD_K8, beyond_width, 0, 1, 1 },
	{ NULL, 0, 0, NULL, 0, 0, 0 },
};
