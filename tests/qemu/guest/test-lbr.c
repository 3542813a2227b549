// SPDX-License-Identifier: BSD-2-Clause
/* test-lbr.c: the last branch records, entry by entry, with their cycles. */

#include "lbr.h"

#include "faults.h"

#define START 28 /* the ring wraps in the middle */

uint64_t lbr_record(void (*fn)(uint32_t), uint64_t debugctl, uint64_t select, uint64_t top)
{
	pmu_clear();
	wrmsr(MSR_LBR_SELECT, select);
	wrmsr(MSR_LBR_TOP, top);
	exact_gates(true);
	fn((uint32_t)debugctl);
	exact_gates(false);
	return rdmsr(MSR_LBR_TOP);
}

uint64_t lbr_record_user(const struct sequence *s, uint64_t select)
{
	pmu_clear();
	wrmsr(MSR_LBR_SELECT, select);
	wrmsr(MSR_LBR_TOP, 0);
	measure_switch = MSR_DEBUGCTL;
	global_enable = DEBUGCTL_LBR;
	global_disable = 0;
	exact_gates(true);
	measure_user(s->fn, scratch, 2);
	exact_gates(false);
	return rdmsr(MSR_LBR_TOP);
}

static struct {
	unsigned int times;
	uint64_t status, debugctl;
} pmi;

static void pmi_handler(struct frame *f)
{
	(void)f;
	pmi.status = pmu_status();
	pmi.debugctl = rdmsr(MSR_DEBUGCTL);
	pmu_stop();
	wrmsr(MSR_DEBUGCTL, 0);
	pmi.times++;
}

uint64_t lbr_overflow(uint64_t period, uint64_t debugctl)
{
	const struct sequence *loop = sequence(kernel_sequences, "a loop of 1,000 by DEC");

	pmu_clear();
	on_trap(VECTOR_NMI, pmi_handler);
	pmu_program(0, EVENT_BRANCHES | EVTSEL_OS | EVTSEL_EN | EVTSEL_INT);
	wrmsr(MSR_A_PMC(0), width_mask() + 1 - period);
	pmu_enable(1);
	wrmsr(MSR_LBR_SELECT, 0);
	wrmsr(MSR_LBR_TOP, 0);
	pmi.times = 0;
	*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
	wrmsr(MSR_DEBUGCTL, debugctl);
	measure(loop->fn, scratch);
	wrmsr(MSR_DEBUGCTL, 0);
	return pmi.status;
}

/* Compares what follows entry START with `expected`, less what `select` leaves out. */
static void check(const struct lbr_entry *expected, uint64_t select, uint64_t top, const char *what)
{
	unsigned int wrong = 0, number = 0;

	for (const struct lbr_entry *e = expected; e->from; e++) {
		if (select & 1u << e->kind)
			continue;
		number++;
		unsigned int i = (START + number) % LBR_DEPTH;
		uint64_t from = rdmsr(MSR_LBR_FROM(i)), to = rdmsr(MSR_LBR_TO(i));
		uint64_t cycles = rdmsr(MSR_LBR_INFO(i));

		/* The cycles of branches that were left out are the next entry's. */
		if (from == e->from && to == e->to &&
		    (cycles == e->cycles || (select && cycles > e->cycles)))
			continue;
		wrong++;
		print("#   entry %u: expected %x to %x, cycles %u, got %x to %x, cycles %u\n",
		      (uint64_t)number, e->from, e->to, e->cycles, from, to, cycles);
	}
	tap_equal(wrong, 0, "entries of %s that are wrong", what);
	tap_equal(top, (START + number) % LBR_DEPTH, "the top of the stack after %s", what);
}

static void test_kinds_of_branches(void)
{
	check(lbr_kinds_entries, 0, lbr_record(lbr_kinds, DEBUGCTL_LBR, 0, START),
	      "branches of all kinds");
	for (unsigned int kind = 2; kind <= 8; kind++)
		check(lbr_kinds_entries, 1ull << kind,
		      lbr_record(lbr_kinds, DEBUGCTL_LBR, 1ull << kind, START),
		      "branches of all kinds but one");
	tap_equal(lbr_record(lbr_kinds, DEBUGCTL_LBR, LBR_KINDS, START), START,
		  "the top where all kinds are left out");
	tap_equal(lbr_record(lbr_kinds, DEBUGCTL_LBR, LBR_NOT_KERNEL, START), START,
		  "the top where ring 0 is left out");
	tap_equal(lbr_record(lbr_kinds, 0, 0, START), START, "the top without DEBUGCTL.LBR");
	check(lbr_debug_entries, 0, lbr_record(lbr_debug, DEBUGCTL_LBR, 0, START),
	      "a debug exception");
	tap_equal(rdmsr(MSR_DEBUGCTL), 0, "DEBUGCTL after a debug exception");
}

static void test_call_stack(void)
{
	const uint64_t select = LBR_CALLSTACK | (LBR_KINDS & ~0x38ull);

	check(lbr_nested_entries, 0, lbr_record(lbr_nested, DEBUGCTL_LBR, select, START),
	      "calls that have not returned");
}

static void test_user_rings(void)
{
	const struct sequence *calls = sequence(user_sequences, "SYSCALL 10 times");

	/* IRETQ; 10 times SYSCALL, SYSRET, and JNZ, which is taken but for the last time; INT. */
	tap_equal(lbr_record_user(calls, 0), 31, "entries in all rings");
	tap_equal(lbr_record_user(calls, LBR_NOT_KERNEL), 20, "entries that end in ring 3");
	tap_equal(lbr_record_user(calls, LBR_NOT_USER), 11, "entries that end in ring 0");
	tap_equal(rdmsr(MSR_LBR_TO(11)), (uint64_t)leave_user, "the target of the last of these");
	tap_equal(lbr_record_user(calls, LBR_NOT_KERNEL | LBR_NOT_FAR), 9,
		  "entries that begin and end in ring 3");
}

static void test_freeze(void)
{
	uint64_t top = 0;

	/* The call of measure(), its own call, and the loop's branches. */
	for (uint64_t period = 5; period < 8; period++) {
		lbr_overflow(period, DEBUGCTL_LBR | FREEZE_LBR_ON_PMI);
		top = rdmsr(MSR_LBR_TOP);
		tap_equal(pmi.times, 1, "PMIs with the records on");
		tap_equal(top, period + 1, "the top that a PMI froze after %u branches", period);
		tap_ok(rdmsr(MSR_LBR_FROM(top)) == rdmsr(MSR_LBR_TO(top)) + 2,
		       "the newest entry is the loop's, whose DEC has 2 bytes");
	}
	if (config.version >= 4) {
		tap_equal(pmi.status, 1 | STATUS_LBR_FRZ, "the status with the freeze");
		tap_equal(pmi.debugctl, DEBUGCTL_LBR | FREEZE_LBR_ON_PMI, "DEBUGCTL at a freeze");
		wrmsr(MSR_DEBUGCTL, DEBUGCTL_LBR);
		tap_equal(rdmsr(MSR_LBR_TOP), top, "the top while the status says frozen");
		pmu_clear_status(STATUS_LBR_FRZ);
		wrmsr(MSR_DEBUGCTL, 0);
	} else {
		tap_equal(pmi.status, 1, "the status, which has no freeze");
		tap_equal(pmi.debugctl, FREEZE_LBR_ON_PMI, "DEBUGCTL at a freeze");
	}
	lbr_overflow(5, DEBUGCTL_LBR);
	tap_equal(pmi.debugctl, DEBUGCTL_LBR, "DEBUGCTL at a PMI without a freeze");
	tap_ok(rdmsr(MSR_LBR_TOP) > 6, "without a freeze the handler is recorded");
}

static void test_lbr_registers(void)
{
	uint64_t value;

	tap_equal(rdmsr(MSR_PERF_CAPABILITIES), CAP_FW_WRITE | 5, "the format that is announced");
	tap_ok(wrmsr_faults(MSR_LBR_TOP, LBR_DEPTH), "a top past the last entry faults");
	tap_ok(wrmsr_faults(MSR_LBR_SELECT, 1ull << 10), "a reserved bit of LBR_SELECT faults");
	tap_ok(wrmsr_faults(MSR_LBR_INFO(0), 1ull << 16), "a reserved bit of LBR_INFO faults");
	for (unsigned int i = 0; i < LBR_DEPTH; i++) {
		wrmsr(MSR_LBR_FROM(i), 0xffff800000000000 + i);
		wrmsr(MSR_LBR_TO(i), 0x10000 + i);
		wrmsr(MSR_LBR_INFO(i), 0x100 + i);
	}
	for (unsigned int i = 0; i < LBR_DEPTH; i++)
		if (rdmsr(MSR_LBR_FROM(i)) != 0xffff800000000000 + i ||
		    rdmsr(MSR_LBR_TO(i)) != 0x10000 + i || rdmsr(MSR_LBR_INFO(i)) != 0x100 + i)
			tap_ok(false, "entry %u keeps what is written", (uint64_t)i);
	tap_ok(rdmsr_faults(0x6a0, &value) == rdmsr_faults(0x67f, &value),
	       "registers beside the stack are none of it");
}

void test_lbr(void)
{
	test_lbr_registers();
	test_kinds_of_branches();
	test_call_stack();
	test_user_rings();
	test_freeze();
}
