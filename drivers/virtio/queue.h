/* SPDX-License-Identifier: BSD-2-Clause */
/* The queues of a device, for the device. queue.c. */
#ifndef QUEUE_H
#define QUEUE_H

#include <kernel/virtio/virtio.h>

/* Features of the queues and the transport. VIRTIO 1.2, 6. */
#define VIRTIO_F_EVENT_IDX	 29
#define VIRTIO_F_VERSION_1	 32
#define VIRTIO_F_ACCESS_PLATFORM 33

/* Calls QUEUE's callback if the device has returned requests, or has just been found to lie. Interrupt context, or task
 * context with no lock held that the callback takes. */
void virtio_queue_take_interrupt(struct virtio_queue *queue);

/* Returns the queue of DEVICE after QUEUE (NULL: the first) with INDEX, negative: any. NULL: no more. Any context. */
struct virtio_queue *virtio_queue_of(const struct virtio_device *device, struct virtio_queue *queue,
				     int index);

/* Breaks each queue of DEVICE, which was reset. Task context. */
void virtio_queues_break(struct virtio_device *device);
/* Frees the queues of DEVICE, which was reset and whose driver has none of them any more. Task context. */
void virtio_queues_free(struct virtio_device *device);

#endif
