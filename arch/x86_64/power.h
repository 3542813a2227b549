/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of the machine: arch_machine_end of <arch/machine.h>. */
#ifndef POWER_H
#define POWER_H

/* Reads the command line's end=, and maps the registers that end the machine. Boot CPU, start, after acpi_init. */
void power_init(void);

#endif
