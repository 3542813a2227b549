// SPDX-License-Identifier: BSD-2-Clause
/* What <arch/pmu.h> asks of an ISA, for tests whose PMU is the simulated one (sim_pmu_register) or none. */
#include <arch/pmu.h>

#include "internal.h"

void arch_pmu_init(void)
{
}

void arch_pmu_user_access_update(struct vm_space *space)
{
	(void)space;
}
