// SPDX-License-Identifier: BSD-2-Clause
/*
 * User-mode counter reads need no permission in the simulated machine. arch_pmu_init is the real
 * one: it finds the PMU that sim/x86_pmu.c's CPUID describes, none unless sim_x86_set was called.
 */
#include <arch/pmu.h>

#include "internal.h"

void arch_pmu_user_access_update(struct vm_space *space)
{
	(void)space;
}
