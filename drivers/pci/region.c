/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The size and the address of each region: the BARs and the expansion ROM.
 *
 * A BAR keeps the address bits that its device decodes: of all ones written to it, it returns those bits, which
 * a device may choose freely. A region counts only if these bits are contiguous, the address is a multiple of the size, and its
 * bytes are neither RAM's nor another region's.
 *
 * Sources: PCI Local Bus Specification 3.0, 6.2.5; PCI-to-PCI Bridge Architecture Specification 1.2, 3.2.5.
 */
#include "region.h"

#include <stddef.h>

#include <kernel/base/boot.h>
#include <kernel/base/log.h>

#define BAR_IO		 0x01u
#define BAR_TYPE_32	 0x00u
#define BAR_TYPE_64	 0x04u
#define BAR_PREFETCHABLE 0x08u
#define ROM_ENABLE	 0x01u
#define ROM_MASK	 (~0x7ffu)
#define PORTS_END	 0x10000u

/* By header type. */
static const struct {
	unsigned int bars;
	unsigned int rom; /* offset, 0: none */
} layouts[] = { { 6, 0x30 }, { 2, 0x38 }, { 1, 0 } };

/* Returns what the BAR at OFFSET makes of ONES. */
static uint32_t probe(const struct pci_device *device, unsigned int offset, uint32_t ones)
{
	uint32_t value = pci_read32(device, offset), mask;

	pci_write32(device, offset, ones);
	mask = pci_read32(device, offset);
	pci_write32(device, offset, value);
	return mask;
}

/* Returns the size that MASK, the decoded bits up to bit WIDTH - 1, stands for; 0: the bits are not contiguous. */
static uint64_t size_of(uint64_t mask, unsigned int width)
{
	uint64_t size = mask & -mask;
	uint64_t all = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;

	return mask == (all & -size) ? size : 0;
}

/* Returns whether REGION has bytes from START to LAST. A region may end where the addresses do. */
static bool overlaps(const struct pci_region *region, uint64_t start, uint64_t last)
{
	return region->address <= last && start <= region->address + region->size - 1;
}

static bool is_in_ram(const struct pci_region *region)
{
	for (size_t i = 0; i < boot_info.ram_count; i++)
		if (overlaps(region, boot_info.ram[i].start, boot_info.ram[i].end - 1))
			return true;
	return false;
}

const struct pci_region *pci_region_at_same_place(const struct pci_region *region)
{
	const struct pci_device *device = pci_device_first();

	for (; device; device = pci_device_next(device))
		for (unsigned int i = 0; i < PCI_REGIONS; i++) {
			const struct pci_region *at = &device->regions[i];

			if (at != region && at->size && !at->unusable && at->io == region->io &&
			    overlaps(region, at->address, at->address + at->size - 1))
				return at;
		}
	return NULL;
}

/* Returns why REGION, which has an address, cannot be used, or NULL. */
static const char *judge(const struct pci_region *region)
{
	if (!region->size)
		return "its size is no power of two";
	if (region->address & (region->size - 1))
		return "its address is no multiple of its size";
	if (region->io && region->address + region->size > PORTS_END)
		return "there are no such ports";
	if (!region->io && is_in_ram(region))
		return "it overlaps RAM";
	return pci_region_at_same_place(region) ? "another region has its addresses" : NULL;
}

void pci_region_leave(struct pci_device *device, unsigned int index, const char *reason)
{
	struct pci_region *region = &device->regions[index];

	log_info("pci: %s: region %u (0x%lx, %lu bytes) is left alone: %s", device->name, index,
		 region->address, region->size, reason);
	region->size = 0;
	region->unusable = true;
}

/* Completes region INDEX, whose address is known, by MASK, its decoded bits of WIDTH. */
static void complete(struct pci_device *device, unsigned int index, uint64_t mask,
		     unsigned int width)
{
	struct pci_region *region = &device->regions[index];

	region->size = size_of(mask, width);
	if (region->size && (!region->address || region->address == (mask & -region->size))) {
		region->unusable = true;
		return;
	}

	const char *reason = judge(region);

	if (reason)
		pci_region_leave(device, index, reason);
}

/* Reads the BAR at INDEX of COUNT; returns how many BARs it takes. */
static unsigned int read_bar(struct pci_device *device, unsigned int index, unsigned int count)
{
	struct pci_region *region = &device->regions[index];
	unsigned int offset = BAR_FIRST + 4 * index, width = 32;
	uint32_t value = pci_read32(device, offset), low = probe(device, offset, ~0u);
	uint64_t mask = low & BAR_MEMORY_MASK;

	if (low == 0 || low == ~0u)
		return 1; /* no BAR, or no function any more */
	if (low & BAR_IO) {
		region->io = true;
		region->address = value & BAR_IO_MASK;
		mask = low & BAR_IO_MASK;
		/* A PC's ports have 16 bits, and the upper half may be missing. */
		if (!(mask >> 16))
			width = 16;
		if (mask)
			complete(device, index, mask, width);
		return 1;
	}
	region->address = value & BAR_MEMORY_MASK;
	region->prefetchable = low & BAR_PREFETCHABLE;
	if ((low & BAR_TYPE) == BAR_TYPE_64 && index + 1 < count) {
		region->wide = true;
		region->address |= (uint64_t)pci_read32(device, offset + 4) << 32;
		mask |= (uint64_t)probe(device, offset + 4, ~0u) << 32;
		width = 64;
	} else if ((low & BAR_TYPE) != BAR_TYPE_32 && (low & BAR_TYPE) != BAR_TYPE_1M) {
		log_info("pci: %s: region %u is left alone: its type is reserved", device->name,
			 index);
		region->unusable = true;
		return 1;
	}
	if (mask)
		complete(device, index, mask, width);
	return region->wide ? 2 : 1;
}

static void read_rom(struct pci_device *device, unsigned int offset)
{
	struct pci_region *region = &device->regions[PCI_ROM];
	uint32_t value = pci_read32(device, offset), mask = probe(device, offset, ROM_MASK);

	region->address = value & ROM_MASK;
	region->rom_enabled = value & ROM_ENABLE;
	/* A ROM is optional: without an address it is only absent. */
	if (mask & ROM_MASK && mask != ~0u && region->address)
		complete(device, PCI_ROM, mask & ROM_MASK, 32);
}

void pci_regions_read(struct pci_device *device)
{
	uint16_t command = pci_read16(device, PCI_COMMAND);

	if (device->header_type >= sizeof(layouts) / sizeof(layouts[0]))
		return;
	/* While a BAR holds ones, nothing must reach the function there. A host bridge passes RAM's accesses on, and
	 * continues. */
	if (device->class >> 8 != CLASS_HOST)
		pci_write16(device, PCI_COMMAND,
			    command & (uint16_t) ~(PCI_COMMAND_IO | PCI_COMMAND_MEMORY));
	for (unsigned int i = 0; i < layouts[device->header_type].bars;)
		i += read_bar(device, i, layouts[device->header_type].bars);
	if (layouts[device->header_type].rom)
		read_rom(device, layouts[device->header_type].rom);
	pci_write16(device, PCI_COMMAND, command);
}
