/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guest.h: the common part of the Alpha test guest.
 *
 * The guest is a kernel of its own, as small as the tests of the emulated EV67 counters allow: it
 * runs in KSEG on the console's page tables and stack, with no scheduler. Its output is TAP on the
 * first serial port; it ends the emulator through the console's power-off.
 */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* PALcode calls, by the number in the instruction (Alpha Architecture Handbook, appendix C). */
#define PAL_HALT      0x00
#define PAL_WRIPIR    0x0d
#define PAL_SWPCTX    0x30
#define PAL_SWPIPL    0x35
#define PAL_WHAMI     0x3c
#define PAL_WRPERFMON 0x39

static inline uint64_t swpipl(uint64_t ipl)
{
	register uint64_t a0 __asm__("$16") = ipl;
	register uint64_t v0 __asm__("$0");

	__asm__ volatile("call_pal %2"
			 : "=r"(v0), "+r"(a0)
			 : "i"(PAL_SWPIPL)
			 : "$1", "$22", "$23", "$24", "$25", "memory");
	return v0;
}

/* wrperfmon's functions (appendix E, 21264). */
enum {
	PM_DISABLE,
	PM_ENABLE,
	PM_SELECT,
	PM_OPTIONS,
	PM_FREQUENCY,
	PM_READ,
	PM_WRITE,
	PM_ENABLE_WRITE,
	PM_STATUS,
	PM_PROFILED_PC
};

static inline uint64_t wrperfmon(uint64_t function, uint64_t argument)
{
	register uint64_t a0 __asm__("$16") = function;
	register uint64_t a1 __asm__("$17") = argument;
	register uint64_t v0 __asm__("$0");

	__asm__ volatile("call_pal %3"
			 : "=r"(v0), "+r"(a0), "+r"(a1)
			 : "i"(PAL_WRPERFMON)
			 : "$1", "$22", "$23", "$24", "$25", "memory");
	return v0;
}

#define PCTR_MASK    0xfffffu
#define PCTR0(ctl)   ((ctl) >> 28 & PCTR_MASK)
#define PCTR1(ctl)   ((ctl) >> 6 & PCTR_MASK)
/* The argument of PM_WRITE: both counters. */
#define BOTH(v0, v1) (((uint64_t)(v0)&PCTR_MASK) << 28 | ((uint64_t)(v1)&PCTR_MASK) << 6 | 3)
#define SELECT(sl1)  ((uint64_t)(sl1) << 2)
/* SL1: the events of the counters 0 and 1. */
enum { INSNS_CYCLES, CYCLES_NOTHING, INSNS_MISSES, CYCLES_REPLAYS };

/* entry.S */
struct frame {
	uint64_t v0, t0_t7[8], a3_a5[3], t8_t12[5], at, pad[2];
	uint64_t ps, pc, gp, a0, a1, a2;
};
/* Counts the calls fn(arg): enables both counters, calls, disables them; nothing is in between. */
void measure(void (*fn)(void *), void *arg);
extern char measure_return[]; /* where fn returns to */

/* sequences.S */
struct sequence {
	const char *name;
	void (*fn)(void *);
	uint64_t insns, branches, misses, replays;
};
extern const struct sequence sequences[];
extern const uint64_t nr_sequences;
void unfetchable(void *), palcall(void *), unaligned(void *), overflow(void *), lower_ipl(void *);
extern char nops[], nops_end[], branch_run[];
void run_nops(void *), run_loop(void *), run_calls(void *), touch_blocks(void *),
	touch_frames(void *), halting(void *);
extern char loop_top[];

/* How many interrupts a CPU has taken, and what the last one was. */
struct seen {
	uint64_t interrupts, type, vector, counter, pc, ps;
};
#define MAX_CPUS 4

/* This CPU's number. */
static inline uint64_t whami(void)
{
	register uint64_t v0 __asm__("$0");

	__asm__ volatile("call_pal %1"
			 : "=r"(v0)
			 : "i"(PAL_WHAMI)
			 : "$1", "$22", "$23", "$24", "$25");
	return v0;
}

static inline void interrupt_cpu(uint64_t cpu)
{
	register uint64_t a0 __asm__("$16") = cpu;

	__asm__ volatile("call_pal %1"
			 : "+r"(a0)
			 : "i"(PAL_WRIPIR)
			 : "$1", "$22", "$23", "$24", "$25", "memory");
}

/* An I/O port: Typhoon's Pchip 0, PCI I/O space, through KSEG (bit 40 there stands for physical bit 43). */
static inline volatile uint8_t *io_port(unsigned int port)
{
	return (volatile uint8_t *)(0xfffffc0000000000 + 0x10000000000 + 0x1fc000000 + port);
}

/* Where the console starts the other CPUs. */
void second_start(void);
/* Handlers of traps whose instructions are counted. */
void exact_next(void), exact_return(void), exact_come_back(void);

/* main.c: the common part of its tests and those of ProfileMe. */
#define PAGE_SIZE 8192
extern uint8_t scratch[PAGE_SIZE];
/* The records of this CPU since forget(). */
volatile struct seen *seen(void);
void forget(void);
/* Both counters are disabled, SL1 (and SL0, as bit 2) chosen, the values written, all forgotten. */
void prepare(uint64_t sl1, uint64_t value0, uint64_t value1);
/* The traps of a sequence go to handlers whose instructions are in its numbers, or end the test. */
void set_exact_entries(const struct sequence *s);
void set_fatal_entries(void);
/* Enables the counters at IPL 0 and goes straight into fn(arg). */
void run_until_overflow(void (*fn)(void *), void *arg);

/* profile.c */
void test_profile(void);

/* bench.c: does the work that WORDS of the command line choose, "mode=M kind=K rounds=N". */
void bench(const char *words);
/* main.c: the last step of the handler of the counters' interrupt; NULL: none. */
extern void (*interrupt_work)(void);

#endif
