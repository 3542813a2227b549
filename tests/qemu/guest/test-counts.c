// SPDX-License-Identifier: BSD-2-Clause
/* test-counts.c: exact counts of code in the kernel, and of interrupted and halted code. */

#include "pmu.h"

#define RFLAGS_IF 0x202
#define RFLAGS_TF 0x102

static void check_kernel(void (*fn)(void *), uint64_t insns, uint64_t branches, uint64_t exceptions,
			 const char *name)
{
	counts_prepare(FIXED_OS);
	exact_gates(true);
	if (fn == fetch_fault)
		set_gate(VECTOR_PF, exact_come_back, 0);
	measure(fn, scratch);
	exact_gates(false);
	counts_check(counts_read(), insns + MEASURE_INSNS, branches + MEASURE_BRANCHES, exceptions,
		     "", name);
}

static void start_timer(uint32_t ticks_each, uint32_t mode)
{
	*apic_register(APIC_TIMER_DIVIDE) = 0xb; /* by 1 */
	*apic_register(APIC_LVT_TIMER) = VECTOR_TIMER | mode;
	*apic_register(APIC_TIMER_INITIAL) = ticks_each;
}

static void stop_timer(void)
{
	*apic_register(APIC_LVT_TIMER) = APIC_LVT_MASKED;
	*apic_register(APIC_TIMER_INITIAL) = 0;
}

/* A long copy by REP MOVSB in user mode, while a timer of 100 us interrupts it. */
static void copy_beside_timer(unsigned int ring)
{
	counts_prepare(ring);
	exact_gates(true);
	ticks = 0;
	start_timer(100000, APIC_TIMER_PERIODIC);
	measure_user(interrupted_copy, scratch, RFLAGS_IF);
	stop_timer();
	/* One that came since is pending, and would be the next test's. */
	uint32_t ticks_counted = ticks;

	__asm__ volatile("sti; nop; cli");
	ticks = ticks_counted;
	exact_gates(false);
}

/* A host that has little time for the emulator lets it miss ticks; then another copy is tried. */
static void test_interrupted(void)
{
	static const unsigned int rings[] = { FIXED_USR, FIXED_OS };

	for (unsigned int i = 0; i < ARRAY_SIZE(rings); i++) {
		unsigned int tries = 100;

		do
			copy_beside_timer(rings[i]);
		while (ticks <= 10 && --tries);
		tap_ok(ticks > 10, "the timer interrupted the copy");
		if (rings[i] == FIXED_USR)
			counts_check(counts_read(), 12004, 2001, 0, " of the copy", "REP MOVSB");
		else
			counts_check(counts_read(), MEASURE_INSNS + 3 * ticks,
				     MEASURE_BRANCHES + ticks, ticks, " of the timer's handler",
				     "REP MOVSB");
	}
}

static void test_halt(void)
{
	static const uint32_t delays[] = { 1, 1000000, 20000000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(delays); i++) {
		counts_prepare(FIXED_OS);
		exact_gates(true);
		start_timer(delays[i], 0);
		measure(halt_until_tick, NULL);
		__asm__ volatile("cli");
		stop_timer();
		exact_gates(false);
		counts_check(counts_read(), 6 + MEASURE_INSNS, 2 + MEASURE_BRANCHES, 1, "",
			     "HLT until a timer");
	}
}

/* The trap after each of `stepped` but the last is IRETQ, 1 (1). */
static void test_single_step(void)
{
	static const unsigned int rings[] = { FIXED_USR, FIXED_OS };

	for (unsigned int i = 0; i < ARRAY_SIZE(rings); i++) {
		counts_prepare(rings[i]);
		exact_gates(true);
		measure_user(stepped, NULL, RFLAGS_TF);
		exact_gates(false);
		if (rings[i] == FIXED_USR)
			counts_check(counts_read(), 22, 11, 0, " of code", "single-stepped");
		else
			counts_check(counts_read(), MEASURE_INSNS + 21, MEASURE_BRANCHES + 21, 21,
				     " of the traps", "single-stepped");
	}
}

/* Reads a counter twice with 3 instructions between: 4 (the first RDPMC is one) later. */
static void test_reading(void)
{
	uint64_t first, second;

	pmu_clear();
	pmu_program_insns(FIXED_OS);
	pmu_enable(0);
	pmu_start();
	__asm__ volatile("rdpmc\n\tmovl %%eax, %%esi\n\tnop\n\tnop\n\trdpmc"
			 : "=S"(first), "=a"(second)
			 : "c"(insns_rdpmc())
			 : "rdx");
	tap_equal(second - first, 4, "RDPMC does not see itself, but the one before");
	__asm__ volatile("rdmsr\n\tmovl %%eax, %%esi\n\tnop\n\tnop\n\trdmsr"
			 : "=S"(first), "=a"(second)
			 : "c"(insns_msr())
			 : "rdx");
	tap_equal(second - first, 4, "RDMSR does not see itself, but the one before");
	__asm__ volatile("xorl %%eax, %%eax\n\txorl %%edx, %%edx\n\twrmsr\n\tnop\n\trdmsr"
			 : "=a"(second)
			 : "c"(insns_msr())
			 : "rdx");
	tap_equal(second, 1, "a WRMSR to a running counter does not add itself to what it wrote");
	pmu_clear();
}

/* Events with CMASK, INV and EDGE: an instruction is 1 cycle, a branch 1 more before it. */
static void test_conditions(void)
{
	/* The counts, in instructions and in branches. */
	const struct {
		const char *name;
		uint64_t selection, insns, branches;
	} cases[] = {
		{ "cycles", EVENT_CYCLES, 1, 1 },
		{ "reference cycles", EVENT_REFERENCE, 1, 1 },
		{ "instructions", EVENT_INSNS, 1, 0 },
		{ "branches", EVENT_BRANCHES, 0, 1 },
		{ "branches, pin control", EVENT_BRANCHES | EVTSEL_PC, 0, 1 },
		{ "INV without CMASK", EVENT_INSNS | EVTSEL_INV, 1, 0 },
		{ "cycles, CMASK 1", EVENT_CYCLES | EVTSEL_CMASK(1), 1, 1 },
		{ "cycles, CMASK 2", EVENT_CYCLES | EVTSEL_CMASK(2), 0, 0 },
		{ "cycles, CMASK 1, INV", EVENT_CYCLES | EVTSEL_CMASK(1) | EVTSEL_INV, 0, 0 },
		{ "cycles, CMASK 2, INV", EVENT_CYCLES | EVTSEL_CMASK(2) | EVTSEL_INV, 1, 1 },
		{ "instructions, CMASK 1", EVENT_INSNS | EVTSEL_CMASK(1), 1, 0 },
		{ "instructions, CMASK 1, INV", EVENT_INSNS | EVTSEL_CMASK(1) | EVTSEL_INV, 0, 1 },
		{ "instructions, CMASK 16, INV", EVENT_INSNS | EVTSEL_CMASK(16) | EVTSEL_INV, 1,
		  1 },
		{ "branches, CMASK 1, INV", EVENT_BRANCHES | EVTSEL_CMASK(1) | EVTSEL_INV, 1, 0 },
		{ "cycles, EDGE", EVENT_CYCLES | EVTSEL_EDGE, 0, 0 },
		{ "instructions, EDGE", EVENT_INSNS | EVTSEL_EDGE, 0, 1 },
		{ "branches, EDGE", EVENT_BRANCHES | EVTSEL_EDGE, 0, 1 },
		{ "instructions, CMASK 1, INV, EDGE",
		  EVENT_INSNS | EVTSEL_CMASK(1) | EVTSEL_INV | EVTSEL_EDGE, 0, 1 },
		{ "an event that is not modelled", 0x412e, 0, 0 },
		{ "mispredicted taken branches, not modelled", 0x00c5, 0, 0 },
		{ "an event that does not exist", 0xffff, 0, 0 },
		{ "a known event with another mask", 0x01c0, 0, 0 },
	};
	const struct sequence *loop = &kernel_sequences[4];

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned int counter = i % config.counters;

		pmu_clear();
		pmu_program(counter, cases[i].selection | EVTSEL_OS | EVTSEL_EN);
		pmu_enable(1ull << counter);
		measure(loop->fn, scratch);
		tap_equal(rdpmc(counter),
			  cases[i].insns * (loop->insns + MEASURE_INSNS) +
				  cases[i].branches * (loop->branches + MEASURE_BRANCHES),
			  "%s", cases[i].name);
	}
}

/* The places where Intel's counters can be switched on; they must be in all of them. */
static void test_enabling(void)
{
	static const struct {
		const char *name;
		uint64_t selection, fixed, global;
		uint64_t general_counts, fixed_counts;
	} cases[] = {
		{ "all switches", EVTSEL_EN | EVTSEL_OS, FIXED_OS, 1 | STATUS_FIXED(0), 1, 1 },
		{ "not EN", EVTSEL_OS, FIXED_OS, 1 | STATUS_FIXED(0), 0, 1 },
		{ "not OS", EVTSEL_EN | EVTSEL_USR, FIXED_USR, 1 | STATUS_FIXED(0), 0, 0 },
		{ "no ring", EVTSEL_EN, 0, 1 | STATUS_FIXED(0), 0, 0 },
		{ "not in GLOBAL_CTRL", EVTSEL_EN | EVTSEL_OS, FIXED_OS, STATUS_FIXED(0), 0, 1 },
		{ "only the general one in GLOBAL_CTRL", EVTSEL_EN | EVTSEL_OS, FIXED_OS, 1, 1, 0 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		pmu_clear();
		wrmsr(MSR_EVTSEL(0), cases[i].selection | EVENT_INSNS);
		wrmsr(MSR_FIXED_CTRL, cases[i].fixed);
		global_enable = cases[i].global;
		measure(kernel_sequences[4].fn, scratch);
		tap_equal(rdpmc(0),
			  cases[i].general_counts * (kernel_sequences[4].insns + MEASURE_INSNS),
			  "%s: general counter", cases[i].name);
		tap_equal(rdpmc(RDPMC_FIXED),
			  cases[i].fixed_counts * (kernel_sequences[4].insns + MEASURE_INSNS),
			  "%s: fixed counter", cases[i].name);
	}
}

void test_counts(void)
{
	for (const struct sequence *s = kernel_sequences; s->name; s++)
		check_kernel(s->fn, s->insns, s->branches, s->exceptions, s->name);
	check_kernel(fetch_fault, 9, 3, 1, "a call to nowhere; handler 6 (1)");
	test_interrupted();
	test_halt();
	test_single_step();
	test_reading();
	test_conditions();
	if (config.amd)
		test_amd_free_running();
	else
		test_enabling();
}
