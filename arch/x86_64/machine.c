/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets up the CPU and its surroundings in order, and ends the machine. See <arch/machine.h>.
 */
#include <arch/machine.h>

#include <arch/port.h>
#include <kernel/base/log.h>
#include <machine/apic.h>
#include <machine/cpu.h>
#include <machine/trap.h>

#include "acpi.h"
#include "clock.h"
#include "features.h"
#include "io_apic.h"
#include "page_table.h"
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
	smp_init();
	io_apic_init();
	clock_init();
	if (descriptors_alloc_stacks(0) != 0)
		boot_failure("not enough memory to start; give the machine more");
}

/* QEMU's isa-debug-exit: ends the emulator with status 2 * value + 1. */
#define EXIT_DEVICE	     0xf4
/* The keyboard controller's output port: bit 0 low resets the CPU. */
#define KEYBOARD_COMMAND     0x64
#define KEYBOARD_PULSE_RESET 0xfe

void arch_machine_end(enum machine_end how)
{
	arch_irq_disable();
	/* Without the device this write does nothing. */
	arch_port_write32(EXIT_DEVICE, how);
	/* A person should be able to read the reason of a failure: switch the machine off only after
	 * success. */
	if (how == MACHINE_ENDED) {
		if (acpi_info.sleep_control && acpi_info.sleep_off != 0xffff) {
			arch_port_write16(acpi_info.sleep_control, acpi_info.sleep_off);
			if (acpi_info.sleep_control_b)
				arch_port_write16(acpi_info.sleep_control_b, acpi_info.sleep_off);
		}
		arch_port_write8(KEYBOARD_COMMAND, KEYBOARD_PULSE_RESET);
	}
	arch_cpu_halt();
}
