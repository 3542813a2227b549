/* SPDX-License-Identifier: BSD-2-Clause */
/* Which PMUs this machine has. */
#include <arch/pmu.h>

#include <kernel/log.h>

void arch_pmu_init(void)
{
	log_info("PMU: none");
}
