// SPDX-License-Identifier: BSD-2-Clause
/* The PMU drivers of this machine, and their interrupt. */
#include "init.h"

#include <arch/pmu.h>
#include <kernel/base/log.h>
#include <machine/task.h>

#include "ev67.h"

/* PALcode gives the counter in a2. */
static bool serve_counters(struct trap_frame *frame)
{
	ev67_pmu_interrupt(frame->cause[2], frame);
	return true;
}

void ev67_lend_interrupt(bool (*handler)(struct trap_frame *frame))
{
	arch_nmi_replace(serve_counters, handler);
}

void ev67_take_interrupt_back(bool (*handler)(struct trap_frame *frame))
{
	arch_nmi_replace(handler, serve_counters);
}

void arch_pmu_init(void)
{
	if (ev67_pmu_init())
		arch_nmi_register(serve_counters);
	else
		log_info("PMU: none that Tally knows; hardware events are not available");
}
