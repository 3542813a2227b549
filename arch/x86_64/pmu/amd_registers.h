/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AMD's core performance counters: numbers of their registers.
 *
 * Three generations, each a superset of the one before. Sources: APM vol. 2 (24593), 13.2 "Performance
 * Monitoring Counters"; register numbers from its appendix A.
 */
#ifndef ARCH_X86_64_PMU_AMD_REGISTERS_H
#define ARCH_X86_64_PMU_AMD_REGISTERS_H

/* The legacy counters, which every 64-bit CPU has: event selects, then counters. */
#define MSR_LEGACY_PERFEVTSEL0	0xc0010000
#define MSR_LEGACY_PERFCTR0	0xc0010004
#define LEGACY_COUNTERS		4
/* Core performance counter extensions: event select and counter in turn. */
#define MSR_CORE_PERFEVTSEL0	0xc0010200
#define MSR_CORE_PERFCTR0	0xc0010201
#define CORE_COUNTERS		6
/* Performance monitoring version 2. */
#define MSR_GLOBAL_STATUS	0xc0000300
#define MSR_GLOBAL_CONTROL	0xc0000301
#define MSR_GLOBAL_STATUS_CLEAR 0xc0000302
#define AMD_COUNTERS_MAX	15 /* CPUID has four bits for their number */

/* Every counter of every generation. */
#define AMD_WIDTH_BITS		48

#endif
