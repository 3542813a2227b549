// SPDX-License-Identifier: BSD-2-Clause
/* main.c: the tests of the emulated EV67 counters, as the operating system sees them. */

#include "guest.h"

/*
 * The counts of measure() beside the function, from the HW_MTPR that enables the counters to the one
 * that disables them, in instructions (and branches). Enable: hw_ret (1). The guest: mov, jsr (1);
 * mov, mov, call_pal. PALcode: br (1); mfpr, beq (1), cmpule, beq (1), br (1), lda, s4addq, jmp (1);
 * br (1); and, sll, mov, mfpr, bic, mtpr.
 */
#define MEASURE_INSNS	 22
#define MEASURE_BRANCHES 8
/* From that HW_MTPR to the first instruction after the call: hw_ret. */
#define ENABLE_INSNS	 1
#define ENABLE_BRANCHES	 1

/* Where the emulator puts the command line: below what it loaded. */
#define COMMAND_LINE	 ((const char *)0xfffffc0000800000 - 0x6000)
/* Memory that nothing else uses; the line of each frame is one that no code here has. */
#define FRAMES		 ((void *)0xfffffc0004000740)
#define IPL_PERF	 6
#define IPL_HIGH	 7
#define INT_IP		 0
#define INT_PERF	 4
#define VECTOR_PERF	 0x650
#define PME		 (1ull << 62)

static volatile struct seen seen_by[MAX_CPUS];

volatile struct seen *seen(void)
{
	return &seen_by[whami()];
}

uint8_t scratch[PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

void ent_int(void), ent_unexpected(void);
void handle_interrupt(uint64_t type, uint64_t vector, uint64_t counter, struct frame *frame);
void handle_unexpected(uint64_t a0, uint64_t a1, uint64_t a2, struct frame *frame);
void guest_main(void);

/* wrent's selectors. */
enum { ENT_INT, ENT_ARITH, ENT_MM, ENT_IF, ENT_UNA, ENT_SYS };

static void set_entry(void (*entry)(void), uint64_t which)
{
	register uint64_t a0 __asm__("$16") = (uint64_t)entry;
	register uint64_t a1 __asm__("$17") = which;

	__asm__ volatile("call_pal 0x34"
			 : "+r"(a0), "+r"(a1)::"$1", "$22", "$23", "$24", "$25", "memory");
}

void (*interrupt_work)(void);

/* Counters stop at the first interrupt, so that the handler counts nothing. */
void handle_interrupt(uint64_t type, uint64_t vector, uint64_t counter, struct frame *frame)
{
	wrperfmon(PM_DISABLE, 3);
	seen()->interrupts++;
	seen()->type = type;
	seen()->vector = vector;
	seen()->counter = counter;
	seen()->pc = frame->pc;
	seen()->ps = frame->ps;
	if (interrupt_work)
		interrupt_work();
}

void handle_unexpected(uint64_t a0, uint64_t a1, uint64_t a2, struct frame *frame)
{
	fatal("unexpected trap: %x %x %x at %x", a0, a1, a2, frame->pc);
}

void forget(void)
{
	*seen() = (struct seen){ 0 };
}

void prepare(uint64_t sl1, uint64_t value0, uint64_t value1)
{
	wrperfmon(PM_DISABLE, 3);
	wrperfmon(PM_SELECT, SELECT(sl1));
	wrperfmon(PM_WRITE, BOTH(value0, value1));
	forget();
}

static void test_calls(void)
{
	uint64_t ctl;

	tap_equal(wrperfmon(PM_DISABLE, 3), 1, "disable succeeds");
	tap_equal(wrperfmon(PM_SELECT, SELECT(CYCLES_REPLAYS)), 1, "select succeeds");
	tap_equal(wrperfmon(PM_OPTIONS, 0), 1, "options succeed");
	tap_equal(wrperfmon(PM_FREQUENCY, 3), 0, "there is no choice of interrupt frequencies");
	tap_equal(wrperfmon(PM_STATUS, 0), 0, "I_STAT is clear");
	tap_equal(wrperfmon(PM_PROFILED_PC, 0), 0, "PMPC is clear");
	tap_equal(wrperfmon(10, 0), 0, "function 10 fails");
	tap_equal(wrperfmon(UINT64_MAX, 0), 0, "function -1 fails");
	tap_equal(wrperfmon(PM_WRITE, BOTH(0x12345, 0x6789a)), 1, "write succeeds");
	ctl = wrperfmon(PM_READ, 0);
	tap_equal(ctl, 0x12345ull << 28 | 0x6789aull << 6 | SELECT(CYCLES_REPLAYS),
		  "read returns PCTR_CTL");
	wrperfmon(PM_WRITE, BOTH(0xfffff, 0) & ~2ull);
	ctl = wrperfmon(PM_READ, 0);
	tap_equal(PCTR0(ctl), 0xfffff, "counter 0 is written alone");
	tap_equal(PCTR1(ctl), 0x6789a, "... and counter 1 stays");
	tap_equal(ctl >> 48, 0xffff, "bit 47 is extended to bits 63..48");
	wrperfmon(PM_WRITE, BOTH(0, 0x55555) & ~1ull);
	ctl = wrperfmon(PM_READ, 0);
	tap_equal(PCTR0(ctl), 0xfffff, "counter 1 is written alone: counter 0 stays");
	tap_equal(PCTR1(ctl), 0x55555, "... and counter 1 is written");
	wrperfmon(PM_WRITE, BOTH(7, 7) & ~3ull);
	tap_equal(wrperfmon(PM_READ, 0), ctl, "a write to no counter writes none");
	tap_equal(seen()->interrupts, 0, "writing values makes no interrupt");
}

void set_exact_entries(const struct sequence *s)
{
	bool fetch = s->fn == unfetchable;

	set_entry(fetch ? exact_come_back : exact_next, ENT_MM);
	set_entry(exact_return, ENT_IF);
	set_entry(exact_return, ENT_UNA);
	set_entry(exact_return, ENT_ARITH);
}

void set_fatal_entries(void)
{
	for (uint64_t which = ENT_ARITH; which <= ENT_SYS; which++)
		set_entry(ent_unexpected, which);
}

static void check_counter(unsigned int counter, uint64_t expected, const char *what,
			  const struct sequence *s)
{
	uint64_t ctl = wrperfmon(PM_READ, 0);

	tap_equal(counter ? PCTR1(ctl) : PCTR0(ctl), expected & PCTR_MASK, "%s: %s", s->name, what);
}

static void run_sequence(const struct sequence *s, uint64_t sl1)
{
	prepare(sl1, 0, 0);
	set_exact_entries(s);
	measure(s->fn, scratch);
	set_fatal_entries();
}

static void test_sequences(void)
{
	for (uint64_t i = 0; i < nr_sequences; i++) {
		const struct sequence *s = &sequences[i];
		uint64_t insns = s->insns + MEASURE_INSNS;
		uint64_t cycles = insns + s->branches + MEASURE_BRANCHES;

		run_sequence(s, INSNS_CYCLES);
		check_counter(0, insns, "instructions", s);
		check_counter(1, cycles, "cycles on counter 1", s);
		run_sequence(s, CYCLES_NOTHING);
		check_counter(0, cycles, "cycles on counter 0", s);
		check_counter(1, 0, "nothing on counter 1", s);
		run_sequence(s, INSNS_MISSES);
		check_counter(0, insns, "instructions beside misses", s);
		if (s->misses != UINT64_MAX)
			check_counter(1, s->misses, "Bcache misses", s);
		run_sequence(s, CYCLES_REPLAYS);
		check_counter(0, cycles, "cycles beside replays", s);
		if (s->replays != UINT64_MAX)
			check_counter(1, s->replays, "replay traps", s);
	}
}

void run_until_overflow(void (*fn)(void *), void *arg)
{
	uint64_t ipl = swpipl(0);

	measure(fn, arg);
	swpipl(ipl);
}

/* Each distance from the overflow, over straight code: the interrupt is at the very instruction. */
static void test_every_distance(unsigned int counter)
{
	uint64_t sl1 = INSNS_CYCLES, bad = 0, worst = 0;
	/* Before the first of nops: the instructions of enabling, mov and jsr (hw_ret and jsr are branches). */
	uint64_t before = counter ? ENABLE_INSNS + ENABLE_BRANCHES + 3 : ENABLE_INSNS + 2;

	for (uint64_t distance = before + 1; distance < before + 300; distance++) {
		uint64_t expected = (uint64_t)nops + 4 * (distance - before);

		prepare(sl1, counter ? 0 : -distance, counter ? -distance : 0);
		run_until_overflow(run_nops, NULL);
		if (seen()->interrupts != 1 || seen()->pc != expected ||
		    seen()->counter != counter) {
			bad++;
			worst = distance;
		}
	}
	tap_equal(bad, 0, "counter %u: interrupts at the very instruction, at 299 distances",
		  (uint64_t)counter);
	if (bad)
		print("#   distance %u: %u interrupts, counter %u, pc %x (nops at %x)\n", worst,
		      seen()->interrupts, seen()->counter, seen()->pc, (uint64_t)nops);
	tap_equal(seen()->type, INT_PERF, "... of type 4");
	tap_equal(seen()->vector, VECTOR_PERF, "... with vector 0x650");
	tap_equal(seen()->ps, 0, "... with the PS that was interrupted");
}

/* A loop whose branch takes two cycles: the first or the second may overflow. */
static void test_loop_distances(void)
{
	uint64_t bad = 0;

	for (uint64_t distance = 8; distance < 80; distance++) {
		/* After enabling, mov and jsr (5 cycles), a round takes 4: subq, addq, bne, bne. */
		uint64_t cycles = distance - 5, round_cycles = cycles & 3;
		uint64_t offset = round_cycles == 0 || round_cycles == 3 ? 0 : 4 * round_cycles;

		prepare(CYCLES_NOTHING, -distance, 0);
		run_until_overflow(run_loop, (void *)100);
		bad += seen()->interrupts != 1 || seen()->pc != (uint64_t)loop_top + offset;
	}
	tap_equal(bad, 0, "cycles: interrupts at the very instruction, at 72 distances in a loop");
}

static void test_miss_overflow(void)
{
	uint64_t bad = 0;

	for (uint64_t distance = 1; distance <= 100; distance++) {
		/* touch_blocks: lda, then a load every 4 instructions; each misses. */
		prepare(INSNS_MISSES, 0, -distance);
		run_until_overflow(touch_blocks, scratch);
		bad += seen()->interrupts != 1 || seen()->counter != 1 ||
		       seen()->pc != (uint64_t)touch_blocks + 8;
	}
	tap_equal(bad, 0, "Bcache misses: interrupts right behind the load, at 100 distances");
}

/*
 * The Bcache has a place for a line of each of 512 frames, in the order of their first use. In the second pass the
 * first 88 frames and the last 88 have the same places, and each takes them from the other.
 */
static void test_direct_mapped(void)
{
	prepare(INSNS_MISSES, 0, 0);
	measure(touch_frames, FRAMES);
	tap_equal(PCTR1(wrperfmon(PM_READ, 0)), 600 + 2 * 88,
		  "Bcache misses: lines 2 MiB apart take each other's place");
}

/* 64-bit counts from 20-bit counters that wrap. */
static void test_wraps(void)
{
	uint64_t rounds = 1 << 22, wraps = 0;

	prepare(INSNS_CYCLES, 0, 0);
	set_entry(ent_int, ENT_INT);
	swpipl(IPL_HIGH);
	/* One overflow is kept, however often it wraps while interrupts are blocked. */
	measure(run_loop, (void *)rounds);
	tap_equal(PCTR0(wrperfmon(PM_READ, 0)), (MEASURE_INSNS + 3 * rounds + 1) & PCTR_MASK,
		  "12 million instructions, modulo 2^20");
	tap_equal(PCTR1(wrperfmon(PM_READ, 0)),
		  (MEASURE_INSNS + MEASURE_BRANCHES + 4 * rounds + 2) & PCTR_MASK,
		  "16 million cycles, modulo 2^20");
	tap_equal(seen()->interrupts, 0, "no interrupt at IPL 7");
	swpipl(IPL_PERF);
	tap_equal(seen()->interrupts, 0, "none at IPL 6");
	swpipl(IPL_PERF - 1);
	wraps = seen()->interrupts;
	tap_equal(wraps, 2, "at IPL 5, one for each counter");
	tap_equal(seen()->counter, 1, "... counter 1 behind counter 0");
	swpipl(0);
	tap_equal(seen()->interrupts, 2, "... and no more");
	swpipl(IPL_HIGH);
}

static void test_pending(void)
{
	prepare(INSNS_CYCLES, -100, 0);
	measure(run_nops, NULL);
	wrperfmon(PM_WRITE, BOTH(5, 5) & ~1ull);
	swpipl(0);
	tap_equal(seen()->interrupts, 1,
		  "an overflow is not forgotten by a write of the other counter");
	swpipl(IPL_HIGH);

	prepare(INSNS_CYCLES, -100, 0);
	measure(run_nops, NULL);
	wrperfmon(PM_WRITE, BOTH(5, 5) & ~2ull);
	swpipl(0);
	tap_equal(seen()->interrupts, 0, "an overflow is forgotten by a write of its counter");
	swpipl(IPL_HIGH);
}

/* The CPU halts until an interrupt: WTINT itself overflows the counter, and wakes the CPU. */
static void test_halt(void)
{
	prepare(INSNS_CYCLES, -(ENABLE_INSNS + 3), 0);
	run_until_overflow(halting, NULL);
	tap_equal(seen()->interrupts, 1, "the instruction that halts overflows: it wakes up");
	tap_equal(seen()->pc, (uint64_t)halting + 4, "... behind that instruction");
}

/* An overflow at a distance in a sequence whose traps have exact handlers: where it interrupts. */
static void check_place(const struct sequence *s, uint64_t distance, uint64_t pc, const char *what)
{
	prepare(INSNS_CYCLES, -(ENABLE_INSNS + 2 + distance), 0);
	set_exact_entries(s);
	run_until_overflow(s->fn, scratch);
	set_fatal_entries();
	tap_equal(seen()->interrupts, 1, "%s: one interrupt", what);
	tap_equal(seen()->pc, pc, "... where it must be");
}

static const struct sequence *find(void (*fn)(void *))
{
	for (uint64_t i = 0; i < nr_sequences; i++) {
		if (sequences[i].fn == fn)
			return &sequences[i];
	}
	fatal("no such sequence: %x", (uint64_t)fn);
}

/* Boundaries at which something else happens too. */
static void test_places(void)
{
	uint64_t next = (uint64_t)palcall + 4, handler = (uint64_t)exact_return;

	check_place(find(palcall), 1, next, "overflow by a PALcall: behind PALcode");
	check_place(find(palcall), 2, next, "overflow in PALcode: behind it");
	check_place(find(palcall), 4, next, "overflow by PALcode's return: behind it");
	check_place(find(palcall), 5, (uint64_t)measure_return, "overflow behind PALcode");
	check_place(find(unfetchable), 2, 0,
		    "overflow by a jump to nowhere: before the fetch faults");
	check_place(find(unaligned), 1, handler,
		    "overflow in an unaligned load's trap: behind PALcode");
	check_place(find(overflow), 2, (uint64_t)overflow + 8,
		    "overflow before an arithmetic trap");
	check_place(find(overflow), 3, handler, "overflow by what traps: behind PALcode");
}

/*
 * The instruction that lowers the IPL overflows the counter while an inter-CPU interrupt
 * waits: the counter's is first, although it was not there yet when the IPL was still high.
 */
static void test_priority(void)
{
	prepare(INSNS_CYCLES, -(ENABLE_INSNS + 2 + 2), 0);
	interrupt_cpu(whami());
	measure(lower_ipl, NULL);
	swpipl(IPL_HIGH);
	tap_equal(seen()->interrupts, 2,
		  "an overflow beside an inter-processor interrupt: both come");
	tap_equal(seen()->type, INT_IP, "... that of the counter first");
}

static void test_enables(void)
{
	uint64_t ctl;

	prepare(INSNS_CYCLES, 0, 0);
	wrperfmon(PM_ENABLE, 1);
	wrperfmon(PM_DISABLE, 1);
	ctl = wrperfmon(PM_READ, 0);
	tap_ok(PCTR0(ctl) != 0, "counter 0 alone counts");
	tap_equal(PCTR1(ctl), 0, "... and counter 1 stands");
	prepare(INSNS_CYCLES, 0, 0);
	wrperfmon(PM_ENABLE_WRITE, BOTH(1000, 2000) & ~1ull);
	wrperfmon(PM_DISABLE, 3);
	ctl = wrperfmon(PM_READ, 0);
	tap_equal(PCTR0(ctl), 0, "enable-and-write of counter 1: counter 0 stands");
	/* hw_ret; mov, mov, call_pal; br and 8; br and 6; and 7 branches: see MEASURE_INSNS. */
	tap_equal(PCTR1(ctl), 2000 + 1 + 3 + 9 + 7 + 7, "... and counter 1 counts from the value");
}

/* The process control block (Alpha Architecture Handbook, OSF/1 part). */
struct pcb {
	uint64_t ksp, usp, ptbr;
	uint32_t pcc, asn;
	uint64_t unique, fen, reserved[2];
} __attribute__((aligned(128)));

#define KSEG 0xfffffc0000000000ull

static struct pcb *switch_to(struct pcb *next)
{
	register uint64_t a0 __asm__("$16") = (uint64_t)next - KSEG;
	register uint64_t v0 __asm__("$0");

	__asm__ volatile("stq $30, 0(%3)\n\tcall_pal %2"
			 : "=r"(v0), "+r"(a0)
			 : "i"(PAL_SWPCTX), "r"(next)
			 : "$1", "$22", "$23", "$24", "$25", "memory");
	return (struct pcb *)(v0 + KSEG);
}

static void copy_pcb(struct pcb *to, const struct pcb *from)
{
	for (unsigned int i = 0; i < sizeof(*to) / 8; i++)
		((volatile uint64_t *)to)[i] = ((const uint64_t *)from)[i];
}

static uint64_t counted(void)
{
	prepare(INSNS_CYCLES, 0, 0);
	measure(run_nops, NULL);
	return PCTR0(wrperfmon(PM_READ, 0));
}

static void test_processes(void)
{
	static struct pcb with, without;
	const uint64_t all = MEASURE_INSNS + 401;
	struct pcb *first;

	first = switch_to(&with);
	copy_pcb(&with, first);
	copy_pcb(&without, first);
	with.fen |= PME;
	tap_equal(counted(), all, "by default every process is counted");
	wrperfmon(PM_OPTIONS, 1);
	tap_equal(counted(), 0, "selected processes only: not one without PME");
	switch_to(&with);
	tap_equal(counted(), all, "... but one with PME");
	switch_to(&without);
	tap_equal(counted(), 0, "... and no longer behind a switch to one without");
	wrperfmon(PM_OPTIONS, 0);
	tap_equal(counted(), all, "all processes again");
	switch_to(first);
}

/* The first steps of every CPU. */
static void start_cpu(void)
{
	register uint64_t gp __asm__("$29");

	__asm__ volatile("mov %0, $16\n\tcall_pal 0x37" ::"r"(gp)
			 : "$16", "$1", "$22", "$23", "$24", "$25");
	swpipl(IPL_HIGH);
	set_entry(ent_int, ENT_INT);
	set_fatal_entries();
}

/*
 * The console's part of starting another CPU (Architecture Reference Manual, console part): fields
 * of the restart parameter block, and of the CPU's slot in it.
 */
#define HWRPB_ADDRESS 0x10000000
enum {
	RPB_PHYSICAL = 0,
	RPB_CPUS = 144,
	RPB_SLOT_SIZE = 152,
	RPB_SLOTS = 160,
	RPB_RESTART = 256,
	RPB_RESTART_DATA = 264,
	RPB_RXRDY = 296
};
enum { SLOT_KSP = 0, SLOT_MESSAGE = 296 };

static uint64_t rpb;

static volatile uint64_t *rpb_field(uint64_t offset)
{
	return (volatile uint64_t *)(rpb + offset);
}

static volatile uint64_t cpus_started, cpus_done;
static volatile uint64_t bad_counts[MAX_CPUS], bad_interrupts[MAX_CPUS];

/* Each CPU counts other work than its neighbours, and takes its own interrupts. */
static void count_on_this_cpu(void)
{
	uint64_t cpu = whami(), ctl;

	for (uint64_t i = 0; i < 2000; i++) {
		uint64_t rounds = 100 + i * (cpu + 1);

		prepare(INSNS_CYCLES, 0, 0);
		measure(run_loop, (void *)rounds);
		ctl = wrperfmon(PM_READ, 0);
		bad_counts[cpu] += PCTR0(ctl) != MEASURE_INSNS + 3 * rounds + 1 ||
				   PCTR1(ctl) != MEASURE_INSNS + MEASURE_BRANCHES + 4 * rounds + 2;
		prepare(INSNS_CYCLES, -(4 + i % 300), 0);
		run_until_overflow(run_nops, NULL);
		bad_interrupts[cpu] += seen()->interrupts != 1 ||
				       seen()->pc != (uint64_t)nops + 4 * (1 + i % 300);
	}
}

void second_main(void);
void second_main(void)
{
	start_cpu();
	__atomic_add_fetch(&cpus_started, 1, __ATOMIC_SEQ_CST);
	while (cpus_started < *rpb_field(RPB_CPUS))
		;
	count_on_this_cpu();
	__atomic_add_fetch(&cpus_done, 1, __ATOMIC_SEQ_CST);
	for (;;)
		;
}

static void test_cpus(void)
{
	static uint8_t stacks[MAX_CPUS][65536] __attribute__((aligned(64)));
	uint64_t nr_cpus;

	rpb = *(volatile uint64_t *)HWRPB_ADDRESS + KSEG;
	nr_cpus = *rpb_field(RPB_CPUS);
	*rpb_field(RPB_RESTART) = (uint64_t)second_start;
	*rpb_field(RPB_RESTART_DATA) = (uint64_t)second_start;
	for (uint64_t cpu = 1; cpu < nr_cpus; cpu++) {
		uint64_t slot = *rpb_field(RPB_SLOTS) + cpu * *rpb_field(RPB_SLOT_SIZE);

		*rpb_field(slot + SLOT_KSP) = (uint64_t)stacks[cpu] + sizeof(stacks[0]);
		*rpb_field(slot + SLOT_MESSAGE) = 7;
		*rpb_field(slot + SLOT_MESSAGE + 8) = 0x0a0d5452415453; /* "START\r\n" */
		__sync_synchronize();
		*rpb_field(RPB_RXRDY) = 1ull << cpu;
		while (cpus_started < cpu)
			;
	}
	__atomic_add_fetch(&cpus_started, 1, __ATOMIC_SEQ_CST);
	count_on_this_cpu();
	while (cpus_done < nr_cpus - 1)
		;
	for (uint64_t cpu = 0; cpu < nr_cpus; cpu++) {
		tap_equal(bad_counts[cpu], 0, "CPU %u of %u: 2000 counts beside the others", cpu,
			  nr_cpus);
		tap_equal(bad_interrupts[cpu], 0,
			  "CPU %u of %u: 2000 interrupts at the instruction", cpu, nr_cpus);
	}
}

/* Without pmu=on PALcode says so, and nothing counts. */
static void test_absent(void)
{
	for (uint64_t function = PM_DISABLE; function <= PM_PROFILED_PC + 1; function++)
		tap_equal(wrperfmon(function, 3), 0, "function %u fails without counters",
			  function);
	run_until_overflow(run_nops, NULL);
	tap_equal(seen()->interrupts, 0, "... and nothing interrupts");
}

static void test_counters(void)
{
	test_calls();
	test_sequences();
	test_every_distance(0);
	test_every_distance(1);
	test_loop_distances();
	test_miss_overflow();
	test_direct_mapped();
	test_wraps();
	test_pending();
	test_halt();
	test_places();
	test_priority();
	test_enables();
	test_processes();
	test_cpus();
}

/* The MC146818's registers, and the bit of B that makes it interrupt periodically. */
enum { RTC_INDEX = 0x70, RTC_DATA = 0x71, RTC_B = 11, RTC_B_PERIODIC = 1 << 6 };

static void stop_clock(void)
{
	*io_port(RTC_INDEX) = RTC_B;
	*io_port(RTC_DATA) &= ~RTC_B_PERIODIC;
	__asm__ volatile("mb" ::: "memory");
	/* One that is due comes now. */
	swpipl(0);
	swpipl(IPL_HIGH);
}

/* For a machine that is moved: QEMU keeps the CPU's clock interrupt, but not the chipset's register that
 * says so, and PALcode would look for the reason without a limit. */
static void without_clock(void (*test)(void))
{
	stop_clock();
	print("# the clock has been stopped\n");
	test();
}

static void test_counters_moved(void)
{
	without_clock(test_counters);
}

static void test_profile_moved(void)
{
	without_clock(test_profile);
}

static const struct {
	const char *name;
	void (*run)(void);
} suites[] = {
	{ "suite=counters", test_counters }, { "suite=moved", test_counters_moved },
	{ "suite=profile", test_profile },   { "suite=moved-profile", test_profile_moved },
	{ "suite=absent", test_absent },
};

/* The text after NAME in TEXT; NULL: TEXT begins otherwise. */
static const char *behind(const char *name, const char *text)
{
	while (*name && *name == *text) {
		name++;
		text++;
	}
	return *name ? NULL : text;
}

void guest_main(void)
{
	const char *rest = behind("suite=bench ", COMMAND_LINE);

	start_cpu();
	if (rest) {
		bench(rest);
		tap_done();
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(suites); i++) {
		rest = behind(suites[i].name, COMMAND_LINE);
		if (rest && !*rest) {
			suites[i].run();
			tap_done();
		}
	}
	fatal("no such suite: %s", COMMAND_LINE);
}
