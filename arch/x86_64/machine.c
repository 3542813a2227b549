/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets up the CPU and its surroundings in order. See <arch/machine.h>.
 */
#include <arch/machine.h>

#include <kernel/base/log.h>
#include <machine/apic.h>
#include <machine/trap.h>

#include "acpi.h"
#include "clock.h"
#include "features.h"
#include "io_apic.h"
#include "page_table.h"
#include "power.h"
#include "smp.h"

void arch_init_early(void)
{
	clock_start();
	descriptors_init();
	descriptors_load(0);
	features_probe();
	features_patch_smap();
	features_enable();
	paging_init();
}

void arch_init(void)
{
	apic_init();
	apic_enable();
	smp_init_local(0);
	acpi_init();
	power_init();
	smp_init();
	io_apic_init();
	clock_init();
	if (descriptors_alloc_stacks(0) != 0)
		boot_failure("not enough memory to start; give the machine more");
}
