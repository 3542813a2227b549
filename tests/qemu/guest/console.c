// SPDX-License-Identifier: BSD-2-Clause
/* console.c: the serial port and the exit device, by which the guest's output leaves the machine. */

#include "guest.h"

/* isa-debug-exit turns value v into exit status 2 v + 1. */
#define EXIT_PORT 0xf4

static void outb(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" ::"a"(value), "Nd"(port));
}

static uint8_t inb(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

void console_put(char c)
{
	while (!(inb(COM1 + COM_STATUS) & COM_CAN_SEND))
		;
	outb(COM1, c);
}

_Noreturn void power_off(enum outcome outcome)
{
	for (;;)
		outb(EXIT_PORT, outcome);
}
