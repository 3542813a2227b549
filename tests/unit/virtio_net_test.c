// SPDX-License-Identifier: BSD-2-Clause
/* Rules of drivers/virtio/net.c, with a device that lies about addresses, sizes, headers and requests. */
#include <kernel/drivers/net_device.h>
#include <kernel/random/random.h>

#include "virtio_device.h"

#define MAC	 VIRTIO_BIT(5)
#define RECEIVE	 0
#define TRANSMIT 1
#define HEADER	 12
#define MOST	 8 /* requests of each queue */

extern const struct virtio_driver virtio_net_driver;

static const uint8_t station[6] = { 0x52, 0x54, 0, 0x12, 0x34, 0x56 };
static struct net_device *added;
static unsigned int notices;

void net_device_add(struct net_device *device)
{
	added = device;
}

void random_bytes(void *buffer, size_t size)
{
	memset(buffer, 0xff, size);
}

/* The pages of a device that stays. */
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static void note(void)
{
	notices++;
}

static int add_with(const uint8_t address[6], uint64_t features, uint16_t most)
{
	memset(config, 0, sizeof(config));
	memcpy(config, address, 6);
	added = NULL;
	notices = 0;

	int error = add_modern_device(VIRTIO_ID_NETWORK, features, most);

	if (added)
		added->notify = note;
	return error;
}

static void add(void)
{
	EXPECT_EQ(add_with(station, MAC, MOST), 0);
}

static char *bytes_of(int id)
{
	return (char *)(uintptr_t)rings[RECEIVE].descriptors[id].address;
}

/* The device fills the next buffer with a header and a frame, and says that it wrote WRITTEN bytes. */
static void receive(uint8_t flags, uint8_t segments, uint16_t buffers, uint32_t written)
{
	int id = take_request(&rings[RECEIVE]);

	EXPECT(id >= 0);
	memset(bytes_of(id), 'x', 2048);
	memset(bytes_of(id), 0, HEADER);
	bytes_of(id)[0] = (char)flags;
	bytes_of(id)[1] = (char)segments;
	memcpy(bytes_of(id) + 10, &buffers, sizeof(buffers));
	give_back(&rings[RECEIVE], (uint32_t)id, written);
}

static void the_address_is_checked(void)
{
	static const uint8_t group[6] = { 1, 0, 0x5e, 0, 0, 1 }, none[6];

	EXPECT_EQ(add_with(group, MAC, MOST), -ENODEV);
	EXPECT(!added);
	EXPECT_EQ(sim_end(), 0);
	EXPECT_EQ(add_with(none, MAC, MOST), -ENODEV);
	EXPECT_EQ(sim_end(), 0);
	EXPECT_EQ(add_with(station, MAC, 0), -ENODEV);
	EXPECT_EQ(sim_end(), 0);
	add();
	EXPECT(!memcmp(added->address, station, 6));
	remove_device();
	EXPECT_EQ(add_with(none, 0, MOST), 0);
	EXPECT_EQ(added->address[0], 0xfe);
	EXPECT_EQ(added->address[5], 0xff);
	remove_device();
}

static void a_frame_comes(void)
{
	size_t size = 0;
	const char *frame;

	add();
	EXPECT(!added->next(added, &size));
	EXPECT_EQ(rings[RECEIVE].avail[1], MOST);
	EXPECT_EQ(rings[RECEIVE].descriptors[rings[RECEIVE].avail[2]].length, 2048);
	receive(0, 0, 1, HEADER + 14);
	receive(0, 0, 0, HEADER + 1514);
	virtio_device_interrupt(&device, RECEIVE);
	EXPECT_EQ(notices, 1);
	frame = added->next(added, &size);
	EXPECT(frame);
	EXPECT_EQ(size, 14);
	EXPECT_EQ(frame[0], 'x');
	added->done(added);
	EXPECT(added->next(added, &size));
	EXPECT_EQ(size, 1514);
	added->done(added);
	EXPECT_EQ(rings[RECEIVE].avail[1], MOST + 2);
	notify = UINT32_MAX;
	EXPECT(!added->next(added, &size));
	EXPECT_EQ(notify, RECEIVE);
	EXPECT_EQ(added->received, 2);
	EXPECT_EQ(added->received_bytes, 1528);
	EXPECT_EQ(added->refused, 0);
	remove_device();
}

static void a_frame_that_lies_is_refused(void)
{
	static const struct {
		uint8_t flags, segments;
		uint16_t buffers;
		uint32_t written;
	} rows[] = {
		{ 0, 0, 1, 0 },
		{ 0, 0, 1, HEADER - 1 },
		{ 0, 0, 1, HEADER },
		{ 0, 0, 1, HEADER + 13 },
		{ 0, 0, 1, HEADER + 1515 },
		{ 0, 0, 1, 2048 },
		{ 1, 0, 1, HEADER + 60 },
		{ 2, 0, 1, HEADER + 60 },
		{ 0, 1, 1, HEADER + 60 },
		{ 0, 0x80, 1, HEADER + 60 },
		{ 0, 0, 2, HEADER + 60 },
		{ 0, 0, 0xffff, HEADER + 60 },
	};
	size_t size = 0;

	add();
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		receive(rows[i].flags, rows[i].segments, rows[i].buffers, rows[i].written);
		EXPECT_AT(!added->next(added, &size), "row %u", i);
		EXPECT_EQ_AT(added->refused, i + 1, "row %u", i);
		/* The device has its buffer again. */
		EXPECT_EQ_AT(rings[RECEIVE].avail[1], MOST + i + 1, "row %u", i);
	}
	receive(0, 0, 1, HEADER + 60);
	EXPECT(added->next(added, &size));
	EXPECT_EQ(size, 60);
	EXPECT_EQ(added->received, 1);
	remove_device();
}

static void a_lie_about_buffers_ends_the_network(void)
{
	size_t size = 0;

	add();
	take_request(&rings[RECEIVE]);
	give_back(&rings[RECEIVE], 0, 2049);
	EXPECT(!added->next(added, &size));
	EXPECT_EQ(status & FAILED, FAILED);
	EXPECT(!added->next(added, &size));
	remove_device();
	add();
	give_back(&rings[TRANSMIT], 0, 0);
	EXPECT(added->room(added));
	EXPECT_EQ(status & FAILED, FAILED);
	EXPECT_EQ(added->send(added, 60), -EIO);
	EXPECT_EQ(added->sent, 0);
	remove_device();
}

static void a_frame_goes(void)
{
	const char *bytes;
	char *room;
	int id;

	add();
	room = added->room(added);
	memset(room, 'y', 60);
	notify = UINT32_MAX;
	EXPECT_EQ(added->send(added, 60), 0);
	EXPECT_EQ(notify, TRANSMIT);
	id = take_request(&rings[TRANSMIT]);
	EXPECT_EQ(id, 0);
	EXPECT_EQ(rings[TRANSMIT].descriptors[id].length, HEADER + 60);
	EXPECT_EQ(rings[TRANSMIT].descriptors[id].flags, 0);
	bytes = (const char *)(uintptr_t)rings[TRANSMIT].descriptors[id].address;
	for (int i = 0; i < HEADER; i++)
		EXPECT_EQ_AT(bytes[i], 0, "byte %d", i);
	EXPECT_EQ(bytes[HEADER], 'y');
	EXPECT_EQ(bytes[HEADER + 59], 'y');
	EXPECT_EQ(added->sent, 1);
	EXPECT_EQ(added->sent_bytes, 60);
	remove_device();
}

static void a_full_device_tells_of_room(void)
{
	add();
	for (unsigned int i = 0; i < MOST; i++) {
		EXPECT_AT(added->room(added), "frame %u", i);
		EXPECT_EQ_AT(added->send(added, 14), 0, "frame %u", i);
	}
	EXPECT(!added->room(added));
	give_back(&rings[TRANSMIT], (uint32_t)take_request(&rings[TRANSMIT]), 0);
	virtio_device_interrupt(&device, TRANSMIT);
	EXPECT_EQ(notices, 1);
	EXPECT(added->room(added));
	/* No interrupt is requested while there is room. */
	EXPECT_EQ(rings[TRANSMIT].avail[0], 1);
	EXPECT_EQ(added->send(added, 14), 0);
	EXPECT(!added->room(added));
	EXPECT_EQ(rings[TRANSMIT].avail[0], 0);
	remove_device();
}

static void no_memory_leaves_nothing(void)
{
	unsigned int number = 0;
	int error;

	add();
	remove_device();
	do {
		/* As add does, with what the machine before has left. */
		sim_start(1);
		memset(rings, 0, sizeof(rings));
		rings[RECEIVE].most = rings[TRANSMIT].most = MOST;
		memcpy(config, station, 6);
		added = NULL;
		device = (struct virtio_device){ .name = "d",
						 .id = VIRTIO_ID_NETWORK,
						 .transport = &transport,
						 .config_size = sizeof(config) };
		sim_allocation_fail(++number);
		error = virtio_device_add(&device);
		if (!error)
			break;
		EXPECT_AT(!added, "allocation %u", number);
		EXPECT_EQ_AT(sim_end(), 0, "allocation %u", number);
	} while (number < 100);
	/* The network, a queue and its rings twice, and eight pages of buffers. */
	EXPECT_EQ(number, 1 + 4 + MOST + 1);
	remove_device();
}

/* The device writes what it likes into the rings, the buffers and the lengths. */
static void any_bytes_are_survived(void)
{
	unsigned int frames = 0, refused = 0;
	size_t size = 0;

	srand(1);
	for (unsigned int round = 0; round < 1500; round++) {
		add();
		for (unsigned int step = 0; step < 16; step++) {
			struct rings *ring = &rings[rand() % 2];
			int id = rand() % 8 ? take_request(ring) : rand() % (MOST + 2);

			if (ring == &rings[RECEIVE] && id >= 0 && id < MOST)
				for (int i = 0; i < HEADER; i++)
					bytes_of(id)[i] = (char)(rand() % 8 ? 0 : rand());
			if (id >= 0)
				give_back(ring, (uint32_t)id,
					  ring == &rings[RECEIVE] ? (uint32_t)rand() % 1600 :
								    rand() % 16 == 0);
			else if (rand() % 4 == 0)
				ring->used[rand() % (2 + 4 * MOST)] = (uint16_t)rand();
			virtio_device_interrupt(&device, -1);
			while (added->next(added, &size)) {
				EXPECT_AT(size >= 14 && size <= 1514, "round %u", round);
				added->done(added);
				frames++;
			}
			if (added->room(added))
				(void)added->send(added, (size_t)rand() % 1515);
		}
		refused += (unsigned int)added->refused;
		remove_device();
	}
	EXPECT(frames > 1000);
	EXPECT(refused > 1000);
}

static const struct tap_rule rules[] = {
	{ "a device with an address that no station has, or without queues, has no driver",
	  the_address_is_checked },
	{ "a received frame is delivered, and its buffer goes back", a_frame_comes },
	{ "a frame whose size or header cannot be right is refused, and its buffer goes back",
	  a_frame_that_lies_is_refused },
	{ "a device that lies about its requests is marked broken",
	  a_lie_about_buffers_ends_the_network },
	{ "a frame is sent with an empty header", a_frame_goes },
	{ "a full device interrupts when it has room again", a_full_device_tells_of_room },
	{ "a probe that fails for lack of memory leaves nothing behind", no_memory_leaves_nothing },
	{ "the driver survives a device that writes any bytes", any_bytes_are_survived },
};

/* The driver's object is linked for its symbol. */
const struct virtio_driver *const used_driver = &virtio_net_driver;

TAP_MAIN(rules)
