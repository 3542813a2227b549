/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel learns from ACPI's static tables: processors, interrupt controllers, a clock, how
 * to switch off.
 */
#ifndef ACPI_H
#define ACPI_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/cpu.h>
#include <kernel/page.h>

#define LEGACY_LINES 16

struct acpi_info {
	uint32_t apic_ids[CPUS_MAX]; /* usable processors, in the table's order */
	unsigned int processor_count;
	unsigned int ignored_processors; /* more than CPUS_MAX */

	paddr_t io_apic;	/* 0: none */
	uint32_t io_apic_first; /* global interrupt number of its first input */
	/* Where legacy line n arrives, and how. */
	struct {
		uint32_t global;
		bool level, active_low;
	} lines[LEGACY_LINES];

	uint16_t pm_timer;  /* port of the power-management timer, 0: none */
	bool pm_timer_wide; /* 32 bits instead of 24 */

	uint16_t sleep_control; /* PM1a control port, 0: none */
	uint16_t sleep_control_b;
	uint16_t sleep_off; /* value that switches off; 0xffff: not known */
};

/* Constant after acpi_init. */
extern struct acpi_info acpi_info;

/* Reads the tables; without any, one processor and nothing else. Boot processor, start, after
 * apic_enable, pages can be allocated. */
void acpi_init(void);

#endif
