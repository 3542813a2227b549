// SPDX-License-Identifier: BSD-2-Clause
/*
 * test-kinds.c: AMD's events of kinds of branches, and of deliveries, one after another.
 *
 * Each sequence's numbers were counted by hand: conditional branches, those of them that are taken, near
 * returns, far branches, and exceptions. All other branches are taken. measure() adds one CALL.
 */

#include "pmu.h"

#define EVENT_TAKEN	   0xc4ull
#define EVENT_RETURNS	   0xc8ull
#define EVENT_CONDITIONAL  0xd1ull
#define EVENT_MISPREDICTED 0xc3ull

struct kinds {
	const char *name;
	uint64_t conditional, taken, returns, far;
};

static const struct kinds kinds[] = {
	{ "an empty function", 0, 0, 1, 0 },
	{ "a taken conditional branch", 1, 1, 1, 0 },
	{ "a conditional branch that is not taken", 1, 0, 1, 0 },
	{ "a loop of 1,000 by DEC and JNZ", 1000, 999, 1, 0 },
	{ "a loop of 1,000 by LOOP", 1000, 999, 1, 0 },
	{ "LOOPE and LOOPNE, JRCXZ taken and not", 4, 2, 1, 0 },
	{ "direct, indirect and register jumps", 0, 0, 1, 0 },
	{ "calls and returns: near, indirect, RET with a number", 0, 0, 4, 0 },
	{ "a far call and a far return", 0, 0, 1, 2 },
	{ "far jump by IRETQ", 0, 0, 1, 1 },
	{ "INT n and INT3 whose handlers return at once", 0, 0, 1, 4 },
	{ "code that changes its own block, 100 times", 100, 99, 1, 0 },
	{ "INT1, whose handler returns at once", 0, 0, 1, 2 },
	{ "2,000 instructions in a row", 0, 0, 1, 0 },
	{ "faulting UD2, not counted; handler 2 (1)", 0, 0, 1, 1 },
	{ "division by zero, not counted; handler 2 (1)", 0, 0, 1, 1 },
	{ "a load that faults, is mended and tried again; handler 3 (1)", 0, 0, 1, 1 },
	{ "a REP STOSB that faults in the middle; handler 3 (1)", 0, 0, 1, 1 },
};

static bool same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static const struct sequence *find(const char *name)
{
	for (const struct sequence *s = kernel_sequences; s->name; s++) {
		if (same(s->name, name))
			return s;
	}
	fatal("there is no sequence %s", name);
}

static uint64_t count(uint64_t event, const struct sequence *s)
{
	pmu_clear();
	pmu_program(0, event | EVTSEL_OS | EVTSEL_EN);
	pmu_enable(1);
	exact_gates(true);
	measure(s->fn, scratch);
	exact_gates(false);
	return rdpmc(0);
}

static void check(const struct kinds *k)
{
	const struct sequence *s = find(k->name);
	uint64_t all = s->branches + MEASURE_BRANCHES;

	tap_equal(count(EVENT_RETURNS, s), k->returns, "near returns: %s", k->name);
	tap_equal(count(EVENT_FAR, s), k->far + s->exceptions, "far transfers: %s", k->name);
	tap_equal(count(EVENT_TAKEN, s), all - k->conditional + k->taken + s->exceptions,
		  "taken branches: %s", k->name);
	if (config.amd >= AMD_CORE)
		tap_equal(count(EVENT_CONDITIONAL, s), k->conditional, "conditional branches: %s",
			  k->name);
	tap_equal(count(EVENT_BRANCHES, s), all + s->exceptions, "branches: %s", k->name);
	tap_equal(count(EVENT_INTERRUPTS, s), 0, "interrupts: %s", k->name);
}

/* All events at once: the counters do not disturb each other. */
static void test_together(void)
{
	const struct kinds *k = &kinds[3];
	const struct sequence *s = find(k->name);
	const uint64_t all = s->branches + MEASURE_BRANCHES;

	pmu_clear();
	pmu_program(0, EVENT_INSNS | EVTSEL_OS | EVTSEL_EN);
	pmu_program(1, EVENT_TAKEN | EVTSEL_OS | EVTSEL_EN);
	pmu_program(2, EVENT_RETURNS | EVTSEL_OS | EVTSEL_EN);
	pmu_program(3, EVENT_FAR | EVTSEL_OS | EVTSEL_EN);
	pmu_enable(0xf);
	measure(s->fn, scratch);
	tap_equal(rdpmc(0), s->insns + MEASURE_INSNS, "instructions beside others");
	tap_equal(rdpmc(1), all - 1, "taken branches beside others");
	tap_equal(rdpmc(2), 1, "near returns beside others");
	tap_equal(rdpmc(3), 0, "far transfers beside others");
}

/* Conditions on cycles see the two cycles of a branch of the kind; a delivery has no cycle. */
static void test_conditions(void)
{
	const struct sequence *loop = find(kinds[3].name),
			      *fault = find("faulting UD2, not counted; handler 2 (1)");
	const uint64_t insns = loop->insns + MEASURE_INSNS,
		       branches = loop->branches + MEASURE_BRANCHES;
	const uint64_t taken = branches - 1;

	tap_equal(count(EVENT_TAKEN | EVTSEL_CMASK(1), loop), taken, "taken branches, CMASK 1");
	tap_equal(count(EVENT_TAKEN | EVTSEL_CMASK(2), loop), 0, "taken branches, CMASK 2");
	tap_equal(count(EVENT_TAKEN | EVTSEL_EDGE, loop), taken, "taken branches, EDGE");
	tap_equal(count(EVENT_TAKEN | EVTSEL_CMASK(1) | EVTSEL_INV, loop), insns + branches - taken,
		  "taken branches, CMASK 1, INV");
	tap_equal(count(EVENT_FAR | EVTSEL_CMASK(1), fault), 1,
		  "far transfers, CMASK 1: IRET, not the exception");
	tap_equal(count(EVENT_MISPREDICTED, loop), 0, "mispredicted branches never happen");
}

static void test_interrupts(void)
{
	uint64_t counted;

	ticks = 0;
	set_gate(VECTOR_TIMER, exact_tick, 0);
	pmu_clear();
	pmu_program(0, EVENT_INTERRUPTS | EVTSEL_OS | EVTSEL_EN);
	pmu_program(1, EVENT_FAR | EVTSEL_OS | EVTSEL_EN);
	pmu_program(2, EVENT_INTERRUPTS | EVTSEL_USR | EVTSEL_EN);
	pmu_enable(7);
	*apic_register(APIC_TIMER_DIVIDE) = 0xb;
	*apic_register(APIC_LVT_TIMER) = VECTOR_TIMER | APIC_TIMER_PERIODIC;
	*apic_register(APIC_TIMER_INITIAL) = 100000;
	pmu_start();
	__asm__ volatile("sti");
	while (ticks < 10)
		__asm__ volatile("pause");
	__asm__ volatile("cli");
	counted = ticks;
	pmu_stop();
	*apic_register(APIC_LVT_TIMER) = APIC_LVT_MASKED;
	*apic_register(APIC_TIMER_INITIAL) = 0;
	__asm__ volatile("sti; nop; cli");
	tap_equal(rdpmc(0), counted, "interrupts");
	tap_equal(rdpmc(1), 2 * counted, "far transfers: each interrupt and its IRET");
	tap_equal(rdpmc(2), 0, "interrupts into user mode");
}

/* An overflow by a delivery: the PMI is at the first instruction of the handler. */
static unsigned int pmis;
static uint64_t pmi_rip;

static void pmi(struct frame *f)
{
	pmu_stop();
	pmis++;
	pmi_rip = f->rip;
}

static void test_overflow(void)
{
	const struct sequence *fault = find("faulting UD2, not counted; handler 2 (1)");

	on_trap(VECTOR_NMI, pmi);
	pmis = 0;
	pmu_clear();
	pmu_program(0, EVENT_FAR | EVTSEL_OS | EVTSEL_EN | EVTSEL_INT);
	wrmsr(MSR_A_PMC(0), width_mask());
	pmu_enable(1);
	*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
	exact_gates(true);
	measure(fault->fn, scratch);
	exact_gates(false);
	tap_equal(pmis, 1, "an exception overflows a counter: one PMI");
	tap_equal(pmi_rip, (uint64_t)exact_skip2,
		  "at the first instruction of the exception's handler");
	on_trap(VECTOR_NMI, NULL);
	pmu_clear();
}

void test_kinds(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++)
		check(&kinds[i]);
	test_together();
	test_conditions();
	test_interrupts();
	test_overflow();
}
