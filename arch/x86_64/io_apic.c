/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The I/O APIC: legacy lines as interrupts of the boot CPU. The 8259 controllers stay masked.
 *
 * Sources: Intel 82093AA I/O APIC data sheet (1996), section 3; Intel 8259A data sheet,
 * "Initialization Command Words".
 */
#include "io_apic.h"

#include <stddef.h>
#include <stdint.h>

#include <arch/irq.h>
#include <arch/port.h>
#include <machine/apic.h>
#include <machine/cpu.h>
#include <machine/trap.h>
#include <uapi/linux/errno.h>

#include "acpi.h"
#include "page_table.h"

#define PIC_MASTER	  0x20
#define PIC_SLAVE	  0xa0

#define REGISTER_SELECT	  0x00
#define REGISTER_WINDOW	  0x10
#define REGISTER_VERSION  1
#define REGISTER_ENTRY(n) (0x10 + 2 * (n))

#define ENTRY_ACTIVE_LOW  (1u << 13)
#define ENTRY_LEVEL	  (1u << 15)
#define ENTRY_MASKED	  (1u << 16)
#define WINDOW_SIZE	  0x20

static volatile uint32_t *registers;
static uint32_t inputs;
static void (*handlers[LEGACY_LINES])(void);

static uint32_t read(uint32_t number)
{
	registers[REGISTER_SELECT / 4] = number;
	return registers[REGISTER_WINDOW / 4];
}

static void write(uint32_t number, uint32_t value)
{
	registers[REGISTER_SELECT / 4] = number;
	registers[REGISTER_WINDOW / 4] = value;
}

/* The four initialisation words move the controller's vectors away from the exceptions (a spurious
 * interrupt can come even when masked). Then the controller masks all its lines. */
static void silence_pic(uint16_t port, uint8_t vector, uint8_t cascade)
{
	arch_port_write8(port, 0x11);
	arch_port_write8(port + 1, vector);
	arch_port_write8(port + 1, cascade);
	arch_port_write8(port + 1, 0x01);
	arch_port_write8(port + 1, 0xff);
}

void io_apic_init(void)
{
	silence_pic(PIC_MASTER, VECTOR_PIC_SPURIOUS, 4);
	silence_pic(PIC_SLAVE, VECTOR_PIC_SPURIOUS + 8, 2);

	if (!acpi_info.io_apic)
		return;
	registers = paging_map_device(acpi_info.io_apic, WINDOW_SIZE);
	if (!registers)
		return;
	inputs = (read(REGISTER_VERSION) >> 16 & 0xff) + 1;
	for (uint32_t i = 0; i < inputs; i++)
		write(REGISTER_ENTRY(i), ENTRY_MASKED);
}

static void serve(unsigned int vector)
{
	handlers[vector - VECTOR_LINES]();
	apic_eoi();
}

int arch_irq_register(unsigned int line, void (*handler)(void))
{
	if (line >= LEGACY_LINES || !registers)
		return -ENODEV;

	uint32_t input = acpi_info.lines[line].global - acpi_info.io_apic_first;
	uint32_t entry = VECTOR_LINES + line;

	if (input >= inputs)
		return -ENODEV;
	if (handlers[line])
		return -EBUSY;
	handlers[line] = handler;
	trap_set_interrupt((uint8_t)(VECTOR_LINES + line), serve);
	if (acpi_info.lines[line].active_low)
		entry |= ENTRY_ACTIVE_LOW;
	if (acpi_info.lines[line].level)
		entry |= ENTRY_LEVEL;
	write(REGISTER_ENTRY(input) + 1, cpu_locals[0].apic_id << 24);
	write(REGISTER_ENTRY(input), entry);
	return 0;
}
