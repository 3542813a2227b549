/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transport of the 9P protocol: a device with one queue, where each request is one buffer that the device reads and
 * one that it writes.
 *
 * The caller makes one call at a time. A call waits until its token comes back; a queue that is broken ends it, and so does
 * a fatal signal once the server is late. The buffers of a call that a signal has ended are the device's until the next
 * call has seen the late reply.
 *
 * Source: VIRTIO 1.2 has no chapter about it: Linux's uapi/linux/virtio_9p.h.
 */
#include <kernel/base/clock.h>
#include <kernel/drivers/p9_transport.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/sched/wait.h>
#include <kernel/virtio/virtio.h>
#include <uapi/linux/errno.h>

/* The tag is in the configuration, after its length of two bytes. */
#define FEATURE_MOUNT_TAG 0
#define CONFIG_TAG_LENGTH 0
#define CONFIG_TAG	  2
/* One call at a time. */
#define QUEUE_SIZE	  2
/* A server that works answers a task that ends, too: its files are closed. */
#define PATIENCE_NS	  NSEC_PER_SEC

/*
 * Locks:
 *   K  none: constant after the probe
 *   C  client->mutex (kernel/fs/9p/client.h), which the file system holds around each call
 */
struct p9_device {
	struct p9_transport transport;
	struct virtio_queue *queue; /* K */
	struct wait_queue done;
	bool late; /* C: the server has not answered for PATIENCE_NS */
	bool lost; /* C: the reply to a call that a signal has ended is still to come */
};

static void returned(struct virtio_queue *queue, void *arg)
{
	struct p9_device *device = arg;

	wait_queue_wake(&device->done);
}

/* Waits for the reply: 0, and *WRITTEN bytes; -EIO: the queue is broken; -EINTR: a fatal signal, and the server is late. */
static int await(struct p9_device *device, uint32_t *written)
{
	uint64_t deadline_ns = clock_ns() + PATIENCE_NS;
	struct wait_entry entry;
	int error = 0;

	wait_queue_add(&device->done, &entry);
	for (;;) {
		if (virtio_queue_get(device->queue, written)) {
			device->late = false;
			error = 0;
			break;
		}
		if (virtio_queue_is_broken(device->queue))
			error = -EIO;
		if (error)
			break;
		if (device->late)
			error = wait_sleep_killable(UINT64_MAX);
		else
			device->late = wait_sleep_uninterrupted(deadline_ns) != 0;
	}
	wait_queue_remove(&device->done, &entry);
	return error;
}

static long call(struct p9_transport *transport, const void *request, size_t request_size,
		 void *reply, size_t reply_max)
{
	struct p9_device *device = __containerof(transport, struct p9_device, transport);
	const struct virtio_buffer out = { page_paddr(request), (uint32_t)request_size };
	const struct virtio_buffer in = { page_paddr(reply), (uint32_t)reply_max };
	uint32_t written = 0;
	int error = device->lost ? await(device, &written) : 0;

	if (error)
		return error;
	device->lost = false;
	if (!request_size)
		return 0;
	if (virtio_queue_add(device->queue, &out, 1, &in, 1, device))
		return -EIO;
	virtio_queue_kick(device->queue);
	error = await(device, &written);
	device->lost = error == -EINTR;
	return error ? error : (long)written;
}

static bool read_tag(struct virtio_device *device, char tag[P9_TAG_SIZE_MAX + 1])
{
	uint16_t size;

	return virtio_config_read(device, CONFIG_TAG_LENGTH, &size, sizeof(size)) && size &&
	       size <= P9_TAG_SIZE_MAX && virtio_config_read(device, CONFIG_TAG, tag, size);
}

static int probe(struct virtio_device *device)
{
	struct p9_device *p9 = kzalloc(sizeof(*p9));

	if (!p9)
		return -ENOMEM;
	wait_queue_init(&p9->done);
	p9->transport.call = call;
	if (virtio_has_feature(device, FEATURE_MOUNT_TAG) && read_tag(device, p9->transport.tag))
		p9->queue = virtio_queue_new(device, 0, QUEUE_SIZE, returned, p9);
	if (!p9->queue) {
		kfree(p9);
		return -ENODEV;
	}
	device->driver_data = p9;
	virtio_device_ready(device);
	p9_transport_add(&p9->transport);
	return 0;
}

VIRTIO_DRIVER(virtio_p9_driver, .name = "9p", .id = VIRTIO_ID_9P,
	      .features = VIRTIO_BIT(FEATURE_MOUNT_TAG), .probe = probe);
