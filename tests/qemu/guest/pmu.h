/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu.h: the performance-monitoring registers of Intel (SDM vol. 3 and 4) and AMD (APM vol. 2), and
 * programming them.
 *
 * config.amd is AMD's generation, or 0 on Intel's PMU. A test that both vendors pass names an event
 * (EVENT_INSNS) and a general counter, and starts and stops all counters by one WRMSR, the switch. That is
 * the global control where there is one. On AMD's older generations it is EFER.SVME: their counters have
 * HostOnly and GuestOnly set, and count on both sides, but only with SVME. With Intel's version 1 it is the selection
 * of counter 0, and starts no other counter: a second one counts from its programming on.
 */
#ifndef PMU_H
#define PMU_H

#include "guest.h"

#define MSR_PMC(i)	      (0xc1 + (i))
#define MSR_EVTSEL(i)	      msr_evtsel(i) /* both vendors' */
#define MSR_A_PMC(i)	      msr_counter(i)
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

/* AMD's branches have the deliveries of interrupts and exceptions among them. */
#define EVENT_CYCLES	      (config.amd ? 0x76ull : 0x3cull)
#define EVENT_REFERENCE	      (config.amd ? 0x76ull : 0x13cull)
#define EVENT_INSNS	      0xc0ull
#define EVENT_BRANCHES	      (config.amd ? 0xc2ull : 0xc4ull)
#define EVENT_FAR	      0xc6ull
#define EVENT_INTERRUPTS      (config.amd == AMD_K8 ? 0xcfull : 0x2cull) /* AMD's only */

/* AMD's. */
enum { AMD_K8 = 1, AMD_CORE, AMD_V2 };
#define MSR_AMD_LEGACY_EVTSEL(i)  (0xc0010000 + (i))
#define MSR_AMD_LEGACY_CTR(i)	  (0xc0010004 + (i))
#define MSR_AMD_CORE_EVTSEL(i)	  (0xc0010200 + 2 * (i))
#define MSR_AMD_CORE_CTR(i)	  (0xc0010201 + 2 * (i))
#define MSR_AMD_GLOBAL_STATUS	  0xc0000300
#define MSR_AMD_GLOBAL_CTL	  0xc0000301
#define MSR_AMD_GLOBAL_STATUS_CLR 0xc0000302
#define MSR_AMD_GLOBAL_STATUS_SET 0xc0000303
#define MSR_MPERF		  0xe7
#define MSR_APERF		  0xe8
#define MSR_AMD_MPERF_RO	  0xc00000e7
#define MSR_AMD_APERF_RO	  0xc00000e8
#define MSR_AMD_IRPERF		  0xc00000e9
#define MSR_AMD_HWCR		  0xc0010015
#define HWCR_IRPERF_EN		  (1ull << 30)
#define EVTSEL_GUEST_ONLY	  (1ull << 40)
#define EVTSEL_HOST_ONLY	  (1ull << 41)
#define AMD_PMC_FREEZE		  (1ull << 59)
#define MSR_EFER		  0xc0000080
#define EFER_SVME		  (1ull << 12)

#define FIXED_OS		  1
#define FIXED_USR		  2
#define FIXED_ANY		  4
#define FIXED_PMI		  8

#define STATUS_FIXED(i)		  (1ull << (32 + (i)))
#define STATUS_LBR_FRZ		  (1ull << 58)
#define STATUS_CTR_FRZ		  (1ull << 59)
#define STATUS_OVF_BUF		  (1ull << 62)
#define STATUS_COND_CHGD	  (1ull << 63)
#define INUSE_PMI		  (1ull << 63)
#define FREEZE_ON_PMI		  (1ull << 12)
#define CAP_FW_WRITE		  (1ull << 13)

#define NR_FIXED		  3
#define RDPMC_FIXED		  (1u << 30)

static inline uint64_t width_mask(void)
{
	return (1ull << config.width) - 1;
}

static inline uint32_t msr_evtsel(unsigned int i)
{
	return !config.amd	    ? 0x186 + i :
	       config.amd == AMD_K8 ? MSR_AMD_LEGACY_EVTSEL(i) :
				      MSR_AMD_CORE_EVTSEL(i);
}

/* Intel's version 1: general counters, and no other register. */
static inline bool is_version_1(void)
{
	return !config.amd && config.version == 1;
}

static inline uint32_t msr_counter(unsigned int i)
{
	return is_version_1()	    ? MSR_PMC(i) :
	       !config.amd	    ? 0x4c1 + i :
	       config.amd == AMD_K8 ? MSR_AMD_LEGACY_CTR(i) :
				      MSR_AMD_CORE_CTR(i);
}

/* AMD's first two generations and Intel's first version have no global registers. */
static inline bool has_global(void)
{
	return config.amd ? config.amd == AMD_V2 : !is_version_1();
}

/* Only where has_global(). */
static inline uint64_t pmu_status(void)
{
	return rdmsr(config.amd ? MSR_AMD_GLOBAL_STATUS : MSR_GLOBAL_STATUS);
}

static inline void pmu_clear_status(uint64_t bits)
{
	wrmsr(config.amd ? MSR_AMD_GLOBAL_STATUS_CLR : MSR_GLOBAL_OVF_CTRL, bits);
}

/* All counters off and 0, no status, interrupts masked. */
void pmu_clear(void);
/* Programs general counter i; the switch must still be closed. */
void pmu_program(unsigned int i, uint64_t selection);
/*
 * Lets a second counter count instructions in the given rings (FIXED_OS | FIXED_USR): fixed counter 0, or
 * AMD's general counter 1. insns_msr and insns_rdpmc are its names.
 */
void pmu_program_insns(unsigned int rings);
uint32_t insns_msr(void), insns_rdpmc(void);
/* Lets the switch enable general counters, of a mask, and what pmu_program_insns has programmed. */
void pmu_enable(uint64_t general);
/* The switch, by hand. */
void pmu_start(void);
void pmu_stop(void);

/* The counts of the four events in a measurement. */
struct counts {
	uint64_t insns, cycles, reference, branches;
};

/*
 * Programs counters for the four events in the given rings (FIXED_OS | FIXED_USR), and what measure() will
 * enable: fixed ones and general counter 0 (branches), or AMD's general ones 0 to 3.
 */
void counts_prepare(unsigned int rings);
struct counts counts_read(void);
/*
 * Compares with instructions and branches; cycles follow from them. `deliveries`: of interrupts and
 * exceptions meanwhile, into the rings that are counted.
 */
void counts_check(struct counts got, uint64_t insns, uint64_t branches, uint64_t deliveries,
		  const char *what, const char *name);

#endif
