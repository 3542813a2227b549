/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A function and its driver: the probe, the command register, the mapping of regions, the reset.
 *
 * Lock: pci_mutex, around each change of a command register, which drivers and programs make.
 *
 * Sources: PCI Local Bus Specification 3.0, 6.2.2; PCI Express Base Specification 4.0, 6.6.2 and 7.5.3; Advanced
 * Capabilities for Conventional PCI ECN, 2006.
 */
#include "device.h"

#include <arch/cpu.h>
#include <arch/mmu.h>
#include <kernel/base/clock.h>
#include <kernel/base/log.h>
#include <kernel/base/start.h>
#include <kernel/pci/pci.h>
#include <uapi/linux/errno.h>

#include "msix.h"

#define HEADER_NORMAL		   0

/* PCI Express capability. */
#define EXPRESS_CAPABILITIES	   0x04
#define EXPRESS_CAPABILITIES_RESET (1u << 28)
#define EXPRESS_CONTROL		   0x08
#define EXPRESS_CONTROL_RESET	   0x8000
#define EXPRESS_STATUS		   0x0a
#define EXPRESS_STATUS_PENDING	   0x0020
/* Advanced features of conventional PCI. */
#define AF_CAPABILITIES		   0x03
#define AF_CAPABILITIES_RESET	   0x02
#define AF_CONTROL		   0x04
#define AF_CONTROL_RESET	   0x01
#define AF_STATUS		   0x05
#define AF_STATUS_PENDING	   0x01

#define NS_PER_MS		   1000000ull
/* A function has this long for transactions on their way, and for the reset itself. */
#define SETTLE_MS		   100
/* Linux's patience with a function that does not answer after its reset. */
#define RETURN_MS		   60000

/* Words of the header that a reset clears and no driver writes again. The command register is restored last. */
static const uint8_t saved_words[] = { 0x0c, 0x10, 0x14, 0x18, 0x1c, 0x20, 0x24, 0x30, 0x3c };

extern const struct pci_driver __start_pci_drivers[], __stop_pci_drivers[];

struct mutex pci_mutex = MUTEX_INITIALIZER(pci_mutex);

const struct pci_driver *pci_driver_at(size_t index)
{
	return index < (size_t)(__stop_pci_drivers - __start_pci_drivers) ?
		       &__start_pci_drivers[index] :
		       NULL;
}

/* Sets BITS of DEVICE's command register to those of VALUE. pci_mutex held. */
static void change_command(const struct pci_device *device, uint16_t bits, uint16_t value)
{
	uint16_t command = pci_read16(device, PCI_COMMAND);

	mutex_assert_held(&pci_mutex);
	if ((command & bits) != value)
		pci_write16(device, PCI_COMMAND, (uint16_t)((command & ~bits) | value));
}

/* Returns the command bits of DEVICE's kinds of regions; a negative error if one of its BARs is unusable. */
static int region_bits(const struct pci_device *device)
{
	int bits = 0;

	for (unsigned int i = 0; i < PCI_BARS; i++) {
		if (device->regions[i].unusable)
			return -EINVAL;
		if (device->regions[i].size)
			bits |= device->regions[i].io ? PCI_COMMAND_IO : PCI_COMMAND_MEMORY;
	}
	return bits;
}

int pci_enable(struct pci_device *device)
{
	int bits = region_bits(device);

	if (bits < 0 || device->header_type != HEADER_NORMAL)
		return -EINVAL;
	mutex_lock(&pci_mutex);
	device->enabled++;
	for (const struct pci_device *at = device->bridge; at; at = at->bridge)
		change_command(at, PCI_COMMAND_IO | PCI_COMMAND_MEMORY,
			       PCI_COMMAND_IO | PCI_COMMAND_MEMORY);
	change_command(device, (uint16_t)bits, (uint16_t)bits);
	mutex_unlock(&pci_mutex);
	return 0;
}

bool pci_disable(struct pci_device *device)
{
	bool was_enabled;

	mutex_lock(&pci_mutex);
	was_enabled = device->enabled;
	if (was_enabled && --device->enabled == 0)
		change_command(device, PCI_COMMAND_MASTER, 0);
	mutex_unlock(&pci_mutex);
	return was_enabled;
}

void pci_set_master(struct pci_device *device, bool master)
{
	mutex_lock(&pci_mutex);
	/* The bridges serve others, too: they keep it. */
	for (const struct pci_device *at = device->bridge; master && at; at = at->bridge)
		change_command(at, PCI_COMMAND_MASTER, PCI_COMMAND_MASTER);
	change_command(device, PCI_COMMAND_MASTER, master ? PCI_COMMAND_MASTER : 0);
	mutex_unlock(&pci_mutex);
}

volatile void *pci_map(const struct pci_device *device, unsigned int index, uint64_t offset,
		       size_t size)
{
	const struct pci_region *region = index < PCI_BARS ? &device->regions[index] : NULL;

	if (!region || region->io || !size || offset > region->size || size > region->size - offset)
		return NULL;
	return arch_device_map(region->address + offset, size);
}

/* --- the reset --- */

static void sleep_ms(unsigned int ms)
{
	uint64_t deadline_ns = clock_ns() + ms * NS_PER_MS;

	while (wait_sleep_killable(deadline_ns) != -ETIMEDOUT)
		arch_cpu_relax();
}

/* Returns whether DEVICE answers within RETURN_MS. */
static bool returns(const struct pci_device *device)
{
	for (unsigned int waited_ms = 0, ms = 1; waited_ms < RETURN_MS; waited_ms += ms, ms *= 2) {
		if (pci_read16(device, PCI_VENDOR_ID) == device->vendor_id)
			return true;
		sleep_ms(ms);
	}
	return false;
}

int pci_function_reset(struct pci_device *device)
{
	unsigned int express = pci_capability_find(device, PCI_CAPABILITY_EXPRESS);
	unsigned int af = pci_capability_find(device, PCI_CAPABILITY_AF);
	uint32_t words[sizeof(saved_words)];
	uint16_t command, control = 0;
	int error = 0;

	if (express &&
	    !(pci_read32(device, express + EXPRESS_CAPABILITIES) & EXPRESS_CAPABILITIES_RESET))
		express = 0;
	if (af && !(pci_read8(device, af + AF_CAPABILITIES) & AF_CAPABILITIES_RESET))
		af = 0;
	if (device->header_type != HEADER_NORMAL || (!express && !af))
		return -ENOTTY;

	mutex_lock(&pci_mutex);
	command = pci_read16(device, PCI_COMMAND);
	for (size_t i = 0; i < sizeof(saved_words); i++)
		words[i] = pci_read32(device, saved_words[i]);
	if (express)
		control = pci_read16(device, express + EXPRESS_CONTROL);

	pci_write16(device, PCI_COMMAND, PCI_COMMAND_INTX_DISABLE);
	if (express ? pci_read16(device, express + EXPRESS_STATUS) & EXPRESS_STATUS_PENDING :
		      pci_read8(device, af + AF_STATUS) & AF_STATUS_PENDING)
		sleep_ms(SETTLE_MS);
	if (express)
		pci_write16(device, express + EXPRESS_CONTROL, control | EXPRESS_CONTROL_RESET);
	else
		pci_write8(device, af + AF_CONTROL, AF_CONTROL_RESET);
	sleep_ms(SETTLE_MS);
	if (!returns(device))
		error = -ETIMEDOUT;

	if (express)
		pci_write16(device, express + EXPRESS_CONTROL, control);
	for (size_t i = 0; i < sizeof(saved_words); i++)
		pci_write32(device, saved_words[i], words[i]);
	pci_write16(device, PCI_COMMAND, command);
	pci_msix_restore(device);
	mutex_unlock(&pci_mutex);
	return error;
}

/* --- the start --- */

static bool matches(const struct pci_driver *driver, const struct pci_device *device)
{
	for (const struct pci_id *id = driver->ids; id->vendor; id++)
		if (id->vendor == device->vendor_id && id->device == device->device_id)
			return true;
	return false;
}

static void probe(void)
{
	const struct pci_driver *driver;

	for (size_t i = 0; (driver = pci_driver_at(i)); i++)
		for (struct pci_device *device = pci_device_first(); device;
		     device = pci_device_next(device)) {
			if (device->driver || !matches(driver, device))
				continue;

			int error = driver->probe(device);

			if (error)
				log_warning("pci: %s: %s cannot drive it (error %d)", device->name,
					    driver->name, -error);
			else
				device->driver = driver;
		}
}

START(START_DEVICES, probe);
