// SPDX-License-Identifier: BSD-2-Clause
/* console.c: the serial port, by which the guest's output leaves the machine. */

#include "guest.h"

void console_put(char c)
{
	volatile uint8_t *port = io_port(COM1);

	while (!(port[COM_STATUS] & COM_CAN_SEND))
		;
	*port = (uint8_t)c;
	__asm__ volatile("mb" ::: "memory");
}

/* A halted machine has no status: the script judges by what was printed. */
_Noreturn void power_off(enum outcome outcome)
{
	(void)outcome;
	for (;;)
		__asm__ volatile("call_pal %0" ::"i"(PAL_HALT));
}
