/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /sys/devices/pci0000:00 and /sys/bus/pci: the PCI functions below their bridges, and their drivers. Formats: Linux,
 * Documentation/ABI/testing/sysfs-bus-pci and PCI/sysfs-pci.rst; what those leave open was read off Linux 6.12 in the
 * same emulator.
 *
 * Functions and drivers exist at all times: targets need no references.
 */
#include <kernel/fs/sys_pci.h>

#include <string.h>

#include <kernel/base/cpu.h>
#include <kernel/base/log.h>
#include <kernel/base/start.h>
#include <kernel/fs/pseudo.h>
#include <kernel/fs/sysctl.h>
#include <kernel/mm/text.h>
#include <kernel/pci/pci.h>
#include <kernel/sched/credentials.h>
#include <uapi/linux/capability.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/stat.h>

/* Bytes of the configuration space that everyone may read; of a CardBus bridge more. */
#define CONFIG_PUBLIC	      64
#define CONFIG_PUBLIC_CARDBUS 128
#define HEADER_BRIDGE	      1
#define HEADER_CARDBUS	      2

/* Flags of a region in the file resource: Linux's IORESOURCE_*. The lowest four bits are the BAR's own. */
#define RESOURCE_IO	      0x00000100
#define RESOURCE_MEMORY	      0x00000200
#define RESOURCE_PREFETCH     0x00002000
#define RESOURCE_READ_ONLY    0x00004000
#define RESOURCE_ALIGNED      0x00040000 /* to its size */
#define RESOURCE_64	      0x00100000
#define BAR_IO		      0x1
#define BAR_64		      0x4
#define BAR_PREFETCH	      0x8
#define ROM_ENABLED	      0x1
/* Lines of that file: regions, and those of virtual functions. A bridge has its windows besides. */
#define RESOURCE_LINES	      13
#define RESOURCE_LINES_BRIDGE 17

#define HEX_FILE(file, format, member)                                                      \
	static int show_##file(struct text *text, void *target)                             \
	{                                                                                   \
		text_print(text, format "\n", ((const struct pci_device *)target)->member); \
		return 0;                                                                   \
	}

HEX_FILE(vendor, "0x%04x", vendor_id)
HEX_FILE(device, "0x%04x", device_id)
HEX_FILE(subsystem_vendor, "0x%04x", subsystem_vendor_id)
HEX_FILE(subsystem_device, "0x%04x", subsystem_device_id)
HEX_FILE(class, "0x%06x", class)
HEX_FILE(revision, "0x%02x", revision)
HEX_FILE(enable, "%u", enabled)

static ssize_t store_enable(void *target, const char *bytes, size_t size)
{
	struct pci_device *device = target;
	long value;
	int error = 0;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (!proc_parse_number(bytes, 0, INT64_MAX, &value))
		return -EINVAL;
	if (device->driver)
		return -EBUSY;
	if (value)
		error = pci_enable(device);
	else if (!pci_disable(device))
		error = -EIO;
	return error ? error : (ssize_t)size;
}

static int show_resource(struct text *text, void *target)
{
	const struct pci_device *device = target;
	unsigned int lines = device->header_type == HEADER_BRIDGE && device->secondary_bus ?
				     RESOURCE_LINES_BRIDGE :
				     RESOURCE_LINES;

	for (unsigned int i = 0; i < lines; i++) {
		const struct pci_region *region = i < PCI_REGIONS ? &device->regions[i] : NULL;
		uint64_t start = 0, end = 0, flags = 0;

		if (region && region->size) {
			start = region->address;
			end = start + region->size - 1;
			flags = RESOURCE_ALIGNED;
			flags |= region->io ? RESOURCE_IO | BAR_IO : RESOURCE_MEMORY;
			flags |= region->wide ? RESOURCE_64 | BAR_64 : 0;
			flags |= region->prefetchable ? RESOURCE_PREFETCH | BAR_PREFETCH : 0;
			if (i == PCI_ROM)
				flags |= RESOURCE_PREFETCH | RESOURCE_READ_ONLY |
					 (region->rom_enabled ? ROM_ENABLED : 0);
		}
		text_print(text, "0x%016lx 0x%016lx 0x%016lx\n", start, end, flags);
	}
	return 0;
}

/* The line that firmware wrote, for a function with an interrupt pin. MSI-X does not change it, as on Linux. */
static int show_irq(struct text *text, void *target)
{
	const struct pci_device *device = target;
	bool has_pin = pci_read8(device, PCI_INTERRUPT_PIN);

	text_print(text, "%u\n", has_pin ? pci_read8(device, PCI_INTERRUPT_LINE) : 0);
	return 0;
}

/* No table of the firmware names a function's node. */
static int show_numa_node(struct text *text, void *target)
{
	text_print(text, "-1\n");
	return 0;
}

static int show_local_cpus(struct text *text, void *target)
{
	const cpumask_t cpus = cpus_all();

	text_print_cpu_mask(text, &cpus);
	text_print(text, "\n");
	return 0;
}

static int show_local_cpulist(struct text *text, void *target)
{
	const cpumask_t cpus = cpus_all();

	text_print_cpu_list(text, &cpus);
	text_print(text, "\n");
	return 0;
}

static int show_modalias(struct text *text, void *target)
{
	const struct pci_device *device = target;

	text_print(text, "pci:v%08Xd%08Xsv%08Xsd%08Xbc%02Xsc%02Xi%02X\n", device->vendor_id,
		   device->device_id, device->subsystem_vendor_id, device->subsystem_device_id,
		   device->class >> 16, device->class >> 8 & 0xff, device->class & 0xff);
	return 0;
}

static int show_uevent(struct text *text, void *target)
{
	const struct pci_device *device = target;

	if (device->driver)
		text_print(text, "DRIVER=%s\n", device->driver->name);
	text_print(text, "PCI_CLASS=%04X\nPCI_ID=%04X:%04X\nPCI_SUBSYS_ID=%04X:%04X\n",
		   device->class, device->vendor_id, device->device_id, device->subsystem_vendor_id,
		   device->subsystem_device_id);
	text_print(text, "PCI_SLOT_NAME=%s\nMODALIAS=", device->name);
	return show_modalias(text, target);
}

/* Linux lets root name a node, and send the event again: neither has a meaning here. */
static ssize_t refuse(void *target, const char *bytes, size_t size)
{
	return -EOPNOTSUPP;
}

/* --- configuration space --- */

/* The right to all of it is that of the opener. It travels in the lowest bit of what read_config gets. */
static int begin_config(void *target, void **about)
{
	*about = (void *)((uintptr_t)target | capable(CAP_SYS_ADMIN));
	return 0;
}

static ssize_t read_config(void *about, char *buffer, size_t size, uint64_t position)
{
	const struct pci_device *device = (const void *)((uintptr_t)about & ~(uintptr_t)1);
	size_t end = device->config_size;

	if (!((uintptr_t)about & 1))
		end = device->header_type == HEADER_CARDBUS ? CONFIG_PUBLIC_CARDBUS : CONFIG_PUBLIC;
	if (position >= end)
		return 0;
	if (size > end - position)
		size = end - position;
	for (size_t i = 0; i < size;) {
		unsigned int at = (unsigned int)position + (unsigned int)i;
		uint32_t word = pci_read32(device, at & ~3u) >> 8 * (at & 3);

		for (size_t byte = at & 3; byte < 4 && i < size; byte++, word >>= 8)
			buffer[i++] = (char)word;
	}
	return (ssize_t)size;
}

/* As on a Linux that is locked down: by its registers a device can be made to write over the kernel. */
static ssize_t write_config(void *about, const char *buffer, size_t size, uint64_t position)
{
	return -EPERM;
}

/* --- a function's directory --- */

/* Returns the number of bridges between DEVICE and the root. */
static unsigned int depth_of(const struct pci_device *device)
{
	unsigned int depth = 0;

	for (; device->bridge; device = device->bridge)
		depth++;
	return depth;
}

unsigned int sys_pci_depth(const struct pci_device *device)
{
	return depth_of(device) + 3;
}

/* Writes "../" COUNT times, then REST and NAME. Returns the length, at most SIZE. */
static ssize_t put_path(char *buffer, size_t size, unsigned int count, const char *rest,
			const char *name)
{
	size_t length = 0;

	while (count-- && length < size)
		length += (size_t)format_string(buffer + length, size - length, "../");
	if (length < size)
		length += (size_t)format_string(buffer + length, size - length, "%s%s", rest, name);
	return (ssize_t)(length < size ? length : size);
}

static ssize_t read_subsystem(void *target, char *buffer, size_t size)
{
	return put_path(buffer, size, sys_pci_depth(target), "bus/pci", "");
}

static bool has_driver(void *target)
{
	return ((const struct pci_device *)target)->driver;
}

static ssize_t read_driver(void *target, char *buffer, size_t size)
{
	const struct pci_device *device = target;

	return put_path(buffer, size, sys_pci_depth(target), "bus/pci/drivers/",
			device->driver->name);
}

#define DEVICE_FILE(n)                                                               \
	{                                                                            \
		.name = #n, .mode = S_IFREG | 0444, .strict = true, .show = show_##n \
	}
#define DEVICE_SETTING(n, s)                                                       \
	{                                                                          \
		.name = #n, .mode = S_IFREG | 0644, .show = show_##n, .store = (s) \
	}

static const struct pseudo_entry device_entries[] = {
	DEVICE_FILE(vendor),
	DEVICE_FILE(device),
	DEVICE_FILE(subsystem_vendor),
	DEVICE_FILE(subsystem_device),
	DEVICE_FILE(class),
	DEVICE_FILE(revision),
	{ .name = "config",
	  .mode = S_IFREG | 0644,
	  .begin = begin_config,
	  .read_at = read_config,
	  .write_at = write_config },
	DEVICE_FILE(resource),
	DEVICE_FILE(irq),
	DEVICE_SETTING(numa_node, refuse),
	DEVICE_FILE(local_cpus),
	DEVICE_FILE(local_cpulist),
	DEVICE_SETTING(enable, store_enable),
	DEVICE_FILE(modalias),
	DEVICE_SETTING(uevent, refuse),
	{ .name = "subsystem", .mode = S_IFLNK | 0777, .read_link = read_subsystem },
	{ .name = "driver", .mode = S_IFLNK | 0777, .exists = has_driver, .read_link = read_driver },
	{ .name = NULL },
};

struct pseudo_added sys_pci_device_added;

/* --- lists of functions --- */

static uint64_t function_number(void *target)
{
	const struct pci_device *device = target;

	return (uint64_t)device->bus << 8 | (uint64_t)device->slot << 3 | device->function;
}

static void name_function(void *target, char *buffer, size_t size)
{
	strlcpy(buffer, ((const struct pci_device *)target)->name, size);
}

/* Returns the first function from number *ID on that IS_IN finds in a directory about PARENT. */
static void *next_function(void *parent, uint64_t *id,
			   bool (*is_in)(const struct pci_device *device, const void *parent))
{
	for (struct pci_device *device = pci_device_first(); device;
	     device = pci_device_next(device)) {
		uint64_t number = function_number(device);

		if (number < *id || !is_in(device, parent))
			continue;
		*id = number;
		return device;
	}
	return NULL;
}

static bool is_below(const struct pci_device *device, const void *parent)
{
	return device->bridge == parent;
}

static bool is_driven(const struct pci_device *device, const void *parent)
{
	return device->driver == parent;
}

static bool is_any(const struct pci_device *device, const void *parent)
{
	return true;
}

static void *next_below(void *parent, uint64_t *id)
{
	return next_function(parent, id, is_below);
}

static void *next_driven(void *parent, uint64_t *id)
{
	return next_function(parent, id, is_driven);
}

static void *next_any(void *parent, uint64_t *id)
{
	return next_function(parent, id, is_any);
}

/* The functions below a bridge, in its directory; and those of the root bus. */
static const struct pseudo_dynamic functions_below;

static const struct pseudo_entry device_entry = { .mode = S_IFDIR | 0755,
						  .children = device_entries,
						  .dynamic = &functions_below,
						  .added = &sys_pci_device_added };

static const struct pseudo_dynamic functions_below = {
	.next = next_below,
	.id = function_number,
	.name = name_function,
	.entry = &device_entry,
};

static const struct pseudo_entry devices_entries[] = {
	{ .name = "pci0000:00", .mode = S_IFDIR | 0755, .dynamic = &functions_below },
	{ .name = NULL },
};

ssize_t sys_pci_put_path(const struct pci_device *device, char *buffer, size_t size,
			 unsigned int count)
{
	ssize_t length = put_path(buffer, size, count, "devices/pci0000:00", "");

	for (unsigned int depth = depth_of(device) + 1; depth-- > 0;) {
		const struct pci_device *at = device;

		for (unsigned int i = 0; i < depth; i++)
			at = at->bridge;
		if ((size_t)length < size)
			length +=
				put_path(buffer + length, size - (size_t)length, 0, "/", at->name);
	}
	return length;
}

static ssize_t read_bus_link(void *target, char *buffer, size_t size)
{
	return sys_pci_put_path(target, buffer, size, 3);
}

static ssize_t read_driver_link(void *target, char *buffer, size_t size)
{
	return sys_pci_put_path(target, buffer, size, 4);
}

static const struct pseudo_entry bus_link = { .mode = S_IFLNK | 0777, .read_link = read_bus_link };

static const struct pseudo_dynamic bus_links = {
	.next = next_any,
	.id = function_number,
	.name = name_function,
	.entry = &bus_link,
};

static const struct pseudo_entry driver_link = { .mode = S_IFLNK | 0777,
						 .read_link = read_driver_link };

static const struct pseudo_dynamic driver_links = {
	.next = next_driven,
	.id = function_number,
	.name = name_function,
	.entry = &driver_link,
};

/* --- drivers --- */

static uint64_t driver_number(void *target)
{
	return (uint64_t)((const struct pci_driver *)target - pci_driver_at(0));
}

static void name_driver(void *target, char *buffer, size_t size)
{
	strlcpy(buffer, ((const struct pci_driver *)target)->name, size);
}

static void *next_driver(void *parent, uint64_t *id)
{
	return (void *)pci_driver_at(*id);
}

static const struct pseudo_entry driver_entry = { .mode = S_IFDIR | 0755,
						  .dynamic = &driver_links };

static const struct pseudo_dynamic drivers = {
	.next = next_driver,
	.id = driver_number,
	.name = name_driver,
	.entry = &driver_entry,
};

static const struct pseudo_entry pci_entries[] = {
	{ .name = "devices", .mode = S_IFDIR | 0755, .dynamic = &bus_links },
	{ .name = "drivers", .mode = S_IFDIR | 0755, .dynamic = &drivers },
	{ .name = NULL },
};

static const struct pseudo_entry bus_entries[] = {
	{ .name = "pci", .mode = S_IFDIR | 0755, .children = pci_entries },
	{ .name = NULL },
};

static struct pseudo_added devices = { .children = devices_entries };
static struct pseudo_added buses = { .children = bus_entries };

/* A machine without a bus has none of these files. */
static void add_directories(void)
{
	if (!pci_device_first())
		return;
	pseudo_add(&sys_devices_added, &devices);
	pseudo_add(&sys_bus_added, &buses);
}

START(START_DEV, add_directories);
