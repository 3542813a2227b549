/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first C code: from the console's parameter block and the emulator's loader to kernel_main.
 *
 * The loader follows Linux/alpha's boot loaders: the three pages below the kernel hold a text of up to
 * 255 characters and the address of the initial RAM disk.
 */
#include <kernel/base/boot.h>

#include <string.h>

#include <arch/machine.h>
#include <kernel/base/log.h>
#include <kernel/drivers/serial.h>
#include <machine/hwrpb.h>
#include <machine/mmu.h>

#include "../boot.h"

_Noreturn void kernel_main(void);
_Noreturn void boot_main(void);

struct hwrpb *hwrpb;

/* At PARAMETERS_BELOW bytes below the kernel's first byte. */
struct loader_parameters {
	char command_line[256];
	uint64_t ramdisk; /* its address in KSEG, 0: there is none */
	uint64_t ramdisk_bytes;
};

#define PARAMETERS_BELOW 0x6000

static void read_memory_map(void)
{
	const struct hwrpb_memory *memory = (const void *)((uintptr_t)hwrpb + hwrpb->memory);

	for (uint64_t i = 0; i < memory->cluster_count; i++) {
		const struct hwrpb_cluster *cluster = &memory->clusters[i];

		if (!(cluster->usage & (CLUSTER_CONSOLE | CLUSTER_VOLATILE)))
			boot_memory_add(cluster->first_page << PAGE_SHIFT,
					cluster->pages << PAGE_SHIFT);
	}
}

static void read_parameters(void)
{
	const struct loader_parameters *parameters =
		(const void *)(DIRECT_MAP_BASE + KERNEL_LOAD_ADDRESS - PARAMETERS_BELOW);

	if (!memchr(parameters->command_line, '\0', sizeof(parameters->command_line)))
		boot_failure("the command line is longer than %zu characters; shorten it",
			     sizeof(parameters->command_line) - 1);
	boot_command_line_set(parameters->command_line);
	if (parameters->ramdisk) {
		paddr_t start = parameters->ramdisk - DIRECT_MAP_BASE;

		boot_module_add(start, start + parameters->ramdisk_bytes);
	}
}

/* Called from start.S: KSEG, boot stack, interrupts off, no trap can be handled. */
_Noreturn void boot_main(void)
{
	serial_init();
	/* End the console's output with a zero byte; see docs/boot.md. */
	serial_write(SERIAL_COM1, "", 1);
	/* The block starts with its physical address. */
	hwrpb = (struct hwrpb *)(DIRECT_MAP_BASE + *(const uint64_t *)HWRPB_ADDRESS);
	read_parameters();
	read_memory_map();
	boot_memory_sort();
	log_init();
	if (hwrpb->id != HWRPB_ID)
		boot_failure("the console's parameter block begins with 0x%lx", hwrpb->id);
	if (hwrpb->page_size != PAGE_SIZE)
		boot_failure("pages of %lu bytes; the kernel is built for %zu", hwrpb->page_size,
			     PAGE_SIZE);
	boot_options_check();
	/* Screens are PCI devices here: the console reports none. */
	boot_info.screen = BOOT_SCREEN_UNUSABLE;
	boot_modules_check();
	boot_memory_find_free();
	arch_init_early();
	kernel_main();
}
