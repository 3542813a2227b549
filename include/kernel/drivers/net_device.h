/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Network devices: Ethernet frames to and from the host. A driver adds its device at start; the network
 * (kernel/net/inet/) takes the first one, and calls its operations from one task at a time.
 *
 * Frames have no checksum at their end. The bytes of a received frame are the device's word: nothing in them was checked,
 * and a device that lies may change them until they are copied.
 */
#ifndef KERNEL_NET_DEVICE_H
#define KERNEL_NET_DEVICE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define NET_ADDRESS_SIZE 6
/* An Ethernet header, and the most bytes after it. */
#define NET_HEADER_SIZE	 14
#define NET_MTU		 1500
#define NET_FRAME_MAX	 (NET_HEADER_SIZE + NET_MTU)

struct net_device {
	uint8_t address[NET_ADDRESS_SIZE]; /* a station's, not a group's */
	/* Returns the next received frame of *SIZE bytes, NET_HEADER_SIZE to NET_FRAME_MAX, or NULL: none, or the device is broken.
	 * The frame before was given back. Task context. */
	const void *(*next)(struct net_device *device, size_t *size);
	/* Gives back what next has returned. Task context. */
	void (*done)(struct net_device *device);
	/* Returns room for a frame, NET_FRAME_MAX bytes, for the next call of send; or NULL: there is none, and notify comes when
	 * there is. Task context. */
	void *(*room)(struct net_device *device);
	/* Sends the frame of SIZE bytes, up to NET_FRAME_MAX, that stands there. 0; -EIO: the device is broken, for good. Task
	 * context. */
	int (*send)(struct net_device *device, size_t size);
	/* The network's, set once after the start's device steps; NULL until then. Called when a frame has come, or room, or the
	 * device is found broken. Interrupt context. */
	void (*_Atomic notify)(void);
	/* Since the start: frames and bytes received (without refused ones) and sent; received frames refused for a wrong size or
	 * header. */
	_Atomic uint64_t received, received_bytes, sent, sent_bytes, refused;
	struct net_device *following; /* net_device_add's own */
};

/* Adds DEVICE, which stays. At START_DEVICES. */
void net_device_add(struct net_device *device);
/* Returns the device that was added first, or NULL. Any context after START_DEVICES. */
struct net_device *net_device_first(void);

#endif
