// SPDX-License-Identifier: BSD-2-Clause
/*
 * test-model.c: events of the model of caches, TLBs and branch prediction, of preset "skylake".
 *
 * The emulator tells its model of each retired instruction's fetches, accesses and branches. The guest
 * knows these numbers by hand (sequences-model.S) and counts them in user mode; what the kernel does
 * meanwhile must not be seen. The model itself has tests of its own: here caches are cold, or one line is
 * accessed again, so that each rule for misses says the same.
 */

#include "pmu.h"

#define EVENT_ALL_LOADS	   0x81d0ull
#define EVENT_ALL_STORES   0x82d0ull
#define EVENT_SPLIT_LOADS  0x41d0ull
#define EVENT_SPLIT_STORES 0x42d0ull
#define EVENT_NEAR_TAKEN   0x20c4ull
#define EVENT_NOT_TAKEN	   0x10c4ull
#define EVENT_CALLS	   0x02c4ull
#define EVENT_LOAD_L1_HIT  0x01d1ull
#define EVENT_LOAD_MEMORY  0x20d1ull
#define EVENT_CODE_L2_MISS 0x2424ull

/* Memory that nothing has used; each test takes its own pages from it. */
#define FRESH		   0x2000000ull
#define WRITABLE	   2
#define CR4_OSFXSR	   0x200
#define RFLAGS_IF	   0x202

struct logged {
	const char *name;
	void (*fn)(void *);
	uint64_t loads, stores, split_loads, split_stores, taken, not_taken, calls;
};
extern const struct logged logged_sequences[];
void loads_in_a_row(void *), cold_loads(void *), cold_string(void *), cold_code(void *);
extern char loads_begin[], cold_loaded[], cold_string_rep[];

/* The entry of the page directories that maps WINDOW. */
static volatile uint64_t *window_entry(void)
{
	uint64_t cr3;
	const uint64_t *table;

	__asm__("movq %%cr3, %0" : "=r"(cr3));
	table = (uint64_t *)(cr3 & ~0xfffull);
	table = (uint64_t *)(table[0] & ~0xfffull);
	table = (uint64_t *)(table[WINDOW >> 30] & ~0xfffull);
	return (uint64_t *)&table[WINDOW >> 21 & 511];
}

static void set_window(uint64_t bits)
{
	*window_entry() = (*window_entry() & ~(uint64_t)WRITABLE) | bits;
	__asm__ volatile("invlpg (%0)" ::"r"((uint64_t)WINDOW) : "memory");
}

/* A store to WINDOW, which cannot be written, is put right; any other fault is of RDI. */
static void page_fault(struct frame *f)
{
	uint64_t address;

	__asm__ volatile("movq %%cr2, %0" : "=r"(address));
	if (address >= WINDOW && address < UNMAPPED)
		set_window(WRITABLE);
	else
		f->rdi = (uint64_t)scratch;
}

/* Maps nothing anew: what the emulator knows of the code stays. */
static uint64_t count_again(uint64_t event, void (*fn)(void *), void *arg)
{
	pmu_clear();
	pmu_program(0, event | EVTSEL_USR | EVTSEL_EN);
	pmu_enable(1);
	measure_user(fn, arg, 2);
	return rdpmc(0);
}

static uint64_t count(uint64_t event, void (*fn)(void *), void *arg)
{
	set_window(0);
	return count_again(event, fn, arg);
}

static void check(const struct logged *l)
{
	const struct {
		uint64_t event, expected;
		const char *what;
	} rows[] = {
		{ EVENT_ALL_LOADS, l->loads, "loads" },
		{ EVENT_ALL_STORES, l->stores, "stores" },
		{ EVENT_SPLIT_LOADS, l->split_loads, "split loads" },
		{ EVENT_SPLIT_STORES, l->split_stores, "split stores" },
		{ EVENT_NEAR_TAKEN, l->taken, "near branches taken" },
		{ EVENT_NOT_TAKEN, l->not_taken, "conditional branches not taken" },
		{ EVENT_CALLS, l->calls, "near calls" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++)
		tap_equal(count(rows[i].event, l->fn, scratch), rows[i].expected, "%s: %s",
			  rows[i].what, l->name);
}

/* The emulator has other translations of the code for loads, which it may filter, than for split stores. */
static void check_again(const struct logged *l)
{
	for (int i = 0; i < 3; i++)
		tap_equal(count_again(EVENT_ALL_LOADS, l->fn, scratch), l->loads,
			  "loads again and again: %s", l->name);
	tap_equal(count_again(EVENT_SPLIT_STORES, l->fn, scratch), l->split_stores,
		  "split stores, right after loads: %s", l->name);
	tap_equal(count_again(EVENT_ALL_LOADS, l->fn, scratch), l->loads,
		  "loads, right after split stores: %s", l->name);
}

static void *fresh(void)
{
	static uint64_t used;

	return (void *)(FRESH + 4096 * used++);
}

static void test_misses(void)
{
	void *page = fresh();

	/* 640 bytes are 10 lines, and the last instruction needs an eleventh. */
	tap_equal(count(EVENT_CODE_L2_MISS, cold_code, NULL), 11, "lines of code that run first");
	tap_equal(count(EVENT_CODE_L2_MISS, cold_code, NULL), 0, "the same lines again");
	tap_equal(count(EVENT_LOAD_MEMORY, cold_loads, page), 8, "loads of 8 cold lines");
	tap_equal(count(EVENT_LOAD_MEMORY, cold_loads, page), 0, "loads of the same lines");
	tap_equal(count(EVENT_LOAD_L1_HIT, cold_loads, page), 8, "these hit the L1");
	/* 8 bytes of one line: the first pass misses. */
	tap_equal(count(EVENT_LOAD_MEMORY, cold_string, fresh()), 1, "passes that miss");
}

/* Two counters at once, and one of the kernel beside them. */
static void test_together(void)
{
	pmu_clear();
	pmu_program(0, EVENT_ALL_LOADS | EVTSEL_USR | EVTSEL_EN);
	pmu_program(1, EVENT_LOAD_MEMORY | EVTSEL_USR | EVTSEL_EN);
	pmu_program(2, EVENT_INSNS | EVTSEL_USR | EVTSEL_EN);
	pmu_program(3, EVENT_ALL_LOADS | EVTSEL_OS | EVTSEL_EN);
	pmu_enable(0xf);
	measure_user(cold_loads, fresh(), 2);
	tap_equal(rdpmc(0), 8, "loads beside others");
	tap_equal(rdpmc(1), 8, "loads from memory beside others");
	tap_equal(rdpmc(2), 1 + 8 * 4 + 1, "instructions beside others");
	/* IRETQ, and two MOVs from memory after leave_user. */
	tap_equal(rdpmc(3), 3, "the kernel's loads beside the program's");
}

static struct {
	unsigned int times;
	uint64_t rip, rdi, rcx;
} pmi;

static void pmi_handler(struct frame *f)
{
	pmu_stop();
	if (!pmi.times++) {
		pmi.rip = f->rip;
		pmi.rdi = f->rdi;
		pmi.rcx = f->rcx;
	}
	*apic_register(APIC_EOI) = 0;
}

static void sample(uint64_t event, uint64_t period, void (*fn)(void *), void *arg)
{
	pmu_clear();
	pmu_program(0, event | EVTSEL_USR | EVTSEL_EN | EVTSEL_INT);
	wrmsr(MSR_A_PMC(0), width_mask() + 1 - period);
	pmu_enable(1);
	pmi.times = 0;
	*apic_register(APIC_LVT_PMI) = VECTOR_PMI;
	measure_user(fn, arg, RFLAGS_IF);
}

static void test_overflows(void)
{
	on_trap(VECTOR_PMI, pmi_handler);
	for (uint64_t period = 1; period <= 8; period++) {
		uint64_t page;

		sample(EVENT_ALL_LOADS, period, loads_in_a_row, scratch);
		tap_equal(pmi.rip, (uint64_t)loads_begin + 3 * period, "PMI after %u loads",
			  period);

		page = (uint64_t)fresh();
		sample(EVENT_LOAD_MEMORY, period, cold_loads, (void *)page);
		tap_ok(pmi.times == 1 && pmi.rip == (uint64_t)cold_loaded &&
			       pmi.rdi == page + 64 * (period - 1),
		       "PMI after %u misses: %u, at %x (+%x), RDI +%x", period, (uint64_t)pmi.times,
		       pmi.rip, (uint64_t)cold_loaded, pmi.rdi - page);

		sample(EVENT_ALL_LOADS, period, cold_string, scratch);
		tap_ok(pmi.times == 1 && pmi.rip == (uint64_t)cold_string_rep &&
			       pmi.rcx == 8 - period,
		       "PMI after %u passes: %u, at %x (%x), RCX %u", period, (uint64_t)pmi.times,
		       pmi.rip, (uint64_t)cold_string_rep, pmi.rcx);
	}
	sample(EVENT_ALL_LOADS, 9, loads_in_a_row, scratch);
	tap_equal(pmi.times, 0, "no PMI after 9 of 8 loads");
}

void test_model(void)
{
	__asm__ volatile("movq %%cr4, %%rax\n\torq %0, %%rax\n\tmovq %%rax, %%cr4" ::"i"(CR4_OSFXSR)
			 : "rax");
	on_trap(VECTOR_PF, page_fault);
	set_gate(VECTOR_LEAVE, leave_user, 3);
	set_gate(VECTOR_RETURN, exact_return, 3);
	for (const struct logged *l = logged_sequences; l->name; l++)
		check(l);
	for (const struct logged *l = logged_sequences; l->name; l++)
		check_again(l);
	set_window(WRITABLE);
	test_misses();
	test_together();
	test_overflows();
}
