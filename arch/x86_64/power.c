/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of the machine, as the command line's end= says: by QEMU's exit port, by ACPI's power-off, by a reset, or by
 * standing still. Each that does not work is followed by a halt, so that the last line stays on the screen.
 *
 * Without the word: the exit port, then, after success only, power-off. A person should be able to read the reason of a
 * failure.
 *
 * Sources: ACPI Specification 6.5: 4.8.3.2 (PM1 control), 4.8.3.6 (reset register), 4.8.3.7 (sleep registers), 16.1.7.
 */
#include "power.h"

#include <stddef.h>
#include <string.h>

#include <arch/machine.h>
#include <arch/port.h>
#include <kernel/base/boot.h>
#include <kernel/base/log.h>
#include <machine/cpu.h>

#include "acpi.h"
#include "page_table.h"

/* QEMU's isa-debug-exit: ends the emulator with status 2 * value + 1. */
#define EXIT_DEVICE	     0xf4
/* The keyboard controller: status bit 1 is set while it takes a command; the pulse pulls the CPU's reset line. */
#define KEYBOARD_COMMAND     0x64
#define KEYBOARD_BUSY	     0x02
#define KEYBOARD_PULSE_RESET 0xfe
/* A read of this port, which has no device that matters, takes about a microsecond. */
#define DELAY_PORT	     0x80
#define US_PER_STEP	     100000 /* between one way and the next */

#define PM1_ACPI_MODE	     (1u << 0)
#define PM1_SLEEP_TYPE	     (7u << 10)
#define PM1_TYPE_SHIFT	     10
#define PM1_SLEEP_ENABLE     (1u << 13)
#define SLEEP_TYPE_SHIFT     2
#define SLEEP_ENABLE	     (1u << 5)
#define SLEEP_WAKE_STATUS    (1u << 7)
#define SLEEP_UNKNOWN	     0xffff

/* PCI's configuration by ports: PCI Local Bus Specification 3.0, 3.2.2.3.2. */
#define PCI_ADDRESS	     0xcf8
#define PCI_DATA	     0xcfc
#define PCI_ENABLE	     (1u << 31)

enum end_way { END_DEFAULT, END_EXIT, END_POWEROFF, END_RESET, END_HALT };

static const char *const ways[] = {
	[END_EXIT] = "exit",
	[END_POWEROFF] = "poweroff",
	[END_RESET] = "reset",
	[END_HALT] = "halt",
};

/* Constant after power_init, as the next three: the registers of acpi_info that are in memory, mapped. */
static enum end_way way;
static volatile uint8_t *sleep_register, *sleep_status, *reset_register;

static volatile uint8_t *map_register(const struct acpi_register *in)
{
	return in->address && in->space == ACPI_MEMORY ? paging_map_device(in->address, 1) : NULL;
}

static enum end_way read_word(void)
{
	char word[16];

	if (!boot_option("end", word, sizeof word))
		return END_DEFAULT;
	for (size_t i = END_EXIT; i < sizeof ways / sizeof *ways; i++)
		if (strcmp(word, ways[i]) == 0)
			return (enum end_way)i;
	boot_failure("end=%s: not a way to end; give exit, poweroff, reset or halt", word);
}

void power_init(void)
{
	sleep_register = map_register(&acpi_info.sleep_register);
	sleep_status = map_register(&acpi_info.sleep_status);
	reset_register = map_register(&acpi_info.reset);
	way = read_word();
}

static void delay_us(unsigned int us)
{
	while (us--)
		(void)arch_port_read8(DELAY_PORT);
}

/* Writes VALUE to the register IN, which is MAPPED if it is in memory. */
static void write_register(const struct acpi_register *in, volatile uint8_t *mapped, uint8_t value)
{
	uint16_t device = (uint16_t)(in->address >> 32), function = (uint16_t)(in->address >> 16);
	uint16_t offset = (uint16_t)in->address;

	if (!in->address)
		return;
	if (mapped) {
		*mapped = value;
	} else if (in->space == ACPI_PORT) {
		arch_port_write8(offset, value);
	} else if (in->space == ACPI_PCI && device < 32 && function < 8 && offset < 256) {
		arch_port_write32(PCI_ADDRESS, PCI_ENABLE | (uint32_t)device << 11 |
						       (uint32_t)function << 8 | (offset & 0xfcu));
		arch_port_write8((uint16_t)(PCI_DATA + offset % 4), value);
	}
}

/* Takes PM1 from the firmware: until then it may ignore what we write there. */
static void enable_acpi(void)
{
	if (!acpi_info.smi_command || !acpi_info.acpi_enable)
		return;
	if (arch_port_read16(acpi_info.sleep_control) & PM1_ACPI_MODE)
		return;
	arch_port_write8(acpi_info.smi_command, acpi_info.acpi_enable);
	for (unsigned int us = 0; us < US_PER_STEP; us++) {
		if (arch_port_read16(acpi_info.sleep_control) & PM1_ACPI_MODE)
			return;
		delay_us(1);
	}
}

static void write_pm1(uint16_t port, uint16_t off)
{
	uint16_t others = arch_port_read16(port) & (uint16_t) ~(PM1_SLEEP_TYPE | PM1_SLEEP_ENABLE);

	arch_port_write16(port, others | (off & PM1_SLEEP_TYPE));
	arch_port_write16(port, others | off);
}

static void power_off(void)
{
	if (acpi_info.sleep_off == SLEEP_UNKNOWN)
		return;
	if (acpi_info.sleep_control) {
		enable_acpi();
		write_pm1(acpi_info.sleep_control, acpi_info.sleep_off);
		if (acpi_info.sleep_control_b)
			write_pm1(acpi_info.sleep_control_b, acpi_info.sleep_off_b);
	} else {
		uint8_t type = (acpi_info.sleep_off & PM1_SLEEP_TYPE) >> PM1_TYPE_SHIFT;

		write_register(&acpi_info.sleep_status, sleep_status, SLEEP_WAKE_STATUS);
		write_register(&acpi_info.sleep_register, sleep_register,
			       (uint8_t)(type << SLEEP_TYPE_SHIFT | SLEEP_ENABLE));
	}
	delay_us(US_PER_STEP);
}

/* Does not return: the last way needs no device. */
static void reset(void)
{
	static const struct {
		uint16_t limit;
		uint64_t base;
	} __attribute__((packed)) no_vectors = { 0, 0 };

	write_register(&acpi_info.reset, reset_register, acpi_info.reset_value);
	delay_us(US_PER_STEP);
	for (unsigned int us = 0;
	     us < US_PER_STEP && arch_port_read8(KEYBOARD_COMMAND) & KEYBOARD_BUSY; us++)
		delay_us(1);
	arch_port_write8(KEYBOARD_COMMAND, KEYBOARD_PULSE_RESET);
	delay_us(US_PER_STEP);
	/* An exception without a vector is a double fault, that one a triple fault: SDM vol. 3A 6.15, interrupt 8. */
	__asm__ volatile("lidt %0; ud2" : : "m"(no_vectors));
}

void arch_machine_end(enum machine_end how)
{
	arch_irq_disable();
	if (way == END_DEFAULT || way == END_EXIT)
		/* Without the device this write does nothing. */
		arch_port_write32(EXIT_DEVICE, how);
	if (way == END_POWEROFF || (way == END_DEFAULT && how == MACHINE_ENDED))
		power_off();
	if (way == END_RESET)
		reset();
	arch_cpu_halt();
}
