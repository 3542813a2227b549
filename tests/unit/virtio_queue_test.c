// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of drivers/virtio's queues and devices, with a simulated device that may lie in each byte of the memory that it
 * shares with the kernel. AddressSanitizer watches that memory, which ends where the queue's parts end.
 */
#include "virtio_device.h"

#define SIZE	     8
#define CONFIG_SIZE  12
#define OWN_FEATURE  3 /* the driver's */
/* Every device has them but those of an older version. */
#define THE_VERSION  VIRTIO_BIT(VIRTIO_F_VERSION_1)
#define THE_FEATURES (THE_VERSION | VIRTIO_BIT(VIRTIO_F_EVENT_IDX))

/* --- the driver --- */

/* The device has two queues, and the driver the second. */
static struct rings *const ring = &rings[1];
static struct virtio_queue *queue;
static unsigned int calls;
static int probe_result;
static char bytes[4][64];

static void callback(struct virtio_queue *of, void *arg)
{
	EXPECT(of == queue);
	calls++;
}

static int probe(struct virtio_device *probed)
{
	queue = virtio_queue_new(probed, 1, SIZE, callback, NULL);
	virtio_device_ready(probed);
	return probe_result;
}

VIRTIO_DRIVER(driver, .name = "test", .id = 4, .features = VIRTIO_BIT(OWN_FEATURE), .probe = probe);

static int start_with(uint64_t features)
{
	calls = 0;
	return add_device(4, features, CONFIG_SIZE, 2, SIZE);
}

static int start_device(void)
{
	return start_with(THE_FEATURES);
}

static void end_device(void)
{
	/* Pages and objects stay with a device that stays. */
	page_put(ring->descriptors);
	kfree(queue);
	EXPECT_EQ(sim_end(), 0);
}

static struct virtio_buffer buffer(unsigned int index, uint32_t length)
{
	return (struct virtio_buffer){ (paddr_t)bytes[index], length };
}

static int add_in(unsigned int index, uint32_t length)
{
	const struct virtio_buffer in = buffer(index, length);

	return virtio_queue_add(queue, NULL, 0, &in, 1, bytes[index]);
}

/* The device takes the next request, which is there. */
static uint32_t take(void)
{
	int id = take_request(ring);

	EXPECT(id >= 0);
	return (uint32_t)id;
}

/* --- rules --- */

static void a_request_goes_and_comes(void)
{
	const struct virtio_buffer out[2] = { buffer(0, 3), buffer(1, 5) }, in = buffer(2, 64);
	uint32_t written;

	EXPECT_EQ(start_device(), 0);
	EXPECT_EQ(virtio_queue_add(queue, out, 2, &in, 1, &device), 0);
	EXPECT_EQ(virtio_queue_free(queue), SIZE - 3);
	EXPECT_EQ(ring->avail[1], 1);

	uint32_t first = take();
	uint16_t second, third;

	EXPECT_EQ(ring->descriptors[first].address, out[0].address);
	EXPECT_EQ(ring->descriptors[first].length, 3);
	EXPECT_EQ(ring->descriptors[first].flags, 1);
	second = ring->descriptors[first].next;
	EXPECT_EQ(ring->descriptors[second].length, 5);
	EXPECT_EQ(ring->descriptors[second].flags, 1);
	third = ring->descriptors[second].next;
	EXPECT_EQ(ring->descriptors[third].address, in.address);
	EXPECT_EQ(ring->descriptors[third].length, 64);
	EXPECT_EQ(ring->descriptors[third].flags, 2);
	EXPECT(!virtio_queue_get(queue, &written));
	give_back(ring, first, 60);
	EXPECT(virtio_queue_get(queue, &written) == &device);
	EXPECT_EQ(written, 60);
	EXPECT_EQ(virtio_queue_free(queue), SIZE);
	EXPECT(!virtio_queue_get(queue, &written));
	end_device();
}

static void requests_come_in_any_order(void)
{
	EXPECT_EQ(start_device(), 0);
	/* More often than the 16-bit indices have values. */
	for (unsigned int round = 0; round < 40000; round++) {
		EXPECT_EQ_AT(add_in(0, 64), 0, "round %u", round);
		EXPECT_EQ_AT(add_in(1, 64), 0, "round %u", round);

		uint32_t first = take(), second = take();

		give_back(ring, second, 2);
		give_back(ring, first, 1);

		uint32_t written = 0;

		EXPECT_AT(virtio_queue_get(queue, &written) == bytes[1], "round %u", round);
		EXPECT_EQ_AT(written, 2, "round %u", round);
		EXPECT_AT(virtio_queue_get(queue, &written) == bytes[0], "round %u", round);
		EXPECT_EQ_AT(written, 1, "round %u", round);
	}
	EXPECT_EQ(virtio_queue_free(queue), SIZE);
	end_device();
}

static void bad_requests_are_refused(void)
{
	struct virtio_buffer many[SIZE + 1];

	EXPECT_EQ(start_device(), 0);
	for (unsigned int i = 0; i <= SIZE; i++)
		many[i] = buffer(0, 1);
	EXPECT_EQ(virtio_queue_add(queue, many, SIZE + 1, NULL, 0, bytes), -EINVAL);
	EXPECT_EQ(virtio_queue_add(queue, many, UINT32_MAX, many, 2, bytes), -EINVAL);
	EXPECT_EQ(virtio_queue_add(queue, NULL, 0, NULL, 0, bytes), -EINVAL);
	EXPECT_EQ(virtio_queue_add(queue, many, 1, NULL, 0, NULL), -EINVAL);
	EXPECT_EQ(add_in(0, 0), -EINVAL);
	many[0].length = UINT32_MAX;
	EXPECT_EQ(virtio_queue_add(queue, many, 2, NULL, 0, bytes), -EINVAL);
	many[0].length = 1;
	EXPECT_EQ(virtio_queue_add(queue, many, SIZE, NULL, 0, bytes), 0);
	EXPECT_EQ(add_in(0, 1), -ENOSPC);
	EXPECT_EQ(virtio_queue_free(queue), 0);
	give_back(ring, take(), 0);
	EXPECT(virtio_queue_get(queue, NULL) == bytes);
	EXPECT_EQ(virtio_queue_add(queue, many, SIZE, NULL, 0, bytes), 0);
	end_device();
}

/* The queue is broken, for good, and the log says it as REASON; the device knows. */
static void expect_broken(const char *reason)
{
	char line[256];

	snprintf(line, sizeof(line), "virtio: d: queue 1 is given up: %s", reason);
	EXPECT(!virtio_queue_get(queue, NULL));
	EXPECT(virtio_queue_is_broken(queue));
	EXPECT_STR(sim_log_last(), line);
	EXPECT_EQ(status & FAILED, FAILED);
	EXPECT_EQ(add_in(3, 1), -EIO);
	give_back(ring, 0, 0);
	EXPECT(!virtio_queue_get(queue, NULL));
	EXPECT(!virtio_queue_interrupt(queue, true));
	notify = UINT32_MAX;
	virtio_queue_kick(queue);
	EXPECT_EQ(notify, UINT32_MAX);
	virtio_device_interrupt(&device, -1);
	EXPECT_EQ(calls, 1);
	virtio_device_interrupt(&device, -1);
	EXPECT_EQ(calls, 1);
	end_device();
}

static void an_id_that_lies_breaks_the_queue(void)
{
	static const uint32_t ids[] = { SIZE, SIZE + 1, 0xffff, 0x10000, UINT32_MAX };

	for (unsigned int i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		EXPECT_EQ(start_device(), 0);
		EXPECT_EQ(add_in(0, 64), 0);
		give_back(ring, ids[i], 0);
		expect_broken("it returned a request that it had not");
	}
	/* A descriptor inside of a request, one that is free, and one that came back already. */
	const struct virtio_buffer in[2] = { buffer(0, 1), buffer(1, 1) };

	for (unsigned int other = 1; other <= 2; other++) {
		EXPECT_EQ(start_device(), 0);
		EXPECT_EQ(virtio_queue_add(queue, NULL, 0, in, 2, bytes), 0);
		EXPECT_EQ(take(), 0);
		give_back(ring, other, 0);
		expect_broken("it returned a request that it had not");
	}
	EXPECT_EQ(start_device(), 0);
	EXPECT_EQ(add_in(0, 1), 0);
	EXPECT_EQ(add_in(1, 1), 0);
	give_back(ring, 0, 0);
	give_back(ring, 0, 0);
	EXPECT(virtio_queue_get(queue, NULL) == bytes[0]);
	expect_broken("it returned a request that it had not");
}

static void a_length_that_lies_breaks_the_queue(void)
{
	const struct virtio_buffer out = buffer(0, 32), in[2] = { buffer(1, 10), buffer(2, 20) };
	uint32_t written = 0;

	EXPECT_EQ(start_device(), 0);
	EXPECT_EQ(virtio_queue_add(queue, &out, 1, in, 2, bytes), 0);
	give_back(ring, take(), 30);
	EXPECT(virtio_queue_get(queue, &written) == bytes);
	EXPECT_EQ(written, 30);
	EXPECT_EQ(virtio_queue_add(queue, &out, 1, in, 2, bytes), 0);
	give_back(ring, take(), 31);
	expect_broken("it wrote more than there was room for");

	EXPECT_EQ(start_device(), 0);
	EXPECT_EQ(virtio_queue_add(queue, &out, 1, NULL, 0, bytes), 0);
	give_back(ring, take(), 1);
	expect_broken("it wrote more than there was room for");
}

static void an_index_that_lies_breaks_the_queue(void)
{
	static const uint16_t steps[] = { 2, SIZE, SIZE + 1, 0x8000, UINT16_MAX };

	for (unsigned int i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		EXPECT_EQ(start_device(), 0);
		EXPECT_EQ(add_in(0, 64), 0);
		ring->used[1] = (uint16_t)(ring->used[1] + steps[i]);
		expect_broken("it returned more requests than it had");
	}
}

static void what_the_device_writes_is_not_read(void)
{
	const struct virtio_buffer in[2] = { buffer(0, 1), buffer(1, 1) };

	EXPECT_EQ(start_device(), 0);
	EXPECT_EQ(virtio_queue_add(queue, NULL, 0, in, 2, bytes), 0);

	uint32_t first = take();

	/* Descriptors and the available ring are the kernel's to write. */
	memset(ring->descriptors, 0xff, SIZE * sizeof(struct descriptor));
	memset(ring->avail, 0xff, (3 + SIZE) * sizeof(uint16_t));
	give_back(ring, first, 2);
	EXPECT(virtio_queue_get(queue, NULL) == bytes);
	EXPECT_EQ(virtio_queue_free(queue), SIZE);
	EXPECT_EQ(virtio_queue_add(queue, NULL, 0, in, 2, bytes), 0);
	EXPECT_EQ(ring->avail[1], 2);
	EXPECT_EQ(ring->descriptors[ring->avail[2 + 1]].length, 1);
	end_device();
}

/* Whether a kick is heard. */
static bool is_heard(void)
{
	notify = UINT32_MAX;
	virtio_queue_kick(queue);
	EXPECT(notify == UINT32_MAX || notify == 1);
	return notify == 1;
}

static void kicks_are_suppressed(void)
{
	uint16_t *event;

	EXPECT_EQ(start_device(), 0);
	event = (uint16_t *)(used_entries(ring) + SIZE);
	EXPECT(!is_heard());
	*event = 0;
	EXPECT_EQ(add_in(0, 1), 0);
	EXPECT(is_heard());
	EXPECT(!is_heard());
	*event = 0; /* the device is awake and has not looked further */
	EXPECT_EQ(add_in(1, 1), 0);
	EXPECT(!is_heard());
	*event = 3;
	EXPECT_EQ(add_in(2, 1), 0);
	EXPECT(!is_heard());
	EXPECT_EQ(add_in(3, 1), 0);
	EXPECT(is_heard());
	end_device();

	EXPECT_EQ(start_with(THE_VERSION), 0);
	EXPECT_EQ(add_in(0, 1), 0);
	ring->used[0] = 1;
	EXPECT(!is_heard());
	EXPECT_EQ(add_in(1, 1), 0);
	ring->used[0] = 0;
	EXPECT(is_heard());
	end_device();
}

static void interrupts_are_suppressed(void)
{
	EXPECT_EQ(start_device(), 0);
	EXPECT_EQ(ring->avail[2 + SIZE], 0);
	EXPECT_EQ(add_in(0, 1), 0);
	EXPECT(!virtio_queue_interrupt(queue, false));
	EXPECT_EQ(ring->avail[2 + SIZE], UINT16_MAX);
	give_back(ring, take(), 0);
	EXPECT(virtio_queue_interrupt(queue, true));
	EXPECT_EQ(ring->avail[2 + SIZE], 0);
	EXPECT(virtio_queue_get(queue, NULL) == bytes[0]);
	EXPECT_EQ(ring->avail[2 + SIZE], 1);
	end_device();

	EXPECT_EQ(start_with(THE_VERSION), 0);
	virtio_queue_interrupt(queue, false);
	EXPECT_EQ(ring->avail[0], 1);
	virtio_queue_interrupt(queue, true);
	EXPECT_EQ(ring->avail[0], 0);
	end_device();
}

static void an_interrupt_calls_back(void)
{
	EXPECT_EQ(start_device(), 0);
	EXPECT_EQ(add_in(0, 1), 0);
	virtio_device_interrupt(&device, 1);
	EXPECT_EQ(calls, 0);
	give_back(ring, take(), 0);
	virtio_device_interrupt(&device, 0);
	EXPECT_EQ(calls, 0);
	virtio_device_interrupt(&device, 1);
	EXPECT_EQ(calls, 1);
	virtio_device_interrupt(&device, -1);
	EXPECT_EQ(calls, 2);
	end_device();
}

static void queues_have_a_power_of_two(void)
{
	static const struct {
		uint16_t device;
		unsigned int asked, expected;
	} cases[] = {
		{ 1024, 8, 8 }, { 1024, 7, 4 }, { 5, 8, 4 }, { 1, 8, 1 }, { UINT16_MAX, 1000, 256 }
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		EXPECT_EQ(start_device(), 0);

		rings[0].most = cases[i].device;
		struct virtio_queue *other =
			virtio_queue_new(&device, 0, cases[i].asked, NULL, NULL);

		EXPECT_EQ_AT(virtio_queue_size(other), cases[i].expected, "case %u", i);
		EXPECT(!virtio_queue_new(&device, 0, SIZE, NULL, NULL));
		EXPECT(!virtio_queue_new(&device, 2, SIZE, NULL, NULL));
		page_put(rings[0].descriptors);
		kfree(other);
		end_device();
	}
}

static void features_are_negotiated(void)
{
	EXPECT_EQ(start_device(), 0);
	EXPECT_EQ(accepted, THE_FEATURES);
	EXPECT_EQ(status, 0x0f);
	end_device();

	EXPECT_EQ(start_with(UINT64_MAX), 0);
	EXPECT_EQ(accepted,
		  THE_FEATURES | VIRTIO_BIT(OWN_FEATURE) | VIRTIO_BIT(VIRTIO_F_ACCESS_PLATFORM));
	EXPECT(virtio_has_feature(&device, OWN_FEATURE));
	end_device();

	EXPECT_EQ(start_with(VIRTIO_BIT(OWN_FEATURE)), -ENODEV);
	EXPECT_EQ(sim_end(), 0);
	refuses = true;
	EXPECT_EQ(start_device(), -ENODEV);
	refuses = false;
	EXPECT_EQ(sim_end(), 0);
}

static void a_failed_probe_leaves_nothing(void)
{
	probe_result = -ENOMEM;
	EXPECT_EQ(start_device(), -ENOMEM);
	EXPECT_EQ(status, 0);
	EXPECT(!device.queues);
	EXPECT_EQ(sim_end(), 0);
	probe_result = 0;
	for (unsigned int number = 1; number <= 2; number++) {
		sim_start(1);
		rings[0].most = SIZE;
		device = (struct virtio_device){ .name = "d", .transport = &transport };
		sim_allocation_fail(number);
		EXPECT(!virtio_queue_new(&device, 0, SIZE, NULL, NULL));
		sim_allocation_fail(0);
		EXPECT_EQ(sim_end(), 0);
	}
}

static void the_configuration_stays_inside(void)
{
	uint8_t got[16];
	uint32_t number;

	EXPECT_EQ(start_device(), 0);
	for (unsigned int i = 0; i < CONFIG_SIZE; i++)
		config[i] = (uint8_t)(i + 1);
	EXPECT(virtio_config_read(&device, 4, &number, sizeof(number)));
	EXPECT_EQ(number, 0x08070605);
	EXPECT(virtio_config_read(&device, 3, got, 9));
	EXPECT_EQ(got[8], 12);
	EXPECT(!virtio_config_read(&device, 3, got, 10));
	EXPECT_EQ(got[8], 0);
	EXPECT(!virtio_config_read(&device, CONFIG_SIZE, got, 1));
	EXPECT(!virtio_config_read(&device, UINT32_MAX, got, 4));
	restless = 1;
	EXPECT(!virtio_config_read(&device, 4, &number, sizeof(number)));
	EXPECT_EQ(number, 0);
	restless = 0;
	end_device();
}

static void a_stopped_device_gives_all_back(void)
{
	EXPECT_EQ(start_device(), 0);
	EXPECT_EQ(add_in(0, 1), 0);
	virtio_device_stop(&device);
	EXPECT_EQ(status, 0);
	EXPECT(virtio_queue_is_broken(queue));
	EXPECT_EQ(calls, 1);
	EXPECT_EQ(add_in(1, 1), -EIO);
	end_device();
}

/* The device writes any bytes anywhere in its part: the driver gets only what it gave, each once. */
static void any_bytes_are_survived(void)
{
	unsigned int broken = 0, returned = 0;

	srand(1);
	for (unsigned int round = 0; round < 20000; round++) {
		bool in_flight[4] = { false };

		EXPECT_EQ(start_device(), 0);
		for (unsigned int step = 0; step < 24; step++) {
			unsigned int index = (unsigned int)rand() % 4;
			uint32_t written = 0;
			char *token;

			if (!in_flight[index] && !add_in(index, 64))
				in_flight[index] = true;
			if (rand() % 2)
				give_back(ring, (uint32_t)rand() % 5, (uint32_t)rand() % 66);
			else if (rand() % 8 == 0)
				ring->used[rand() % (2 + 4 * SIZE + 1)] = (uint16_t)rand();
			virtio_queue_kick(queue);
			while ((token = virtio_queue_get(queue, &written))) {
				unsigned int got = (unsigned int)((token - bytes[0]) / 64);

				EXPECT_AT(got < 4 && in_flight[got], "round %u", round);
				EXPECT_AT(written <= 64, "round %u", round);
				in_flight[got] = false;
				returned++;
			}
		}
		broken += virtio_queue_is_broken(queue);
		end_device();
	}
	EXPECT(broken > 10000);
	EXPECT(returned > 10000);
}

static const struct tap_rule rules[] = {
	{ "a request goes to the device and comes back", a_request_goes_and_comes },
	{ "requests come back in any order, however often", requests_come_in_any_order },
	{ "requests without buffers, with empty, too many or too long ones are refused",
	  bad_requests_are_refused },
	{ "an id that lies breaks the queue", an_id_that_lies_breaks_the_queue },
	{ "a length that lies breaks the queue", a_length_that_lies_breaks_the_queue },
	{ "an index that lies breaks the queue", an_index_that_lies_breaks_the_queue },
	{ "the kernel does not read back what it has written", what_the_device_writes_is_not_read },
	{ "kicks that the device does not want are left out", kicks_are_suppressed },
	{ "interrupts that the driver does not want are left out", interrupts_are_suppressed },
	{ "an interrupt calls the driver back if there are requests", an_interrupt_calls_back },
	{ "a queue has a power of two of descriptors, no more than asked for and offered",
	  queues_have_a_power_of_two },
	{ "features are those of both sides, of version 1", features_are_negotiated },
	{ "a probe that fails leaves nothing behind", a_failed_probe_leaves_nothing },
	{ "the configuration is read inside of its size, and of one generation",
	  the_configuration_stays_inside },
	{ "a stopped device gives all buffers back", a_stopped_device_gives_all_back },
	{ "the driver survives a device that writes any bytes", any_bytes_are_survived },
};

TAP_MAIN(rules)
