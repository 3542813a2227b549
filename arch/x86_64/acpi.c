/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads ACPI's static tables: RSDT or XSDT, MADT, FADT, MCFG, and from the DSDT the one value that switches
 * the machine off.
 *
 * This is no ACPI interpreter: it finds the \_S5 package by its bytes, because the package always has
 * the same form. Each table is mapped once and stays mapped. A table with a wrong checksum or an
 * impossible size is ignored, and a line in the log says so.
 *
 * Sources: ACPI Specification 6.5: 5.2.5 to 5.2.9, 5.2.12 (MADT), 7.4.2 and 20.2 (\_Sx packages); PCI Firmware
 * Specification 3.3, 4.1.2 (MCFG).
 */
#include "acpi.h"

#include <stddef.h>
#include <string.h>

#include <arch/iommu.h>
#include <arch/pci.h>
#include <kernel/base/boot.h>
#include <kernel/base/log.h>
#include <machine/apic.h>

#include "mp_table.h"
#include "page_table.h"

struct acpi_info acpi_info = { .sleep_off = 0xffff, .ecam_first_bus = 1 };

struct root_pointer {
	char signature[8];
	uint8_t checksum;
	char oem[6];
	uint8_t revision;
	uint32_t rsdt;
	/* revision 2 and up */
	uint32_t length;
	uint64_t xsdt;
	uint8_t extended_checksum;
	uint8_t reserved[3];
} __attribute__((packed));

struct table {
	char signature[4];
	uint32_t length;
	uint8_t revision, checksum;
	char oem[6], oem_table[8];
	uint32_t oem_revision, creator, creator_revision;
} __attribute__((packed));

#define TABLE_SIZE_MAX (16u << 20)
#define TABLES_MAX     1024

bool acpi_sums_to_zero(const void *data, size_t size)
{
	const uint8_t *bytes = data;
	uint8_t sum = 0;

	for (size_t i = 0; i < size; i++)
		sum += bytes[i];
	return sum == 0;
}

/* Returns the whole table at PADDR, or NULL. */
static const struct table *map_table(paddr_t paddr)
{
	const struct table *head = paging_map_firmware(paddr, sizeof *head);

	if (!head)
		return NULL;
	if (head->length < sizeof *head || head->length > TABLE_SIZE_MAX) {
		log_warning("acpi: table %.4s at 0x%lx says it has %u bytes: ignored",
			    head->signature, paddr, head->length);
		return NULL;
	}

	const struct table *table = paging_map_firmware(paddr, head->length);

	if (table && !acpi_sums_to_zero(table, table->length)) {
		log_warning("acpi: table %.4s has a wrong checksum: ignored", table->signature);
		return NULL;
	}
	return table;
}

/*
 * MADT: CPUs and I/O APICs.
 */
#define ENTRY_ENABLED 0x1

enum madt_type { MADT_LOCAL_APIC = 0, MADT_IO_APIC = 1, MADT_OVERRIDE = 2, MADT_LOCAL_X2APIC = 9 };

struct madt {
	struct table head;
	uint32_t local_apic, flags;
} __attribute__((packed));

union madt_entry {
	struct {
		uint8_t type, length;
	} head;
	struct {
		uint8_t type, length, uid, apic_id;
		uint32_t flags;
	} __attribute__((packed)) local_apic;
	struct {
		uint8_t type, length, id, reserved;
		uint32_t address, first;
	} __attribute__((packed)) io_apic;
	struct {
		uint8_t type, length, bus, line;
		uint32_t global;
		uint16_t flags;
	} __attribute__((packed)) override;
	struct {
		uint8_t type, length;
		uint16_t reserved;
		uint32_t apic_id, flags, uid;
	} __attribute__((packed)) local_x2apic;
};

void acpi_add_cpu(uint32_t apic_id, bool is_enabled)
{
	if (!is_enabled)
		return;
	/* Firmware may list a CPU in both forms. */
	for (unsigned int i = 0; i < acpi_info.listed_cpus; i++)
		if (acpi_info.apic_ids[i] == apic_id)
			return;
	/* Without x2APIC a greater number would reach other CPUs, or all. */
	if (acpi_info.listed_cpus == CPUS_MAX || apic_id > apic_id_max())
		acpi_info.ignored_cpus++;
	else
		acpi_info.apic_ids[acpi_info.listed_cpus++] = apic_id;
}

void acpi_override_line(unsigned int line, uint32_t global, uint16_t flags)
{
	if (line >= LEGACY_LINES)
		return;
	acpi_info.lines[line].global = global;
	acpi_info.lines[line].active_low = (flags & 3) == 3;
	acpi_info.lines[line].level = (flags >> 2 & 3) == 3;
}

/* The least length of an entry, by type: a shorter one has no meaning. */
static const uint8_t madt_lengths[] = {
	[MADT_LOCAL_APIC] = sizeof(((union madt_entry *)0)->local_apic),
	[MADT_IO_APIC] = sizeof(((union madt_entry *)0)->io_apic),
	[MADT_OVERRIDE] = sizeof(((union madt_entry *)0)->override),
	[MADT_LOCAL_X2APIC] = sizeof(((union madt_entry *)0)->local_x2apic),
};

static void read_madt(const struct table *table)
{
	const uint8_t *at = (const uint8_t *)table + sizeof(struct madt);
	const uint8_t *end = (const uint8_t *)table + table->length;

	while (end - at >= (ptrdiff_t)sizeof(((union madt_entry *)0)->head)) {
		const union madt_entry *entry = (const void *)at;
		uint8_t length = entry->head.length, type = entry->head.type;

		if (length < sizeof entry->head || length > end - at)
			break;
		if (type < sizeof madt_lengths && length < madt_lengths[type]) {
			at += length;
			continue;
		}
		switch (type) {
		case MADT_LOCAL_APIC:
			acpi_add_cpu(entry->local_apic.apic_id,
				     entry->local_apic.flags & ENTRY_ENABLED);
			break;
		case MADT_LOCAL_X2APIC:
			acpi_add_cpu(entry->local_x2apic.apic_id,
				     entry->local_x2apic.flags & ENTRY_ENABLED);
			break;
		case MADT_IO_APIC:
			/* Take the I/O APIC that serves the legacy lines. */
			if (!acpi_info.io_apic || entry->io_apic.first == 0) {
				acpi_info.io_apic = entry->io_apic.address;
				acpi_info.io_apic_first = entry->io_apic.first;
			}
			break;
		case MADT_OVERRIDE:
			acpi_override_line(entry->override.line, entry->override.global,
					   entry->override.flags);
			break;
		default:
			break;
		}
		at += length;
	}
}

/*
 * FADT and DSDT.
 */
struct fadt {
	struct table head;
	uint32_t facs, dsdt;
	uint8_t unused1[20];
	uint32_t pm1a_control, pm1b_control;
	uint32_t unused2;
	uint32_t pm_timer;
	uint8_t unused3[11];
	uint8_t pm_timer_length;
	uint8_t unused4[20];
	uint32_t flags;
} __attribute__((packed));

/* Offsets of what later revisions added, and of bytes in the unused parts. ACPI 6.5 table 5.9. */
#define FADT_SMI_COMMAND   48
#define FADT_ACPI_ENABLE   52
#define FADT_RESET	   116
#define FADT_RESET_VALUE   128
#define FADT_DSDT_64	   140
#define FADT_SLEEP_CONTROL 244
#define FADT_SLEEP_STATUS  256
#define FADT_CAN_RESET	   (1u << 10)
#define FADT_REDUCED	   (1u << 20)
_Static_assert(offsetof(struct fadt, pm1a_control) == 64, "ACPI 6.5 table 5.9");
_Static_assert(offsetof(struct fadt, pm_timer) == 76, "ACPI 6.5 table 5.9");
_Static_assert(offsetof(struct fadt, pm_timer_length) == 91, "ACPI 6.5 table 5.9");
_Static_assert(offsetof(struct fadt, flags) == 112, "ACPI 6.5 table 5.9");

#define SLEEP_TYPE_SHIFT 10
#define SLEEP_ENABLE	 (1u << 13)

/* A value of AML is 0 (ZeroOp), 1 (OneOp), or BytePrefix and a byte. Returns what PM1 takes for the one at *AT of DSDT,
 * and moves *AT after it. The package may be the table's end. */
static uint16_t read_value(const struct table *dsdt, size_t *at)
{
	const uint8_t *bytes = (const uint8_t *)dsdt;
	uint8_t value = *at < dsdt->length ? bytes[*at] : 0;

	++*at;
	if (value == 0x0a) {
		value = *at < dsdt->length ? bytes[*at] : 0;
		++*at;
	}
	return (uint16_t)((value & 7) << SLEEP_TYPE_SHIFT | SLEEP_ENABLE);
}

/* AML: NameOp "_S5_" PackageOp length count value value … */
static void find_off_state(const struct table *dsdt)
{
	const uint8_t *bytes = (const uint8_t *)dsdt;

	for (size_t i = sizeof *dsdt; i + 8 < dsdt->length; i++) {
		if (memcmp(bytes + i, "_S5_", 4) != 0 || bytes[i + 4] != 0x12)
			continue;

		/* The top two bits hold the number of further bytes of the package length. */
		size_t at = i + 5 + 1 + (bytes[i + 5] >> 6) + 1;

		acpi_info.sleep_off = read_value(dsdt, &at);
		acpi_info.sleep_off_b = read_value(dsdt, &at);
		return;
	}
}

/* Copies SIZE bytes at OFFSET of TABLE to FIELD, zeros if the table is shorter. */
static void copy_field(const struct table *table, size_t offset, void *field, size_t size)
{
	memset(field, 0, size);
	if (offset + size <= table->length)
		memcpy(field, (const uint8_t *)table + offset, size);
}

static struct acpi_register read_register(const struct table *table, size_t offset)
{
	struct {
		uint8_t space, width, bit, access;
		uint64_t address;
	} __attribute__((packed)) generic;

	copy_field(table, offset, &generic, sizeof generic);
	return (struct acpi_register){ generic.space, generic.address };
}

/* The registers that end the machine. */
static void read_power(const struct fadt *fadt)
{
	const struct table *table = &fadt->head;

	acpi_info.sleep_control = (uint16_t)fadt->pm1a_control;
	acpi_info.sleep_control_b = (uint16_t)fadt->pm1b_control;
	copy_field(table, FADT_SMI_COMMAND, &acpi_info.smi_command, sizeof acpi_info.smi_command);
	copy_field(table, FADT_ACPI_ENABLE, &acpi_info.acpi_enable, sizeof acpi_info.acpi_enable);
	if (fadt->flags & FADT_REDUCED) {
		acpi_info.sleep_control = acpi_info.sleep_control_b = 0;
		acpi_info.sleep_register = read_register(table, FADT_SLEEP_CONTROL);
		acpi_info.sleep_status = read_register(table, FADT_SLEEP_STATUS);
	}
	if (fadt->flags & FADT_CAN_RESET) {
		acpi_info.reset = read_register(table, FADT_RESET);
		copy_field(table, FADT_RESET_VALUE, &acpi_info.reset_value,
			   sizeof acpi_info.reset_value);
	}
}

static void read_fadt(const struct table *table)
{
	const struct fadt *fadt = (const void *)table;

	if (table->length < sizeof *fadt)
		return;
	if (fadt->pm_timer_length == 4)
		acpi_info.pm_timer = (uint16_t)fadt->pm_timer;
	read_power(fadt);

	uint64_t dsdt_address;

	copy_field(table, FADT_DSDT_64, &dsdt_address, sizeof dsdt_address);
	if (!dsdt_address)
		dsdt_address = fadt->dsdt;

	const struct table *dsdt = dsdt_address ? map_table(dsdt_address) : NULL;

	if (dsdt)
		find_off_state(dsdt);
}

/*
 * DMAR: IOMMUs. Intel Virtualization Technology for Directed I/O 4.1, 8.1 to 8.3.
 */
#define DMAR_UNIT	   0
#define UNIT_ALL_FUNCTIONS 1
#define SCOPE_ENDPOINT	   1

struct dmar {
	struct table head;
	uint8_t width, flags, reserved[10];
	uint8_t entries[];
} __attribute__((packed));

struct dmar_entry {
	uint16_t type, length;
	/* A unit's. */
	uint8_t flags, size;
	uint16_t segment;
	uint64_t registers;
	uint8_t scopes[];
} __attribute__((packed));

struct dmar_scope {
	uint8_t type, length;
	uint16_t reserved;
	uint8_t id, bus;
	struct {
		uint8_t slot, function;
	} path[];
} __attribute__((packed));

static const struct dmar *dmar;

static void read_dmar(const struct table *table)
{
	if (table->length >= sizeof(*dmar))
		dmar = (const void *)table;
}

/* Returns whether UNIT lists the function as an endpoint. */
static bool is_in_scope(const struct dmar_entry *unit, uint8_t bus, uint8_t slot, uint8_t function)
{
	const uint8_t *at = unit->scopes, *end = (const uint8_t *)unit + unit->length;

	while ((size_t)(end - at) >= sizeof(struct dmar_scope)) {
		const struct dmar_scope *scope = (const void *)at;

		if (scope->length < sizeof(*scope) || scope->length > end - at)
			break;
		if (scope->type == SCOPE_ENDPOINT && scope->bus == bus &&
		    scope->length == sizeof(*scope) + sizeof(scope->path[0]) &&
		    scope->path[0].slot == slot && scope->path[0].function == function)
			return true;
		at += scope->length;
	}
	return false;
}

paddr_t arch_iommu_registers(uint8_t bus, uint8_t slot, uint8_t function)
{
	const uint8_t *at = dmar ? dmar->entries : NULL;
	const uint8_t *end = dmar ? (const uint8_t *)dmar + dmar->head.length : NULL;

	while ((size_t)(end - at) >= offsetof(struct dmar_entry, flags)) {
		const struct dmar_entry *entry = (const void *)at;

		if (entry->length < offsetof(struct dmar_entry, flags) || entry->length > end - at)
			break;
		if (entry->type == DMAR_UNIT && entry->length >= sizeof(*entry) &&
		    !entry->segment &&
		    (entry->flags & UNIT_ALL_FUNCTIONS || is_in_scope(entry, bus, slot, function)))
			return entry->registers;
		at += entry->length;
	}
	return 0;
}

/*
 * MCFG: memory-mapped PCI configuration space.
 */
struct mcfg {
	struct table head;
	uint64_t reserved;
	struct {
		uint64_t address; /* of bus 0, whichever the first bus is */
		uint16_t segment;
		uint8_t first_bus, last_bus;
		uint32_t reserved;
	} __attribute__((packed)) entries[];
} __attribute__((packed));

#define ECAM_BUS_SIZE ((paddr_t)1 << 20)

/* Takes the first entry of segment 0. */
static void read_mcfg(const struct table *table)
{
	const struct mcfg *mcfg = (const void *)table;
	size_t count = table->length < sizeof *mcfg ?
			       0 :
			       (table->length - sizeof *mcfg) / sizeof mcfg->entries[0];

	for (size_t i = 0; i < count; i++) {
		uint64_t address = mcfg->entries[i].address;

		if (mcfg->entries[i].segment || address & (ECAM_BUS_SIZE - 1))
			continue;
		acpi_info.ecam = address;
		acpi_info.ecam_first_bus = mcfg->entries[i].first_bus;
		acpi_info.ecam_last_bus = mcfg->entries[i].last_bus;
		return;
	}
}

paddr_t arch_pci_ecam(uint8_t bus)
{
	paddr_t start = acpi_info.ecam + bus * ECAM_BUS_SIZE;

	if (bus < acpi_info.ecam_first_bus || bus > acpi_info.ecam_last_bus)
		return 0;
	for (size_t i = 0; i < boot_info.ram_count; i++)
		if (start < boot_info.ram[i].end && boot_info.ram[i].start < start + ECAM_BUS_SIZE)
			return 0;
	return start;
}

static const struct {
	char signature[5];
	void (*read)(const struct table *table);
} readers[] = {
	{ "APIC", read_madt },
	{ "FACP", read_fadt },
	{ "DMAR", read_dmar },
	{ "MCFG", read_mcfg },
};

static void read_tables(const struct table *root, size_t pointer_size)
{
	const uint8_t *pointers = (const uint8_t *)(root + 1);
	size_t count = (root->length - sizeof *root) / pointer_size;

	if (count > TABLES_MAX) {
		log_warning("acpi: %zu tables: all beyond the first %d are ignored", count,
			    TABLES_MAX);
		count = TABLES_MAX;
	}
	for (size_t i = 0; i < count; i++) {
		paddr_t paddr = 0;

		memcpy(&paddr, pointers + i * pointer_size, pointer_size);

		const struct table *head = paging_map_firmware(paddr, sizeof *head);

		for (size_t r = 0; head && r < sizeof readers / sizeof *readers; r++) {
			if (memcmp(head->signature, readers[r].signature, 4) != 0)
				continue;

			const struct table *table = map_table(paddr);

			if (table)
				readers[r].read(table);
		}
	}
}

void acpi_init(void)
{
	for (unsigned int i = 0; i < LEGACY_LINES; i++)
		acpi_info.lines[i].global = i;

	const struct root_pointer *pointer = NULL;
	const struct table *root = NULL;

	if (boot_info.acpi_rsdp)
		pointer = paging_map_firmware(boot_info.acpi_rsdp, sizeof *pointer);
	if (pointer && (memcmp(pointer->signature, "RSD PTR ", sizeof pointer->signature) != 0 ||
			!acpi_sums_to_zero(pointer, offsetof(struct root_pointer, length)))) {
		log_warning("acpi: the root pointer has a wrong checksum: all tables are ignored");
		pointer = NULL;
	}
	if (pointer && pointer->revision >= 2 && pointer->xsdt)
		root = map_table(pointer->xsdt);
	if (root)
		read_tables(root, sizeof(uint64_t));
	else if (pointer && (root = map_table(pointer->rsdt)) != NULL)
		read_tables(root, sizeof(uint32_t));

	if (acpi_info.listed_cpus == 0)
		mp_table_read();
	if (acpi_info.listed_cpus == 0) {
		log_warning("acpi: no table of CPUs: only this one is used");
		acpi_info.apic_ids[acpi_info.listed_cpus++] = apic_id();
	}
	if (acpi_info.ignored_cpus)
		log_warning("acpi: %u CPUs beyond the first %u are not used",
			    acpi_info.ignored_cpus, acpi_info.listed_cpus);
}
