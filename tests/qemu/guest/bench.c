// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench.c: known work of several kinds, for qemu/bench to measure on the host; alone, while it is
 * counted, while it is sampled, and while taken branches are counted, which AMD's PMU tells apart. It also runs
 * on an emulator without a PMU, alone.
 */

#include "pmu.h"

#define SAMPLE_PERIOD 100000

#define EVENT_TAKEN   0xc4ull /* AMD's */

/* The numbers are qemu/bench's; 3 and 4 are the Alpha's. */
enum mode { ALONE, COUNTED, SAMPLED, KINDS = 5 };

static volatile uint64_t sink;

/* Integer arithmetic with branches that go both ways: lengths of Collatz sequences. */
static void branches(void)
{
	uint64_t sum = 0;

	for (uint64_t start = 1; start < 3000; start++) {
		for (uint64_t n = start; n != 1; sum++)
			n = n & 1 ? 3 * n + 1 : n / 2;
	}
	sink = sum;
}

/* Loads and stores with a stride, 64 KiB over and over. */
static void memory(void)
{
	uint64_t *words = (uint64_t *)(void *)scratch;
	uint64_t sum = 0;

	for (unsigned int pass = 0; pass < 40; pass++) {
		for (unsigned int i = 0; i < 8192; i++) {
			sum += words[(i * 67) & 8191];
			words[i] = sum;
		}
	}
	sink = sum;
}

/* Calls and returns: Fibonacci numbers by recursion. */
static __attribute__((noinline)) uint64_t fibonacci(unsigned int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void calls(void)
{
	sink = fibonacci(24);
}

/* Calls through pointers, so that the next block is looked up. */
static __attribute__((noinline)) uint64_t add(uint64_t n)
{
	return n + 1;
}

static __attribute__((noinline)) uint64_t twice(uint64_t n)
{
	return n * 2;
}

static uint64_t (*volatile const operations[])(uint64_t) = { add, twice, add, add };

static void pointers(void)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < 60000; i++)
		n = operations[i & 3](n);
	sink = n;
}

/* String instructions, short and long. */
static void strings(void)
{
	for (unsigned int i = 0; i < 4000; i++) {
		void *to = scratch, *from = scratch + 65536;
		uint64_t length = i % 8 ? i % 64 : 4096;

		__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(length)::"memory");
	}
}

/* In and out of the kernel, while only user mode is counted. */
static void rings(void)
{
	measure_user(system_calls, scratch, 2);
}

static const struct {
	void (*work)(void);
	unsigned int rings;
} kinds[] = {
	{ branches, FIXED_OS }, { memory, FIXED_OS },  { calls, FIXED_OS },
	{ pointers, FIXED_OS }, { strings, FIXED_OS }, { rings, FIXED_USR },
};

static volatile uint64_t samples;

static void take_sample(struct frame *f)
{
	(void)f;
	samples++;
	if (config.amd) {
		wrmsr(MSR_A_PMC(0), width_mask() + 1 - SAMPLE_PERIOD);
		pmu_clear_status(1);
		return;
	}
	wrmsr(MSR_FIXED(0), width_mask() + 1 - SAMPLE_PERIOD);
	pmu_clear_status(STATUS_FIXED(0));
	*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
}

/* Lets the counter of instructions, which counts_prepare has programmed, begin a sample. */
static void prepare_samples(unsigned int rings)
{
	if (config.amd) {
		pmu_program(0, rdmsr(MSR_EVTSEL(0)) | EVTSEL_INT);
		wrmsr(MSR_A_PMC(0), width_mask() + 1 - SAMPLE_PERIOD);
	} else {
		wrmsr(MSR_FIXED(0), width_mask() + 1 - SAMPLE_PERIOD);
		wrmsr(MSR_FIXED_CTRL, rings * 0x111 | FIXED_PMI);
	}
}

void bench(void)
{
	if (config.kind >= ARRAY_SIZE(kinds))
		fatal("there is no kind %u of work", config.kind);
	set_gate(VECTOR_LEAVE, leave_user, 3);
	if (config.mode != ALONE) {
		counts_prepare(kinds[config.kind].rings);
		on_trap(VECTOR_NMI, take_sample);
		*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
		if (config.mode == SAMPLED)
			prepare_samples(kinds[config.kind].rings);
		if (config.mode == KINDS)
			pmu_program(3, (rdmsr(MSR_EVTSEL(3)) & ~0xffull) | EVENT_TAKEN);
		pmu_start();
	}
	for (uint64_t i = 0; i < config.rounds; i++)
		kinds[config.kind].work();
	if (config.mode != ALONE)
		pmu_stop();
	switch (config.mode) {
	case ALONE:
		tap_ok(true, "the work is done");
		break;
	case COUNTED:
	case KINDS:
		tap_ok(counts_read().insns > config.rounds, "the work is done and was counted");
		break;
	default:
		tap_ok(samples > 0, "the work is done and was sampled %u times", samples);
	}
}
