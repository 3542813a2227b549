// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of drivers/pci, on the simulated bus of pci_bus.h. pci_assign_test.c has those of regions without an address.
 */
#include "pci_bus.h"

/* --- drivers --- */

static int probe_result;
static unsigned int probes;

static int probe(struct pci_device *device)
{
	probes++;
	return probe_result;
}

static const struct pci_id ids[] = { { 0x8086, 0x0b25 }, { 0x8086, 0x0cfe }, { 0 } };

PCI_DRIVER(test_driver, .name = "test", .ids = ids, .probe = probe);

static int refuse(struct pci_device *device)
{
	return -ENODEV;
}

PCI_DRIVER(refusing_driver, .name = "refusing", .ids = ids, .probe = refuse);

/* --- configuration space --- */

static void accesses_stay_inside(void)
{
	begin();
	struct function *function = add(0, 0, 0, CLASS_OTHER);
	struct pci_device *device = enumerate();

	put32(function->config + 0x40, 0x44332211);
	memset(function->writable + 0x44, 0xff, 4);
	EXPECT_EQ(pci_read32(device, 0x40), 0x44332211);
	EXPECT_EQ(pci_read16(device, 0x42), 0x4433);
	EXPECT_EQ(pci_read8(device, 0x43), 0x44);
	EXPECT_EQ(pci_read8(device, 0x41), 0x22);
	pci_write8(device, 0x45, 0xaa);
	pci_write16(device, 0x46, 0xbbcc);
	EXPECT_EQ(get32(function->config + 0x44), 0xbbccaa00);
	pci_write32(device, 0x44, 1);
	EXPECT_EQ(get32(function->config + 0x44), 1);
	EXPECT_EQ(pci_read32(device, 0x42), 0xffffffff);
	EXPECT_EQ(pci_read16(device, 0x41), 0xffff);
	EXPECT_EQ(pci_read32(device, 0x100), 0xffffffff);
	EXPECT_EQ(pci_read8(device, 0xffffffff), 0xff);
	pci_write32(device, 0x46, ~0u);
	pci_write32(device, 0x144, 0);
	EXPECT_EQ(get32(function->config + 0x44), 1);
	end();
}

static void functions_of_express_have_memory(void)
{
	begin();
	has_ecam = true;
	struct function *function = add(0, 3, 0, CLASS_OTHER);

	set_capability(function, 0x80, PCI_CAPABILITY_EXPRESS, 0);
	put32(function->config + 0x100, 0x00010023);
	struct function *plain = add(0, 4, 0, CLASS_OTHER);

	put32(plain->config + 0x100, 0x00010023);
	/* Its extended space reads as ones. */
	struct function *older = add(0, 5, 0, CLASS_OTHER);

	set_capability(older, 0x80, PCI_CAPABILITY_EXPRESS, 0);
	put32(older->config + 0x100, 0xffffffff);
	enumerate();
	EXPECT_EQ(find(0, 3, 0)->config_size, PCI_CONFIG_EXTENDED_SIZE);
	EXPECT_EQ(pci_extended_capability_find(find(0, 3, 0), 0x23), 0x100);
	EXPECT_EQ(find(0, 4, 0)->config_size, PCI_CONFIG_SIZE);
	EXPECT_EQ(pci_extended_capability_find(find(0, 4, 0), 0x23), 0);
	EXPECT_EQ(find(0, 5, 0)->config_size, PCI_CONFIG_SIZE);
	end();
}

/* --- capabilities --- */

static void capabilities_are_found(void)
{
	begin();
	struct function *function = add(0, 0, 0, CLASS_OTHER);

	set_capability(function, 0x40, 0x01, 0x53); /* the lowest two bits are reserved */
	set_capability(function, 0x50, PCI_CAPABILITY_MSIX, 0xfc);
	set_capability(function, 0xfc, PCI_CAPABILITY_AF, 0);
	struct pci_device *device = enumerate();

	EXPECT_EQ(pci_capability_find(device, 0x01), 0x40);
	EXPECT_EQ(pci_capability_find(device, PCI_CAPABILITY_MSIX), 0x50);
	EXPECT_EQ(pci_capability_find(device, PCI_CAPABILITY_AF), 0xfc);
	EXPECT_EQ(pci_capability_find(device, PCI_CAPABILITY_EXPRESS), 0);
	function->config[PCI_STATUS] = 0;
	EXPECT_EQ(pci_capability_find(device, 0x01), 0);
	end();
}

static void capability_lists_end(void)
{
	static const struct {
		const char *what;
		uint8_t pointer, next_of_40, id_of_40;
	} rows[] = {
		{ "an entry that follows itself", 0x40, 0x40, 0x01 },
		{ "two entries that follow each other", 0x40, 0x48, 0x01 },
		{ "a list in the header", 0x10, 0, 0x01 },
		{ "an entry that leads into the header", 0x40, 0x3c, 0x01 },
		{ "a list of ones", 0xfc, 0, 0x01 },
		{ "an empty list", 0, 0, 0x01 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		struct function *function = add(0, 0, 0, CLASS_OTHER);

		set_capability(function, 0x40, rows[i].id_of_40, rows[i].next_of_40);
		set_capability(function, 0x48, 0x02, 0x40);
		memset(function->config + 0xfc, 0xff, 4);
		function->config[0x10] = PCI_CAPABILITY_MSIX;
		function->config[0x3c] = PCI_CAPABILITY_MSIX;
		function->config[0x34] = rows[i].pointer;
		EXPECT_EQ_AT(pci_capability_find(enumerate(), PCI_CAPABILITY_MSIX), 0, "%s",
			     rows[i].what);
		end();
	}
}

static void extended_lists_end(void)
{
	static const struct {
		const char *what;
		uint32_t at_100, at_200;
		unsigned int expected;
	} rows[] = {
		{ "the second entry", 0x20010001, 0x00010023, 0x200 },
		{ "an entry that follows itself", 0x10010001, 0, 0 },
		{ "two entries that follow each other", 0x20010001, 0x10010002, 0 },
		{ "an entry that leads into the first 256 bytes", 0x04010001, 0, 0 },
		{ "an entry that leads to zeros", 0x20010001, 0, 0 },
		{ "an entry that leads to ones", 0x20010001, 0xffffffff, 0 },
		{ "an entry at the end of the space", 0xffc10001, 0, 0 },
		{ "the reserved bits of the offset", 0x20310001, 0x00010023, 0x200 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		has_ecam = true;
		struct function *function = add(0, 0, 0, CLASS_HOST);

		put32(function->config + 0x100, rows[i].at_100);
		put32(function->config + 0x200, rows[i].at_200);
		EXPECT_EQ_AT(pci_extended_capability_find(enumerate(), 0x23), rows[i].expected,
			     "%s", rows[i].what);
		end();
	}
}

/* --- regions --- */

static void regions_are_sized(void)
{
	static const struct {
		const char *what;
		uint32_t low, low_mask, high, high_mask;
		uint64_t address, size;
		bool io, wide, unusable;
	} rows[] = {
		{ "none", 0, 0, 0, 0, 0, 0, false, false, false },
		{ "32 bits", 0xfe000000, 0xffff0000, 0, 0, 0xfe000000, 0x10000, false, false,
		  false },
		{ "the smallest", 0xfe000010, 0xfffffff0, 0, 0, 0xfe000010, 16, false, false,
		  false },
		{ "below 1 MiB", 0xe0000002, 0xfffff000, 0, 0, 0xe0000000, 0x1000, false, false,
		  false },
		{ "64 bits", 0xfe000004, 0xffff0000, 0x12, ~0u, 0x12fe000000, 0x10000, false, true,
		  false },
		{ "64 bits, larger than 4 GiB", 0x00000004, 0, 0x40, 0xfffffff0, 0x4000000000,
		  0x1000000000, false, true, false },
		{ "64 bits, and its high half cannot be written", 0xfe000004, 0xffff0000, 0, 0,
		  0xfe000000, 0, false, true, true },
		{ "ports", 0xc001, 0xffe0, 0, 0, 0xc000, 32, true, false, false },
		{ "ports with 32 bits", 0xc001, 0xffffffe0, 0, 0, 0xc000, 32, true, false, false },
		{ "ports that do not exist", 0x2c001, 0xffffffe0, 0, 0, 0x2c000, 0, true, false,
		  true },
		{ "no address", 0, 0xffff0000, 0, 0, 0, 0, false, false, true },
		{ "an address of ones", 0xffff0000, 0xffff0000, 0, 0, 0xffff0000, 0, false, false,
		  true },
		{ "a gap in the mask", 0xfe000000, 0xfff0f000, 0, 0, 0xfe000000, 0, false, false,
		  true },
		{ "an address below the mask", 0xfe000100, 0xffff0000, 0, 0, 0xfe000100, 0, false,
		  false, true },
		{ "a reserved type", 0xfe000006, 0xffff0000, 0, 0, 0xfe000000, 0, false, false,
		  true },
		{ "RAM's addresses", 0x00100000, 0xffff0000, 0, 0, 0x00100000, 0, false, false,
		  true },
		{ "the end of RAM", 0x0fff0000, 0xfffe0000, 0, 0, 0x0ffe0000, 0, false, false,
		  true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		struct function *function = add(0, 0, 0, CLASS_OTHER);

		set_bar(function, 0, rows[i].low, rows[i].low_mask);
		if (rows[i].wide)
			set_bar(function, 1, rows[i].high, rows[i].high_mask);
		uint32_t before[2] = { get32(function->config + 0x10),
				       get32(function->config + 0x14) };
		const struct pci_region *region = &enumerate()->regions[0];

		EXPECT_EQ_AT(region->size, rows[i].size, "%s", rows[i].what);
		EXPECT_EQ_AT(region->unusable, rows[i].unusable, "%s", rows[i].what);
		EXPECT_EQ_AT(region->io, rows[i].io, "%s", rows[i].what);
		EXPECT_EQ_AT(region->wide, rows[i].wide, "%s", rows[i].what);
		if (rows[i].size)
			EXPECT_EQ_AT(region->address, rows[i].address, "%s", rows[i].what);
		EXPECT_EQ_AT(get32(function->config + 0x10), before[0], "%s", rows[i].what);
		EXPECT_EQ_AT(get32(function->config + 0x14), before[1], "%s", rows[i].what);
		EXPECT_EQ_AT(pci_enable(pci_device_first()), rows[i].unusable ? -EINVAL : 0, "%s",
			     rows[i].what);
		end();
	}
}

static void the_last_bar_has_no_high_half(void)
{
	begin();
	struct function *function = add(0, 0, 0, CLASS_OTHER);

	set_bar(function, 5, 0xfe000004, 0xffff0000);
	const struct pci_region *region = &enumerate()->regions[5];

	EXPECT(region->unusable && !region->wide);
	EXPECT_EQ(region->size, 0);
	end();
}

static void overlaps_belong_to_the_first(void)
{
	begin();
	struct function *function = add(0, 1, 0, CLASS_OTHER);

	set_bar(function, 0, 0xfe000000, 0xffff0000);
	set_bar(function, 1, 0xfe008000, 0xffff8000); /* in the first */
	set_bar(function, 2, 0xc001, 0xfff0);
	function = add(0, 2, 0, CLASS_OTHER);
	set_bar(function, 0, 0xfe000000, 0xfe000000); /* around it */
	set_bar(function, 1, 0xfe010000, 0xffff0000); /* after it */
	set_bar(function, 2, 0xc001, 0xffff0000);     /* ports beside ports */
	set_bar(function, 3, 0xfdff0000, 0xffff0000); /* before the first */
	enumerate();
	const struct pci_device *one = find(0, 1, 0), *two = find(0, 2, 0);

	EXPECT_EQ(one->regions[0].size, 0x10000);
	EXPECT(one->regions[1].unusable);
	EXPECT_EQ(one->regions[2].size, 16);
	EXPECT(two->regions[0].unusable);
	EXPECT_EQ(two->regions[1].size, 0x10000);
	EXPECT(two->regions[2].unusable);
	EXPECT_EQ(two->regions[3].size, 0x10000);
	end();
}

static void a_function_is_deaf_while_sized(void)
{
	begin();
	struct function *function = add(0, 1, 0, CLASS_OTHER), *host = add(0, 0, 0, CLASS_HOST);

	set_bar(function, 0, 0xfe000000, 0xffff0000);
	set_bar(host, 0, 0xf0000000, 0xffff0000);
	enumerate();
	EXPECT_EQ(function->commands, 1u << 0);
	EXPECT_EQ(function->config[PCI_COMMAND], 3);
	/* The way to RAM stays open. */
	EXPECT_EQ(host->commands, 1u << 3);
	end();
}

static void the_rom_is_a_region(void)
{
	begin();
	struct function *function = add(0, 0, 0, CLASS_OTHER);

	put32(function->config + 0x30, 0xfeb00001);
	put32(function->writable + 0x30, 0xffff0001);
	const struct pci_region *rom = &enumerate()->regions[PCI_ROM];

	EXPECT_EQ(rom->address, 0xfeb00000);
	EXPECT_EQ(rom->size, 0x10000);
	EXPECT(rom->rom_enabled);
	EXPECT_EQ(get32(function->config + 0x30), 0xfeb00001);
	end();
}

static void maps_stay_inside(void)
{
	begin();
	struct function *function = add(0, 0, 0, CLASS_OTHER);

	/* Half of the memory: what is after it could be mapped, too. */
	set_bar(function, 0, DEVICE_MEMORY, 0xffff8000);
	set_bar(function, 1, 0xc001, 0xfff0);
	struct pci_device *device = enumerate();

	EXPECT(pci_map(device, 0, 0, 0x8000) == device_memory);
	EXPECT(pci_map(device, 0, 0x1000, 0x7000) == device_memory + 0x1000);
	EXPECT(!pci_map(device, 0, 0, 0x8001));
	EXPECT(!pci_map(device, 0, 0x1000, 0x7001));
	EXPECT(!pci_map(device, 0, 0x8000, 1));
	EXPECT(!pci_map(device, 0, 0x8001, 1));
	EXPECT(!pci_map(device, 0, UINT64_MAX, 2));
	EXPECT(!pci_map(device, 0, 0, 0));
	EXPECT(!pci_map(device, 1, 0, 16));
	EXPECT(!pci_map(device, 2, 0, 16));
	EXPECT(!pci_map(device, PCI_ROM, 0, 16));
	EXPECT(!pci_map(device, UINT32_MAX, 0, 16));
	end();
}

/* --- the enumeration --- */

static void functions_are_in_order(void)
{
	begin();
	add(1, 0, 0, CLASS_OTHER);
	add_bridge(0, 2, 1, 1);
	struct function *several = add(0, 1, 0, CLASS_OTHER);

	several->config[0x0e] = 0x80;
	add(0, 1, 5, CLASS_OTHER);
	add(0, 3, 0, CLASS_OTHER);
	add(0, 3, 1, CLASS_OTHER); /* its slot has a single function */
	add(0, 4, 1, CLASS_OTHER); /* its slot has no function 0 */
	static const char *const expected[] = { "0000:00:01.0", "0000:00:01.5", "0000:00:02.0",
						"0000:00:03.0", "0000:01:00.0" };
	const struct pci_device *device = enumerate();

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		EXPECT_STR(device ? device->name : "none", expected[i]);
		device = device ? pci_device_next(device) : NULL;
	}
	EXPECT(!device);
	EXPECT(find(1, 0, 0)->bridge == find(0, 2, 0));
	EXPECT(!find(0, 2, 0)->bridge);
	EXPECT_EQ(find(0, 1, 0)->vendor_id, 0x8086);
	EXPECT_EQ(find(0, 1, 0)->device_id, 0x0b25);
	EXPECT_EQ(find(0, 1, 0)->class, CLASS_OTHER);
	EXPECT_EQ(find(0, 1, 0)->revision, 7);
	EXPECT_EQ(find(0, 1, 0)->subsystem_vendor_id, 0x1af4);
	EXPECT_EQ(find(0, 1, 0)->subsystem_device_id, 0x1100);
	end();
}

static void each_bus_is_read_once(void)
{
	begin();
	add_bridge(0, 1, 0, 0); /* not set up */
	add_bridge(0, 2, 3, 9);
	add_bridge(0, 3, 3, 9);	  /* the same bus */
	add_bridge(0, 4, 20, 10); /* ends before it begins */
	add_bridge(3, 0, 3, 9);	  /* itself */
	add_bridge(3, 1, 0, 255); /* back */
	add_bridge(3, 2, 255, 255);
	add_bridge(3, 4, 2, 9); /* back to a number that is free */
	add(3, 3, 0, CLASS_OTHER);
	add(20, 0, 0, CLASS_OTHER);
	add_bridge(255, 0, 255, 255);
	enumerate();
	unsigned int count = 0;

	for (const struct pci_device *at = pci_device_first(); at; at = pci_device_next(at))
		count++;
	EXPECT_EQ(count, 10);
	EXPECT(!find(20, 0, 0));
	EXPECT(find(3, 3, 0)->bridge == find(0, 2, 0));
	EXPECT(find(255, 0, 0)->bridge == find(3, 2, 0));
	EXPECT_EQ(find(0, 3, 0)->secondary_bus, 0);
	EXPECT_EQ(find(3, 4, 0)->secondary_bus, 0);
	end();
}

static void enabling_opens_the_bridges(void)
{
	begin();
	struct function *bridge = add_bridge(0, 1, 1, 1), *function = add(1, 0, 0, CLASS_OTHER);

	set_bar(function, 0, 0xfe000000, 0xffff0000);
	put32(bridge->config + PCI_COMMAND, 0);
	put32(function->config + PCI_COMMAND, 0);
	enumerate();
	struct pci_device *device = find(1, 0, 0);

	EXPECT(!pci_disable(device));
	EXPECT_EQ(pci_enable(device), 0);
	EXPECT_EQ(pci_enable(device), 0);
	EXPECT_EQ(function->config[PCI_COMMAND], PCI_COMMAND_MEMORY);
	EXPECT_EQ(bridge->config[PCI_COMMAND], 3);
	pci_set_master(device, true);
	EXPECT_EQ(function->config[PCI_COMMAND], 6);
	EXPECT_EQ(bridge->config[PCI_COMMAND], 7);
	EXPECT(pci_disable(device));
	EXPECT_EQ(function->config[PCI_COMMAND], 6);
	EXPECT(pci_disable(device));
	EXPECT_EQ(function->config[PCI_COMMAND], 2);
	EXPECT(!pci_disable(device));
	EXPECT_EQ(bridge->config[PCI_COMMAND], 7);
	EXPECT_EQ(pci_enable(find(0, 1, 0)), -EINVAL);
	end();
}

static void drivers_are_probed(void)
{
	begin();
	probes = 0;
	probe_result = 0;
	add(0, 1, 0, CLASS_OTHER);
	put32(add(0, 2, 0, CLASS_OTHER)->config, 0x0cfe8086);
	put32(add(0, 3, 0, CLASS_OTHER)->config, 0x0cfe1af4);
	enumerate();
	run_start_steps(START_DEVICES);
	EXPECT_EQ(probes, 2);
	EXPECT(find(0, 1, 0)->driver == &test_driver);
	EXPECT(find(0, 2, 0)->driver == &test_driver);
	EXPECT(!find(0, 3, 0)->driver);
	probe_result = -EIO;
	find(0, 1, 0)->driver = NULL;
	run_start_steps(START_DEVICES);
	EXPECT(!find(0, 1, 0)->driver);
	EXPECT_EQ(probes, 3);
	end();
}

/* --- MSI-X --- */

#define MSIX	 0x40
#define ENTRY(n) (device_memory + 0x2000 + 16 * (n))

/* A function with COUNT vectors, whose table and pending bits are at the places TABLE and PENDING. */
static struct function *add_msix(unsigned int count, uint32_t table, uint32_t pending)
{
	struct function *function = add(0, 0, 0, CLASS_OTHER);

	set_bar(function, 0, DEVICE_MEMORY, 0xffff0000);
	set_bar(function, 1, 0xc001, 0xfff0);
	set_capability(function, MSIX, PCI_CAPABILITY_MSIX, 0x80);
	set_capability(function, 0x80, PCI_CAPABILITY_EXPRESS, 0);
	put32(function->config + 0x84, 1u << 28);
	function->config[MSIX + 2] = (uint8_t)(count - 1);
	function->config[MSIX + 3] = (uint8_t)((count - 1) >> 8);
	function->writable[MSIX + 3] = 0xc0;
	put32(function->config + MSIX + 4, table);
	put32(function->config + MSIX + 8, pending);
	return function;
}

static void tables_are_inside_a_region(void)
{
	static const struct {
		const char *what;
		unsigned int count;
		uint32_t table, pending;
		int result;
	} rows[] = {
		{ "one vector", 1, 0x2000, 0x3000, 1 },
		{ "most vectors", 2048, 0, 0xff00, 2048 },
		{ "up to the region's end", 256, 0xf000, 0, 256 },
		{ "beyond the region", 257, 0xf000, 0, -EINVAL },
		{ "after the region", 1, 0x10000, 0, -EINVAL },
		{ "far after the region", 1, 0xfffffff8, 0, -EINVAL },
		{ "pending bits at the end", 64, 0, 0xfff8, 64 },
		{ "pending bits beyond the region", 65, 0, 0xfff8, -EINVAL },
		{ "ports", 1, 0x0001, 0, -EINVAL },
		{ "pending bits in ports", 1, 0, 0x0001, -EINVAL },
		{ "no such region", 1, 0x0002, 0, -EINVAL },
		{ "the expansion ROM", 1, 0x0006, 0, -EINVAL },
		{ "a reserved number", 1, 0x0007, 0, -EINVAL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		add_msix(rows[i].count, rows[i].table, rows[i].pending);
		struct pci_device *device = enumerate();

		EXPECT_EQ_AT(pci_msix_enable(device), -EINVAL, "%s, not enabled", rows[i].what);
		pci_enable(device);
		EXPECT_EQ_AT(pci_msix_enable(device), rows[i].result, "%s", rows[i].what);
		EXPECT_EQ_AT(pci_msix_enable(device), rows[i].result > 0 ? -EBUSY : -EINVAL,
			     "%s, twice", rows[i].what);
		end();
	}
}

static void handler(void *arg)
{
}

/* Whether the table's entry N has the message of interrupt NUMBER for CPU, and the mask CONTROL. */
static bool entry_is(unsigned int n, unsigned int number, unsigned int cpu, uint32_t control)
{
	return get32(ENTRY(n)) == (0xfee00000 | cpu << 12) && get32(ENTRY(n) + 4) == 1 &&
	       get32(ENTRY(n) + 8) == 0x50 + number && get32(ENTRY(n) + 12) == control;
}

static void vectors_have_handlers(void)
{
	begin();
	struct function *function = add_msix(3, 0x2000, 0x3000);
	struct pci_device *device = enumerate();
	int argument;

	EXPECT_EQ(pci_msix_request(device, 0, 0, handler, NULL, "x"), -EINVAL);
	pci_enable(device);
	EXPECT_EQ(pci_msix_enable(device), 3);
	EXPECT_EQ(function->config[MSIX + 3], 0x80);
	EXPECT_EQ(function->config[PCI_COMMAND + 1], PCI_COMMAND_INTX_DISABLE >> 8);
	for (unsigned int i = 0; i < 3; i++)
		EXPECT_EQ(get32(ENTRY(i) + 12), 1);

	EXPECT_EQ(pci_msix_request(device, 1, 1, handler, &argument, "one"), 0);
	EXPECT(entry_is(1, 24, 1, 0));
	EXPECT(msis[0].handler == handler && msis[0].arg == &argument && msis[0].index == 1);
	EXPECT_STR(msis[0].name, "one");
	EXPECT_STR(msis[0].device, "0000:00:00.0");
	EXPECT_EQ(pci_msix_request(device, 1, 1, handler, NULL, "x"), -EBUSY);
	EXPECT_EQ(pci_msix_request(device, 3, 1, handler, NULL, "x"), -EINVAL);
	EXPECT_EQ(pci_msix_request(device, 2, 2, handler, NULL, "x"), -EINVAL);
	EXPECT(!msis[1].handler);
	msi_room = 1;
	EXPECT_EQ(pci_msix_request(device, 2, 0, handler, NULL, "x"), -ENOSPC);
	EXPECT_EQ(get32(ENTRY(2) + 12), 1);

	EXPECT_EQ(pci_msix_route(device, 1, 0), 0);
	EXPECT(entry_is(1, 24, 0, 0));
	EXPECT_EQ(pci_msix_route(device, 1, 2), -EINVAL);
	EXPECT_EQ(pci_msix_route(device, 0, 0), -EINVAL);
	EXPECT_EQ(pci_msix_route(device, 9, 0), -EINVAL);
	EXPECT(entry_is(1, 24, 0, 0));
	/* A refused CPU is forgotten. */
	EXPECT_EQ(pci_function_reset(device), 0);
	EXPECT(entry_is(1, 24, 0, 0));
	pci_msix_mask(device, 1, true);
	EXPECT(entry_is(1, 24, 0, 1));
	EXPECT_EQ(pci_msix_route(device, 1, 1), 0);
	EXPECT(entry_is(1, 24, 1, 1));
	pci_msix_mask(device, 1, false);
	EXPECT(entry_is(1, 24, 1, 0));
	pci_msix_mask(device, 2, false);
	pci_msix_mask(device, 99, false);
	EXPECT_EQ(get32(ENTRY(2) + 12), 1);

	pci_msix_release(device, 1);
	EXPECT_EQ(get32(ENTRY(1) + 12), 1);
	EXPECT(!msis[0].handler);
	pci_msix_release(device, 1);
	EXPECT_EQ(pci_msix_request(device, 2, 0, handler, NULL, "x"), 0);
	pci_msix_disable(device);
	EXPECT(!msis[0].handler);
	EXPECT_EQ(function->config[MSIX + 3], 0);
	EXPECT_EQ(function->config[PCI_COMMAND + 1], 0);
	pci_msix_disable(device);
	EXPECT_EQ(pci_msix_request(device, 2, 0, handler, NULL, "x"), -EINVAL);
	EXPECT_EQ(pci_msix_enable(device), 3);
	pci_msix_disable(device);
	end();
}

static void no_memory_leaves_nothing(void)
{
	begin();
	add_msix(3, 0x2000, 0x3000);
	struct pci_device *device = enumerate();

	pci_enable(device);
	sim_allocation_fail(1);
	EXPECT_EQ(pci_msix_enable(device), -ENOMEM);
	EXPECT_EQ(pci_msix_enable(device), 3);
	pci_msix_disable(device);
	end();
}

static void a_reset_keeps_the_setup(void)
{
	begin();
	struct function *function = add_msix(3, 0x2000, 0x3000);
	struct pci_device *device = enumerate();

	function->writable[0x88] = 0xff;
	function->config[0x88] = 0x15;
	pci_enable(device);
	pci_set_master(device, true);
	pci_msix_enable(device);
	pci_msix_request(device, 1, 1, handler, NULL, "one");
	pci_msix_request(device, 2, 0, handler, NULL, "two");
	pci_msix_mask(device, 2, true);
	uint32_t command = get32(function->config + PCI_COMMAND);
	uint64_t before_ns = clock_ns();

	EXPECT_EQ(pci_function_reset(device), 0);
	EXPECT_EQ(clock_ns() - before_ns, 100000000);
	EXPECT_EQ(get32(function->config + PCI_COMMAND), command);
	EXPECT_EQ(get32(function->config + 0x10), DEVICE_MEMORY);
	EXPECT_EQ(get32(function->config + 0x14), 0xc001);
	EXPECT_EQ(function->config[0x88], 0x15);
	EXPECT_EQ(function->config[MSIX + 3], 0x80);
	EXPECT_EQ(get32(ENTRY(0) + 12), 1);
	EXPECT(entry_is(1, 24, 1, 0));
	EXPECT(entry_is(2, 25, 0, 1));
	pci_msix_disable(device);

	put32(function->config + 0x84, 0);
	EXPECT_EQ(pci_function_reset(device), -ENOTTY);
	end();
}

static void a_function_that_does_not_come_back(void)
{
	begin();
	struct function *function = add_msix(1, 0x2000, 0x3000);
	struct pci_device *device = enumerate();

	memset(function->config, 0xff, 2);
	EXPECT_EQ(pci_function_reset(device), -ETIMEDOUT);
	end();
}

/* --- any bytes --- */

#define ROUNDS 3000

static void any_bytes_are_survived(void)
{
	unsigned int driven = 0;

	srand(1);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		begin();
		has_ecam = round & 1;
		for (unsigned int i = 0; i < 1 + (unsigned int)rand() % 8; i++) {
			struct function *at = add((unsigned int)rand() % 4,
						  (unsigned int)rand() % 8,
						  (unsigned int)rand() % 2, CLASS_OTHER);

			for (unsigned int byte = 4; byte < PCI_CONFIG_SIZE; byte++) {
				at->config[byte] = (uint8_t)rand();
				at->writable[byte] = (uint8_t)rand();
			}
			at->config[0x0e] = (uint8_t)(rand() % 3 | (rand() & 0x80));
			/* Sometimes a list that leads to MSI-X. */
			at->config[PCI_STATUS] |= PCI_STATUS_CAPABILITIES;
			at->config[0x34] = MSIX;
			at->config[MSIX] = rand() % 2 ? PCI_CAPABILITY_MSIX : (uint8_t)rand();
			if (rand() % 2)
				continue;
			/* And one that a driver could use. */
			memset(at->config + 0x10, 0, 0x18);
			memset(at->writable + 0x10, 0, 0x18);
			set_bar(at, 0, DEVICE_MEMORY, 0xffff0000);
			at->config[0x0e] = 0;
			put32(at->config + MSIX + 4, (uint32_t)rand() & 0x1fff8);
			put32(at->config + MSIX + 8, (uint32_t)rand() & 0x1fff8);
		}
		functions[0].place = 0;
		/* The host bridge below which addresses are given. */
		if (round & 2)
			put32(functions[0].config, 0x12378086);
		enumerate();
		for (struct pci_device *at = pci_device_first(); at; at = pci_device_next(at)) {
			for (unsigned int i = 0; i < PCI_REGIONS; i++) {
				uint64_t size = at->regions[i].size;

				EXPECT_EQ_AT(size & (size - 1), 0, "round %u", round);
				EXPECT_EQ_AT(size ? at->regions[i].address & (size - 1) : 0, 0,
					     "round %u", round);
			}
			for (unsigned int id = 0; id < 256; id++)
				EXPECT_AT(pci_capability_find(at, (uint8_t)id) < PCI_CONFIG_SIZE,
					  "round %u", round);
			if (!pci_enable(at) && pci_msix_enable(at) > 0) {
				driven++;
				pci_msix_request(at, 0, 0, handler, NULL, "x");
				pci_function_reset(at);
				pci_msix_disable(at);
			}
		}
		end();
	}
	EXPECT(driven > ROUNDS / 100);
}

static const struct tap_rule rules[] = {
	{ "accesses to configuration space stay inside it", accesses_stay_inside },
	{ "functions of PCI Express have memory-mapped configuration space",
	  functions_of_express_have_memory },
	{ "capabilities are found", capabilities_are_found },
	{ "lists of capabilities end", capability_lists_end },
	{ "lists of extended capabilities end", extended_lists_end },
	{ "regions have the size that their bits name, or are left alone", regions_are_sized },
	{ "the last BAR has no high half", the_last_bar_has_no_high_half },
	{ "of overlapping regions the first keeps its addresses", overlaps_belong_to_the_first },
	{ "a function decodes nothing while it is sized, but a host bridge",
	  a_function_is_deaf_while_sized },
	{ "the expansion ROM is a region", the_rom_is_a_region },
	{ "a mapping stays inside its region", maps_stay_inside },
	{ "functions are listed in order, below their bridges", functions_are_in_order },
	{ "each bus is read once, whatever the bridges hold", each_bus_is_read_once },
	{ "enabling a function opens the bridges to it, and nests", enabling_opens_the_bridges },
	{ "a function has the first driver that takes it", drivers_are_probed },
	{ "the table of MSI-X is inside a memory region, or there is no MSI-X",
	  tables_are_inside_a_region },
	{ "vectors have handlers, CPUs and masks", vectors_have_handlers },
	{ "without memory MSI-X stays off", no_memory_leaves_nothing },
	{ "a reset keeps addresses, commands and vectors", a_reset_keeps_the_setup },
	{ "a function that does not come back is reported", a_function_that_does_not_come_back },
	{ "functions of any bytes are survived", any_bytes_are_survived },
};

TAP_MAIN(rules)
