/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lists of capabilities. A list is a chain of offsets that the device chooses: each walk takes at most as many steps
 * as there is room for entries, and stops where an offset leaves the lists' part of the space.
 *
 * Sources: PCI Local Bus Specification 3.0, 6.7; PCI Express Base Specification 4.0, 7.6.3.
 */
#include <kernel/pci/pci.h>

#define CAPABILITIES_POINTER 0x34
#define CARDBUS_POINTER	     0x14
#define HEADER_CARDBUS	     2
#define FIRST_OFFSET	     0x40
#define ENTRY_SIZE	     4
#define STEPS_MAX	     ((PCI_CONFIG_SIZE - FIRST_OFFSET) / ENTRY_SIZE)
#define EXTENDED_STEPS_MAX   ((PCI_CONFIG_EXTENDED_SIZE - PCI_CONFIG_SIZE) / ENTRY_SIZE)
/* An extended entry: its capability, and above its version the next offset. */
#define EXTENDED_ID(entry)   ((entry)&0xffff)
#define EXTENDED_NEXT(entry) ((entry) >> 20 & 0xffc)

/* Returns the offset of the first capability: 0: there is none. */
static unsigned int first(const struct pci_device *device)
{
	unsigned int at = device->header_type == HEADER_CARDBUS ? CARDBUS_POINTER :
								  CAPABILITIES_POINTER;

	if (!(pci_read16(device, PCI_STATUS) & PCI_STATUS_CAPABILITIES))
		return 0;
	return pci_read8(device, at) & ~3u;
}

/* Returns the offset of the first capability ID from that at AT on. */
static unsigned int find_from(const struct pci_device *device, unsigned int at, uint8_t id)
{
	for (unsigned int step = 0; step < STEPS_MAX && at >= FIRST_OFFSET; step++) {
		uint16_t entry = pci_read16(device, at);

		/* All ones: the function is gone. */
		if (entry == 0xffff)
			return 0;
		if ((entry & 0xff) == id)
			return at;
		at = entry >> 8 & ~3u;
	}
	return 0;
}

unsigned int pci_capability_find(const struct pci_device *device, uint8_t id)
{
	return find_from(device, first(device), id);
}

unsigned int pci_capability_next(const struct pci_device *device, unsigned int at, uint8_t id)
{
	if (!at)
		return pci_capability_find(device, id);
	return find_from(device, pci_read16(device, at) >> 8 & ~3u, id);
}

unsigned int pci_extended_capability_find(const struct pci_device *device, uint16_t id)
{
	unsigned int at = PCI_CONFIG_SIZE;

	if (device->config_size <= PCI_CONFIG_SIZE)
		return 0;
	for (unsigned int step = 0; step < EXTENDED_STEPS_MAX && at >= PCI_CONFIG_SIZE; step++) {
		uint32_t entry = pci_read32(device, at);

		if (entry == 0 || entry == 0xffffffff)
			return 0;
		if (EXTENDED_ID(entry) == id)
			return at;
		at = EXTENDED_NEXT(entry);
	}
	return 0;
}
