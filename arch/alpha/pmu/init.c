// SPDX-License-Identifier: BSD-2-Clause
/* Which PMU drivers this machine needs. */
#include <arch/pmu.h>
#include <kernel/log.h>

#include "ev67.h"

void arch_pmu_init(void)
{
	if (!ev67_pmu_init())
		log_info("PMU: none that Tally knows; hardware events are not available");
}
