/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shape.h - the PMU as CPUID announces it: numbers of registers, widths, events. Read once, and the only
 * source of what the rules expect.
 *
 * Sources: Intel SDM vol. 3B chapter 20 and vol. 2 CPUID leaf 0AH; AMD APM vol. 2 chapter 13 and vol. 3
 * appendix E (CPUID 8000_0001, 8000_0022).
 */
#ifndef REPORT_SHAPE_H
#define REPORT_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

/* Registers. SDM vol. 4 chapter 2; APM vol. 2 appendix A. */
enum msr {
	MSR_PMC = 0xc1,
	MSR_PERFEVTSEL = 0x186,
	MSR_FIXED_CTR = 0x309,
	MSR_PERF_CAPABILITIES = 0x345,
	MSR_FIXED_CTR_CTRL = 0x38d,
	MSR_GLOBAL_STATUS = 0x38e,
	MSR_GLOBAL_CTRL = 0x38f,
	MSR_GLOBAL_OVF_CTRL = 0x390, /* version 4 calls it IA32_PERF_GLOBAL_STATUS_RESET */
	MSR_GLOBAL_STATUS_SET = 0x391,
	MSR_GLOBAL_INUSE = 0x392,
	MSR_LBR_SELECT = 0x1c8,
	MSR_LBR_TOP = 0x1c9,
	MSR_LBR_FROM = 0x680, /* Skylake's stack: FROM, TO and INFO of entry 0 */
	MSR_LBR_TO = 0x6c0,
	MSR_LBR_INFO = 0xdc0,
	MSR_PEBS_ENABLE = 0x3f1,
	MSR_DS_AREA = 0x600,
	MSR_A_PMC = 0x4c1,
	MSR_LBR_CTL = 0x14ce,
	MSR_LBR_DEPTH = 0x14cf,
	MSR_LBR_0_FROM = 0x1500,
	MSR_LBR_0_TO = 0x1600,
	MSR_DEBUGCTL = 0x1d9,
	MSR_MPERF = 0xe7,
	MSR_APERF = 0xe8,
};

/* AMD's, which do not fit into a signed enumerator. */
#define MSR_AMD_MPERF_READ    0xc00000e7u
#define MSR_AMD_APERF_READ    0xc00000e8u
#define MSR_AMD_IRPERF	      0xc00000e9u
#define MSR_AMD_GLOBAL_STATUS 0xc0000300u
#define MSR_AMD_GLOBAL_CTL    0xc0000301u
#define MSR_AMD_STATUS_CLEAR  0xc0000302u
#define MSR_AMD_STATUS_SET    0xc0000303u
#define MSR_AMD_EVTSEL	      0xc0010000u
#define MSR_AMD_CTR	      0xc0010004u
#define MSR_AMD_HWCR	      0xc0010015u
#define MSR_AMD_CORE_CTL      0xc0010200u /* + 2 for each counter; the counter is the next one */
#define MSR_AMD_IBS_FETCH_CTL 0xc0011030u
#define MSR_AMD_IBS_OP_CTL    0xc0011033u
#define MSR_AMD_IBS_OP_RIP    0xc0011034u /* then the op's data 1 to 3, linear and physical address */
#define MSR_AMD_IBS_CTL	      0xc001103au
#define MSR_AMD_IBS_TARGET    0xc001103bu

#define HWCR_IRPERF_ENABLE    (UINT64_C(1) << 30)
#define DEBUGCTL_LBR	      (UINT64_C(1) << 0)
#define DEBUGCTL_FREEZE_LBR   (UINT64_C(1) << 11)
#define DEBUGCTL_FREEZE	      (UINT64_C(1) << 12)
#define CAPABILITY_FULL_WIDTH (UINT64_C(1) << 13)
#define CAPABILITY_LBR_FORMAT UINT64_C(0x3f)
#define LBR_FORMAT_SKYLAKE    5
#define PEBS_FORMAT_SKYLAKE   3
#define STATUS_FIXED(i)	      (UINT64_C(1) << (32 + (i)))
#define STATUS_LBR_FROZEN     (UINT64_C(1) << 58)
#define STATUS_BUFFER	      (UINT64_C(1) << 62) /* PEBS records have reached the threshold */
#define STATUS_CTR_FROZEN     (UINT64_C(1) << 59) /* the same on both */
#define STATUS_COND_CHANGED   (UINT64_C(1) << 63)

/* Bits of a general counter's selection, the same for both vendors. */
#define SELECT_USER	      (UINT64_C(1) << 16)
#define SELECT_KERNEL	      (UINT64_C(1) << 17)
#define SELECT_EDGE	      (UINT64_C(1) << 18)
#define SELECT_INTERRUPT      (UINT64_C(1) << 20)
#define SELECT_ANY_THREAD     (UINT64_C(1) << 21)
#define SELECT_ENABLE	      (UINT64_C(1) << 22)
#define SELECT_INVERT	      (UINT64_C(1) << 23)
#define SELECT_CMASK(n)	      ((uint64_t)(n) << 24)

/* The parts of IBS: CPUID 8000_001B EAX. */
#define IBS_LEAF_VALID	      (1u << 0)
#define IBS_FETCH	      (1u << 1)
#define IBS_OP		      (1u << 2)
#define IBS_COUNT_WRITABLE    (1u << 3)
#define IBS_COUNTS_OPS	      (1u << 4)
#define IBS_HAS_TARGET	      (1u << 5)

enum vendor { VENDOR_INTEL, VENDOR_AMD, VENDOR_OTHER };

/* The generations of AMD's PMU, in the member version of struct shape. */
enum amd_version { AMD_K7, AMD_CORE, AMD_PERFMON_V2 };

/* Events with a meaning on both vendors. EVENT_REFERENCE: cycles at a constant rate. */
enum event { EVENT_CYCLES, EVENT_INSTRUCTIONS, EVENT_REFERENCE, EVENT_BRANCHES, EVENTS };

struct shape {
	enum vendor vendor;
	char vendor_name[13];
	char model[49];
	char hypervisor[13]; /* empty: CPUID names none */
	bool has_pmu;
	unsigned int version;  /* Intel's architectural version, or enum amd_version */
	unsigned int counters; /* general ones */
	unsigned int width;    /* their bits */
	uint32_t fixed;	       /* a bit for each fixed counter */
	unsigned int fixed_width;
	uint32_t leaf[4];	/* EAX to EDX of 0xA (Intel) or 8000_0022 (AMD), as read */
	uint32_t events_length; /* Intel: architectural events that the leaf speaks about */
	uint32_t events_absent; /* Intel: a bit for each that the leaf calls unavailable */
	bool any_thread;	/* Intel: bit 21 of a selection exists */
	bool has_capabilities;	/* Intel: IA32_PERF_CAPABILITIES is announced */
	uint64_t capabilities;	/* its value; 0 if it cannot be read */
	bool full_width;	/* writes of general counters have all bits */
	bool has_global;	/* global control and status */
	bool has_status_set;
	uint32_t global_ctrl, global_status, global_clear, global_set; /* registers */
	bool has_freeze; /* DEBUGCTL's freeze on an interrupt */
	uint64_t frozen; /* status bit of a freeze; 0: a freeze clears the global control */
	bool has_svm;	 /* AMD: selections have HostOnly and GuestOnly */
	bool has_aperf, has_aperf_read, has_irperf;
	bool has_pebs, has_lbr, has_ibs;
	uint32_t ibs;		  /* of IBS_…, below */
	bool has_records;	  /* Intel: PEBS with records in Skylake's format */
	bool has_branches;	  /* Intel: last branch records in Skylake's format */
	uint64_t branches_frozen; /* their status bit of a freeze; 0: a freeze clears DEBUGCTL.LBR */
};

/* The machine's, once shape_read() has been called. */
extern struct shape shape;

/* Executes CPUID on the CPU of the caller. */
void shape_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);

/* Fills in `shape` from CPUID and, where only they can tell, from registers of CPU 0. */
void shape_read(void);

/* The announcement of the CPU that the caller runs on, without its names: two CPUs' are compared bytewise. */
void shape_read_announcement(uint32_t words[24]);

/* The register of general counter I, and of its selection. */
uint32_t shape_counter_msr(unsigned int i);
uint32_t shape_select_msr(unsigned int i);

/* A mask of WIDTH bits, 1 to 64. */
uint64_t shape_mask(unsigned int width);

/* Bits of the global control that start general and fixed counters; they are those of the status, too. */
uint64_t shape_general_bits(void);
uint64_t shape_fixed_bits(void);

/* The selection of EVENT without rings and switches; false if CPUID does not announce it. */
bool shape_event(enum event event, uint64_t *selection);

/* The fixed counter of EVENT; -1 if there is none. */
int shape_fixed_of(enum event event);

/* The name of EVENT in a sentence. */
const char *shape_event_name(enum event event);

#endif /* REPORT_SHAPE_H */
