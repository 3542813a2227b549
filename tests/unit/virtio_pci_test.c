// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of drivers/virtio/pci.c with a simulated function that may lie in each byte of its configuration space and of its
 * registers. Region 4 is memory of the host's, which ends where the region ends: AddressSanitizer watches it.
 */
#include <kernel/mm/kmalloc.h>
#include <kernel/pci/pci.h>
#include <kernel/virtio/virtio.h>
#include <uapi/linux/errno.h>

#include <stdlib.h>

#include "../../drivers/virtio/queue.h"
#include "events.h"

extern const struct pci_driver virtio_pci_driver;

#define REGION	     4
#define REGION_SIZE  0x400u
#define VENDOR	     0x09
#define COMMON	     0x000u /* where the structures are if nothing lies */
#define NOTIFY	     0x100u
#define CONFIG	     0x200u
#define STATUS	     0x14u /* registers */
#define FEATURES_OK  0x08u
#define QUEUE_SIZE   0x18u
#define QUEUE_ENABLE 0x1cu
#define QUEUE_NOTIFY 0x1eu

static uint8_t config[PCI_CONFIG_SIZE];
static uint8_t *region;
static struct pci_device function;
static unsigned int vectors, masters, maps;

/* --- the bus: drivers/pci's functions but the walk of the capabilities --- */

static uint32_t read_bytes(unsigned int offset, unsigned int size)
{
	uint32_t value = 0;

	if (offset >= PCI_CONFIG_SIZE || offset % size)
		return UINT32_MAX;
	memcpy(&value, config + offset, size);
	return value;
}

uint8_t pci_read8(const struct pci_device *device, unsigned int offset)
{
	return (uint8_t)read_bytes(offset, 1);
}

uint16_t pci_read16(const struct pci_device *device, unsigned int offset)
{
	return (uint16_t)read_bytes(offset, 2);
}

uint32_t pci_read32(const struct pci_device *device, unsigned int offset)
{
	return read_bytes(offset, 4);
}

int pci_enable(struct pci_device *device)
{
	device->enabled++;
	return 0;
}

bool pci_disable(struct pci_device *device)
{
	device->enabled--;
	return true;
}

void pci_set_master(struct pci_device *device, bool master)
{
	masters = master;
}

volatile void *pci_map(const struct pci_device *device, unsigned int index, uint64_t offset,
		       size_t size)
{
	EXPECT_EQ(offset, 0);
	EXPECT_EQ(size, device->regions[index].size);
	maps++;
	return index == REGION ? region : NULL;
}

int pci_msix_enable(struct pci_device *device)
{
	return 2;
}

void pci_msix_disable(struct pci_device *device)
{
	vectors = 0;
}

int pci_msix_request(struct pci_device *device, unsigned int index, unsigned int cpu,
		     void (*handler)(void *arg), void *arg, const char *name)
{
	vectors++;
	return 0;
}

/* --- the driver --- */

static uint8_t read_value;
static bool was_read;
static struct virtio_queue *queue;
static uint32_t config_size, config_at;

/* As the transport's contract says, the driver reads below config_size only. */
static int probe(struct virtio_device *device)
{
	config_size = device->config_size;
	was_read = virtio_config_read(device, config_at, &read_value, 1);
	queue = virtio_queue_new(device, 0, 8, NULL, NULL);
	if (!queue)
		return -EPROTO;
	virtio_device_ready(device);
	virtio_queue_kick(queue);
	return 0;
}

VIRTIO_DRIVER(driver, .name = "test", .id = VIRTIO_ID_CONSOLE, .features = 0, .probe = probe);

/* --- the function --- */

static void put(unsigned int at, uint32_t value)
{
	memcpy(config + at, &value, sizeof(value));
}

/* A capability at AT: structure TYPE of LENGTH bytes at OFFSET of region 4, SIZE bytes long. */
static void put_structure(unsigned int at, uint8_t next, uint8_t size, uint8_t type,
			  uint32_t offset, uint32_t length)
{
	config[at] = VENDOR;
	config[at + 1] = next;
	config[at + 2] = size;
	config[at + 3] = type;
	put(at + 4, REGION);
	put(at + 8, offset);
	put(at + 12, length);
	if (at + 16 < PCI_CONFIG_SIZE)
		put(at + 16, 2);
}

/* The registers are memory: what is written is read, so a reset "ends", and every feature is agreed to. */
static void begin(void)
{
	sim_start(1);
	memset(config, 0, sizeof(config));
	region = calloc(1, REGION_SIZE);
	function = (struct pci_device){ .name = "f",
					.vendor_id = 0x1af4,
					.device_id = 0x1043,
					.config_size = PCI_CONFIG_SIZE };
	function.regions[REGION].size = REGION_SIZE;
	put(PCI_COMMAND, (uint32_t)PCI_STATUS_CAPABILITIES << 16);
	config[0x34] = 0x40;
	put_structure(0x40, 0x54, 16, 1, COMMON, 0x38);
	put_structure(0x54, 0x68, 20, 2, NOTIFY, 0x10);
	put_structure(0x68, 0, 16, 4, CONFIG, 8);
	region[0x04] =
		1; /* of both halves of the features: VIRTIO_F_VERSION_1 is bit 0 of the second */
	region[QUEUE_SIZE] = 8;
	vectors = masters = maps = 0;
	config_at = 7;
	was_read = false;
	queue = NULL;
}

/* Probes: the result. A function that got a driver keeps what it has; one that did not holds nothing. */
static int run(const char *when)
{
	int error = virtio_pci_driver.probe(&function);

	EXPECT_EQ_AT(function.enabled, error ? 0 : 1, "%s", when);
	EXPECT_EQ_AT(masters, error ? 0 : 1, "%s", when);
	EXPECT_EQ_AT(vectors, error ? 0 : 2, "%s", when);
	if (!error) {
		struct virtio_device *device = function.driver_data;

		virtio_queues_free(device);
		kfree(device);
	}
	free(region);
	EXPECT_EQ_AT(sim_end(), 0, "%s", when);
	return error;
}

/* --- rules --- */

static void a_function_gets_its_driver(void)
{
	begin();
	region[CONFIG + 7] = 77;
	EXPECT_EQ(run("as it is"), 0);
	EXPECT(was_read);
	EXPECT_EQ(read_value, 77);
	EXPECT_EQ(config_size, 8);
	EXPECT_EQ(maps, 1);
}

static const struct {
	const char *what;
	unsigned int at, size; /* bytes of the configuration space */
	uint32_t value;
	int expected;
} lies[] = {
	{ "the list begins at itself, without an entry", 0x34, 1, 0x30, -ENODEV },
	{ "the list loops before the notification", 0x41, 1, 0x40, -ENODEV },
	{ "the list loops after all structures", 0x69, 1, 0x40, 0 },
	{ "the list leaves its place", 0x41, 1, 0x3c, -ENODEV },
	{ "an entry lies at the end of the space", 0x41, 1, 0xfc, -ENODEV },
	{ "an entry of the common structure is short", 0x42, 1, 15, -ENODEV },
	{ "an entry is longer than the space", 0x42, 1, 0xff, -ENODEV },
	{ "the notification's entry has no multiplier", 0x56, 1, 16, -ENODEV },
	{ "no such type", 0x43, 1, 0xff, -ENODEV },
	{ "type 0", 0x43, 1, 0, -ENODEV },
	{ "no such region", 0x44, 1, 6, -ENODEV },
	{ "a region of nothing", 0x44, 1, 0, -ENODEV },
	{ "the common structure is not aligned", 0x48, 4, 2, -ENODEV },
	{ "the common structure begins after the region", 0x48, 4, REGION_SIZE + 4, -ENODEV },
	{ "the common structure ends after the region", 0x48, 4, REGION_SIZE - 0x34, -ENODEV },
	{ "offset and length overflow", 0x48, 4, 0xfffffffc, -ENODEV },
	{ "the length alone is too long", 0x4c, 4, 0xffffffff, -ENODEV },
	{ "the common structure is too short", 0x4c, 4, 0x37, -ENODEV },
	{ "the notifications have no byte", 0x60, 4, 0, -EPROTO },
	{ "the notifications have one byte", 0x60, 4, 1, -EPROTO },
	{ "the notifications end after the region", 0x5c, 4, REGION_SIZE - 8, -ENODEV },
	{ "the configuration has no byte", 0x74, 4, 0, 0 },
	{ "the configuration ends after the region", 0x74, 4, REGION_SIZE, 0 },
};

static void structures_lie_inside_of_their_regions(void)
{
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		begin();
		memcpy(config + lies[i].at, &lies[i].value, lies[i].size);
		EXPECT_EQ_AT(run(lies[i].what), lies[i].expected, "%s", lies[i].what);
		EXPECT_AT(!was_read || config_size == 8, "%s", lies[i].what);
	}
}

static void an_entry_at_the_end_has_no_multiplier(void)
{
	begin();
	config[0x41] = 0xf0;
	put_structure(0xf0, 0, 20, 2, NOTIFY, 0x10);
	EXPECT_EQ(run("20 bytes that end after the space"), -ENODEV);
	begin();
	config[0x41] = 0xec;
	put_structure(0xec, 0x68, 20, 2, NOTIFY, 0x10);
	EXPECT_EQ(run("20 bytes that end with it"), 0);
}

static void large_regions_are_not_mapped(void)
{
	begin();
	function.regions[REGION].size = (1u << 20) + 1;
	EXPECT_EQ(run("more than 1 MiB"), -ENODEV);
	EXPECT_EQ(maps, 0);
}

static const struct {
	uint16_t size, enabled, notify;
	uint32_t multiplier;
	int expected;
	unsigned int descriptors;
} queues[] = {
	{ 8, 0, 0, 2, 0, 8 },
	{ 0, 0, 0, 2, -EPROTO, 0 },
	{ 7, 0, 0, 2, 0, 4 },
	{ 65535, 0, 0, 2, 0, 8 },
	{ 8, 1, 0, 2, -EPROTO, 0 },  /* enabled already */
	{ 8, 0, 7, 2, 0, 8 },	     /* the last two bytes of the 16 */
	{ 8, 0, 8, 2, -EPROTO, 0 },  /* after them */
	{ 8, 0, 1, 1, -EPROTO, 0 },  /* not aligned */
	{ 8, 0, 1, 15, -EPROTO, 0 }, /* one byte is inside */
	{ 8, 0, 65535, UINT32_MAX, -EPROTO, 0 },
};

static void queues_are_checked(void)
{
	for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
		begin();
		memcpy(region + QUEUE_SIZE, &queues[i].size, 2);
		memcpy(region + QUEUE_ENABLE, &queues[i].enabled, 2);
		memcpy(region + QUEUE_NOTIFY, &queues[i].notify, 2);
		put(0x64, queues[i].multiplier);

		unsigned int descriptors = 0;
		int error = virtio_pci_driver.probe(&function);

		EXPECT_EQ_AT(error, queues[i].expected, "row %zu", i);
		if (!error) {
			descriptors = virtio_queue_size(queue);
			virtio_queues_free(function.driver_data);
			kfree(function.driver_data);
		}
		EXPECT_EQ_AT(descriptors, queues[i].descriptors, "row %zu", i);
		free(region);
		EXPECT_EQ_AT(sim_end(), 0, "row %zu", i);
	}
}

/* Any bytes in the list and in the registers: a driver or none, and no byte outside of the region. */
static void any_bytes_are_survived(void)
{
	unsigned int good = 0;

	srand(3);
	for (unsigned int round = 0; round < 10000; round++) {
		begin();
		/* A status that stays costs a second of the simulated clock: rare. */
		for (int i = rand() % 4; i >= 0; i--)
			config[0x34 + rand() % 0x50] = (uint8_t)rand();
		for (int i = rand() % 4; i > 0; i--)
			region[rand() % 0x38] = (uint8_t)rand();
		config_at = (uint32_t)rand() % 16;
		good += !run("any bytes");
	}
	EXPECT(good > 1000 && good < 9000);
}

static const struct tap_rule rules[] = {
	{ "a function with the structures of version 1 gets its driver",
	  a_function_gets_its_driver },
	{ "structures that lie about their place are not used",
	  structures_lie_inside_of_their_regions },
	{ "a capability ends inside of the configuration space",
	  an_entry_at_the_end_has_no_multiplier },
	{ "regions above 1 MiB are not mapped", large_regions_are_not_mapped },
	{ "queues that lie about size and notification do not come about", queues_are_checked },
	{ "capabilities and registers of any bytes are survived", any_bytes_are_survived },
};

TAP_MAIN(rules)
