/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order in which the CPU and its surroundings are set up, and how the machine ends. See
 * <arch/machine.h>.
 */
#include <arch/machine.h>

#include <machine/cpu.h>

#include "interrupt.h"
#include "paging.h"
#include "trap.h"

void arch_init_early(void)
{
	clock_start();
	trap_load_entries();
	paging_init();
}

void arch_init(void)
{
	isa_init();
}

/* The console's way to switch off has no status: how the machine ended is in the log's last line alone. */
void arch_machine_end(enum machine_end how)
{
	arch_irq_disable();
	pal_halt();
	arch_cpu_halt();
}
