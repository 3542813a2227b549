/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ABI: the PERF_SAMPLE_RAW data of a sample of the PMU "profileme", and its attr.config.
 *
 * The registers are unchanged: Alpha 21264/EV67 Hardware Reference Manual, 5.2.6 (PMPC), 5.2.16
 * (I_STAT), 5.2.22 (PCTR_CTL).
 */
#ifndef UAPI_ASM_ALPHA_PROFILEME_H
#define UAPI_ASM_ALPHA_PROFILEME_H

#include <stdint.h>

/* attr.config, and `select` below: the data that the counters hold about the profiled instruction
 * (SL1). Counter 0 and counter 1: */
enum profileme_select {
	PROFILEME_RETIRED_CYCLES = 0, /* its retirement; cycles of its window */
	PROFILEME_CYCLES_DELAY = 1,   /* cycles of its window; cycles by which it delayed others */
	PROFILEME_RETIRED_MISSES = 2, /* its retirement; Bcache misses in its window */
	PROFILEME_CYCLES_REPLAYS = 3  /* cycles of its window; replay traps in it */
};

/* The raw data: it follows the 32 bits of its size. */
struct profileme_raw {
	uint32_t select; /* enum profileme_select */
	uint64_t pmpc, i_stat, pctr_ctl;
} __attribute__((packed, aligned(4)));

/* PMPC: the profiled instruction's address, and a bit that is set in PALcode. */
#define PROFILEME_PC(pmpc)	    ((pmpc) & ~3ull)
#define PROFILEME_PC_PAL	    1ull

/* I_STAT. The trap's type is meaningful if it trapped. */
#define PROFILEME_STAT_OVERCOUNT(s) ((s) >> 30 & 7) /* too many in counter 0 */
#define PROFILEME_STAT_ICACHE_MISS  (1ull << 33)
#define PROFILEME_STAT_TRAP_TYPE(s) ((s) >> 34 & 15)
#define PROFILEME_STAT_LOAD_STORE   (1ull << 38) /* replay trap: load-store order */
#define PROFILEME_STAT_TRAP	    (1ull << 39)
#define PROFILEME_STAT_MISPREDICT   (1ull << 40)

/* PCTR_CTL */
#define PROFILEME_CTL_TAKEN	    1ull /* a conditional branch that was taken */
#define PROFILEME_CTL_VALID	    2ull /* it retired */
#define PROFILEME_CTL_COUNTER1(ctl) ((ctl) >> 6 & 0xfffff)
#define PROFILEME_CTL_KILLED_EARLY  (1ull << 26) /* before or while it was mapped */
#define PROFILEME_CTL_STALLED	    (1ull << 27) /* between fetch and map */
#define PROFILEME_CTL_COUNTER0(ctl) ((ctl) >> 28 & 0xfffff)

#endif
