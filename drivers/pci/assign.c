/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses for the regions that firmware left without one. Small firmware such as qboot, which only starts a kernel, gives none.
 *
 * The host bridge decides which addresses lead to the bus, and ACPI describes that in a language of its own (_CRS). The kernel
 * has no interpreter for it. So it gives addresses only below Intel's 82441FX, the host bridge of QEMU's machine "pc" and of other
 * hypervisors whose firmware gives all addresses itself. The window of memory goes from the end of RAM below 4 GiB to the I/O APIC,
 * which is followed by HPET, local APICs and firmware; ports are above all fixed ones. SeaBIOS's tables at the end of RAM are
 * not in the memory map, so the window begins at the next multiple of RAM_UNIT.
 *
 * Left as they are: regions with an address, expansion ROMs, and each region of a machine with a numbered bus below a
 * bridge, since the firmware that gave the number also gave the addresses, and the bridge's windows would be in the way.
 *
 * Sources: PCI Local Bus Specification 3.0, 6.2.5; Intel 82441FX datasheet (290549), 3.1; QEMU 10.0, hw/i386/pc.c and
 * hw/acpi/piix4.c, for the places.
 */
#include "assign.h"

#include <stddef.h>

#include <kernel/base/boot.h>
#include <kernel/base/log.h>

#include "region.h"

#define RAM_UNIT    0x1000000ull
#define FOUR_GIB    0x100000000ull

/* 82441FX. It is older than 64 bits: a machine that has it is an emulated one. */
#define HOST_IDS    0x12378086u
#define MEMORY_END  0xfec00000ull
#define PORTS_START 0xc000
#define PORTS_END   0xfff0 /* the last ones would read as ones, as no address */

/* By pci_region.io. */
static struct page_range windows[2];

/* Returns whether addresses may be given, and sets the windows. */
static bool find_windows(void)
{
	const struct pci_device *device = pci_device_first();
	uint64_t ram_end = 0;

	if (!device || pci_read32(device, PCI_VENDOR_ID) != HOST_IDS)
		return false;
	for (; device; device = pci_device_next(device))
		if (device->secondary_bus)
			return false;
	for (size_t i = 0; i < boot_info.ram_count && boot_info.ram[i].start < FOUR_GIB; i++)
		ram_end = boot_info.ram[i].end;
	windows[false] = (struct page_range){ (ram_end + RAM_UNIT - 1) & -RAM_UNIT, MEMORY_END };
	windows[true] = (struct page_range){ PORTS_START, PORTS_END };
	return true;
}

/* Gives REGION the highest free address of its window; false: there is none. */
static bool find_room(struct pci_region *region)
{
	uint64_t start = windows[region->io].start, end = windows[region->io].end;
	const struct pci_region *other;

	while (end >= start && end - start >= region->size) {
		region->address = (end - region->size) & -region->size;
		other = pci_region_at_same_place(region);
		if (region->address >= start && !other)
			return true;
		end = region->address < start ? start : other->address;
	}
	region->address = 0;
	return false;
}

/* Gives region INDEX an address. NULL, or why it has none. */
static const char *assign(struct pci_device *device, unsigned int index)
{
	struct pci_region *region = &device->regions[index];
	unsigned int offset = BAR_FIRST + 4 * index;
	uint32_t bits = region->io ? BAR_IO_MASK : BAR_MEMORY_MASK, high = 0;
	uint16_t command = pci_read16(device, PCI_COMMAND);

	if ((!region->io && (pci_read32(device, offset) & BAR_TYPE) == BAR_TYPE_1M) ||
	    !find_room(region))
		/* tools/tallylib/emulator.py knows a kernel that gives addresses by this text. */
		return "firmware gave it no address, and none is free";
	/* Nothing must reach the function at half an address. */
	pci_write16(device, PCI_COMMAND,
		    command & (uint16_t) ~(PCI_COMMAND_IO | PCI_COMMAND_MEMORY));
	pci_write32(device, offset, (uint32_t)region->address);
	if (region->wide) {
		pci_write32(device, offset + 4, 0);
		high = pci_read32(device, offset + 4);
	}
	/* The BAR may hold any address now: the function stays deaf. */
	if ((pci_read32(device, offset) & bits) != region->address || high)
		return "it does not keep an address";
	pci_write16(device, PCI_COMMAND, command);
	region->unusable = false;
	return NULL;
}

void pci_regions_assign(void)
{
	bool known = find_windows();

	for (struct pci_device *device = pci_device_first(); device;
	     device = pci_device_next(device))
		for (unsigned int i = 0; i < PCI_REGIONS; i++) {
			const char *reason = "firmware gave it no address";

			if (!device->regions[i].size || !device->regions[i].unusable)
				continue;
			/* A host bridge would pass no access to RAM on meanwhile. */
			if (known && i < PCI_BARS && device->class >> 8 != CLASS_HOST)
				reason = assign(device, i);
			if (reason)
				pci_region_leave(device, i, reason);
		}
}
