// SPDX-License-Identifier: BSD-2-Clause
/* test-pebs.c: precise sampling: each record is of the very instruction that overflowed, with the registers after it. */

#include "pebs.h"

#include "faults.h"

#define PERIOD	   100
#define LOOP_INSNS 2007 /* with what measure() does beside it */
#define DEC	   5	/* offsets in the loop */
#define JNZ	   7

struct pebs_record pebs_records[PEBS_RECORDS];
struct pebs_area pebs_area;
struct pebs_run pebs_pmi;

static uint64_t records(void)
{
	return (pebs_area.index - pebs_area.base) / sizeof(pebs_records[0]);
}

static void handler(struct frame *f)
{
	(void)f;
	if (!pebs_pmi.times++) {
		pebs_pmi.status = pmu_status();
		pebs_pmi.records = (unsigned int)records();
	}
	pmu_stop();
}

static void prepare(uint64_t selection, uint64_t period, unsigned int room, unsigned int threshold,
		    uint32_t lvt)
{
	pmu_clear();
	on_trap(VECTOR_NMI, handler);
	pebs_pmi = (struct pebs_run){ 0 };
	for (unsigned int i = 0; i < PEBS_RECORDS; i++)
		pebs_records[i] = (struct pebs_record){ 0 };
	pebs_area.base = pebs_area.index = (uint64_t)pebs_records;
	pebs_area.maximum = pebs_area.base + room * sizeof(pebs_records[0]);
	pebs_area.threshold = pebs_area.base + threshold * sizeof(pebs_records[0]);
	pebs_area.reset[0] = width_mask() + 1 - period;
	wrmsr(MSR_DS_AREA, (uint64_t)&pebs_area);
	wrmsr(MSR_PEBS_ENABLE, 1);
	pmu_program(0, selection | EVTSEL_EN | EVTSEL_INT);
	wrmsr(MSR_A_PMC(0), pebs_area.reset[0]);
	*apic_register(APIC_LVT_PMI) = lvt;
	pmu_enable(1);
}

void (*pebs_loop(void))(void *)
{
	return sequence(kernel_sequences, "a loop of 1,000 by DEC")->fn;
}

uint64_t pebs_sample(void (*fn)(void *), uint64_t event, uint64_t period, unsigned int room,
		     unsigned int threshold, uint32_t lvt)
{
	prepare(event | EVTSEL_OS, period, room, threshold, lvt);
	measure(fn, scratch);
	wrmsr(MSR_PEBS_ENABLE, 0);
	return records();
}

/* Where instruction `number` of the loop's measurement is, from 1: CALL, MOV, then DEC and JNZ in turns. */
static uint64_t address_of(uint64_t number)
{
	uint64_t loop = (uint64_t)pebs_loop();

	return number == 1 ? (uint64_t)measure_call :
	       number == 2 ? loop :
			     loop + (number & 1 ? DEC : JNZ);
}

static void test_instructions(uint64_t period)
{
	unsigned int wrong = 0;
	uint64_t made = pebs_sample(pebs_loop(), EVENT_INSNS, period, PEBS_RECORDS,
				    PEBS_RECORDS + 1, APIC_LVT_NMI);

	tap_equal(made, LOOP_INSNS / period, "records, one each %u instructions", period);
	for (unsigned int i = 0; i < made; i++) {
		const struct pebs_record *r = &pebs_records[i];
		uint64_t number = (i + 1) * period;

		/* The last instructions are measure()'s own, and JNZ goes on once. */
		if (number >= 2002)
			continue;
		if (r->eventing_ip != address_of(number) || r->ip != address_of(number + 1) ||
		    (uint32_t)r->cx != 1000 - (number - 1) / 2 || r->counters != 1)
			wrong++;
	}
	tap_equal(wrong, 0, "records that do not name their instruction, the next, and ECX");
	tap_equal(rdmsr(MSR_A_PMC(0)), width_mask() + 1 - period + LOOP_INSNS % period,
		  "the counter, which has started again each time");
	tap_equal(pebs_pmi.times, 0, "PMIs below the threshold");
	tap_equal(pmu_status(), 0, "the status of a counter that makes records");
}

static void test_branches(void)
{
	unsigned int wrong = 0;
	uint64_t made = pebs_sample(pebs_loop(), EVENT_BRANCHES, 50, PEBS_RECORDS, PEBS_RECORDS + 1,
				    APIC_LVT_NMI);

	/* CALL, 1,000 times JNZ, RET. */
	tap_equal(made, 20, "records, one each 50 branches");
	for (unsigned int i = 0; i < made; i++)
		if (pebs_records[i].eventing_ip != (uint64_t)pebs_loop() + JNZ)
			wrong++;
	tap_equal(wrong, 0, "records that do not name the loop's branch");
}

static void test_threshold(void)
{
	pebs_sample(pebs_loop(), EVENT_INSNS, PERIOD, PEBS_RECORDS, 5, APIC_LVT_NMI);
	tap_equal(pebs_pmi.times, 1, "PMIs at the threshold");
	tap_equal(pebs_pmi.records, 5, "records at the PMI");
	tap_equal(pebs_pmi.status, STATUS_OVF_BUF, "the status at the PMI");
	tap_equal(pebs_sample(pebs_loop(), EVENT_INSNS, PERIOD, 3, PEBS_RECORDS, APIC_LVT_NMI), 3,
		  "records up to the maximum");
	tap_equal(pebs_records[3].eventing_ip, 0, "what is after the maximum");
}

/* The SYSCALL retires in ring 3, and the next instruction is the kernel's. */
static void test_user(void)
{
	const struct sequence *calls = sequence(user_sequences, "SYSCALL 10 times");

	prepare(EVENT_INSNS | EVTSEL_USR, 2, PEBS_RECORDS, PEBS_RECORDS + 1, APIC_LVT_MASKED);
	exact_gates(true);
	measure_user(calls->fn, scratch, 2);
	exact_gates(false);
	wrmsr(MSR_PEBS_ENABLE, 0);
	tap_equal(records(), 16, "records, one each 2 instructions in user mode");
	tap_equal(pebs_records[0].eventing_ip, (uint64_t)calls->fn + 5, "SYSCALL's own address");
	tap_equal(pebs_records[0].ip, (uint64_t)exact_sysret, "the instruction after SYSCALL");
}

static void test_bad_areas(void)
{
	static const uint64_t bad[] = { UNMAPPED, UNMAPPED - 8, 1ull << 62, ~7ull };

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		prepare(EVENT_INSNS | EVTSEL_OS, PERIOD, PEBS_RECORDS, 1, APIC_LVT_NMI);
		wrmsr(MSR_DS_AREA, bad[i]);
		measure(pebs_loop(), scratch);
		tap_equal(pebs_pmi.times, 0, "PMIs with an area at %x, which is no memory", bad[i]);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		prepare(EVENT_INSNS | EVTSEL_OS, PERIOD, PEBS_RECORDS, 1, APIC_LVT_NMI);
		pebs_area.index = bad[i];
		pebs_area.maximum = ~0ull;
		measure(pebs_loop(), scratch);
		tap_equal(pebs_area.index, bad[i], "the index, where records are no memory");
	}
	wrmsr(MSR_PEBS_ENABLE, 0);
}

void test_pebs(void)
{
	uint32_t regs[4];

	cpuid(1, regs);
	tap_ok(regs[3] >> 21 & 1 && regs[2] >> 2 & 1, "CPUID announces DS and its 64-bit format");
	tap_equal(rdmsr(MSR_PERF_CAPABILITIES), CAP_FW_WRITE | CAP_PEBS, "the format of records");
	tap_ok(wrmsr_faults(MSR_PEBS_ENABLE, 1ull << 32), "a reserved bit of PEBS_ENABLE faults");
	test_instructions(PERIOD);
	test_instructions(37);
	test_branches();
	test_threshold();
	test_user();
	test_bad_areas();
}
