/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev/cpu/N/pmu: lists of steps that the kernel carries out on CPU N, for a program that judges its PMU. x86 only.
 *
 * A step reads or writes one register, does known work, or waits. The kernel carries out a list without a pause
 * between its steps and with maskable interrupts off, so that what a counter of ring 0 counts between two steps can be
 * derived by hand: the kernel's instructions around a step are the same for each list of the same operations, so the
 * difference between two lists that differ in the passes of their work is exact. A step that faults is recorded, and
 * the next one follows.
 *
 * While the file is open, each NMI of CPU N is recorded, and a second list, the handler, is carried out in it. The
 * entry of the local APIC stays as the last list left it: a handler that wants more interrupts of a PMU whose entry is
 * masked at delivery has a PMU_STEP_SET_LVT. A record that finds no room ends that: the NMI is only counted, the
 * handler does not run, and the entry is masked, until records are taken and a list unmasks it.
 *
 * One file at a time for each CPU. open: EPERM without CAP_SYS_RAWIO; ENXIO: there is no CPU N, or it is off line;
 * EBUSY: the file is open, or another service has the CPUs' counters (perf_event, perfctr; perf_pmu_holder of
 * /proc/sys/kernel names it). When the file is closed, or the CPU goes off line, each MSR that a step wrote gets the
 * value back that it had before, and the driver of the PMU, if there is one, initializes its registers.
 *
 * Errors of all requests: ENXIO: the CPU has been off line since the file was opened. EBADF: the file was not opened
 * for writing. EFAULT, ENOMEM. EINVAL: see each request.
 */
#ifndef TALLY_PMU_STEPS_H
#define TALLY_PMU_STEPS_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Most steps of a list and of a handler, and most NMIs that are recorded until they are taken. */
#define PMU_STEPS_MAX	      512
#define PMU_HANDLER_STEPS_MAX 16
#define PMU_NMIS_MAX	      1024
/* Most MSRs that the lists and the handlers of an open file write. One more: ENOSPC, and no step is done. */
#define PMU_WRITTEN_MAX	      128

/* Operations of a step. INDEX and VALUE are its fields; those that an operation does not name are 0. "value =" is what
 * the kernel writes into VALUE. Those up to PMU_STEP_PCE may be in a handler. */
enum {
	PMU_STEP_RDMSR, /* value = MSR INDEX */
	PMU_STEP_WRMSR, /* MSR INDEX = VALUE */
	PMU_STEP_RDPMC, /* value = RDPMC of INDEX, in ring 0 */
	PMU_STEP_TSC,	/* value = RDTSC, after all steps before it */
	PMU_STEP_LVT,	/* value = the local APIC's LVT entry of performance counters */
	PMU_STEP_SET_LVT, /* that entry = VALUE: PMU_LVT_MASKED or 0; the delivery mode is always NMI */
	/* CR4.PCE = VALUE, 0 or 1; value = what it was. Until CPU N switches to another address space. */
	PMU_STEP_PCE,
	PMU_STEP_WORK, /* work of kind INDEX, VALUE passes, in ring 0 */
	PMU_STEP_HALT, /* HLT, interrupts on, until VALUE ns have passed or an NMI came. The caller is on CPU N */
	PMU_STEP_WAIT, /* spins until INDEX NMIs came since the list began, or VALUE ns have passed; value = NMIs */
	/* value = what INIT did to general counter 0 of CPU N when the machine started: of PMU_INIT_*. The kernel tries it
	 * if its command line has the word init-check */
	PMU_STEP_INIT,
	/* AMD's extended entries, by number; IBS interrupts by one of them. value = entry INDEX of the local APIC; ~0: it has
	 * no such entry, and then the second does nothing */
	PMU_STEP_EXTENDED_LVT,
	PMU_STEP_SET_EXTENDED_LVT, /* that entry = VALUE, as of PMU_STEP_SET_LVT. Masked when the file is closed */
	PMU_STEP_OPERATIONS
};

enum {
	PMU_INIT_NOT_TRIED, /* no such word, CPU 0, or the counter keeps no value */
	PMU_INIT_LEAVES,
	PMU_INIT_CHANGES
};

#define PMU_LVT_MASKED	     (1u << 16)
/* Extended entries that a step can name. */
#define PMU_EXTENDED_LVT_MAX 4

/* Known work of ring 0: instructions and branches of one pass, without the frame around all passes. The frame is the
 * same for each number of passes, 0 included. */
enum {
	PMU_WORK_LOOP, /* dec, jnz: 2 instructions, 1 branch */
	PMU_WORK_CPUID, /* xor, xor, cpuid (leaf 0), dec, jnz: 5 instructions, 1 branch; an exit to most hypervisors */
	PMU_WORK_STRING, /* one REP STOSB of VALUE bytes: 1 instruction for all of them, also for 0 */
	PMU_WORK_NOT_TAKEN, /* jc (never taken), dec, jnz: 3 instructions, 2 branches */
	/* One interrupt of this CPU by itself in each pass, taken in ring 0: PMU_INTERRUPT_INSTRUCTIONS, if no other
	 * interrupt comes in between. value = interrupts taken. The caller is on CPU N. */
	PMU_WORK_INTERRUPT,
	PMU_WORK_KINDS
};

/* Instructions of a pass of PMU_WORK_INTERRUPT: 110 that send, wait and let it in, and 23 of its handler. */
#define PMU_INTERRUPT_INSTRUCTIONS 133

/* Bounds of one list. The sum over its steps of passes times weight: 1 for a pass of LOOP and NOT_TAKEN, 1 for a byte of
 * STRING, 64 for a pass of CPUID and INTERRUPT. The sum of the ns of HALT and WAIT. The bytes of one STRING. */
#define PMU_WORK_MAX		   (1u << 24)
#define PMU_WAIT_MAX_NS		   1000000000u
#define PMU_STRING_MAX		   4096

struct pmu_step {
	__u32 operation;
	__u32 index;
	__u64 value;
	__u32 fault; /* out: 0, or 1 + the vector of the exception that the step raised; value is 0 then */
	__u32 nmis; /* out: NMIs on the CPU since the list began, when the step was done */
	__u64 pad;  /* zero */
};

struct pmu_steps {
	__u64 steps; /* address of struct pmu_step[count]; PMU_IOC_RUN writes it back with the results */
	__u32 count;
	__u32 pad; /* zero */
};

#define PMU_NO_STEP (~0u)

/* One NMI. */
struct pmu_nmi {
	__u64 ip; /* of the interrupted instruction */
	__u64 tsc;
	__u32 user; /* 1 if it came in ring 3 */
	__u32 step; /* number of the list's step that ran, or PMU_NO_STEP */
	/* Values of the handler's steps, in their order; ~0: the step faulted; 0: there is no such step. */
	__u64 values[PMU_HANDLER_STEPS_MAX];
};

struct pmu_nmis {
	__u64 nmis;  /* address of struct pmu_nmi[count] */
	__u32 count; /* in: room; out: how many were copied */
	__u32 lost;  /* out: how many more came since the last PMU_IOC_NMIS and were not recorded */
};

/* Carries out a list. EINVAL: no step, too many, an unknown operation or kind, a field out of range, a bound is
 * exceeded. EXDEV: the list has a HALT or an INTERRUPT, and the caller runs on another CPU. ENOSPC. */
#define PMU_IOC_RUN	_IOW('P', 1, struct pmu_steps)
/* Sets the handler; with a count of 0 an NMI is only recorded, as before the first request. EINVAL, ENOSPC. */
#define PMU_IOC_HANDLER _IOW('P', 2, struct pmu_steps)
/* Takes the records of NMIs, oldest first. */
#define PMU_IOC_NMIS	_IOWR('P', 3, struct pmu_nmis)

#endif
