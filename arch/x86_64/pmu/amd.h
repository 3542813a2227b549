/* SPDX-License-Identifier: BSD-2-Clause */
/* AMD's core performance counters as a PMU. */
#ifndef ARCH_X86_64_PMU_AMD_H
#define ARCH_X86_64_PMU_AMD_H

#include <stdbool.h>

/* Finds the PMU on this machine and registers it. False: there is none. Once, all CPUs running, task
 * context. */
bool amd_pmu_init(void);

#endif
