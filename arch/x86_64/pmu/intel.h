/* SPDX-License-Identifier: BSD-2-Clause */
/* Intel's architectural performance monitoring as a PMU. */
#ifndef ARCH_X86_64_PMU_INTEL_H
#define ARCH_X86_64_PMU_INTEL_H

#include <stdbool.h>

/* Finds the PMU on this machine and registers it. False: there is none. Once, all CPUs running, task
 * context. */
bool intel_pmu_init(void);

#endif
