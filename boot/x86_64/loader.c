/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the loader's registers to struct boot_info: which protocol it is, and what is the same for all of
 * them. The data are checked: modules lie in RAM and do not overlap the kernel.
 *
 * Sources: Multiboot Specification 0.6.96, 3.2 "Machine state"; Multiboot2 Specification 2.0, 3.3 "I386
 * machine state"; Xen 4.17, "x86/HVM direct boot ABI".
 */
#include "loader.h"

#include <kernel/base/log.h>
#include <machine/mmu.h>
#include <machine/pvh.h>

#define MULTIBOOT1_LOADED 0x2badb002
#define MULTIBOOT2_LOADED 0x36d76289

const void *boot_physical(paddr_t address, uint64_t size)
{
	if (address >= EARLY_MEMORY_END || size > EARLY_MEMORY_END - address)
		boot_failure("the loader's data lies above 4 GiB: %lu bytes at 0x%lx", size,
			     address);
	return (const void *)(DIRECT_MAP_BASE + address);
}

void boot_info_read(uint32_t magic, paddr_t info)
{
	switch (magic) {
	case MULTIBOOT1_LOADED:
		boot_multiboot1_read(info);
		break;
	case MULTIBOOT2_LOADED:
		boot_multiboot2_read(info);
		break;
	case PVH_MAGIC:
		boot_pvh_read(info);
		break;
	default:
		boot_failure("started by something that is no multiboot loader (0x%x); use "
			     "QEMU's -kernel or GRUB's multiboot2",
			     magic);
	}
	boot_memory_sort();
	/* The command line chooses the log's target, and the next steps may fail. */
	log_init();
	boot_options_check();
	boot_screen_check();
	boot_modules_check();
	boot_memory_find_free();
	boot_acpi_find();
}
