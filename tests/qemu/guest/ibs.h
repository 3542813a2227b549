/* SPDX-License-Identifier: BSD-2-Clause */
/* ibs.h: instruction-based sampling of AMD's CPUs (x-ibs=on), and a run of known instructions for it. */
#ifndef IBS_H
#define IBS_H

#define MSR_IBS_FETCH_CTL      0xc0011030
#define MSR_IBS_FETCH_LINEAR   0xc0011031
#define MSR_IBS_FETCH_PHYSICAL 0xc0011032
#define MSR_IBS_OP_CTL	       0xc0011033
#define MSR_IBS_OP_RIP	       0xc0011034
#define MSR_IBS_OP_DATA	       0xc0011035
#define MSR_IBS_OP_DATA3       0xc0011037
#define MSR_IBS_DC_LINEAR      0xc0011038
#define MSR_IBS_DC_PHYSICAL    0xc0011039
#define MSR_IBS_CTL	       0xc001103a
#define MSR_IBS_TARGET	       0xc001103b

#ifndef __ASSEMBLER__

#include "pmu.h"

#define FETCH_ENABLE	   (1ull << 48)
#define FETCH_VALID	   (1ull << 49)
#define FETCH_COMPLETED	   (1ull << 50)
#define FETCH_HAS_PHYSICAL (1ull << 52)
#define OP_ENABLE	   (1ull << 17)
#define OP_VALID	   (1ull << 18)
#define OP_DISPATCHED	   (1ull << 19)
#define OP_COUNT(n)	   ((uint64_t)(n) << 32)

#define APIC_VERSION	   0x30
#define APIC_EXTENDED	   0x400
#define APIC_CONTROL	   0x410
#define APIC_EXTENDED_LVT0 0x500

/*
 * Writes `control` to MSR `index`, runs the instructions of ibs_places with the scratch memory, and returns the register.
 * It is disabled then.
 */
uint64_t ibs_run(uint64_t control, uint32_t index, void *memory);

/* The instructions between WRMSR and RDMSR, in the order of execution. */
struct ibs_place {
	uint64_t at;
	uint64_t kind;	 /* IBS_… */
	uint64_t offset; /* of the data, in the scratch memory; IBS_STACK is ibs_stack */
	uint64_t size;	 /* of the data */
	uint64_t target;
};
extern const struct ibs_place ibs_places[];
extern const uint64_t ibs_places_count;
extern uint64_t ibs_stack;

/* The same with two instructions that fault the first time: UD2, whose handler is exact_skip2, and a load (exact_mend). */
void ibs_faults(uint64_t control, uint32_t index);
extern char ibs_ud2[], ibs_load[];

/* A run whose sample is instruction `number` of ibs_places, from 1 on. Returns the control register. */
uint64_t ibs_sample(unsigned int number);

/* The NMIs of the runs since it was cleared, and where the last one came. */
extern struct ibs_nmis {
	uint64_t times, rip;
} ibs_nmis;

/* Lets NMIs come by the extended entry, or masks it. */
void ibs_open(bool open);

#endif

#define IBS_LOAD     1
#define IBS_STORE    2
#define IBS_BRANCH   4
#define IBS_TAKEN    8
#define IBS_RETURN   16
#define IBS_STACK    0x100000
#define IBS_STACK_8  0xffff8 /* 8 below it */
#define IBS_STACK_16 0xffff0

#endif
