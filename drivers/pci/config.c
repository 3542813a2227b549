/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access to configuration space: by configuration mechanism #1, which is a pair of ports, or by memory (ECAM) where a
 * function has a page of that. Offsets from 256 on exist only in memory.
 *
 * Lock: config_lock (irqsave), from the write of the address to the access of the data. Innermost.
 *
 * Sources: PCI Local Bus Specification 3.0, 3.2.2.3.2; PCI Express Base Specification 4.0, 7.2.2.
 */
#include "config.h"

#include <arch/port.h>
#include <kernel/base/spinlock.h>
#include <kernel/pci/pci.h>

#define PORT_ADDRESS   0xcf8
#define PORT_DATA      0xcfc
#define ADDRESS_ENABLE 0x80000000u

static struct spinlock config_lock = SPINLOCK_INITIALIZER;

bool pci_config_init(void)
{
	unsigned long state = spin_lock_irqsave(&config_lock);

	/* The host bridge keeps the address; an empty port keeps nothing. */
	arch_port_write32(PORT_ADDRESS, ADDRESS_ENABLE);

	bool present = arch_port_read32(PORT_ADDRESS) == ADDRESS_ENABLE;

	spin_unlock_irqrestore(&config_lock, state);
	return present;
}

/* Chooses the word at OFFSET for the data port. config_lock held. */
static void address(unsigned int bus, unsigned int slot, unsigned int function, unsigned int offset)
{
	arch_port_write32(PORT_ADDRESS, ADDRESS_ENABLE | bus << 16 | slot << 11 | function << 8 |
						(offset & 0xfc));
}

uint32_t pci_config_read(unsigned int bus, unsigned int slot, unsigned int function,
			 unsigned int offset)
{
	unsigned long state = spin_lock_irqsave(&config_lock);

	address(bus, slot, function, offset);

	uint32_t value = arch_port_read32(PORT_DATA);

	spin_unlock_irqrestore(&config_lock, state);
	return value;
}

/* The data port has the bytes of a word at offsets 0 to 3. */
#define ACCESS(bits)                                                                        \
	uint##bits##_t pci_read##bits(const struct pci_device *device, unsigned int offset) \
	{                                                                                   \
		uint##bits##_t value;                                                       \
                                                                                            \
		if (offset % (bits / 8) || offset >= device->config_size)                   \
			return (uint##bits##_t) ~0u;                                        \
		if (device->ecam)                                                           \
			return *(volatile const uint##bits##_t *)(device->ecam + offset);   \
                                                                                            \
		unsigned long state = spin_lock_irqsave(&config_lock);                      \
                                                                                            \
		address(device->bus, device->slot, device->function, offset);               \
		value = arch_port_read##bits((uint16_t)(PORT_DATA + offset % 4));           \
		spin_unlock_irqrestore(&config_lock, state);                                \
		return value;                                                               \
	}                                                                                   \
                                                                                            \
	void pci_write##bits(const struct pci_device *device, unsigned int offset,          \
			     uint##bits##_t value)                                          \
	{                                                                                   \
		if (offset % (bits / 8) || offset >= device->config_size)                   \
			return;                                                             \
		if (device->ecam) {                                                         \
			*(volatile uint##bits##_t *)(device->ecam + offset) = value;        \
			return;                                                             \
		}                                                                           \
                                                                                            \
		unsigned long state = spin_lock_irqsave(&config_lock);                      \
                                                                                            \
		address(device->bus, device->slot, device->function, offset);               \
		arch_port_write##bits((uint16_t)(PORT_DATA + offset % 4), value);           \
		spin_unlock_irqrestore(&config_lock, state);                                \
	}

ACCESS(8)
ACCESS(16)
ACCESS(32)
