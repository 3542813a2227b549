/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel's architectural performance monitoring: numbers of its registers.
 *
 * Sources: SDM vol. 3B, chapter 20 ("Performance Monitoring"), sections named below; register numbers from
 * SDM vol. 4, table 2-2.
 */
#ifndef ARCH_X86_64_PMU_INTEL_REGISTERS_H
#define ARCH_X86_64_PMU_INTEL_REGISTERS_H

/* General counters: the legacy address writes 32 bits and sign-extends, the other address writes all bits
 * (20.2.8 "Full-Width Writes to Performance Counter Registers"). */
#define MSR_IA32_PMC0		      0x0c1
#define MSR_IA32_A_PMC0		      0x4c1
#define MSR_IA32_PERFEVTSEL0	      0x186
/* Fixed counters and the four bits of control for each (20.2.2, figure 20-2). */
#define MSR_IA32_FIXED_CTR0	      0x309
#define MSR_IA32_FIXED_CTR_CTRL	      0x38d
/* From version 2 on. */
#define MSR_IA32_PERF_GLOBAL_STATUS   0x38e
#define MSR_IA32_PERF_GLOBAL_CTRL     0x38f
#define MSR_IA32_PERF_GLOBAL_OVF_CTRL 0x390 /* from version 4 on called STATUS_RESET */
#define MSR_IA32_PERF_CAPABILITIES    0x345 /* if CPUID.1:ECX.PDCM */
#define PERF_CAPABILITIES_FW_WRITE    (1u << 13)

#endif
