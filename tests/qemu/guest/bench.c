// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench.c: known work of several kinds, for qemu/bench to measure on the host; alone, while it is
 * counted, and while it is sampled. It also runs on an emulator without a PMU, alone.
 */

#include "pmu.h"

#define SAMPLE_PERIOD 100000

enum mode { ALONE, COUNTED, SAMPLED };

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
	wrmsr(MSR_FIXED(0), width_mask() + 1 - SAMPLE_PERIOD);
	wrmsr(MSR_GLOBAL_OVF_CTRL, STATUS_FIXED(0));
	*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
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
		if (config.mode == SAMPLED) {
			wrmsr(MSR_FIXED(0), width_mask() + 1 - SAMPLE_PERIOD);
			wrmsr(MSR_FIXED_CTRL, kinds[config.kind].rings * 0x111 | FIXED_PMI);
		}
		wrmsr(MSR_GLOBAL_CTRL, global_enable);
	}
	for (uint64_t i = 0; i < config.rounds; i++)
		kinds[config.kind].work();
	wrmsr(MSR_GLOBAL_CTRL, 0);
	switch (config.mode) {
	case ALONE:
		tap_ok(true, "the work is done");
		break;
	case COUNTED:
		tap_ok(rdmsr(MSR_FIXED(0)) > config.rounds, "the work is done and was counted");
		break;
	default:
		tap_ok(samples > 0, "the work is done and was sampled %u times", samples);
	}
}
