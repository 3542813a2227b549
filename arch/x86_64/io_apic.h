/* SPDX-License-Identifier: BSD-2-Clause */
/* Interrupts of legacy devices, through the I/O APIC. Drivers use <arch/irq.h>. */
#ifndef IO_APIC_H
#define IO_APIC_H

/* Silences the 8259 controllers, maps the I/O APIC with every input masked. Boot CPU, start,
 * after acpi_init. */
void io_apic_init(void);

#endif
