/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts of the ISA bus: two 8259s. The second is connected to line 2 of the first, whose one
 * output is line 55 of the Typhoon chip set.
 *
 * PALcode acknowledges an interrupt and reports its line; the console has numbered the lines from 0.
 *
 * Sources: Intel 8259A data sheet; Tsunami/Typhoon 21272 Chipset Hardware Reference Manual, section 10.2.2
 * "Cchip registers".
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <arch/irq.h>
#include <arch/port.h>
#include <kernel/base/spinlock.h>
#include <machine/mmu.h>
#include <uapi/linux/errno.h>

#include "interrupt.h"

#define PIC_FIRST      0x20 /* port: commands; masks at the next */
#define PIC_SECOND     0xa0
#define PIC_MASKS      1
#define PIC_END	       0x20 /* command: the interrupt has been served */
#define LINES_OF_FIRST 8
#define LINE_OF_SECOND 2

/* The Cchip's mask of device interrupts for CPU 0. */
#define DEVICE_MASK_0  (DEVICE_BASE + 0x1a0000200)
#define DEVICE_ISA     (1ull << 55)

static const struct {
	unsigned int line;
	const char *name;
} devices[] = { { 1, "i8042" }, { 3, "ttyS1" }, { 4, "ttyS0" } };

static void (*handlers[ISA_LINES])(void);
static uint16_t unmasked; /* bit n: line n */

static void write_masks(void)
{
	arch_port_write8(PIC_FIRST + PIC_MASKS, (uint8_t)~unmasked);
	arch_port_write8(PIC_SECOND + PIC_MASKS, (uint8_t)(~unmasked >> LINES_OF_FIRST));
}

void isa_init(void)
{
	unmasked = 1 << LINE_OF_SECOND;
	write_masks();
	*(volatile uint64_t *)DEVICE_MASK_0 = DEVICE_ISA;
	__asm__ volatile("mb" : : : "memory");
}

int arch_irq_register(unsigned int line, void (*handler)(void))
{
	if (line >= ISA_LINES)
		return -ENODEV;
	if (handlers[line])
		return -EBUSY;
	handlers[line] = handler;
	unmasked |= (uint16_t)(1 << line);
	write_masks();
	return 0;
}

const char *isa_line_name(unsigned int line)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if (devices[i].line == line && handlers[line])
			return devices[i].name;
	return NULL;
}

bool isa_serve(unsigned int line)
{
	if (!handlers[line])
		return false;
	handlers[line]();
	if (line >= LINES_OF_FIRST)
		arch_port_write8(PIC_SECOND, PIC_END);
	arch_port_write8(PIC_FIRST, PIC_END);
	return true;
}
