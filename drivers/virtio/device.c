/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio device and its driver: the negotiation, the probe, the configuration, the end. The transports are pci.c and
 * mmio.c.
 *
 * Source: VIRTIO 1.2, 2.1 (status), 2.2 (features), 2.5 (configuration), 3.1 (initialization).
 */
#include <kernel/virtio/virtio.h>

#include <string.h>

#include <kernel/base/clock.h>
#include <kernel/base/log.h>
#include <uapi/linux/errno.h>

#include "queue.h"

/* The device's status. */
#define STATUS_ACKNOWLEDGE 0x01
#define STATUS_DRIVER	   0x02
#define STATUS_DRIVER_OK   0x04
#define STATUS_FEATURES_OK 0x08
#define STATUS_FAILED	   0x80

/* Features that no driver has to know. */
#define COMMON_FEATURES                                                    \
	(VIRTIO_BIT(VIRTIO_F_VERSION_1) | VIRTIO_BIT(VIRTIO_F_EVENT_IDX) | \
	 VIRTIO_BIT(VIRTIO_F_ACCESS_PLATFORM))

/* A device has this long for its reset. */
#define RESET_LIMIT_NS NSEC_PER_SEC
/* A configuration that changes so often while it is read never stands still. */
#define CONFIG_TRIES   64

extern const struct virtio_driver __start_virtio_drivers[], __stop_virtio_drivers[];

static void add_status(struct virtio_device *device, uint8_t bits)
{
	device->transport->set_status(device,
				      (uint8_t)(device->transport->get_status(device) | bits));
}

/* --- the configuration --- */

/* Reads once, with the WIDTH of one access. */
static void read_config(struct virtio_device *device, uint32_t offset, uint8_t *bytes, size_t size,
			unsigned int width)
{
	for (size_t i = 0; i < size; i += width) {
		uint32_t value =
			device->transport->read_config(device, offset + (uint32_t)i, width);

		memcpy(bytes + i, &value, width);
	}
}

bool virtio_config_read(struct virtio_device *device, uint32_t offset, void *bytes, size_t size)
{
	unsigned int width = 1;

	if ((size == 2 || size == 4 || size == 8) && offset % size == 0)
		width = size == 2 ? 2 : 4;
	for (unsigned int i = 0; i < CONFIG_TRIES; i++) {
		if (offset > device->config_size || size > device->config_size - offset)
			break;

		uint32_t generation = device->transport->get_generation(device);

		read_config(device, offset, bytes, size, width);
		if (device->transport->get_generation(device) == generation)
			return true;
	}
	memset(bytes, 0, size);
	return false;
}

/* --- the end --- */

void virtio_device_fail(struct virtio_device *device)
{
	add_status(device, STATUS_FAILED);
}

/* Resets DEVICE. False: it does not end the reset. */
static bool reset(struct virtio_device *device)
{
	uint64_t deadline_ns = clock_ns() + RESET_LIMIT_NS;

	device->transport->set_status(device, 0);
	while (device->transport->get_status(device))
		if (clock_ns() > deadline_ns)
			return false;
	return true;
}

void virtio_device_stop(struct virtio_device *device)
{
	if (!reset(device))
		log_warning("virtio: %s: it does not end its reset", device->name);
	device->transport->disconnect(device);
	virtio_queues_break(device);
}

/* --- the start --- */

void virtio_device_ready(struct virtio_device *device)
{
	add_status(device, STATUS_DRIVER_OK);
}

void virtio_device_interrupt(struct virtio_device *device, int index)
{
	struct virtio_queue *queue = NULL;

	while ((queue = virtio_queue_of(device, queue, index)))
		virtio_queue_take_interrupt(queue);
}

static const struct virtio_driver *driver_of(unsigned int id)
{
	const struct virtio_driver *driver = __start_virtio_drivers;

	for (; driver < __stop_virtio_drivers; driver++)
		if (driver->id == id)
			return driver;
	return NULL;
}

/* Agrees with DEVICE on its features. 0; -ENODEV: it is not of version 1, or does not agree; -ETIMEDOUT. */
static int negotiate(struct virtio_device *device)
{
	if (!reset(device))
		return -ETIMEDOUT;
	add_status(device, STATUS_ACKNOWLEDGE);
	add_status(device, STATUS_DRIVER);
	device->features = device->transport->get_features(device) &
			   (device->driver->features | COMMON_FEATURES);
	if (!virtio_has_feature(device, VIRTIO_F_VERSION_1))
		return -ENODEV;
	device->transport->set_features(device, device->features);
	add_status(device, STATUS_FEATURES_OK);
	return device->transport->get_status(device) & STATUS_FEATURES_OK ? 0 : -ENODEV;
}

int virtio_device_add(struct virtio_device *device)
{
	int error;

	device->driver = driver_of(device->id);
	if (!device->driver)
		return -ENODEV;
	error = negotiate(device);
	if (!error)
		error = device->driver->probe(device);
	if (!error) {
		log_info("virtio: %s: %s", device->name, device->driver->name);
		return 0;
	}
	virtio_device_fail(device);
	virtio_device_stop(device);
	virtio_queues_free(device);
	return error;
}
