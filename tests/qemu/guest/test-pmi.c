// SPDX-License-Identifier: BSD-2-Clause
/*
 * test-pmi.c: where and how the PMI comes.
 *
 * Where each instruction of a block ends is found out independently, by single-stepping it. Then a
 * counter is set to overflow after every possible number of events, and the address at which the
 * PMI interrupted is compared.
 */

#include "pmu.h"

#define RFLAGS_TF 0x100
#define RFLAGS_IF 0x202
#define MAX_STEPS 1024
#define APIC_IRR  0x200

/* The program counter after so many instructions, and the branches among them. */
struct step {
	uint64_t rip, branches;
};
static struct step steps[MAX_STEPS];
static unsigned int nr_steps;
static bool stepping;

static bool is_branch(const uint8_t *insn)
{
	switch (insn[0]) {
	case 0x70 ... 0x7f: /* Jcc */
	case 0xe0 ... 0xe3: /* LOOP, JRCXZ */
	case 0xe8:	    /* CALL */
	case 0xe9:
	case 0xeb: /* JMP */
	case 0xc3: /* RET */
		return true;
	case 0xff: /* CALL and JMP by register; with other numbers DEC, INC, PUSH */
		return (insn[1] >> 3 & 7) >= 2 && (insn[1] >> 3 & 7) <= 5;
	}
	return false;
}

/* Notes a step, from measure()'s CALL on; ends after fn's RET. */
static void step(struct frame *f)
{
	if (f->rip == (uint64_t)measure_call) {
		stepping = true;
		steps[0] = (struct step){ f->rip, 0 };
		nr_steps = 1;
		return;
	}
	if (!stepping || f->rip == steps[nr_steps - 1].rip)
		return;
	if (nr_steps == MAX_STEPS)
		fatal("the block has more than %u instructions", (uint64_t)MAX_STEPS);
	steps[nr_steps].rip = f->rip;
	steps[nr_steps].branches =
		steps[nr_steps - 1].branches + is_branch((const uint8_t *)steps[nr_steps - 1].rip);
	nr_steps++;
	if (f->rip == (uint64_t)measure_return) {
		stepping = false;
		f->rflags &= ~(uint64_t)RFLAGS_TF;
	}
}

static void trace(void (*fn)(void *))
{
	on_trap(VECTOR_DB, step);
	pmu_clear();
	global_enable = global_disable;
	__asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
	measure(fn, scratch);
	on_trap(VECTOR_DB, NULL);
}

/* The records of the PMI's handler. */
static struct {
	unsigned int times;
	uint64_t rip, status, insns, lvt;
} pmi;

static void pmi_handler(struct frame *f)
{
	pmi.insns = rdpmc(insns_rdpmc());
	pmu_stop();
	pmi.times++;
	pmi.rip = f->rip;
	pmi.status = has_global() ? pmu_status() : 0;
	pmi.lvt = *apic_register(APIC_LVT_PMI);
	if (f->vector == VECTOR_PMI)
		*apic_register(APIC_EOI) = 0;
}

/* Runs fn with general counter 0 overflowing after `period` events, and instructions counted from 0. */
static void sample(void (*fn)(void *), uint64_t selection, uint64_t period, uint32_t lvt)
{
	uint64_t debugctl = rdmsr(MSR_DEBUGCTL);

	pmu_clear();
	wrmsr(MSR_DEBUGCTL, debugctl);
	pmu_program(0, selection | EVTSEL_OS | EVTSEL_EN | EVTSEL_INT);
	wrmsr(MSR_A_PMC(0), width_mask() + 1 - period);
	pmu_program_insns(FIXED_OS);
	pmi.times = 0;
	pmi.rip = 0;
	*apic_register(APIC_LVT_PMI) = lvt;
	pmu_enable(1);
	measure(fn, scratch);
}

/* The number of instructions after which `period` events have happened. */
static unsigned int insns_until(uint64_t event, uint64_t period)
{
	for (unsigned int i = 1; i < nr_steps; i++) {
		uint64_t events = event == EVENT_INSNS	  ? i :
				  event == EVENT_BRANCHES ? steps[i].branches :
							    i + steps[i].branches;

		if (events >= period)
			return i;
	}
	return nr_steps;
}

/* Without global registers there is no status. */
static bool status_is(uint64_t got, uint64_t expected)
{
	return got == (has_global() ? expected : 0);
}

static void test_every_period(uint64_t event, const char *name, uint32_t lvt, const char *delivery)
{
	unsigned int wrong = 0, tried = 0;

	for (uint64_t period = 1;; period++) {
		unsigned int at = insns_until(event, period) + (unsigned int)config.skid;

		if (at >= nr_steps)
			break;
		sample(pmi_block, event, period, lvt);
		tried++;
		if (pmi.times == 1 && pmi.rip == steps[at].rip && status_is(pmi.status, 1) &&
		    !(pmi.lvt & APIC_LVT_MASKED) == !!config.amd)
			continue;
		if (wrong++ < 5)
			print("#   period %u: %u PMIs, at %x instead of %x, status %x, LVT %x\n",
			      period, (uint64_t)pmi.times, pmi.rip, steps[at].rip, pmi.status,
			      (uint64_t)pmi.lvt);
	}
	tap_ok(tried > 10 && wrong == 0, "PMI after every number of %s, %u of them, %s", name,
	       (uint64_t)tried, delivery);
}

static void test_places(void)
{
	const struct {
		uint64_t event;
		const char *name;
	} events[] = {
		{ EVENT_INSNS, "instructions" },
		{ EVENT_BRANCHES, "branches" },
		{ EVENT_CYCLES, "cycles" },
	};

	trace(pmi_block);
	tap_ok(nr_steps > 200, "the block was traced: %u steps", (uint64_t)nr_steps);
	for (unsigned int i = 0; i < ARRAY_SIZE(events); i++)
		test_every_period(events[i].event, events[i].name, APIC_LVT_NMI, "as NMI");
	__asm__ volatile("sti");
	test_every_period(EVENT_INSNS, "instructions", VECTOR_PMI, "by vector");
	__asm__ volatile("cli");
}

/* The mask is RFLAGS.IF: an entry's own mask bit is the report's to judge. */
static void test_disabled(void)
{
	sample(pmi_block, EVENT_INSNS, 50, VECTOR_PMI);
	tap_equal(pmi.times, 0, "by vector with interrupts disabled: not yet");
	__asm__ volatile("sti\n\tnop\n\tcli");
	tap_equal(pmi.times, 1, "but when they are enabled");
}

/* The counter goes on from 0; what is in it afterwards is the rest of the block. */
static void test_wrap(void)
{
	uint64_t total = nr_steps - 1 + MEASURE_INSNS - 1;

	sample(pmi_block, EVENT_INSNS, 100, APIC_LVT_NMI | APIC_LVT_MASKED);
	tap_equal(rdpmc(0), total - 100, "a counter goes on from 0 after its overflow");
	if (!is_version_1())
		tap_equal(rdpmc(insns_rdpmc()), total, "another one beside it is not disturbed");
}

/*
 * Under icount the time stamp is the emulator's own count of instructions: it must not notice that
 * the PMU looks at its counters in the middle.
 */
static uint64_t time_of_block(bool enabled)
{
	uint64_t begin, end;

	pmu_clear();
	pmu_program(0, EVENT_INSNS | EVTSEL_OS | (enabled ? EVTSEL_EN : 0));
	wrmsr(MSR_A_PMC(0), width_mask() - 100);
	pmu_enable(1);
	begin = __builtin_ia32_rdtsc();
	measure(pmi_block, scratch);
	end = __builtin_ia32_rdtsc();
	return end - begin;
}

static void test_time(void)
{
	uint64_t counted = time_of_block(true);

	tap_ok(rdpmc(0) < width_mask() - 100, "a counter overflows without an interrupt");
	if (config.icount)
		tap_equal(counted, time_of_block(false), "which icount does not notice");
}

/* The bit of the status that DEBUGCTL's freeze sets; 0: the freeze clears the global control instead. */
static uint64_t freeze_bit(void)
{
	return config.amd ? AMD_PMC_FREEZE : config.version >= 4 ? STATUS_CTR_FRZ : 0;
}

static void test_freeze(void)
{
	unsigned int insns = 77 + (unsigned int)config.skid;

	wrmsr(MSR_DEBUGCTL, FREEZE_ON_PMI);
	sample(pmi_block, EVENT_INSNS, 77, APIC_LVT_NMI);
	if (!has_global()) {
		tap_ok(pmi.insns > insns,
		       "no freeze without global registers: the handler is counted");
		pmu_clear();
		return;
	}
	tap_equal(pmi.insns, insns, "frozen on PMI: the handler is not counted");
	if (freeze_bit()) {
		pmu_start();
		tap_equal(rdpmc(insns_rdpmc()), insns,
			  "a write of the global control does not thaw");
		pmu_clear_status(freeze_bit());
	}
	pmu_clear();
}

/* The second instruction overflows the counter, and halts; the PMI wakes the CPU. */
static void test_halt(void)
{
	sample(halting, EVENT_INSNS, 2, APIC_LVT_NMI);
	tap_equal(pmi.rip, (uint64_t)halting_end, "HLT that overflows: the PMI comes and wakes");
	tap_equal(pmi.times, 1, "once");
}

/* The call to nowhere overflows the counter: the PMI comes before the fault on fetching. */
static uint64_t fault_after_pmi;

static void come_back(struct frame *f)
{
	fault_after_pmi = pmi.times;
	f->rip = *(uint64_t *)f->rsp;
	f->rsp += 8;
}

static void test_fetch_fault(void)
{
	on_trap(VECTOR_PF, come_back);
	sample(fetch_fault, EVENT_INSNS, 3, APIC_LVT_NMI);
	on_trap(VECTOR_PF, NULL);
	tap_equal(pmi.rip, UNMAPPED, "the PMI of a call to nowhere is at its target");
	tap_equal(fault_after_pmi, 1, "and comes before the fault");
}

/* A timer is pending while interrupts are disabled; both come at the same boundary. */
static unsigned int pmis_before_tick;

static void tick(struct frame *f)
{
	(void)f;
	pmis_before_tick = pmi.times;
	ticks++;
	*apic_register(APIC_EOI) = 0;
}

static void test_pending_interrupt(void)
{
	ticks = 0;
	on_trap(VECTOR_TIMER, tick);
	*apic_register(APIC_TIMER_DIVIDE) = 0xb;
	*apic_register(APIC_LVT_TIMER) = VECTOR_TIMER;
	*apic_register(APIC_TIMER_INITIAL) = 1000;
	while (!(*apic_register(APIC_IRR + 0x10 * (VECTOR_TIMER / 32)) & 1u << VECTOR_TIMER % 32))
		;
	/* CALL, STI, NOP: the timer may come after the third. */
	sample(opening, EVENT_INSNS, 3, APIC_LVT_NMI);
	tap_equal(pmi.rip, (uint64_t)opening_end, "PMI where a device interrupts too");
	tap_equal(ticks, 1, "the device's interrupt comes as well");
	tap_equal(pmis_before_tick, 1, "after the PMI");
	on_trap(VECTOR_TIMER, NULL);
	*apic_register(APIC_LVT_TIMER) = APIC_LVT_MASKED;
}

/* In user mode, by a counter of user mode only; the kernel between is not counted. */
static void test_user(void)
{
	unsigned int wrong = 0;

	set_gate(VECTOR_LEAVE, leave_user, 3);
	for (uint64_t period = 1; period + config.skid < nr_steps - 1; period += 7) {
		pmu_clear();
		pmu_program(0, EVENT_INSNS | EVTSEL_USR | EVTSEL_EN | EVTSEL_INT);
		wrmsr(MSR_A_PMC(0), width_mask() + 1 - period);
		pmi.times = 0;
		*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
		pmu_enable(1);
		measure_user(user_block, scratch, 2);
		if (pmi.times != 1 || pmi.rip != steps[period + config.skid].rip) {
			if (wrong++ < 5)
				print("#   period %u: %u PMIs, at %x instead of %x\n", period,
				      (uint64_t)pmi.times, pmi.rip,
				      steps[period + config.skid].rip);
		}
	}
	tap_equal(wrong, 0, "wrong PMIs of user mode");
}

/* Two counters overflow on the same instruction, a third on another and without an interrupt. */
static void test_together(void)
{
	const uint64_t start = width_mask() + 1;
	uint64_t others;

	pmu_clear();
	pmu_program(0, EVENT_INSNS | EVTSEL_OS | EVTSEL_EN | EVTSEL_INT);
	wrmsr(MSR_A_PMC(0), start - 60);
	pmu_program_insns(FIXED_OS);
	wrmsr(insns_msr(), start - 60);
	if (config.amd) {
		pmu_program(2, EVENT_CYCLES | EVTSEL_OS | EVTSEL_EN);
		wrmsr(MSR_A_PMC(2), start - 30);
		pmu_program(1, EVENT_INSNS | EVTSEL_OS | EVTSEL_EN | EVTSEL_INT);
		pmu_enable(1 | 4);
		others = 2 | 4;
	} else {
		wrmsr(MSR_FIXED(1), start - 30);
		wrmsr(MSR_FIXED_CTRL, FIXED_OS << 4 | FIXED_OS | FIXED_PMI);
		others = STATUS_FIXED(0) | STATUS_FIXED(1);
		global_enable = 1 | others;
	}
	pmi.times = 0;
	*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
	measure(pmi_block, scratch);
	tap_equal(pmi.times, 1, "two counters overflow together: one PMI");
	tap_equal(pmi.rip, steps[60 + config.skid].rip, "where they do");
	if (has_global())
		tap_equal(pmi.status, 1 | others, "with the bits of both, and that of one before");
}

/* As on Linux, each PMI starts the next period. No instruction of the handler is counted. */
#define SAMPLE_PERIOD 10

static unsigned int nr_samples, nr_samples_wrong;

static void resample(struct frame *f)
{
	unsigned int at = ++nr_samples * SAMPLE_PERIOD;

	if (at >= nr_steps || f->rip != steps[at].rip)
		nr_samples_wrong++;
	wrmsr(MSR_A_PMC(0), width_mask() + 1 - SAMPLE_PERIOD);
	if (has_global())
		pmu_clear_status(1);
	if (!config.amd)
		*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
}

static void tick_often(struct frame *f)
{
	(void)f;
	ticks++;
	*apic_register(APIC_EOI) = 0;
}

/* Rounds of sampling in user mode, which a timer interrupts as often as it can. */
static void test_sampling(void)
{
	unsigned int rounds = 0, expected = 0;

	on_trap(VECTOR_NMI, resample);
	on_trap(VECTOR_TIMER, tick_often);
	nr_samples_wrong = 0;
	ticks = 0;
	*apic_register(APIC_TIMER_DIVIDE) = 0xb;
	*apic_register(APIC_LVT_TIMER) = VECTOR_TIMER | APIC_TIMER_PERIODIC;
	*apic_register(APIC_TIMER_INITIAL) = 20000;
	for (; rounds < 200 || ticks < 20; rounds++) {
		pmu_clear();
		pmu_program(0, EVENT_INSNS | EVTSEL_USR | EVTSEL_EN | EVTSEL_INT);
		wrmsr(MSR_A_PMC(0), width_mask() + 1 - SAMPLE_PERIOD);
		nr_samples = 0;
		*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
		pmu_enable(1);
		measure_user(user_block, scratch, RFLAGS_IF);
		/* As many as steps: what the trace has from CALL to RET, and INT. */
		expected = nr_steps / SAMPLE_PERIOD;
		if (nr_samples != expected ||
		    rdpmc(0) != width_mask() + 1 - SAMPLE_PERIOD + nr_steps % SAMPLE_PERIOD)
			nr_samples_wrong++;
	}
	*apic_register(APIC_LVT_TIMER) = APIC_LVT_MASKED;
	*apic_register(APIC_TIMER_INITIAL) = 0;
	/* One that came since is pending, and would be the next test's. */
	__asm__ volatile("sti; nop; cli");
	on_trap(VECTOR_TIMER, NULL);
	on_trap(VECTOR_NMI, pmi_handler);
	tap_equal(nr_samples_wrong, 0, "wrong samples of rounds of %u, while a timer interrupts",
		  (uint64_t)expected);
}

void test_pmi(void)
{
	on_trap(VECTOR_NMI, pmi_handler);
	on_trap(VECTOR_PMI, pmi_handler);
	test_places();
	test_disabled();
	test_wrap();
	test_time();
	if (!is_version_1())
		test_freeze();
	test_halt();
	test_user();
	/* One WRMSR starts one counter only. */
	if (!is_version_1())
		test_together();
	if (config.skid == 0) {
		test_sampling();
		test_fetch_fault();
		test_pending_interrupt();
	}
}
