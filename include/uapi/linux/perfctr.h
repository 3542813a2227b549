/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfctr's interface to user space: control data, state, sums, and the commands of /dev/perfctr. The names and the
 * meaning of the fields are those of perfctr's low-level API; docs/perfctr.md has the rest.
 */
#ifndef _UAPI_LINUX_PERFCTR_H
#define _UAPI_LINUX_PERFCTR_H

#include <stdint.h>

/* More than any PMU here can have in one state. */
#define PERFCTR_COUNTERS_MAX 20

struct perfctr_sum_ctrs {
	unsigned long long tsc;
	unsigned long long pmc[PERFCTR_COUNTERS_MAX]; /* one per counter */
};

/*
 * Counters 0 … nractrs-1 are a-mode counters, which only count; the next nrictrs are i-mode counters, which
 * interrupt on overflow.
 *
 * pmc_map: the hardware counter. x86: as RDPMC names it, bit 30 for Intel's fixed counters. EV67: 0, 1.
 * evntsel: x86: bits 31:0 of the event select; an i-mode counter has INT set and an a-mode counter has not; a fixed
 * counter takes USR, OS, INT and EN of it. EV67: SL1, the same for all counters.
 */
struct perfctr_cpu_control {
	unsigned int tsc_on;
	unsigned int nractrs;
	unsigned int nrictrs;
	unsigned int pmc_map[PERFCTR_COUNTERS_MAX];
	unsigned int evntsel[PERFCTR_COUNTERS_MAX];
	unsigned int evntsel_high
		[PERFCTR_COUNTERS_MAX];	  /* x86: bits 63:32, AMD's bits 11:8 of the event's code */
	int ireset[PERFCTR_COUNTERS_MAX]; /* i-mode: minus the events up to an overflow */
};

/*
 * The state of a set of counters, mapped by user space. While the counters run, a sum is
 *
 *	tsc_sum + (uint32_t)(RDTSC - tsc_start), and pmc[i].sum + (uint32_t)(RDPMC(pmc[i].map) - pmc[i].start).
 *
 * A reader that finds tsc_start changed after it has read the counters reads again: each switch of the task and each
 * sampling changes tsc_start. So it needs tsc_on.
 */
struct perfctr_cpu_state {
	unsigned int cstatus;
	unsigned int tsc_start;
	unsigned long long tsc_sum;
	struct {
		unsigned int map;
		unsigned int start;
		unsigned long long sum;
	} pmc[PERFCTR_COUNTERS_MAX]; /* one per counter; the size is not part of the ABI */
#ifdef __PERFCTR_KERNEL__
	struct perfctr_cpu_control control;
	unsigned int id;	    /* of the control data, unique; 0: none */
	int suspended_cpu;	    /* whose counters still have the i-mode values; -1: none */
	unsigned int counts_kernel; /* what the control data say */
#endif
};

/* cstatus: the TSC is sampled; i-mode counters; all counters; a-mode counters. */
static inline unsigned int perfctr_mk_cstatus(unsigned int tsc_on, unsigned int nractrs,
					      unsigned int nrictrs)
{
	return (tsc_on ? 1u << 31 : 0) | nrictrs << 16 | (nractrs + nrictrs) << 8 | nractrs;
}

static inline unsigned int perfctr_cstatus_enabled(unsigned int cstatus)
{
	return cstatus;
}

static inline int perfctr_cstatus_has_tsc(unsigned int cstatus)
{
	return (int)cstatus < 0;
}

static inline unsigned int perfctr_cstatus_nractrs(unsigned int cstatus)
{
	return cstatus & 0x7f;
}

static inline unsigned int perfctr_cstatus_nrctrs(unsigned int cstatus)
{
	return cstatus >> 8 & 0x7f;
}

static inline unsigned int perfctr_cstatus_has_ictrs(unsigned int cstatus)
{
	return cstatus & 0x7f << 16;
}

/* si_code of the signal of an overflow, and the field of siginfo_t with the set of counters. */
#define SI_PMC_OVF	      (-8)
#define si_pmc_ovf_mask	      _sifields._pad[0]

#define PERFCTR_ABI_VERSION   0x05000500

#define PERFCTR_FEATURE_RDPMC 0x01 /* user space reads counters by RDPMC */
#define PERFCTR_FEATURE_RDTSC 0x02
#define PERFCTR_FEATURE_PCINT 0x04 /* i-mode counters */

struct perfctr_info {
	unsigned int abi_version;
	unsigned int cpu_features;
	unsigned int nrctrs; /* counters that one state can have */
	unsigned int width_bits;
	char cpu_name[32];
};

struct vperfctr_control {
	int si_signo; /* of the overflow signal; 0: none */
	/* Bit n: counter n keeps its sum; bit 31: the TSC. */
	unsigned int preserve;
	struct perfctr_cpu_control cpu_control;
};

/* ioctl: _IO('P' + 128, n) with Linux's encoding of _IO; the argument is a pointer or ignored. */
#define PERFCTR_INFO	      0xd000 /* struct perfctr_info: of /dev/perfctr or of a set */
#define VPERFCTR_CREAT	      0xd001 /* of /dev/perfctr; returns the descriptor of the task's new set */
#define VPERFCTR_CONTROL      0xd002 /* struct vperfctr_control */
#define VPERFCTR_STOP	      0xd003
#define VPERFCTR_IRESUME      0xd004 /* goes on after an overflow */
#define VPERFCTR_READ_SUM     0xd005 /* struct perfctr_sum_ctrs */
#define VPERFCTR_READ_CONTROL 0xd006 /* struct vperfctr_control */

#endif
