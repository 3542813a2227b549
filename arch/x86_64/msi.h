/* SPDX-License-Identifier: BSD-2-Clause */
/* Message-signalled interrupts, for the table of interrupts. */
#ifndef MSI_H
#define MSI_H

#include <stdbool.h>

#include <arch/pci.h>
#include <machine/trap.h>

/* The vectors of these interrupts: those between the legacy lines' and the kernel's own. */
#define VECTOR_MSI    0x50
#define MSI_COUNT     (VECTOR_TIMER - VECTOR_MSI)
/* Number of the first one: after the inputs of a PC's I/O APIC, as on Linux. */
#define MSI_FIRST_IRQ 24

/* Copies interrupt INDEX (below MSI_COUNT) to *MSI; false: it is free. Any context but NMI. */
bool msi_describe(unsigned int index, struct arch_msi *msi);

/* Returns the name of the interrupt of VECTOR, for its tracepoint; "": it is free. Interrupt context. */
const char *msi_name(unsigned int vector);

#endif
