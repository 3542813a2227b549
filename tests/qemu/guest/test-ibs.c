// SPDX-License-Identifier: BSD-2-Clause
/*
 * test-ibs.c: instruction-based sampling: each instruction of a run, by each kind of count, with its addresses; the
 * registers, and the interrupt by the APIC's extended entry.
 */

#include "ibs.h"

#include "faults.h"

#define MAXIMUM	       2 /* units of 16: more than the run has instructions */
#define FAR	       0x1000
#define LEAF_IBS       0x8000001b
#define LEAF_FEATURES  0x80000001
#define EXTENDED_APIC  3 /* bits of its ECX */
#define IBS_ANNOUNCED  10

/* IbsOpData and IbsOpData3. */
#define DATA_CYCLES(n) ((uint64_t)(n) << 16)
#define DATA_RETURN    (1ull << 34)
#define DATA_TAKEN     (1ull << 35)
#define DATA_BRANCH    (1ull << 37)
#define DATA3_LOAD     (1ull << 0)
#define DATA3_STORE    (1ull << 1)
#define DATA3_VALID    (3ull << 17) /* both addresses */
#define DATA3_WIDTH    22

struct ibs_nmis ibs_nmis;

static void handler(struct frame *f)
{
	ibs_nmis.times++;
	ibs_nmis.rip = f->rip;
}

void ibs_open(bool open)
{
	on_trap(VECTOR_NMI, handler);
	*apic_register(APIC_EXTENDED_LVT0) = APIC_LVT_NMI | (open ? 0 : APIC_LVT_MASKED);
}

uint64_t ibs_sample(unsigned int number)
{
	return ibs_run(OP_ENABLE | OP_DISPATCHED | MAXIMUM | OP_COUNT(16 * MAXIMUM - number),
		       MSR_IBS_OP_CTL, scratch);
}

static uint64_t data_of(const struct ibs_place *p)
{
	return DATA_CYCLES(p->kind & IBS_BRANCH ? 2 : 1) |
	       (p->kind & IBS_BRANCH ? DATA_BRANCH : 0) | (p->kind & IBS_TAKEN ? DATA_TAKEN : 0) |
	       (p->kind & IBS_RETURN ? DATA_RETURN : 0);
}

static uint64_t data3_of(const struct ibs_place *p)
{
	uint64_t width = p->size == 8 ? 4 : p->size == 4 ? 3 : p->size;

	if (!(p->kind & (IBS_LOAD | IBS_STORE)))
		return 0;
	return (p->kind & IBS_LOAD ? DATA3_LOAD : 0) | (p->kind & IBS_STORE ? DATA3_STORE : 0) |
	       DATA3_VALID | width << DATA3_WIDTH;
}

static uint64_t address_of(const struct ibs_place *p)
{
	if (!p->size)
		return 0;
	return p->offset > IBS_STACK / 2 ? ibs_stack - (IBS_STACK - p->offset) :
					   (uint64_t)scratch + p->offset;
}

/* Memory is mapped one to one here. */
static void check_op(const struct ibs_place *p, unsigned int number)
{
	tap_equal(rdmsr(MSR_IBS_OP_RIP), p->at, "op %u: IbsOpRip", number);
	tap_equal(rdmsr(MSR_IBS_OP_DATA), data_of(p), "op %u: IbsOpData", number);
	tap_equal(rdmsr(MSR_IBS_OP_DATA3), data3_of(p), "op %u: IbsOpData3", number);
	tap_equal(rdmsr(MSR_IBS_DC_LINEAR), address_of(p), "op %u: IbsDcLinAd", number);
	tap_equal(rdmsr(MSR_IBS_DC_PHYSICAL), address_of(p), "op %u: IbsDcPhysAd", number);
	tap_equal(rdmsr(MSR_IBS_TARGET), p->target, "op %u: IbsBrTarget", number);
}

static void test_ops(void)
{
	for (unsigned int n = 1; n <= ibs_places_count; n++) {
		uint64_t control = ibs_sample(n);

		tap_equal(control, OP_ENABLE | OP_DISPATCHED | MAXIMUM | OP_VALID,
			  "op %u: IbsOpCtl after the sample", n);
		check_op(&ibs_places[n - 1], n);
	}
	tap_equal(ibs_run(OP_ENABLE | OP_DISPATCHED | FAR, MSR_IBS_OP_CTL, scratch),
		  OP_ENABLE | OP_DISPATCHED | FAR | OP_COUNT(ibs_places_count),
		  "IbsOpCurCnt, of ops, where nothing is sampled");
}

/* A branch ends two cycles, and any other instruction one. */
static void test_cycles(void)
{
	unsigned int cycle = 0, wrong = 0;

	for (unsigned int n = 0; n < ibs_places_count; n++) {
		unsigned int cycles = ibs_places[n].kind & IBS_BRANCH ? 2 : 1;

		for (unsigned int i = 0; i < cycles; i++) {
			cycle++;
			ibs_run(OP_ENABLE | MAXIMUM | OP_COUNT(16 * MAXIMUM - cycle),
				MSR_IBS_OP_CTL, scratch);
			wrong += rdmsr(MSR_IBS_OP_RIP) != ibs_places[n].at;
		}
	}
	tap_equal(wrong, 0, "cycles whose sample is not the instruction that ends them");
	tap_equal(ibs_run(OP_ENABLE | FAR, MSR_IBS_OP_CTL, scratch),
		  OP_ENABLE | FAR | OP_COUNT(cycle),
		  "IbsOpCurCnt, of cycles, where nothing is sampled");
}

static void test_fetches(void)
{
	uint64_t sixteenth = ibs_places[15].at;

	tap_equal(ibs_run(FETCH_ENABLE | 1, MSR_IBS_FETCH_CTL, scratch),
		  FETCH_ENABLE | FETCH_VALID | FETCH_COMPLETED | FETCH_HAS_PHYSICAL | 1 << 16 | 1,
		  "IbsFetchCtl after the sample");
	tap_equal(rdmsr(MSR_IBS_FETCH_LINEAR), sixteenth, "IbsFetchLinAd of the sixteenth fetch");
	tap_equal(rdmsr(MSR_IBS_FETCH_PHYSICAL), sixteenth, "its IbsFetchPhysAd");
	tap_equal(ibs_run(FETCH_ENABLE | FAR, MSR_IBS_FETCH_CTL, scratch),
		  FETCH_ENABLE | FAR | 1 << 16, "IbsFetchCnt, in units of 16, after 19 fetches");
	tap_equal(ibs_run(FETCH_ENABLE | FETCH_VALID | 1, MSR_IBS_FETCH_CTL, scratch),
		  FETCH_ENABLE | FETCH_VALID | 1, "no fetch counts while a sample is valid");
}

/* A count that has passed the maximum ends with the next op; one of 0 never. */
static void test_limits(void)
{
	ibs_run(OP_ENABLE | OP_DISPATCHED | MAXIMUM | OP_COUNT(1000), MSR_IBS_OP_CTL, scratch);
	tap_equal(rdmsr(MSR_IBS_OP_RIP), ibs_places[0].at, "a count beyond the maximum");
	tap_equal(ibs_run(OP_ENABLE | OP_DISPATCHED, MSR_IBS_OP_CTL, scratch),
		  OP_ENABLE | OP_DISPATCHED, "a maximum of 0 samples nothing");
	tap_equal(ibs_run(OP_DISPATCHED | 1, MSR_IBS_OP_CTL, scratch), OP_DISPATCHED | 1,
		  "a counter that is not enabled");
	tap_equal(ibs_run(OP_ENABLE | OP_VALID | OP_DISPATCHED | 1, MSR_IBS_OP_CTL, scratch),
		  OP_ENABLE | OP_VALID | OP_DISPATCHED | 1, "a counter whose sample is valid");
	ibs_run(OP_ENABLE | OP_DISPATCHED | 1ull << 20 | OP_COUNT((1 << 20) - 3), MSR_IBS_OP_CTL,
		scratch);
	tap_equal(rdmsr(MSR_IBS_OP_RIP), ibs_places[2].at, "a maximum by its bits 20 to 26");
}

/* An instruction that faults is none: the handler's first one is sampled in its place. */
static void test_faulting(void)
{
	static const struct {
		unsigned int number;
		const char *at;
		const char *what;
		bool loads;
	} rows[] = {
		{ 1, (char *)exact_skip2, "the handler of UD2, which is none", true },
		{ 3, (char *)exact_mend, "the handler of a load that faults", false },
		{ 6, ibs_load, "the load, when it is tried again", true },
	};

	exact_gates(true);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		ibs_faults(OP_ENABLE | OP_DISPATCHED | MAXIMUM |
				   OP_COUNT(16 * MAXIMUM - rows[i].number),
			   MSR_IBS_OP_CTL);
		tap_equal(rdmsr(MSR_IBS_OP_RIP), (uint64_t)rows[i].at, "%s", rows[i].what);
		tap_equal(rdmsr(MSR_IBS_OP_DATA3) & DATA3_LOAD, rows[i].loads, "and its load");
	}
	exact_gates(false);
}

static void test_interrupt(void)
{
	ibs_nmis = (struct ibs_nmis){ 0 };
	ibs_open(false);
	ibs_sample(3);
	tap_equal(ibs_nmis.times, 0, "interrupts by a masked entry");
	ibs_open(true);
	tap_equal(*apic_register(APIC_EXTENDED_LVT0), APIC_LVT_NMI, "the entry");
	for (unsigned int n = 1; n < ibs_places_count; n++) {
		ibs_nmis.times = 0;
		ibs_sample(n);
		tap_equal(ibs_nmis.times, 1, "op %u: interrupts", n);
		tap_equal(ibs_nmis.rip, ibs_places[n].at, "op %u: the interrupt is at the next", n);
	}
	tap_equal(*apic_register(APIC_EXTENDED_LVT0), APIC_LVT_NMI,
		  "delivery does not mask the entry");
	ibs_nmis.times = 0;
	ibs_run(FETCH_ENABLE | 1, MSR_IBS_FETCH_CTL, scratch);
	tap_equal(ibs_nmis.times, 1, "interrupts of a fetch");
	tap_equal(ibs_nmis.rip, ibs_places[16].at, "its interrupt is at the next instruction");
	ibs_open(false);
}

static void test_apic(void)
{
	tap_ok(*apic_register(APIC_VERSION) >> 31, "the APIC announces extended registers");
	tap_equal(*apic_register(APIC_EXTENDED), 4 << 16, "their feature register: 4 entries");
	tap_equal(*apic_register(APIC_CONTROL), 0, "their control");
	for (unsigned int i = 0; i < 4; i++) {
		volatile uint32_t *entry = apic_register(APIC_EXTENDED_LVT0 + 16 * i);

		tap_equal(*entry, APIC_LVT_MASKED, "entry %u is masked", i);
		*entry = ~0u;
		tap_equal(*entry, 0x107ff, "entry %u has a vector, a type and a mask", i);
		*entry = APIC_LVT_MASKED;
	}
}

static void test_msrs(void)
{
	uint32_t regs[4];

	cpuid(LEAF_FEATURES, regs);
	tap_ok(regs[2] >> IBS_ANNOUNCED & regs[2] >> EXTENDED_APIC & 1,
	       "CPUID announces IBS and the extended APIC");
	cpuid(LEAF_IBS, regs);
	tap_equal(regs[0], 0xff, "what IBS has");
	tap_equal(rdmsr(MSR_IBS_CTL), 0x100, "IbsCtl names entry 0");
	wrmsr(MSR_IBS_CTL, 0);
	tap_equal(rdmsr(MSR_IBS_CTL), 0x100, "IbsCtl is not written");
	wrmsr(MSR_IBS_OP_CTL, ~0ull & ~OP_ENABLE);
	tap_equal(rdmsr(MSR_IBS_OP_CTL), 0x07ffffff07fcffff, "IbsOpCtl has no reserved bits");
	wrmsr(MSR_IBS_OP_CTL, 0);
	wrmsr(MSR_IBS_FETCH_CTL, ~0ull & ~FETCH_ENABLE);
	tap_equal(rdmsr(MSR_IBS_FETCH_CTL), 0x07feffffffffffff, "IbsFetchCtl has no reserved bits");
	wrmsr(MSR_IBS_FETCH_CTL, 0);
	for (uint32_t msr = MSR_IBS_OP_RIP; msr < MSR_IBS_CTL; msr++) {
		wrmsr(msr, 1ull << 40);
		tap_equal(rdmsr(msr), 1ull << 40, "register %x can be written", msr);
	}
}

void test_ibs(void)
{
	test_msrs();
	test_apic();
	test_ops();
	test_cycles();
	test_fetches();
	test_limits();
	test_faulting();
	test_interrupt();
}
