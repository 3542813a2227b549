// SPDX-License-Identifier: BSD-2-Clause
/* Which PMU drivers this machine needs, and their interrupt. */
#include <arch/pmu.h>
#include <kernel/log.h>
#include <machine/task.h>

#include "ev67.h"

/* In a2, PALcode says which counter it is. */
static bool serve_counters(struct trap_frame *frame)
{
	ev67_pmu_interrupt(frame->cause[2], frame);
	return true;
}

void arch_pmu_init(void)
{
	if (ev67_pmu_init())
		arch_nmi_register(serve_counters);
	else
		log_info("PMU: none that Tally knows; hardware events are not available");
}
