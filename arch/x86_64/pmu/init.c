// SPDX-License-Identifier: BSD-2-Clause
/* The PMU drivers of this machine. */
#include <arch/pmu.h>
#include <kernel/base/log.h>

#include "amd.h"
#include "intel.h"
#include "msr.h"

void arch_pmu_init(void)
{
	msr_pmu_init();
	if (!intel_pmu_init() && !amd_pmu_init())
		log_info("PMU: none that Tally knows; hardware events are not available");
}
