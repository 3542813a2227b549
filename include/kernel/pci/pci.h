/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PCI: the functions that firmware has found, and what their drivers need of them.
 *
 * The kernel enumerates the functions once, at START_CORE, below the bridges that firmware has set up, and numbers no bus
 * itself. A BAR without an address gets one on a machine that is known (drivers/pci/assign.c); elsewhere it stays unusable,
 * and a line in the log says so. At START_DEVICES each function that a driver names is probed. Functions neither come nor go
 * after the start: a pointer to a struct pci_device stays valid, and needs no reference.
 *
 * A device may lie in each byte of its configuration space. Every value of it that becomes an address, an index or a
 * length is checked here; a driver checks its own registers.
 *
 * Sources: PCI Local Bus Specification 3.0; PCI Express Base Specification 4.0; PCI-to-PCI Bridge Architecture
 * Specification 1.2.
 */
#ifndef KERNEL_PCI_H
#define KERNEL_PCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/base/physical.h>

/* Offsets in the configuration space. PCI 3.0, 6.1. */
#define PCI_VENDOR_ID		 0x00
#define PCI_DEVICE_ID		 0x02
#define PCI_COMMAND		 0x04
#define PCI_COMMAND_IO		 0x0001
#define PCI_COMMAND_MEMORY	 0x0002
#define PCI_COMMAND_MASTER	 0x0004
#define PCI_COMMAND_INTX_DISABLE 0x0400
#define PCI_STATUS		 0x06
#define PCI_STATUS_CAPABILITIES	 0x0010
#define PCI_REVISION		 0x08
#define PCI_INTERRUPT_LINE	 0x3c
#define PCI_INTERRUPT_PIN	 0x3d

/* Capabilities, and extended ones. PCI Code and ID Assignment Specification 1.11, 2 and 3. */
#define PCI_CAPABILITY_EXPRESS	 0x10
#define PCI_CAPABILITY_MSIX	 0x11
#define PCI_CAPABILITY_AF	 0x13

#define PCI_CONFIG_SIZE		 256
#define PCI_CONFIG_EXTENDED_SIZE 4096

#define PCI_BARS		 6
/* The index of the expansion ROM among a function's regions, and the number of them. */
#define PCI_ROM			 6
#define PCI_REGIONS		 7

/* A region of addresses that a function answers at: its BAR, or its expansion ROM. */
struct pci_region {
	paddr_t address; /* a port if IO */
	uint64_t size;	 /* bytes, a power of two; 0: there is none, or it cannot be used */
	bool unusable; /* it has no address, or one that cannot be right; the log has the reason */
	bool io;       /* ports, no memory */
	bool wide;     /* 64 bits, with the following BAR as the high half */
	bool prefetchable;
	bool rom_enabled; /* PCI_ROM: its decoder is on */
};

struct pci_driver;
struct pci_msix;

/* One function. Constant after the enumeration, but for the members that name another time. */
struct pci_device {
	struct pci_device *next;     /* by bus, device, function */
	struct pci_device *bridge;   /* NULL: on the root bus */
	char name[16];		     /* "0000:00:04.0", for logs and files */
	uint8_t bus, slot, function; /* the slot is the specification's device number */
	uint8_t header_type; /* without the bit for several functions: 0, 1 (a bridge), 2 (CardBus) */
	uint16_t vendor_id, device_id, subsystem_vendor_id, subsystem_device_id;
	uint32_t class; /* 24 bits: base class, subclass, interface */
	uint8_t revision;
	uint8_t secondary_bus; /* a bridge's; 0: firmware did not set it up */
	uint16_t config_size;  /* PCI_CONFIG_SIZE, or PCI_CONFIG_EXTENDED_SIZE */
	struct pci_region regions[PCI_REGIONS];

	const struct pci_driver *driver; /* since a successful probe; NULL: none */
	void *driver_data;		 /* the driver's */

	/* Private to drivers/pci. */
	volatile uint8_t *ecam; /* its page of memory-mapped configuration space; NULL: none */
	struct pci_msix *msix;	/* pci_mutex; NULL: MSI-X was never enabled */
	unsigned int enabled;	/* pci_mutex: enables that await their disable */
};

struct pci_id {
	uint16_t vendor, device;
};

/* A driver registers itself with PCI_DRIVER; the linker collects the drivers (section pci_drivers of linker.ld). */
struct pci_driver {
	const char *name;	  /* in /sys/bus/pci/drivers */
	const struct pci_id *ids; /* ends with vendor 0 */
	/* Takes DEVICE, which nothing has enabled: 0, or a negative error, after which the driver holds nothing of
	 * it. Task context, at START_DEVICES: PMUs and files of /dev may be registered. */
	int (*probe)(struct pci_device *device);
};

/* Defines and registers the driver SYMBOL, a struct pci_driver. */
#define PCI_DRIVER(symbol, ...)                                                      \
	const struct pci_driver symbol __attribute__((used, aligned(sizeof(void *)), \
						      section("pci_drivers"))) = { __VA_ARGS__ }

/* Returns the first function, or the first after DEVICE; NULL: no more. Any context after START_CORE. */
struct pci_device *pci_device_first(void);
struct pci_device *pci_device_next(const struct pci_device *device);

/* Returns the driver at INDEX, or NULL after the last. Any context. */
const struct pci_driver *pci_driver_at(size_t index);

/* --- configuration space. Any context but NMI --- */

/* Return the bytes at OFFSET, a multiple of the access's size below config_size; else all ones, as a function that is
 * gone does. */
uint8_t pci_read8(const struct pci_device *device, unsigned int offset);
uint16_t pci_read16(const struct pci_device *device, unsigned int offset);
uint32_t pci_read32(const struct pci_device *device, unsigned int offset);

/* Write the bytes at OFFSET, as above; else no effect. */
void pci_write8(const struct pci_device *device, unsigned int offset, uint8_t value);
void pci_write16(const struct pci_device *device, unsigned int offset, uint16_t value);
void pci_write32(const struct pci_device *device, unsigned int offset, uint32_t value);

/* Returns the offset of the first capability ID, 0: none. A list that loops or leaves its place ends there. Any
 * context but NMI. */
unsigned int pci_capability_find(const struct pci_device *device, uint8_t id);
/* Returns the offset of the next capability ID after that at AT, which one of these functions returned; AT 0: the first.
 * 0: no more. A list that loops has no end: the caller limits its steps. Context as above. */
unsigned int pci_capability_next(const struct pci_device *device, unsigned int at, uint8_t id);
/* The same among the extended capabilities, which need memory-mapped configuration space. */
unsigned int pci_extended_capability_find(const struct pci_device *device, uint16_t id);

/* --- memory. Task context --- */

/* Lets DEVICE answer at its regions. 0; -EINVAL: a bridge, or a region is unusable. The last of as
 * many calls of pci_disable ends bus mastering; the regions stay, as on Linux. */
int pci_enable(struct pci_device *device);
/* Returns false if DEVICE is not enabled. */
bool pci_disable(struct pci_device *device);
/* Lets DEVICE reach memory by itself, and send MSI; or not. */
void pci_set_master(struct pci_device *device, bool master);

/* Maps SIZE bytes from OFFSET of region INDEX, uncached, for the rest of the run: call it once for each region.
 * NULL: no memory region, not so large, or no memory. */
volatile void *pci_map(const struct pci_device *device, unsigned int index, uint64_t offset,
		       size_t size);

/* Resets DEVICE by itself (FLR) and restores the header and MSI-X as they were. The caller has stopped DMA. 0; -ENOTTY:
 * the function has no such reset; -ETIMEDOUT: it does not come back. */
int pci_function_reset(struct pci_device *device);

/* --- MSI-X. Task context, but for pci_msix_mask --- */

/* Switches MSI-X on for DEVICE, which is enabled, each vector masked, and INTx off. Returns how many vectors it has (1 to
 * 2048), or -ENODEV: it has no MSI-X; -EINVAL: it is not enabled, or its table is not inside one of its memory regions;
 * -EBUSY: MSI-X is on; -ENOMEM. */
int pci_msix_enable(struct pci_device *device);
/* Releases each vector and switches MSI-X off. */
void pci_msix_disable(struct pci_device *device);

/* Routes vector INDEX to CPU and unmasks it: each interrupt calls HANDLER(ARG) there, in interrupt context with
 * interrupts off. NAME, which stays, is for /proc/interrupts. 0; -EINVAL: no such vector, or MSI cannot reach CPU;
 * -EBUSY: it has a handler; -ENOSPC: no interrupt vector of the CPUs is free. */
int pci_msix_request(struct pci_device *device, unsigned int index, unsigned int cpu,
		     void (*handler)(void *arg), void *arg, const char *name);
/* Takes the handler away, masked. After it HANDLER runs nowhere. No lock held that HANDLER takes. */
void pci_msix_release(struct pci_device *device, unsigned int index);
/* Routes vector INDEX, which has a handler, to CPU. An interrupt that is on its way still arrives at the former CPU. 0
 * or -EINVAL. */
int pci_msix_route(struct pci_device *device, unsigned int index, unsigned int cpu);
/* Masks or unmasks vector INDEX, which has a handler. A masked interrupt is pending in the device. Any context but
 * NMI; the caller excludes a call for the same vector. */
void pci_msix_mask(struct pci_device *device, unsigned int index, bool masked);

#endif
