// SPDX-License-Identifier: BSD-2-Clause
/* profile.c: the tests of ProfileMe: one instruction, and its description in the registers. */

#include "guest.h"

/* SL0, beside SL1 in SELECT. */
#define PROFILE_ME 4u
/* Before the first measured instruction: hw_ret, mov, jsr. */
#define BEFORE	   3
/* The window's cycles after the instruction's own. */
#define BEHIND	   2

/* PCTR_CTL */
#define TAK	   1u
#define VAL	   2u
/* I_STAT */
#define TRP	   (1ull << 39)
#define MIS	   (1ull << 40)
#define TRAP(type) (TRP | (uint64_t)(type) << 34)
/* PMPC: the address is PALcode's. */
#define PAL	   1u

enum { TRAP_REPLAY = 0, TRAP_UNALIGNED = 5, TRAP_FAULT = 7, TRAP_OPCDEC = 8, TRAP_ARITH = 12 };

/* The model's values for one instruction: that number NUMBER of FN, from 1. */
struct expected {
	const char *what;
	void (*fn)(void *);
	uint64_t number;
	uint64_t offset; /* from FN; ANYWHERE: in PALcode */
	uint64_t cycles, misses, replays;
	uint64_t result, i_stat;
	uint64_t next;	   /* where it interrupts; 0: after the instruction */
	uint64_t argument; /* of FN; 0: the scratch memory */
};
#define ANYWHERE UINT64_MAX

void reads(void *), writes(void *), replays(void *), conditional(void *), branches(void *),
	unmapped(void *), illegal(void *);

static const struct expected expected[] = {
	{ "an addition", run_nops, 1, 0, 1, 0, 0, VAL, 0, 0, 0 },
	{ "a taken branch, the first time", run_loop, 3, 8, 9, 0, 0, VAL | TAK, TRP | MIS,
	  (uint64_t)run_loop, 3 },
	{ "a taken branch, the second time", run_loop, 6, 8, 2, 0, 0, VAL | TAK, 0,
	  (uint64_t)run_loop, 3 },
	{ "a branch that is not taken any more", run_loop, 6, 8, 9, 0, 0, VAL, TRP | MIS, 0, 2 },
	{ "a taken branch ahead: beq", branches, 1, 0, 9, 0, 0, VAL | TAK, TRP | MIS,
	  (uint64_t)branches + 8, 0 },
	{ "a branch ahead: bne", branches, 2, 8, 2, 0, 0, VAL, 0, 0, 0 },
	{ "a branch ahead: blt", branches, 3, 12, 2, 0, 0, VAL, 0, 0, 0 },
	{ "a taken branch ahead: ble", branches, 4, 16, 9, 0, 0, VAL | TAK, TRP | MIS,
	  (uint64_t)branches + 24, 0 },
	{ "a branch ahead: bgt", branches, 5, 24, 2, 0, 0, VAL, 0, 0, 0 },
	{ "a taken branch ahead: bge", branches, 6, 28, 9, 0, 0, VAL | TAK, TRP | MIS,
	  (uint64_t)branches + 36, 0 },
	{ "a taken branch ahead: blbc", branches, 7, 36, 9, 0, 0, VAL | TAK, TRP | MIS,
	  (uint64_t)branches + 44, 0 },
	{ "a branch to the next: blbs", branches, 8, 44, 2, 0, 0, VAL, 0, 0, 0 },
	{ "a taken branch ahead: fbeq", branches, 9, 48, 9, 0, 0, VAL | TAK, TRP | MIS,
	  (uint64_t)branches + 56, 0 },
	{ "a branch ahead: fbne", branches, 10, 56, 2, 0, 0, VAL, 0, 0, 0 },
	{ "a branch ahead: fblt", branches, 11, 60, 2, 0, 0, VAL, 0, 0, 0 },
	{ "a branch without a condition", branches, 12, 64, 2, 0, 0, VAL, 0,
	  (uint64_t)branches + 72, 0 },
	{ "a load that misses", reads, 1, 0, 103, 1, 0, VAL, 0, 0, 0 },
	{ "a load that hits", reads, 2, 4, 3, 0, 0, VAL, 0, 0, 0 },
	{ "a prefetch", reads, 8, 28, 1, 0, 0, VAL, 0, 0, 0 },
	{ "a store that misses", writes, 8, 28, 101, 1, 0, VAL, 0, 0, 0 },
	{ "a store that hits", writes, 2, 4, 1, 0, 0, VAL, 0, 0, 0 },
	{ "a load that is replayed", replays, 3, 8, 17, 0, 1, VAL, TRAP(TRAP_REPLAY), 0, 0 },
	{ "a load from the store queue", replays, 2, 4, 3, 0, 0, VAL, 0, 0, 0 },
	{ "a store-conditional that stores", conditional, 2, 4, 1, 0, 0, VAL, 0, 0, 0 },
	{ "a store-conditional that does not", conditional, 6, 20, 1, 0, 0, VAL, 0, 0, 0 },
	{ "an unaligned load", unaligned, 1, 0, 3, 0, 0, 0, TRAP(TRAP_UNALIGNED),
	  (uint64_t)exact_return, 0 },
	{ "a load that faults", unmapped, 1, 0, 3, 0, 0, 0, TRAP(TRAP_FAULT), (uint64_t)exact_next,
	  0 },
	{ "an illegal instruction", illegal, 1, 0, 1, 0, 0, 0, TRAP(TRAP_OPCDEC),
	  (uint64_t)exact_return, 0 },
	{ "an addition that overflows", overflow, 3, 8, 1, 0, 0, VAL, TRAP(TRAP_ARITH),
	  (uint64_t)exact_return, 0 },
	{ "a PALcall", palcall, 1, 0, 1, 0, 0, VAL, 0, 0, 0 },
	{ "PALcode", palcall, 2, ANYWHERE, 1, 0, 0, VAL, 0, (uint64_t)palcall + 4, 0 },
	{ "PALcode's return", palcall, 4, ANYWHERE, 2, 0, 0, VAL, 0, (uint64_t)palcall + 4, 0 },
	{ "a call", branches, 16, 84, 2, 0, 0, VAL, 0, (uint64_t)branches + 124, 0 },
	{ "a return to its call", branches, 17, 124, 2, 0, 0, VAL, 0, (uint64_t)branches + 88, 0 },
	{ "a jump to an unknown target", branches, 21, 100, 9, 0, 0, VAL, TRP,
	  (uint64_t)branches + 108, 0 },
	{ "a jump to nowhere", unfetchable, 2, 4, 9, 0, 0, VAL, TRP, UINT64_MAX, 0 },
	{ "PALcode, instead of what cannot be fetched", unfetchable, 3, ANYWHERE, 1, 0, 0, VAL, 0,
	  (uint64_t)exact_come_back, 0 },
	{ "a PALcall that halts", halting, 1, 0, 1, 0, 0, VAL, 0, 0, 0 },
};

static const struct sequence *sequence_of(void (*fn)(void *))
{
	for (uint64_t i = 0; i < nr_sequences; i++)
		if (sequences[i].fn == fn)
			return &sequences[i];
	return NULL;
}

static void profile(const struct expected *e, uint64_t sl1)
{
	const struct sequence *sequence = sequence_of(e->fn);

	prepare(PROFILE_ME | sl1, -(BEFORE + e->number), 0);
	if (sequence)
		set_exact_entries(sequence);
	run_until_overflow(e->fn, e->argument ? (void *)e->argument : scratch);
	set_fatal_entries();
}

static void check_window(const struct expected *e, uint64_t sl1)
{
	uint64_t retired = e->result & VAL ? 1 : 0, window = e->cycles + BEHIND;
	const uint64_t counts[4][2] = { { retired, window },
					{ window, e->cycles },
					{ retired, e->misses },
					{ window, e->replays } };
	uint64_t ctl = wrperfmon(PM_READ, 0);

	tap_equal(PCTR0(ctl), counts[sl1][0], "%s: counter 0, SL1 %u", e->what, sl1);
	tap_equal(PCTR1(ctl), counts[sl1][1], "%s: counter 1, SL1 %u", e->what, sl1);
	tap_equal(ctl & (VAL | TAK), e->result, "%s: valid, taken", e->what);
}

static void check_registers(const struct expected *e)
{
	uint64_t pmpc = wrperfmon(PM_PROFILED_PC, 0);
	uint64_t pc = (uint64_t)e->fn + e->offset;

	if (e->offset == ANYWHERE)
		tap_equal(pmpc & 3, PAL, "%s: its PC", e->what);
	else
		tap_equal(pmpc, pc, "%s: its PC", e->what);
	tap_equal(wrperfmon(PM_STATUS, 0), e->i_stat, "%s: its traps", e->what);
	tap_equal(seen()->interrupts, 1, "%s: one interrupt", e->what);
	tap_equal(seen()->counter, 0, "... of counter 0");
	tap_equal(seen()->pc,
		  e->next == UINT64_MAX ? 0 :
		  e->next		? e->next :
					  pc + 4,
		  "... where it must be");
}

static void test_every_number(void)
{
	uint64_t bad = 0;

	for (uint64_t number = 1; number <= 300; number++) {
		uint64_t pc = (uint64_t)nops + 4 * (number - 1);

		prepare(PROFILE_ME, -(BEFORE + number), 0);
		run_until_overflow(run_nops, scratch);
		bad += wrperfmon(PM_PROFILED_PC, 0) != pc || seen()->pc != pc + 4 ||
		       seen()->interrupts != 1;
	}
	tap_equal(bad, 0, "the very instruction is profiled, at 300 distances");
}

/* After the window counter 0 stands still, until PCTR_CTL is written. */
static void test_stands_still(void)
{
	uint64_t pmpc;

	prepare(PROFILE_ME, -(BEFORE + 10), 0);
	measure(run_nops, scratch);
	measure(run_nops, scratch);
	pmpc = wrperfmon(PM_PROFILED_PC, 0);
	tap_equal(pmpc, (uint64_t)nops + 36, "behind the window nothing is profiled");
	tap_equal(PCTR0(wrperfmon(PM_READ, 0)), 1, "... and counter 0 stands still");
	tap_equal(PCTR1(wrperfmon(PM_READ, 0)), 3, "... counter 1 too");
	swpipl(0);
	tap_equal(seen()->interrupts, 1, "... the interrupt waits for the IPL");
	swpipl(7);

	/* Counter 1 is written: counter 0 goes on from 1, far from its overflow; counter 1 adds. */
	wrperfmon(PM_WRITE, BOTH(0, 5) & ~1ull);
	measure(run_nops, scratch);
	tap_ok(PCTR0(wrperfmon(PM_READ, 0)) > 400, "a write of any part lets counter 0 go on");
	wrperfmon(PM_WRITE, BOTH(-(BEFORE + 20), 0) & ~2ull);
	measure(run_nops, scratch);
	tap_equal(wrperfmon(PM_PROFILED_PC, 0), (uint64_t)nops + 76, "... to the next window");
	tap_equal(PCTR1(wrperfmon(PM_READ, 0)), 5 + 3,
		  "... in which counter 1 adds to what it had");
	forget();
}

/* Enabled alone, counter 0 profiles and counter 1 does nothing; counter 1 alone profiles nothing. */
static void test_halves(void)
{
	uint64_t pmpc = wrperfmon(PM_PROFILED_PC, 0);

	prepare(PROFILE_ME, -100, 7);
	wrperfmon(PM_ENABLE, 2);
	run_nops(scratch);
	wrperfmon(PM_DISABLE, 3);
	tap_equal(wrperfmon(PM_PROFILED_PC, 0), pmpc, "counter 1 alone profiles nothing");
	tap_equal(PCTR1(wrperfmon(PM_READ, 0)), 7, "... and counts nothing");
	wrperfmon(PM_ENABLE, 1);
	run_nops(scratch);
	wrperfmon(PM_DISABLE, 3);
	tap_ok(wrperfmon(PM_PROFILED_PC, 0) != pmpc, "counter 0 alone profiles");
	tap_equal(PCTR0(wrperfmon(PM_READ, 0)), 1, "... and counts");
	tap_equal(PCTR1(wrperfmon(PM_READ, 0)), 7, "... and leaves counter 1 alone");

	/* The registers stay when the mode changes. */
	pmpc = wrperfmon(PM_PROFILED_PC, 0);
	prepare(INSNS_CYCLES, 0, 0);
	measure(run_nops, scratch);
	tap_equal(wrperfmon(PM_PROFILED_PC, 0), pmpc, "aggregate mode leaves PMPC as it is");
}

void test_profile(void)
{
	for (uint64_t i = 0; i < ARRAY_SIZE(expected); i++) {
		for (uint64_t sl1 = 0; sl1 < 4; sl1++) {
			profile(&expected[i], sl1);
			check_window(&expected[i], sl1);
		}
		check_registers(&expected[i]);
	}
	test_every_number();
	test_stands_still();
	test_halves();
}
