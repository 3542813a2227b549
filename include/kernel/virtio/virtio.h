/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtio devices of version 1, and their drivers. drivers/virtio/device.c; docs/virtio.md is the chapter.
 *
 * A transport (PCI, MMIO) finds devices at START_DEVICES and gives each to the driver of its id. Devices neither come nor
 * go after the start.
 *
 * A device may lie in each byte that it shows: a driver checks what it reads of the configuration. Queues check what the
 * device does to them: <kernel/virtio/queue.h>.
 *
 * Source: Virtual I/O Device (VIRTIO) Version 1.2 (OASIS, July 2022).
 */
#ifndef KERNEL_VIRTIO_H
#define KERNEL_VIRTIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/base/spinlock.h>
#include <kernel/virtio/queue.h>

/* Device ids. VIRTIO 1.2, 5. */
#define VIRTIO_ID_NETWORK 1
#define VIRTIO_ID_CONSOLE 3
#define VIRTIO_ID_ENTROPY 4
#define VIRTIO_ID_9P	  9

#define VIRTIO_BIT(bit)	  ((uint64_t)1 << (bit))

struct virtio_device;
struct virtio_driver;

/* The operations of a transport on a device. Any context but NMI, where nothing else is said. */
struct virtio_transport {
	uint8_t (*get_status)(struct virtio_device *device);
	void (*set_status)(struct virtio_device *device, uint8_t status);
	/* Task context, in a probe. */
	uint64_t (*get_features)(struct virtio_device *device);
	void (*set_features)(struct virtio_device *device, uint64_t features);
	/* Changes when the configuration does. */
	uint32_t (*get_generation)(struct virtio_device *device);
	/* Reads WIDTH bytes, 1, 2 or 4, at OFFSET, a multiple of WIDTH, inside of config_size. */
	uint32_t (*read_config)(struct virtio_device *device, uint32_t offset, unsigned int width);
	/* Returns the most descriptors that queue INDEX takes; 0: there is no such queue. */
	uint16_t (*get_queue_size)(struct virtio_device *device, unsigned int index);
	/* Enables queue INDEX of SIZE descriptors, with its parts at these addresses, and sets *NOTIFY to the register
	 * that virtio_queue_kick writes the index to. 0 or a negative error. Task context, in a probe. */
	int (*enable_queue)(struct virtio_device *device, unsigned int index, unsigned int size,
			    const paddr_t parts[3], volatile void **notify);
	/* The device reaches memory no more, after its reset. Task context. */
	void (*disconnect)(struct virtio_device *device);
};

/* One device. Constant after the probe, but for the members that name another time. */
struct virtio_device {
	const char *name; /* for logs */
	unsigned int id;
	const struct virtio_transport *transport;
	uint32_t config_size; /* bytes of the device's configuration that can be read */
	bool narrow_notify;   /* the register that is written at a kick has 16 bits, not 32 */

	uint64_t features; /* what both sides have, since before the probe */
	const struct virtio_driver *driver;
	void *driver_data; /* the driver's */

	/* Private to drivers/virtio. */
	struct virtio_queue *queues; /* changes in the probe only */
};

/* A driver registers itself with VIRTIO_DRIVER; the linker collects the drivers (section virtio_drivers of linker.ld). */
struct virtio_driver {
	const char *name;
	unsigned int id;
	uint64_t features; /* those that the driver can use, beside the queues' */
	/*
	 * Takes DEVICE, whose features are negotiated: makes its queues, calls virtio_device_ready, and from then on may use
	 * them. 0, or a negative error, after which the device is stopped and its queues are freed. Task context, at
	 * START_DEVICES: files of /dev may be registered.
	 */
	int (*probe)(struct virtio_device *device);
};

/* Defines and registers the driver SYMBOL, a struct virtio_driver. */
#define VIRTIO_DRIVER(symbol, ...)                        \
	const struct virtio_driver symbol __attribute__(( \
		used, aligned(sizeof(void *)), section("virtio_drivers"))) = { __VA_ARGS__ }

/* Returns whether both sides have feature BIT. Any context. */
static inline bool virtio_has_feature(const struct virtio_device *device, unsigned int bit)
{
	return device->features & VIRTIO_BIT(bit);
}

/* The queues are made, and the driver starts: the status DRIVER_OK. Once, in the probe. */
void virtio_device_ready(struct virtio_device *device);

/* Reads SIZE bytes at OFFSET of the configuration into BYTES, all of the same generation. 2, 4 or 8 aligned bytes are a
 * little-endian number, which is read as such; others are read one by one. False: the configuration is not so large, or
 * never stands still; BYTES are then zeros. Any context but NMI. */
bool virtio_config_read(struct virtio_device *device, uint32_t offset, void *bytes, size_t size);

/* Gives DEVICE up: the status FAILED, which tells the host that the driver cannot go on. The buffers in its queues still
 * belong to the device. Any context but NMI. */
void virtio_device_fail(struct virtio_device *device);

/* Resets DEVICE. Afterwards it reaches no memory and its queues are broken: buffers in them are the driver's again. Task
 * context. */
void virtio_device_stop(struct virtio_device *device);

/* For transports: gives DEVICE, whose members up to narrow_notify are set and which stays, to the driver of its id. 0;
 * -ENODEV: no driver, or the device is not of version 1; or the probe's error. Task context, at START_DEVICES. */
int virtio_device_add(struct virtio_device *device);

/* For transports: DEVICE has interrupted for queue INDEX, or for any if it is negative. Interrupt context. */
void virtio_device_interrupt(struct virtio_device *device, int index);

#endif
