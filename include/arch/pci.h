/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of an ISA that drives a PCI bus: what the bus needs of the machine. Ports are in <arch/port.h>. */
#ifndef ARCH_PCI_H
#define ARCH_PCI_H

#include <stdint.h>

#include <kernel/base/physical.h>

/* Returns the physical address of the memory-mapped configuration space of BUS in segment 0, 1 MiB with 4 KiB for each
 * function; 0: the firmware's tables have none, or it overlaps RAM. Any context after arch_init. */
paddr_t arch_pci_ecam(uint8_t bus);

/* A device's message-signalled interrupt. All texts stay as long as the interrupt has its number. */
struct arch_msi {
	void (*handler)(void *arg); /* interrupt context, interrupts off */
	void *arg;
	const char *name;   /* the driver's name of it */
	const char *device; /* for /proc/interrupts, with the index of the device's vector */
	unsigned int index;
};

/* The write by which a device raises the interrupt. */
struct arch_msi_message {
	uint64_t address;
	uint32_t data;
};

/* Allocates an interrupt with MSI's handler. Returns its number in /proc/interrupts; -ENOSPC: all are in use; -ENODEV:
 * the CPUs take no such interrupts. Task context. */
int arch_msi_alloc(const struct arch_msi *msi);

/* Sets *MESSAGE for delivery of interrupt NUMBER to CPU. 0; -EINVAL: no message reaches CPU. Any context. */
int arch_msi_message(unsigned int number, unsigned int cpu, struct arch_msi_message *message);

/* Frees interrupt NUMBER. Afterwards its handler runs nowhere, and a message that still comes is counted and ignored.
 * Task context, interrupts on, no lock held that the handler takes. */
void arch_msi_free(unsigned int number);

#endif
