/* SPDX-License-Identifier: BSD-2-Clause */
/* The `msr` PMU. */
#ifndef ARCH_X86_64_PMU_MSR_H
#define ARCH_X86_64_PMU_MSR_H

/* Finds which of its counters this CPU has, and registers it. Once, task context. */
void msr_pmu_init(void);

#endif
