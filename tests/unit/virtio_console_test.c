// SPDX-License-Identifier: BSD-2-Clause
/* Rules of drivers/virtio/console.c with a device whose control messages, bytes and counts of ports lie. */
#include <kernel/sched/wait.h>
#include <kernel/virtio/port.h>

#include "virtio_device.h"

extern const struct virtio_driver virtio_console_driver;

#define MULTIPORT 1
#define RECEIVE	  2 /* the control queues */
#define TRANSMIT  3

enum { DEVICE_READY, ADD, REMOVE, READY, OPEN = 6, NAME };

struct message {
	uint32_t port;
	uint16_t event, value;
	char name[56];
};

int wait_sleep_killable(uint64_t deadline_ns)
{
	return -ETIMEDOUT;
}

int wait_sleep_uninterrupted(uint64_t deadline_ns)
{
	return -ETIMEDOUT;
}

static int add(uint32_t ports, uint16_t most)
{
	memset(config, 0, sizeof(config));
	memcpy(config + 4, &ports, sizeof(ports));
	return add_modern_device(VIRTIO_ID_CONSOLE, VIRTIO_BIT(MULTIPORT), most);
}

/* A console and the pages of its ports stay with a device that stays. */
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static void end(void)
{
	remove_device();
	(void)sim_end();
}

/* The device sends a control message of SIZE bytes. False: it has no buffer, or the queue is broken. */
static bool send(const struct message *message, uint32_t size)
{
	int id = take_request(&rings[RECEIVE]);

	if (id < 0)
		return false;
	const struct descriptor *descriptor = &rings[RECEIVE].descriptors[id];

	memcpy((void *)descriptor->address, message,
	       size < descriptor->length ? size : descriptor->length);
	give_back(&rings[RECEIVE], (uint32_t)id, size);
	virtio_device_interrupt(&device, RECEIVE);
	return true;
}

static bool say(uint32_t port, uint16_t event, uint16_t value, const char *name)
{
	struct message message = { port, event, value, "" };

	memcpy(message.name, name, strlen(name));
	return send(&message, 8 + (uint32_t)strlen(name));
}

/* How many messages the driver has sent. */
static unsigned int sent(void)
{
	return rings[TRANSMIT].avail[1];
}

static void a_port_is_opened_by_its_name(void)
{
	EXPECT_EQ(add(4, 64), 0);
	EXPECT_EQ(sent(), 1);
	EXPECT(say(1, ADD, 1, ""));
	EXPECT_EQ(sent(), 2);
	EXPECT(say(1, NAME, 1, "tally.a"));
	EXPECT(!virtio_port_open("tally.a", 1, 0));
	EXPECT(say(1, OPEN, 1, ""));
	struct virtio_port *port = virtio_port_open("tally.a", 1, 0);

	EXPECT(port);
	EXPECT(!virtio_port_open("tally.a", 1, 0));
	EXPECT_EQ(sent(), 3);
	EXPECT(!virtio_port_is_closed(port));
	/* A name that comes later is no port's. */
	EXPECT(say(1, NAME, 1, "other"));
	EXPECT(say(1, OPEN, 0, ""));
	EXPECT(virtio_port_is_closed(port));
	/* For good. */
	EXPECT(say(1, OPEN, 1, ""));
	EXPECT(virtio_port_is_closed(port));
	end();
}

static void messages_that_lie_change_nothing(void)
{
	static const struct {
		uint32_t port;
		uint16_t event;
		uint32_t size;
	} rows[] = {
		{ 4, ADD, 8 },	  { UINT32_MAX, ADD, 8 }, { 0x80000001, OPEN, 8 },
		{ 1, ADD, 7 },	  { 1, ADD, 0 },	  { 1, 4, 8 },
		{ 1, 0xffff, 8 }, { 1, DEVICE_READY, 8 }, { 5, NAME, 64 },
	};

	EXPECT_EQ(add(4, 64), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct message message = { rows[i].port, rows[i].event, 1, "name" };

		EXPECT_AT(send(&message, rows[i].size), "row %zu", i);
		EXPECT_EQ_AT(sent(), 1, "row %zu", i);
	}
	/* Ports that were never added cannot be opened. */
	EXPECT(say(2, NAME, 1, "tally.b"));
	EXPECT(say(2, OPEN, 1, ""));
	EXPECT(!virtio_port_open("tally.b", 1, 0));
	/* A name without its end, and one that fills the message. */
	struct message message = { 2, NAME, 1, "" };

	memset(message.name, 'n', sizeof(message.name));
	EXPECT(send(&message, 64));
	EXPECT(say(2, ADD, 1, ""));
	EXPECT(virtio_port_open("nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn", 1, 0));
	/* One byte more than the buffer has. */
	EXPECT(send(&message, 65));
	EXPECT_EQ(status & FAILED, FAILED);
	end();
}

static void the_driver_sends_a_bounded_number(void)
{
	EXPECT_EQ(add(4, 64), 0);
	for (unsigned int i = 0; i < 1000; i++) {
		EXPECT(say(i % 4, ADD, 1, ""));
		EXPECT(say(i % 4, REMOVE, 1, ""));
	}
	EXPECT_EQ(sent(), 1 + 4);
	end();
}

static void few_ports_and_small_queues_will_do(void)
{
	static const uint32_t ports[] = { 0, 1, 4, 5, UINT32_MAX };
	static const uint16_t sizes[] = { 0, 1, 2, 65535 };

	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
			int error = add(ports[i], sizes[j]);

			EXPECT_EQ_AT(error, sizes[j] ? 0 : -ENODEV, "%u ports, %u descriptors",
				     ports[i], sizes[j]);
			if (!error) {
				for (unsigned int k = 0; k < 8; k++)
					EXPECT(say(k % 5, k % 2 ? OPEN : ADD, 1, ""));
				end();
			}
		}
	EXPECT_EQ(add_modern_device(VIRTIO_ID_CONSOLE, 0, 64), -ENODEV);
	EXPECT_EQ(sim_end(), 0);
	memset(config, 0, sizeof(config));
}

/* Messages and counts of any bytes, seeded; then the same of a port's bytes. */
static void any_bytes_are_survived(void)
{
	unsigned int given_up = 0;

	srand(5);
	for (unsigned int round = 0; round < 2000; round++) {
		EXPECT_EQ(add(4, 64), 0);
		for (unsigned int step = 0; step < 40; step++) {
			struct message message = { (uint32_t)rand() % 5, (uint16_t)(rand() % 9),
						   rand() % 2, "" };
			unsigned int queue = rand() % 4 ? RECEIVE : (unsigned int)rand() % 6;

			/* The consoles of earlier rounds are still listed. */
			snprintf(message.name, sizeof(message.name), "round %u, %d", round,
				 rand() % 2);
			if (rand() % 4)
				send(&message, rand() % 2 ? 64 : (uint32_t)rand() % 65);
			else if (rand() % 2)
				give_back(&rings[queue], (uint32_t)rand() % 17,
					  (uint32_t)rand() % 66);
			virtio_device_interrupt(&device, -1);
			struct virtio_port *port = step % 8 ? NULL :
							      virtio_port_open(message.name, 2, 0);

			if (port) {
				virtio_port_is_readable(port);
				virtio_port_is_writable(port);
			}
		}
		given_up += !!(status & FAILED);
		end();
	}
	EXPECT(given_up > 100 && given_up < 2000);
}

static const struct tap_rule rules[] = {
	{ "a port is opened by its name, once, and a close is final",
	  a_port_is_opened_by_its_name },
	{ "control messages that lie change nothing", messages_that_lie_change_nothing },
	{ "the driver answers a port once, however often it comes",
	  the_driver_sends_a_bounded_number },
	{ "the driver works with any number of ports and of descriptors",
	  few_ports_and_small_queues_will_do },
	{ "the driver survives control messages and returns of any bytes", any_bytes_are_survived },
};

/* The driver's object is linked for its symbol. */
const struct virtio_driver *const used_driver = &virtio_console_driver;

TAP_MAIN(rules)
