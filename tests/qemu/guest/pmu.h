/* SPDX-License-Identifier: BSD-2-Clause */
/* pmu.h: Intel's performance-monitoring registers, and programming them (SDM vol. 3 and 4). */
#ifndef PMU_H
#define PMU_H

#include "guest.h"

#define MSR_PMC(i)	      (0xc1 + (i))
#define MSR_EVTSEL(i)	      (0x186 + (i))
#define MSR_A_PMC(i)	      (0x4c1 + (i))
#define MSR_FIXED(i)	      (0x309 + (i))
#define MSR_FIXED_CTRL	      0x38d
#define MSR_GLOBAL_STATUS     0x38e
#define MSR_GLOBAL_OVF_CTRL   0x390
#define MSR_GLOBAL_STATUS_SET 0x391
#define MSR_GLOBAL_INUSE      0x392
#define MSR_PERF_CAPABILITIES 0x345
#define MSR_PERF_METRICS      0x329
#define MSR_DEBUGCTL	      0x1d9

#define EVTSEL_USR	      (1ull << 16)
#define EVTSEL_OS	      (1ull << 17)
#define EVTSEL_EDGE	      (1ull << 18)
#define EVTSEL_PC	      (1ull << 19)
#define EVTSEL_INT	      (1ull << 20)
#define EVTSEL_ANY	      (1ull << 21)
#define EVTSEL_EN	      (1ull << 22)
#define EVTSEL_INV	      (1ull << 23)
#define EVTSEL_CMASK(n)	      ((uint64_t)(n) << 24)

#define EVENT_CYCLES	      0x003c
#define EVENT_REFERENCE	      0x013c
#define EVENT_INSNS	      0x00c0
#define EVENT_BRANCHES	      0x00c4

#define FIXED_OS	      1
#define FIXED_USR	      2
#define FIXED_ANY	      4
#define FIXED_PMI	      8

#define STATUS_FIXED(i)	      (1ull << (32 + (i)))
#define STATUS_LBR_FRZ	      (1ull << 58)
#define STATUS_CTR_FRZ	      (1ull << 59)
#define STATUS_OVF_BUF	      (1ull << 62)
#define STATUS_COND_CHGD      (1ull << 63)
#define INUSE_PMI	      (1ull << 63)
#define FREEZE_ON_PMI	      (1ull << 12)
#define CAP_FW_WRITE	      (1ull << 13)

#define NR_FIXED	      3
#define RDPMC_FIXED	      (1u << 30)

static inline uint64_t width_mask(void)
{
	return (1ull << config.width) - 1;
}

/* All counters off and 0, no status, interrupts masked. */
void pmu_clear(void);

/* The counts of the four events in a measurement. */
struct counts {
	uint64_t insns, cycles, reference, branches;
};

/*
 * Programs the fixed counters and general counter 0 (branches) for the given rings (FIXED_OS |
 * FIXED_USR), and what measure() will enable.
 */
void counts_prepare(unsigned int rings);
struct counts counts_read(void);
/* Compares with instructions and branches; cycles follow from them. */
void counts_check(struct counts got, uint64_t insns, uint64_t branches, const char *what,
		  const char *name);

#endif
