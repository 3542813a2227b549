/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts from ACPI's static tables: CPUs, interrupt controllers, a clock, and how to switch the machine
 * off.
 */
#ifndef ACPI_H
#define ACPI_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/base/cpu.h>
#include <kernel/mm/page.h>

#define LEGACY_LINES 16

/* A generic address (ACPI 6.5, 5.2.3.2) of a register of one byte. */
enum acpi_space { ACPI_MEMORY = 0, ACPI_PORT = 1, ACPI_PCI = 2 };
struct acpi_register {
	uint8_t space;	  /* enum acpi_space */
	uint64_t address; /* 0: there is no such register */
};

struct acpi_info {
	uint32_t apic_ids[CPUS_MAX]; /* usable CPUs, in the table's order */
	unsigned int listed_cpus;
	unsigned int ignored_cpus; /* CPUs beyond CPUS_MAX */

	paddr_t io_apic;	/* 0: none */
	uint32_t io_apic_first; /* global interrupt number of its first input */
	/* The input that legacy line n arrives at, and its mode. */
	struct {
		uint32_t global;
		bool level, active_low;
	} lines[LEGACY_LINES];

	uint16_t pm_timer; /* port of the power-management timer, 0: none */

	/* Memory-mapped PCI configuration space of segment 0, from that of the first bus on; last < first: none. */
	paddr_t ecam;
	unsigned int ecam_first_bus, ecam_last_bus;

	uint16_t sleep_control; /* PM1a control port, 0: none */
	uint16_t sleep_control_b;
	uint16_t sleep_off; /* value that switches off; 0xffff: not known */
	uint16_t sleep_off_b;
	/* The port that switches the two registers from the firmware's use to ours, and the value; 0: they are ours. */
	uint16_t smi_command;
	uint8_t acpi_enable;
	/* The sleep registers of a machine without PM1, with hardware-reduced ACPI. */
	struct acpi_register sleep_register, sleep_status;
	/* A write of reset_value resets the machine. */
	struct acpi_register reset;
	uint8_t reset_value;
};

/* Constant after acpi_init. */
extern struct acpi_info acpi_info;

/* Reads the tables, or Intel's older ones (mp_table.h) where ACPI has no CPUs. Without both there is one CPU
 * and no I/O APIC. Boot CPU, start, after apic_enable, pages can be allocated. */
void acpi_init(void);

/* Returns whether the SIZE bytes at DATA have the sum 0 in 8 bits, as every table of firmware. Any context. */
bool acpi_sums_to_zero(const void *data, size_t size);
/* Adds a CPU to acpi_info, unless it is there or IS_ENABLED is false. Boot CPU, start. */
void acpi_add_cpu(uint32_t apic_id, bool is_enabled);
/* Sets the input of a legacy LINE. FLAGS: polarity in bits 0-1 (3: low), trigger in 2-3 (3: level), the same
 * in both kinds of tables. Boot CPU, start. */
void acpi_override_line(unsigned int line, uint32_t global, uint16_t flags);

#endif
