/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the tables of Intel's MultiProcessor Specification: CPUs and I/O APIC of a machine without ACPI,
 * as microVMs are.
 *
 * No byte is believed: the pointer and the table have checksums, and each entry lies inside the table. The table may
 * be at any address, so its structures are packed.
 *
 * Source: MultiProcessor Specification 1.4 (Intel, May 1997), chapter 4.
 */
#include "mp_table.h"

#include <string.h>

#include "acpi.h"
#include "page_table.h"

struct floating_pointer {
	char signature[4];
	uint32_t table;
	uint8_t units, version, checksum, features[5];
} __attribute__((packed));

#define POINTER_UNIT 16 /* bytes */

struct configuration {
	char signature[4];
	uint16_t length;
	uint8_t version, checksum;
	char oem[20];
	uint32_t oem_table;
	uint16_t oem_size, entry_count;
	uint32_t local_apic;
	uint16_t extended_length;
	uint8_t extended_checksum, reserved;
} __attribute__((packed));

_Static_assert(sizeof(struct configuration) == 44, "figure 4-3");

enum entry_type { ENTRY_CPU = 0, ENTRY_BUS = 1, ENTRY_IO_APIC = 2, ENTRY_INTERRUPT = 3 };

/* An entry has 20 bytes if it is a CPU's, else 8. */
union entry {
	uint8_t type;
	struct {
		uint8_t type, apic_id, version, flags;
		uint8_t of_no_use[16];
	} cpu;
	struct {
		uint8_t type, id;
		char name[6];
	} bus;
	struct {
		uint8_t type, id, version, flags;
		uint32_t address;
	} __attribute__((packed)) io_apic;
	struct {
		uint8_t type, kind;
		uint16_t flags;
		uint8_t bus, line, io_apic, input;
	} __attribute__((packed)) interrupt;
};

#define SIZE_CPU	 20
#define SIZE_OTHER	 8
#define FLAG_ENABLED	 1
#define INTERRUPT_VECTOR 0 /* a kind: not an NMI and not of an 8259 */

/* Where the pointer may be: the first KiB of the extended BIOS data, the last KiB of base memory, the BIOS. */
static const struct {
	uint32_t start, size;
} places[] = { { 0x9fc00, 0x400 }, { 0xf0000, 0x10000 }, { 0xe0000, 0x10000 } };

static const struct floating_pointer *find_pointer(void)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const uint8_t *bytes = paging_map_firmware(places[i].start, places[i].size);

		for (size_t at = 0; bytes && at < places[i].size;
		     at += sizeof(struct floating_pointer))
			if (memcmp(bytes + at, "_MP_", 4) == 0 &&
			    acpi_sums_to_zero(bytes + at, POINTER_UNIT))
				return (const void *)(bytes + at);
	}
	return NULL;
}

static void read_entry(const union entry *entry, unsigned int *isa)
{
	switch (entry->type) {
	case ENTRY_CPU:
		acpi_add_cpu(entry->cpu.apic_id, entry->cpu.flags & FLAG_ENABLED);
		break;
	case ENTRY_BUS:
		if (memcmp(entry->bus.name, "ISA", 3) == 0)
			*isa = entry->bus.id;
		break;
	case ENTRY_IO_APIC:
		/* The first one has the legacy lines. */
		if (!acpi_info.io_apic && (entry->io_apic.flags & FLAG_ENABLED))
			acpi_info.io_apic = entry->io_apic.address;
		break;
	case ENTRY_INTERRUPT:
		if (entry->interrupt.kind == INTERRUPT_VECTOR && entry->interrupt.bus == *isa)
			acpi_override_line(entry->interrupt.line, entry->interrupt.input,
					   entry->interrupt.flags);
		break;
	default:
		break;
	}
}

void mp_table_read(void)
{
	const struct floating_pointer *pointer = find_pointer();
	const struct configuration *table =
		pointer && pointer->table ? paging_map_firmware(pointer->table, sizeof *table) :
					    NULL;

	if (!table || memcmp(table->signature, "PCMP", 4) != 0 || table->length < sizeof *table)
		return;

	table = paging_map_firmware(pointer->table, table->length);
	if (!table || !acpi_sums_to_zero(table, table->length))
		return;

	const uint8_t *at = (const uint8_t *)(table + 1),
		      *end = (const uint8_t *)table + table->length;
	unsigned int isa = UINT32_MAX;

	while (at < end) {
		size_t size = *at == ENTRY_CPU ? SIZE_CPU : SIZE_OTHER;

		if ((size_t)(end - at) < size)
			break;
		read_entry((const void *)at, &isa);
		at += size;
	}
}
