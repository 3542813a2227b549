/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulated virtio device with up to QUEUES queues. It shares plain memory with the kernel, into which a test writes what
 * it likes: the layout of that memory is written down anew here, beside the kernel's own (VIRTIO 1.2, 2.7.5 and 2.7.8).
 */
#ifndef TESTS_UNIT_VIRTIO_DEVICE_H
#define TESTS_UNIT_VIRTIO_DEVICE_H

#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/virtio/virtio.h>
#include <uapi/linux/errno.h>

#include <stdlib.h>

#include "../../drivers/virtio/queue.h"
#include "events.h"

#define QUEUES	    12

/* Bits of the status (2.1): the device agrees to the features; the driver has given the device up. */
#define FEATURES_OK 0x08
#define FAILED	    0x80

struct descriptor {
	uint64_t address;
	uint32_t length;
	uint16_t flags, next;
};

struct used_entry {
	uint32_t id, length;
};

struct rings {
	struct descriptor *descriptors;
	uint16_t *avail, *used;
	unsigned int size;
	uint16_t taken; /* the device's place in the available ring */
	uint16_t most;	/* descriptors that the device offers */
};

static struct rings rings[QUEUES];
static uint8_t status;
static uint64_t offered, accepted; /* features */
static bool refuses;		   /* the features that the driver accepts */
static uint8_t config[128];
static uint32_t generation, restless; /* the generation grows so much at each read */
static volatile uint32_t notify;      /* the register that is written at a kick */

static uint8_t get_status(struct virtio_device *device)
{
	return status;
}

static void set_status(struct virtio_device *device, uint8_t value)
{
	status = refuses ? value & (uint8_t)~FEATURES_OK : value;
}

static uint64_t get_features(struct virtio_device *device)
{
	return offered;
}

static void set_features(struct virtio_device *device, uint64_t features)
{
	accepted = features;
}

static uint32_t get_generation(struct virtio_device *device)
{
	return generation += restless;
}

static uint32_t read_config(struct virtio_device *device, uint32_t offset, unsigned int width)
{
	uint32_t value = 0;

	EXPECT(offset + width <= device->config_size);
	EXPECT_EQ(offset % width, 0);
	memcpy(&value, config + offset, width);
	return value;
}

static uint16_t get_queue_size(struct virtio_device *device, unsigned int index)
{
	return index < QUEUES ? rings[index].most : 0;
}

static int enable_queue(struct virtio_device *device, unsigned int index, unsigned int size,
			const paddr_t parts[3], volatile void **register_)
{
	EXPECT_EQ(parts[0] % 16, 0);
	EXPECT_EQ(parts[1] % 2, 0);
	EXPECT_EQ(parts[2] % 4, 0);
	rings[index].size = size;
	rings[index].descriptors = (void *)parts[0];
	rings[index].avail = (void *)parts[1];
	rings[index].used = (void *)parts[2];
	rings[index].taken = 0;
	*register_ = &notify;
	return 0;
}

static void disconnect(struct virtio_device *device)
{
}

static const struct virtio_transport transport = {
	get_status,  set_status,     get_features, set_features, get_generation,
	read_config, get_queue_size, enable_queue, disconnect,
};

static struct virtio_device device;

/*
 * Adds the device of ID with FEATURES, CONFIG_SIZE bytes of configuration and MOST descriptors for each of NR_QUEUES queues:
 * the result of the probe.
 */
static int add_device(unsigned int id, uint64_t features, uint32_t config_size,
		      unsigned int nr_queues, uint16_t most)
{
	sim_start(1);
	memset(rings, 0, sizeof(rings));
	for (unsigned int i = 0; i < nr_queues; i++)
		rings[i].most = most;
	offered = features;
	status = 0;
	restless = 0;
	notify = UINT32_MAX;
	device = (struct virtio_device){
		.name = "d", .id = id, .transport = &transport, .config_size = config_size
	};
	return virtio_device_add(&device);
}

/* The same of version 1, with all that this device can have: for the drivers above the queues. */
static inline int add_modern_device(unsigned int id, uint64_t features, uint16_t most)
{
	return add_device(id, features | VIRTIO_BIT(VIRTIO_F_VERSION_1), sizeof(config), QUEUES,
			  most);
}

/* Stops the device and frees its queues. */
static inline void remove_device(void)
{
	virtio_device_stop(&device);
	virtio_queues_free(&device);
}

/* The device takes the next request of RING: its first descriptor, or -1. */
static inline int take_request(struct rings *ring)
{
	return ring->taken == ring->avail[1] ? -1 : ring->avail[2 + ring->taken++ % ring->size];
}

static inline struct used_entry *used_entries(const struct rings *ring)
{
	return (struct used_entry *)(ring->used + 2);
}

/* The device says that it has written LENGTH bytes to the request at descriptor ID. */
static inline void give_back(struct rings *ring, uint32_t id, uint32_t length)
{
	used_entries(ring)[ring->used[1] % ring->size] = (struct used_entry){ id, length };
	ring->used[1]++;
}

#endif
