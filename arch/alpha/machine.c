/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets up the CPU and its surroundings in order, and ends the machine. See <arch/machine.h>.
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

/* The console's power-off has no status: only the log's last line shows how the machine ended. */
void arch_machine_end(enum machine_end how)
{
	arch_irq_disable();
	pal_halt();
	arch_cpu_halt();
}
