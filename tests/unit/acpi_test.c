/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of arch/x86_64/acpi.c and mp_table.c: what becomes of firmware's tables, true or false.
 *
 * The sources are included here, with 1 MiB of the test's own as the machine's memory. Each mapping is a copy of
 * exactly its size, so that AddressSanitizer sees every byte that is read beyond it.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#include <kernel/mm/page.h>

/* Declarations of <machine/apic.h> and of page_table.h, which has no place on the host. */
#define PAGE_TABLE_H
uint32_t apic_id(void);
uint32_t apic_id_max(void);
const void *paging_map_firmware(paddr_t paddr, size_t size);

#include "../../arch/x86_64/acpi.c"
#include "../../arch/x86_64/mp_table.c"

#define MEMORY_SIZE 0x100000

static uint8_t memory[MEMORY_SIZE];
static void *mappings[4096];
static size_t mapping_count;
static bool has_x2apic;
static char last_log[256];
struct boot_info boot_info;

#define OWN_ID 3

uint32_t apic_id(void)
{
	return OWN_ID;
}

uint32_t apic_id_max(void)
{
	return has_x2apic ? UINT32_MAX - 1 : 254;
}

const void *paging_map_firmware(paddr_t paddr, size_t size)
{
	if (paddr > MEMORY_SIZE || size > MEMORY_SIZE - paddr ||
	    mapping_count == sizeof(mappings) / sizeof(mappings[0]))
		return NULL;
	return mappings[mapping_count++] = memcpy(malloc(size), memory + paddr, size);
}

void log_write(enum log_level level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_log, sizeof(last_log), format, args);
	va_end(args);
}

static void read_again(void)
{
	while (mapping_count > 0)
		free(mappings[--mapping_count]);
	acpi_info = (struct acpi_info){ .sleep_off = 0xffff, .ecam_first_bus = 1 };
	dmar = NULL;
	last_log[0] = '\0';
	acpi_init();
}

/*
 * Firmware that tells the truth.
 */
#define RSDP_AT 0x1000
#define XSDT_AT 0x2000
#define MADT_AT 0x3000
#define FADT_AT 0x4000
#define DSDT_AT 0x5000
#define MCFG_AT 0x6000
#define DMAR_AT 0x7000

static void fix_sum(uint8_t *bytes, size_t size, size_t at)
{
	uint8_t sum = 0;

	bytes[at] = 0;
	for (size_t i = 0; i < size; i++)
		sum += bytes[i];
	bytes[at] = (uint8_t)-sum;
}

static void put_table(uint32_t at, const char *signature, const void *contents, size_t size)
{
	struct table *table = (void *)(memory + at);

	memset(table, 0, sizeof(*table));
	memcpy(table->signature, signature, 4);
	table->length = (uint32_t)(sizeof(*table) + size);
	memcpy(table + 1, contents, size);
	fix_sum(memory + at, table->length, offsetof(struct table, checksum));
}

/* After its head: two CPUs, one that is off, an I/O APIC, line 0 at input 2. */
static const uint8_t madt_contents[] = {
	0, 0,  0xe0, 0xfe, 1, 0, 0,    0,		  /* its address, and flags */
	0, 8,  0,    3,	   1, 0, 0,    0,		  /* CPU 3 */
	0, 8,  1,    7,	   1, 0, 0,    0,		  /* CPU 7 */
	0, 8,  2,    9,	   0, 0, 0,    0,		  /* off */
	1, 12, 0,    0,	   0, 0, 0xc0, 0xfe, 0,	 0, 0, 0, /* I/O APIC at 0xfec00000 */
	2, 10, 0,    0,	   2, 0, 0,    0,    15, 0,	  /* level, low */
};

static void put_root(uint32_t xsdt)
{
	struct root_pointer *root = (void *)(memory + RSDP_AT);

	memset(root, 0, sizeof(*root));
	memcpy(root->signature, "RSD PTR ", 8);
	root->revision = 2;
	root->length = sizeof(*root);
	root->xsdt = xsdt;
	fix_sum((uint8_t *)root, 20, offsetof(struct root_pointer, checksum));
}

static void put32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void put64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void put_truth(void)
{
	uint8_t fadt[sizeof(struct fadt) - sizeof(struct table)] = { 0 };
	static const uint8_t dsdt[] = {
		8, '_', 'S', '5', '_', 0x12, 6, 4, 0x0a, 5, 0, 0, 0, 0, 0, 0
	};
	static const uint64_t pointers[] = { MADT_AT, FADT_AT, MCFG_AT, DMAR_AT };
	uint8_t mcfg[8 + 16] = { 0 }, units[12 + 16] = { 0 };

	memset(memory, 0, sizeof(memory));
	memset(&boot_info, 0, sizeof(boot_info));
	boot_info.acpi_rsdp = RSDP_AT;
	has_x2apic = false;
	put_root(XSDT_AT);
	put_table(XSDT_AT, "XSDT", pointers, sizeof(pointers));
	put_table(MADT_AT, "APIC", madt_contents, sizeof(madt_contents));
	put32(fadt + 40 - 36, DSDT_AT);
	put32(fadt + 64 - 36, 0x604);
	put32(fadt + 76 - 36, 0x608);
	fadt[91 - 36] = 4;
	put_table(FADT_AT, "FACP", fadt, sizeof(fadt));
	put_table(DSDT_AT, "DSDT", dsdt, sizeof(dsdt));
	put64(mcfg + 8, 0xb0000000);
	mcfg[8 + 11] = 0xff;
	put_table(MCFG_AT, "MCFG", mcfg, sizeof(mcfg));
	units[12 + 2] = 16;
	units[12 + 4] = UNIT_ALL_FUNCTIONS;
	put64(units + 12 + 8, 0xfed90000);
	put_table(DMAR_AT, "DMAR", units, sizeof(units));
}

static void check_truth(void)
{
	put_truth();
	read_again();
	EXPECT_STR(last_log, "");
	EXPECT_EQ(acpi_info.listed_cpus, 2);
	EXPECT_EQ(acpi_info.apic_ids[0], 3);
	EXPECT_EQ(acpi_info.apic_ids[1], 7);
	EXPECT_EQ(acpi_info.io_apic, 0xfec00000);
	EXPECT_EQ(acpi_info.lines[0].global, 2);
	EXPECT(acpi_info.lines[0].level && acpi_info.lines[0].active_low);
	EXPECT_EQ(acpi_info.lines[1].global, 1);
	EXPECT_EQ(acpi_info.pm_timer, 0x608);
	EXPECT_EQ(acpi_info.sleep_control, 0x604);
	EXPECT_EQ(acpi_info.sleep_off, 5 << 10 | 1 << 13);
	EXPECT_EQ(arch_pci_ecam(1), 0xb0100000);
	EXPECT_EQ(arch_iommu_registers(0, 1, 0), 0xfed90000);
}

/* The registers that end the machine: a table of revision 5 with hardware-reduced ACPI, then each shorter one. */
static void check_power(void)
{
	static const uint8_t reset[] = { ACPI_PORT, 8, 0, 1, 0xf9, 0x0c },
			     sleep_at[] = { ACPI_MEMORY, 8, 0, 1, 0, 2, 0xa0, 0xfe };
	/* At the very end of the table; the second value is another one. */
	static const uint8_t dsdt[] = { 8, '_', 'S', '5', '_', 0x12, 6, 2, 0x0a, 5, 1 };
	uint8_t fadt[268 - sizeof(struct table)] = { 0 };

	put_truth();
	put32(fadt + 48 - 36, 0xb2);
	fadt[52 - 36] = 0xe1;
	put32(fadt + 64 - 36, 0x604);
	put32(fadt + 112 - 36, FADT_CAN_RESET);
	memcpy(fadt + 116 - 36, reset, sizeof(reset));
	fadt[128 - 36] = 6;
	put32(fadt + 140 - 36, DSDT_AT);
	memcpy(fadt + 244 - 36, sleep_at, sizeof(sleep_at));
	put_table(DSDT_AT, "DSDT", dsdt, sizeof(dsdt));
	put_table(FADT_AT, "FACP", fadt, sizeof(fadt));
	read_again();
	EXPECT_EQ(acpi_info.smi_command, 0xb2);
	EXPECT_EQ(acpi_info.acpi_enable, 0xe1);
	EXPECT_EQ(acpi_info.sleep_control, 0x604);
	EXPECT_EQ(acpi_info.sleep_off, 5 << 10 | 1 << 13);
	EXPECT_EQ(acpi_info.sleep_off_b, 1 << 10 | 1 << 13);
	EXPECT_EQ(acpi_info.reset.space, ACPI_PORT);
	EXPECT_EQ(acpi_info.reset.address, 0xcf9);
	EXPECT_EQ(acpi_info.reset_value, 6);
	EXPECT_EQ_AT(acpi_info.sleep_register.address, 0, "%s", "the machine has PM1");

	put32(fadt + 112 - 36, FADT_REDUCED);
	put_table(FADT_AT, "FACP", fadt, sizeof(fadt));
	read_again();
	EXPECT_EQ(acpi_info.sleep_control, 0);
	EXPECT_EQ(acpi_info.sleep_register.space, ACPI_MEMORY);
	EXPECT_EQ(acpi_info.sleep_register.address, 0xfea00200);
	EXPECT_EQ_AT(acpi_info.reset.address, 0, "%s",
		     "no bit says that there is a reset register");
	for (uint32_t size = sizeof(struct fadt); size < 256; size++) {
		put_table(FADT_AT, "FACP", fadt, size - sizeof(struct table));
		read_again();
		EXPECT_EQ_AT(acpi_info.sleep_register.address, 0, "%u bytes", size);
	}
}

static void expect_alone(const char *line)
{
	read_again();
	EXPECT_STR(last_log, line);
	EXPECT_EQ(acpi_info.listed_cpus, 1);
	EXPECT_EQ(acpi_info.apic_ids[0], OWN_ID);
}

#define NO_CPUS "acpi: no table of CPUs: only this one is used"

static void check_lies(void)
{
	struct table *table = (void *)(memory + MADT_AT);

	put_truth();
	memory[RSDP_AT] = 'r';
	expect_alone(NO_CPUS);
	put_truth();
	put_root(0);
	expect_alone(NO_CPUS);
	/* Tables in a circle. */
	put_truth();
	put_root(RSDP_AT);
	expect_alone(NO_CPUS);
	put_truth();
	put_table(XSDT_AT, "XSDT", (const uint64_t[]){ XSDT_AT, 0, UINT64_MAX }, 24);
	expect_alone(NO_CPUS);
	/* Lengths: none, too long for memory, and up to the middle of an entry. */
	static const uint32_t lengths[] = { 0, 35, 36, 43, MEMORY_SIZE, 0xffffffff };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		put_truth();
		table->length = lengths[i];
		if (lengths[i] >= 36 && lengths[i] < 0x1000)
			fix_sum(memory + MADT_AT, lengths[i], offsetof(struct table, checksum));
		expect_alone(NO_CPUS);
	}
	put_truth();
	table->length = 36 + 8 + 8 + 7;
	fix_sum(memory + MADT_AT, table->length, offsetof(struct table, checksum));
	read_again();
	EXPECT_EQ(acpi_info.listed_cpus, 1);
	EXPECT_EQ(acpi_info.apic_ids[0], 3);
	/* An entry too short for its type is passed over. */
	put_truth();
	memory[MADT_AT + 44 + 1] = 4;
	memory[MADT_AT + 44 + 4] = 127;
	memory[MADT_AT + 44 + 5] = 4;
	fix_sum(memory + MADT_AT, table->length, offsetof(struct table, checksum));
	read_again();
	EXPECT_EQ(acpi_info.listed_cpus, 1);
	EXPECT_EQ(acpi_info.apic_ids[0], 7);
}

/* Puts a MADT with COUNT CPUs, numbered FIRST, FIRST + STEP …, each an entry of x2APIC. */
static void put_cpus(unsigned int count, uint32_t first, uint32_t step)
{
	static uint8_t contents[8 + 16 * 300];

	memset(contents, 0, sizeof(contents));
	for (unsigned int i = 0; i < count; i++) {
		uint8_t *entry = contents + 8 + 16 * i;
		uint32_t id = first + i * step;

		entry[0] = MADT_LOCAL_X2APIC;
		entry[1] = 16;
		memcpy(entry + 4, &id, sizeof(id));
		entry[8] = ENTRY_ENABLED;
	}
	put_truth();
	put_table(MADT_AT, "APIC", contents, 8 + 16 * count);
}

static void check_many(void)
{
	put_cpus(255, 0, 1);
	read_again();
	EXPECT_EQ(acpi_info.listed_cpus, 255);
	EXPECT_EQ(acpi_info.ignored_cpus, 0);
	put_cpus(258, 0, 1);
	has_x2apic = true;
	read_again();
	EXPECT_EQ(acpi_info.listed_cpus, 256);
	EXPECT_EQ(acpi_info.apic_ids[255], 255);
	EXPECT_EQ(acpi_info.ignored_cpus, 2);
	/* 255 is a broadcast, and 259 would reach CPU 3. */
	put_cpus(3, 251, 4);
	read_again();
	EXPECT_EQ(acpi_info.listed_cpus, 1);
	EXPECT_STR(last_log, "acpi: 2 CPUs beyond the first 1 are not used");
	put_cpus(3, 251, 4);
	has_x2apic = true;
	read_again();
	EXPECT_EQ(acpi_info.listed_cpus, 3);
	EXPECT_EQ(acpi_info.apic_ids[2], 259);
	put_cpus(2, 0xfffffffe, 1);
	has_x2apic = true;
	read_again();
	EXPECT_EQ(acpi_info.listed_cpus, 1);
}

/*
 * The older tables.
 */
#define POINTER_AT	 0xf5000
#define CONFIGURATION_AT 0xf6000

static const uint8_t mp_entries[] = {
	0, 3, 0x14, 3,	 0,   0,   0,	 0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* this CPU */
	0, 5, 0x14, 1,	 0,   0,   0,	 0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* CPU 5 */
	0, 6, 0x14, 0,	 0,   0,   0,	 0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* off */
	1, 4, 'I',  'S', 'A', ' ', ' ',	 ' ',					   /* bus 4 */
	2, 0, 0x11, 1,	 0,   0,   0xc0, 0xfe,					   /* I/O APIC */
	3, 0, 0,    0,	 4,   4,   0,	 9, /* line 4 at input 9 */
	3, 0, 0,    0,	 2,   5,   0,	 8, /* not of this bus */
};

static void put_mp(void)
{
	struct configuration *configuration = (void *)(memory + CONFIGURATION_AT);
	struct floating_pointer *pointer = (void *)(memory + POINTER_AT);

	put_truth();
	boot_info.acpi_rsdp = 0;
	memcpy(configuration->signature, "PCMP", 4);
	configuration->length = sizeof(*configuration) + sizeof(mp_entries);
	memcpy(configuration + 1, mp_entries, sizeof(mp_entries));
	fix_sum((uint8_t *)configuration, configuration->length,
		offsetof(struct configuration, checksum));
	memcpy(pointer->signature, "_MP_", 4);
	pointer->table = CONFIGURATION_AT;
	pointer->units = 1;
	fix_sum((uint8_t *)pointer, 16, offsetof(struct floating_pointer, checksum));
}

/* Tables at odd addresses: no field is where a CPU's alignment has it. */
static void check_odd(void)
{
	static const uint8_t entries[] = { 0, 0, 0xe0, 0xfe, 1, 0, 0, 0, 4, 3, 0, 9, 16, 0,
					   0, 5, 0,    0,    0, 1, 0, 0, 0, 7, 0, 0, 0 };
	struct floating_pointer *pointer = (void *)(memory + POINTER_AT);

	put_truth();
	put_table(MADT_AT, "APIC", entries, sizeof(entries));
	read_again();
	EXPECT_EQ(acpi_info.listed_cpus, 1);
	EXPECT_EQ(acpi_info.apic_ids[0], 5);
	put_mp();
	memmove(memory + CONFIGURATION_AT + 1, memory + CONFIGURATION_AT, 0x200);
	pointer->table++;
	fix_sum((uint8_t *)pointer, 16, offsetof(struct floating_pointer, checksum));
	read_again();
	EXPECT_EQ(acpi_info.listed_cpus, 2);
	EXPECT_EQ(acpi_info.apic_ids[1], 5);
}

static void check_mp(void)
{
	put_mp();
	read_again();
	EXPECT_STR(last_log, "");
	EXPECT_EQ(acpi_info.listed_cpus, 2);
	EXPECT_EQ(acpi_info.apic_ids[0], 3);
	EXPECT_EQ(acpi_info.apic_ids[1], 5);
	EXPECT_EQ(acpi_info.io_apic, 0xfec00000);
	EXPECT_EQ(acpi_info.lines[4].global, 9);
	EXPECT_EQ(acpi_info.lines[5].global, 5);
	put_mp();
	memory[POINTER_AT + 4]++;
	expect_alone(NO_CPUS);
	put_mp();
	memory[CONFIGURATION_AT + 50]++;
	expect_alone(NO_CPUS);
}

/*
 * Any bytes. The sums are made right again, or nothing would be read.
 */
#define ROUNDS 20000

static uint32_t next_random(void)
{
	static uint32_t state = 17;

	state ^= state << 13;
	state ^= state >> 17;
	return state ^= state << 5;
}

static void check_any(void)
{
	static const uint32_t tables[] = { XSDT_AT, MADT_AT, FADT_AT, DSDT_AT, MCFG_AT, DMAR_AT };

	for (unsigned int round = 0; round < ROUNDS; round++) {
		unsigned int changes = 1 + next_random() % 8;

		if (round % 4 == 3)
			put_mp();
		else
			put_truth();
		for (unsigned int i = 0; i < changes; i++) {
			uint32_t at = tables[next_random() % 6];

			if (round % 4 == 3)
				at = CONFIGURATION_AT;
			memory[at + 4 + next_random() % 140] = (uint8_t)next_random();
		}
		for (size_t i = 0; i < 6; i++) {
			struct table *table = (void *)(memory + tables[i]);

			table->length &= 0x1ff;
			fix_sum(memory + tables[i], table->length,
				offsetof(struct table, checksum));
		}
		struct configuration *old = (void *)(memory + CONFIGURATION_AT);

		old->length &= 0x1ff;
		fix_sum(memory + CONFIGURATION_AT, old->length,
			offsetof(struct configuration, checksum));
		read_again();
		arch_iommu_registers(0, 1, 0);
		EXPECT_AT(acpi_info.listed_cpus >= 1 && acpi_info.listed_cpus <= CPUS_MAX,
			  "round %u", round);
		for (unsigned int i = 0; i < acpi_info.listed_cpus; i++)
			EXPECT_AT(acpi_info.apic_ids[i] <= apic_id_max(), "round %u", round);
	}
}

static const struct tap_rule rules[] = {
	{ "tables that are true are believed", check_truth },
	{ "the registers for power-off and reset are those of the table's revision and flags",
	  check_power },
	{ "a wrong sum, length or place costs no more than the table", check_lies },
	{ "CPUs that cannot be reached or numbered are left out, and counted", check_many },
	{ "without ACPI the tables of the MultiProcessor Specification count", check_mp },
	{ "tables at odd addresses are read", check_odd },
	{ "the kernel survives tables of any bytes", check_any },
};

TAP_MAIN(rules)
