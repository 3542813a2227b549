// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of drivers/pci/assign.c, on the simulated bus of pci_bus.h: which addresses regions get that firmware left without,
 * and which regions are left alone. The machine has the host bridge of QEMU's "pc", and RAM up to RAM_END.
 */
#include "pci_bus.h"

#define HOST_IDS   0x12378086u
#define OTHER_HOST 0x29c08086u
#define RAM_END	   0x10000000u
#define MEMORY_END 0xfec00000u
#define PORTS	   0xc000u
#define PORTS_END  0xfff0u

static const struct pci_id ids[] = { { 0 } };

PCI_DRIVER(no_driver, .name = "none", .ids = ids);

/* A bus with the host bridge of IDS, and RAM from 0 to END. */
static void begin_with(uint32_t ids_of_host, uint64_t ram_end)
{
	begin();
	put32(add(0, 0, 0, CLASS_HOST)->config, ids_of_host);
	boot_info.ram[0].end = ram_end;
}

static void regions_get_addresses(void)
{
	static const struct {
		const char *what;
		uint32_t low, low_mask, high, high_mask;
		uint64_t address, size; /* size 0: it gets none */
		uint16_t command;
	} rows[] = {
		{ "32 bits", 0, 0xfffff000, 0, 0, 0xfebff000, 0x1000, 2 },
		{ "the smallest", 0, 0xfffffff0, 0, 0, 0xfebffff0, 16, 2 },
		{ "prefetchable", 8, 0xffff0000, 0, 0, 0xfebf0000, 0x10000, 2 },
		{ "1 GiB", 0, 0xc0000000, 0, 0, 0x80000000, 0x40000000, 2 },
		{ "2 GiB: the one place has RAM", 0, 0x80000000, 0, 0, 0, 0, 0 },
		{ "64 bits", 0xc, 0xffffc000, 0, ~0u, 0xfebfc000, 0x4000, 2 },
		{ "64 bits of ones", 0xffffc00c, 0xffffc000, ~0u, ~0u, 0xfebfc000, 0x4000, 2 },
		{ "64 bits, 4 GiB", 4, 0, 0, ~0u, 0, 0, 0 },
		{ "64 bits, the largest", 4, 0, 0, 0x80000000, 0, 0, 0 },
		{ "an address of ones", 0xffff0000, 0xffff0000, 0, 0, 0xfebf0000, 0x10000, 2 },
		{ "below 1 MiB", 2, 0xfffff000, 0, 0, 0, 0, 0 },
		{ "ports", 1, 0xffe0, 0, 0, 0xffc0, 32, 1 },
		{ "4 ports", 1, 0xfffc, 0, 0, 0xffec, 4, 1 },
		{ "ports with 32 bits", 1, 0xffffffe0, 0, 0, 0xffc0, 32, 1 },
		{ "half of the ports", 1, 0xe000, 0, 0, 0xc000, 0x2000, 1 },
		{ "more ports than the window", 1, 0xc000, 0, 0, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin_with(HOST_IDS, RAM_END);
		struct function *function = add(0, 1, 0, CLASS_OTHER);

		put32(function->config + PCI_COMMAND, 0);
		set_bar(function, 2, rows[i].low, rows[i].low_mask);
		set_bar(function, 3, rows[i].high, rows[i].high_mask);
		enumerate();
		struct pci_device *device = find(0, 1, 0);
		const struct pci_region *region = &device->regions[2];
		uint32_t flags = rows[i].low & (region->io ? 0x3 : 0xf);

		EXPECT_EQ_AT(region->size, rows[i].size, "%s", rows[i].what);
		EXPECT_EQ_AT(region->unusable, !rows[i].size, "%s", rows[i].what);
		EXPECT_EQ_AT(device->regions[3].size, 0, "%s", rows[i].what);
		EXPECT_EQ_AT(pci_enable(device), rows[i].size ? 0 : -EINVAL, "%s", rows[i].what);
		EXPECT_EQ_AT(function->config[PCI_COMMAND], rows[i].command, "%s", rows[i].what);
		if (rows[i].size) {
			EXPECT_EQ_AT(region->address, rows[i].address, "%s", rows[i].what);
			EXPECT_EQ_AT(get32(function->config + 0x18), rows[i].address | flags, "%s",
				     rows[i].what);
			EXPECT_EQ_AT(get32(function->config + 0x1c), 0, "%s", rows[i].what);
		} else {
			EXPECT_AT(sim_log_has("0000:00:01.0: region 2") &&
					  sim_log_has("none is free"),
				  "%s", rows[i].what);
			EXPECT_EQ_AT(get32(function->config + 0x18), rows[i].low, "%s",
				     rows[i].what);
		}
		end();
	}
}

static void addresses_of_firmware_stay(void)
{
	begin_with(HOST_IDS, RAM_END);
	/* The one without comes first. */
	struct function *without = add(0, 1, 0, CLASS_OTHER);
	struct function *with = add(0, 2, 0, CLASS_OTHER);

	set_bar(without, 0, 0, 0xfffff000);
	set_bar(without, 1, 1, 0xffe0);
	set_bar(with, 0, 0xfebff000, 0xfffff000);
	set_bar(with, 1, 0xffc1, 0xffe0);
	set_bar(with, 2, 0, 0xffff8000);
	put32(with->config + 0x30, 0xfebe0001);
	put32(with->writable + 0x30, 0xffff0001);
	enumerate();
	EXPECT_EQ(get32(with->config + 0x10), 0xfebff000);
	EXPECT_EQ(get32(with->config + 0x14), 0xffc1);
	EXPECT_EQ(get32(with->config + 0x30), 0xfebe0001);
	EXPECT_EQ(get32(without->config + 0x10), 0xfebfe000);
	EXPECT_EQ(get32(without->config + 0x14), 0xffa1);
	EXPECT_EQ(find(0, 2, 0)->regions[2].address, 0xfebf0000);
	end();
}

/* Returns whether A and B have an address in common. */
static bool meet(const struct pci_region *a, const struct pci_region *b)
{
	return a != b && a->size && b->size && a->io == b->io &&
	       a->address < b->address + b->size && b->address < a->address + a->size;
}

static void no_address_is_given_twice(void)
{
	srand(1);
	for (unsigned int round = 0; round < 200; round++) {
		begin_with(HOST_IDS, RAM_END);
		for (unsigned int slot = 1; slot < 9; slot++) {
			struct function *at = add(0, slot, 0, CLASS_OTHER);

			for (unsigned int i = 0; i < PCI_BARS; i++) {
				uint32_t mask = ~0u << (12 + rand() % 14);
				uint32_t address = 0xf0000000u + ((uint32_t)rand() & 0x7fff000);

				if (rand() % 3 == 0)
					set_bar(at, i, 1, 0xffffu & ~0u << (2 + rand() % 10));
				else
					set_bar(at, i, rand() % 4 ? 0 : address & mask, mask);
			}
		}
		enumerate();
		const struct pci_region *regions[8 * PCI_BARS];
		unsigned int count = 0, given = 0;

		for (unsigned int slot = 1; slot < 9; slot++)
			for (unsigned int i = 0; i < PCI_BARS; i++)
				regions[count++] = &find(0, slot, 0)->regions[i];
		for (unsigned int i = 0; i < count; i++) {
			const struct pci_region *at = regions[i];
			uint64_t start = at->io ? PORTS : RAM_END;

			given += at->size != 0;
			EXPECT_AT(!at->size || (!(at->address & (at->size - 1)) &&
						at->address >= start &&
						at->address + at->size <=
							(at->io ? PORTS_END : MEMORY_END)),
				  "round %u: 0x%lx, %lu bytes", round, at->address, at->size);
			for (unsigned int j = 0; j < i; j++)
				EXPECT_AT(!meet(at, regions[j]), "round %u: 0x%lx", round,
					  at->address);
		}
		EXPECT_AT(given > 0, "round %u", round);
		end();
	}
}

static void a_full_window_leaves_regions_alone(void)
{
	/* 12 MiB are free: the memory at the end of RAM is firmware's. */
	begin_with(HOST_IDS, 0xfdfe0000);
	boot_info.ram[1] = (struct page_range){ 0x100000000, 0x140000000 };
	boot_info.ram_count = 2;
	struct function *function = add(0, 1, 0, CLASS_OTHER);

	set_bar(function, 0, 0, 0xff800000);
	set_bar(function, 1, 0, 0xff800000);
	set_bar(function, 2, 0, 0xffc00000);
	set_bar(function, 3, 0, 0xfffe0000);
	enumerate();
	const struct pci_device *device = find(0, 1, 0);

	EXPECT_EQ(device->regions[0].address, 0xfe000000);
	EXPECT(device->regions[1].unusable && !device->regions[1].size);
	EXPECT_EQ(device->regions[2].address, 0xfe800000);
	EXPECT(device->regions[3].unusable && !device->regions[3].size);
	EXPECT(sim_log_has("region 3 (0x0, 131072 bytes) is left alone: "
			   "firmware gave it no address, and none is free"));
	end();

	/* RAM has the whole window. */
	begin_with(HOST_IDS, 0xff000000);
	function = add(0, 1, 0, CLASS_OTHER);
	set_bar(function, 0, 0, 0xfffff000);
	enumerate();
	EXPECT(find(0, 1, 0)->regions[0].unusable);
	end();
}

static void a_function_is_deaf_meanwhile(void)
{
	begin_with(HOST_IDS, RAM_END);
	struct function *function = add(0, 1, 0, CLASS_OTHER);

	set_bar(function, 0, 4, 0xffff0000);
	set_bar(function, 1, 0, ~0u);
	enumerate();
	EXPECT_EQ(function->commands, 1u << 0);
	EXPECT_EQ(function->config[PCI_COMMAND], 3);
	end();
}

static void a_region_that_keeps_no_address(void)
{
	for (unsigned int wide = 0; wide < 2; wide++) {
		begin_with(HOST_IDS, RAM_END);
		struct function *function = add(0, 1, 0, CLASS_OTHER);

		function->forgetful = true;
		set_bar(function, 0, wide ? 4 : 0, 0xffff0000);
		set_bar(function, 1, 0, wide ? ~0u : 0);
		enumerate();
		EXPECT(find(0, 1, 0)->regions[0].unusable);
		EXPECT_EQ(find(0, 1, 0)->regions[0].size, 0);
		EXPECT(sim_log_has("does not keep an address"));
		end();
	}
}

static void a_size_that_is_none(void)
{
	begin_with(HOST_IDS, RAM_END);
	struct function *function = add(0, 1, 0, CLASS_OTHER);

	set_bar(function, 0, 0, 0xfff0f000);
	set_bar(function, 1, 0, 0x00fff000);
	enumerate();
	EXPECT(find(0, 1, 0)->regions[0].unusable && find(0, 1, 0)->regions[1].unusable);
	EXPECT(sim_log_has("its size is no power of two"));
	EXPECT_EQ(get32(function->config + 0x10), 0);
	end();
}

static void a_host_bridge_is_left_alone(void)
{
	begin_with(HOST_IDS, RAM_END);
	set_bar(&functions[0], 0, 0, 0xfffff000);
	put32(functions[0].writable + PCI_COMMAND, 0x0407);
	EXPECT(enumerate()->regions[0].unusable);
	EXPECT_EQ(functions[0].commands, 1u << 3);
	EXPECT_EQ(get32(functions[0].config + 0x10), 0);
	end();
}

static void other_machines_are_left_alone(void)
{
	static const struct {
		const char *what;
		uint32_t host;
		uint8_t secondary;
		uint64_t size;
	} rows[] = {
		{ "a bridge without a bus", HOST_IDS, 0, 0x1000 },
		{ "a bridge with a bus", HOST_IDS, 1, 0 },
		{ "another host bridge", OTHER_HOST, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin_with(rows[i].host, RAM_END);
		add_bridge(0, 1, rows[i].secondary, rows[i].secondary);
		struct function *function = add(0, 2, 0, CLASS_OTHER);

		set_bar(function, 0, 0, 0xfffff000);
		enumerate();
		EXPECT_EQ_AT(find(0, 2, 0)->regions[0].size, rows[i].size, "%s", rows[i].what);
		EXPECT_EQ_AT(find(0, 2, 0)->regions[0].unusable, !rows[i].size, "%s", rows[i].what);
		EXPECT_EQ_AT(get32(function->config + 0x10), rows[i].size ? 0xfebff000 : 0, "%s",
			     rows[i].what);
		EXPECT_AT(rows[i].size || sim_log_has("firmware gave it no address"), "%s",
			  rows[i].what);
		end();
	}
}

static const struct tap_rule rules[] = {
	{ "regions without an address get one, and functions decode it when they are enabled",
	  regions_get_addresses },
	{ "regions keep the addresses that firmware gave them", addresses_of_firmware_stay },
	{ "no address is given twice, and each is inside its window", no_address_is_given_twice },
	{ "regions without room are left alone", a_full_window_leaves_regions_alone },
	{ "a function decodes nothing while it gets an address", a_function_is_deaf_meanwhile },
	{ "a region that keeps no address is left alone", a_region_that_keeps_no_address },
	{ "a region whose size is no power of two is left alone", a_size_that_is_none },
	{ "a host bridge gets no address, and decodes all the time", a_host_bridge_is_left_alone },
	{ "no address is given below another host bridge, or where a bridge has a numbered bus",
	  other_machines_are_left_alone },
};

TAP_MAIN(rules)
