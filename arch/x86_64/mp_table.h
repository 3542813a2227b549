/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of Intel's MultiProcessor Specification: for machines without ACPI. */
#ifndef MP_TABLE_H
#define MP_TABLE_H

/* Adds the CPUs, the I/O APIC and the ways of the legacy lines to acpi_info, if there is a valid table.
 * Boot CPU, start, from acpi_init. */
void mp_table_read(void);

#endif
