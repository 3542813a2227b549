/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data that every loader gives in some form: the command line and the modules. All of it is checked: a
 * text has an end, modules lie in RAM and do not overlap the kernel.
 */
#include "boot.h"

#include <string.h>

#include <kernel/base/log.h>

struct boot_info boot_info;

void boot_command_line_set(const char *text)
{
	size_t length = strnlen(text, BOOT_COMMAND_LINE_SIZE);

	if (length == BOOT_COMMAND_LINE_SIZE)
		boot_failure("the command line is longer than %d characters; shorten it",
			     BOOT_COMMAND_LINE_SIZE - 1);
	memcpy(boot_info.command_line, text, length + 1);
}

void boot_module_add(paddr_t start, paddr_t end)
{
	if (boot_info.module_count == BOOT_MODULES_MAX)
		boot_failure("more than %d modules; one, the initramfs, is enough",
			     BOOT_MODULES_MAX);
	boot_info.modules[boot_info.module_count++] = (struct page_range){ start, end };
}

void boot_modules_check(void)
{
	for (size_t i = 0; i < boot_info.module_count; i++) {
		struct page_range module = boot_info.modules[i];

		if (module.end < module.start)
			boot_failure("module %zu ends before it begins (0x%lx, 0x%lx)", i + 1,
				     module.end, module.start);
		if (boot_range_overlaps_kernel(module))
			boot_failure("module %zu (the initramfs is 1) lies over the kernel, at "
				     "0x%lx to 0x%lx; load it elsewhere",
				     i + 1, module.start, module.end);
		if (!boot_range_in_ram(module))
			boot_failure("module %zu (the initramfs is 1) of %lu KiB does not fit into "
				     "memory, at 0x%lx to 0x%lx; give the machine more memory",
				     i + 1, (module.end - module.start) >> 10, module.start,
				     module.end);
	}
}
