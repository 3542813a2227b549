// SPDX-License-Identifier: BSD-2-Clause
/* The part of <arch/...> about interrupts and the clock chip. */
#include <arch/clock.h>
#include <arch/task.h>

#include "internal.h"

/* Timers fire in the middle of what the CPU executes. */
struct trap_frame *arch_interrupt_frame(void)
{
	return sim_frame();
}

uint64_t arch_boot_time_s(void)
{
	return SIM_BOOT_TIME_S;
}
