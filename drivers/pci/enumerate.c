/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The enumeration: which functions there are, and below which bridges.
 *
 * It reads the buses in the order of their numbers. A bridge leads only to a bus with a greater number than its own, and
 * the first bridge that names a bus has it: so each bus is read once, whatever numbers the bridges hold. Nothing here
 * writes to a function but the sizing of its regions, and at the end an address for those without (assign.c).
 *
 * Sources: PCI Local Bus Specification 3.0, 6.1; PCI-to-PCI Bridge Architecture Specification 1.2, 3.2.
 */
#include <kernel/pci/pci.h>

#include <arch/mmu.h>
#include <arch/pci.h>
#include <kernel/base/log.h>
#include <kernel/base/start.h>
#include <kernel/mm/kmalloc.h>

#include "assign.h"
#include "config.h"
#include "region.h"

#define BUSES		     256
#define SLOTS		     32
#define FUNCTIONS	     8

#define HEADER_WORD	     0x0c /* the header's type is its third byte */
#define HEADER_MULTIPLE	     0x80
#define HEADER_TYPE	     0x7f
#define HEADER_BRIDGE	     1
#define BUS_NUMBERS	     0x18
#define SUBSYSTEM	     0x2c
#define SUBSYSTEM_CARDBUS    0x40
#define FUNCTION_SPACE(at)   ((paddr_t)(at)->slot << 15 | (paddr_t)(at)->function << 12)
/* A bridge's subsystem has a capability of its own. */
#define CAPABILITY_SUBSYSTEM 0x0d

static struct pci_device *first;

/* The state of the enumeration. */
static struct scan {
	struct pci_device **end;	   /* where the next function is linked */
	struct pci_device *bridges[BUSES]; /* that lead to each bus */
} scan;

struct pci_device *pci_device_first(void)
{
	return first;
}

struct pci_device *pci_device_next(const struct pci_device *device)
{
	return device->next;
}

static bool is_absent(uint32_t ids)
{
	uint16_t vendor = (uint16_t)ids;

	return vendor == 0 || vendor == 0xffff;
}

/* Maps DEVICE's page of configuration space, if the machine has such pages and the function more than 256 bytes. */
static void map_space(struct pci_device *device)
{
	paddr_t bus = arch_pci_ecam(device->bus);
	uint32_t ids = device->vendor_id | (uint32_t)device->device_id << 16;
	volatile uint32_t *words;

	if (!bus || (device->class >> 8 != CLASS_HOST &&
		     !pci_capability_find(device, PCI_CAPABILITY_EXPRESS)))
		return;
	words = arch_device_map(bus + FUNCTION_SPACE(device), PCI_CONFIG_EXTENDED_SIZE);
	if (!words)
		return;
	if (words[0] != ids) {
		log_warning("pci: %s: another function is in its memory-mapped configuration space",
			    device->name);
		return;
	}
	/* All ones: the function has no more than the first 256 bytes. */
	if (words[PCI_CONFIG_SIZE / sizeof(*words)] == ~0u)
		return;
	device->ecam = (volatile uint8_t *)words;
	device->config_size = PCI_CONFIG_EXTENDED_SIZE;
}

static void read_bridge(struct pci_device *device)
{
	uint32_t numbers = pci_read32(device, BUS_NUMBERS);
	uint8_t secondary = (uint8_t)(numbers >> 8), subordinate = (uint8_t)(numbers >> 16);

	if (secondary <= device->bus || subordinate < secondary || scan.bridges[secondary]) {
		log_info(
			"pci: %s: the bus of this bridge is left alone: firmware gave it no number of its own",
			device->name);
		return;
	}
	device->secondary_bus = secondary;
	scan.bridges[secondary] = device;
}

static void read_subsystem(struct pci_device *device)
{
	unsigned int at = SUBSYSTEM;

	if (device->header_type == HEADER_BRIDGE) {
		at = pci_capability_find(device, CAPABILITY_SUBSYSTEM);
		if (!at)
			return;
		at += 4;
	} else if (device->header_type) {
		at = SUBSYSTEM_CARDBUS;
	}
	device->subsystem_vendor_id = pci_read16(device, at);
	device->subsystem_device_id = pci_read16(device, at + 2);
}

static void add(unsigned int bus, unsigned int slot, unsigned int function, uint32_t ids)
{
	struct pci_device *device = kzalloc(sizeof(*device));

	if (!device)
		boot_failure("not enough memory to start; give the machine more");
	device->bridge = scan.bridges[bus];
	device->bus = (uint8_t)bus;
	device->slot = (uint8_t)slot;
	device->function = (uint8_t)function;
	format_string(device->name, sizeof(device->name), "0000:%02x:%02x.%x", bus, slot, function);
	device->config_size = PCI_CONFIG_SIZE;
	device->vendor_id = (uint16_t)ids;
	device->device_id = (uint16_t)(ids >> 16);
	device->header_type = pci_read8(device, HEADER_WORD + 2) & HEADER_TYPE;
	device->class = pci_read32(device, PCI_REVISION) >> 8;
	device->revision = pci_read8(device, PCI_REVISION);
	*scan.end = device;
	scan.end = &device->next;
	map_space(device);
	read_subsystem(device);
	pci_regions_read(device);
	if (device->header_type == HEADER_BRIDGE)
		read_bridge(device);
	log_debug("pci: %s: [%04x:%04x] class 0x%06x", device->name, device->vendor_id,
		  device->device_id, device->class);
}

static void scan_bus(unsigned int bus)
{
	for (unsigned int slot = 0; slot < SLOTS; slot++)
		for (unsigned int function = 0; function < FUNCTIONS; function++) {
			uint32_t ids = pci_config_read(bus, slot, function, PCI_VENDOR_ID);

			if (!is_absent(ids))
				add(bus, slot, function, ids);
			/* A slot without function 0 is empty. */
			if (function == 0 &&
			    (is_absent(ids) ||
			     !(pci_config_read(bus, slot, 0, HEADER_WORD) >> 16 & HEADER_MULTIPLE)))
				break;
		}
}

static void enumerate(void)
{
	if (!pci_config_init())
		return;
	first = NULL;
	scan = (struct scan){ .end = &first };
	scan_bus(0);
	for (unsigned int bus = 1; bus < BUSES; bus++)
		if (scan.bridges[bus])
			scan_bus(bus);
	pci_regions_assign();
}

START(START_CORE, enumerate);
