/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the start information of PVH into struct boot_info: what QEMU (microvm), Cloud Hypervisor,
 * Firecracker and Xen give to a kernel that they start without firmware.
 *
 * Everything is copied, but ACPI's tables: afterwards the hypervisor's memory is free. Its structures are aligned to
 * 4 bytes and no more.
 *
 * Source: Xen 4.17, public headers, hvm/start_info.h of arch-x86.
 */
#include <machine/pvh.h>

#include <kernel/base/log.h>

#include "loader.h"

struct start_info {
	uint32_t magic, version, flags;
	uint32_t module_count;
	uint64_t modules, command_line, acpi_rsdp;
	/* version 1 and up */
	uint64_t map;
	uint32_t map_count, reserved;
} __attribute__((packed, aligned(4)));

struct module {
	uint64_t start, size, command_line, reserved;
} __attribute__((packed, aligned(4)));

/* No firmware has so long a map: a greater number is wrong, and would take long to read. */
#define MAP_MAX		 65536u

/* Types are those of a BIOS's map (E820). */
#define MEMORY_AVAILABLE 1

struct memory {
	uint64_t start, size;
	uint32_t type, reserved;
} __attribute__((packed, aligned(4)));

/* ACPI's root pointer in its second form, the longest that there is. */
#define RSDP_SIZE 36

void boot_pvh_read(paddr_t start)
{
	const struct start_info *info = boot_physical(start, sizeof(*info));

	if (info->magic != PVH_MAGIC)
		boot_failure("the start information of PVH begins with 0x%x", info->magic);
	if (info->version < 1 || !info->map_count)
		boot_failure("the hypervisor gave no memory map; use one whose PVH has version 1");
	if (info->map_count > MAP_MAX)
		boot_failure("the hypervisor's memory map has %u entries, more than %u",
			     info->map_count, MAP_MAX);

	const struct memory *map = boot_physical(info->map, info->map_count * sizeof(*map));

	for (uint32_t i = 0; i < info->map_count; i++)
		if (map[i].type == MEMORY_AVAILABLE)
			boot_memory_add(map[i].start, map[i].size);
	if (info->command_line)
		boot_command_line_set(boot_physical(info->command_line, BOOT_COMMAND_LINE_SIZE));
	for (uint32_t i = 0; i < info->module_count; i++) {
		const struct module *module =
			boot_physical(info->modules + i * sizeof(*module), sizeof(*module));

		boot_module_add(module->start, module->start + module->size);
	}
	if (info->acpi_rsdp)
		boot_acpi_keep(boot_physical(info->acpi_rsdp, RSDP_SIZE), RSDP_SIZE);
}
