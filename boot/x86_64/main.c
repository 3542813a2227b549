/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first C code: from the loader's registers to kernel_main.
 */
#include <arch/machine.h>
#include <kernel/base/boot.h>
#include <kernel/drivers/serial.h>

#include "loader.h"

_Noreturn void kernel_main(void);
_Noreturn void boot_main(uint32_t magic, uint32_t info);

/* Called from start.S: early page tables, boot stack, GS base of CPU 0, interrupts off, no trap can be
 * handled. */
_Noreturn void boot_main(uint32_t magic, uint32_t info)
{
	serial_init();
	boot_info_read(magic, info);
	arch_init_early();
	kernel_main();
}
