/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's debug console, see <kernel/drivers/debug_console.h>. No locks.
 *
 * Source: QEMU's hw/char/debugcon.c (its port, and the value of a read).
 */
#include <kernel/drivers/debug_console.h>

#include <arch/port.h>

#define DEBUG_PORT 0xe9
#define READ_BACK  0xe9

bool debug_console_is_present(void)
{
	return arch_port_read8(DEBUG_PORT) == READ_BACK;
}

void debug_console_write(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		arch_port_write8(DEBUG_PORT, (unsigned char)bytes[i]);
}
