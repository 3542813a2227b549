/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtio queues: buffers go to a device and come back, in the order that the device chooses. drivers/virtio/queue.c.
 *
 * A request is a list of buffers that the device reads (out), followed by those that it writes (in), with a token of the
 * driver's. From virtio_queue_add until virtio_queue_get returns the token, or virtio_device_stop was called, the buffers
 * belong to the device.
 *
 * The device may lie. A queue is broken by the first index, id or length that cannot be right: one line in the log says
 * so, the device has the status FAILED, and the queue takes and returns nothing more. Requests in it then still
 * belong to the device. A driver must check the bytes of its buffers itself.
 *
 * Source: Virtual I/O Device (VIRTIO) Version 1.2 (OASIS, July 2022), 2.6 and 2.7: split queues.
 */
#ifndef KERNEL_VIRTIO_QUEUE_H
#define KERNEL_VIRTIO_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/base/physical.h>

/* The most descriptors of a queue. */
#define VIRTIO_QUEUE_MAX 256

struct virtio_device;
struct virtio_queue;

struct virtio_buffer {
	paddr_t address;
	uint32_t length; /* bytes, not 0 */
};

/*
 * Makes queue INDEX of DEVICE, with at most SIZE descriptors (1 … VIRTIO_QUEUE_MAX; one for each buffer): a power of two,
 * and no more than the device takes. CALLBACK(QUEUE, ARG) runs with interrupts off and no lock held, when the device has
 * returned requests, and once when an interrupt finds the queue broken or virtio_device_stop breaks it; NULL: the driver
 * asks by itself. Call in the driver's probe. NULL: the device has no such queue, no interrupt for it, or no memory. The queue stays as long as the
 * device.
 */
struct virtio_queue *virtio_queue_new(struct virtio_device *device, unsigned int index,
				      unsigned int size,
				      void (*callback)(struct virtio_queue *queue, void *arg),
				      void *arg);

/*
 * Adds a request of N_OUT buffers that the device reads and N_IN that it writes, at least one. TOKEN, not NULL, names it.
 * The device learns of it by virtio_queue_kick. 0; -ENOSPC: too few free descriptors; -EINVAL: no buffers, more than
 * the queue has descriptors, an empty one, or more than 4 GiB; -EIO: the queue is broken. Any context but NMI.
 */
int virtio_queue_add(struct virtio_queue *queue, const struct virtio_buffer *out,
		     unsigned int n_out, const struct virtio_buffer *in, unsigned int n_in,
		     void *token);

/* Tells the device of the requests that were added, if it wants to hear. A device may handle them before this returns.
 * Any context but NMI. */
void virtio_queue_kick(struct virtio_queue *queue);

/* Returns the token of the next request that the device has returned, and sets *WRITTEN (NULL: not needed) to the bytes
 * that it wrote to the in buffers, from the first on. NULL: none, or the queue is broken: then tasks
 * that wait for other requests of the queue need to hear of it from the caller. Any context but NMI. */
void *virtio_queue_get(struct virtio_queue *queue, uint32_t *written);

/* Lets the device interrupt for requests that it returns (ON, as at first), or asks it not to, which it may ignore.
 * Returns whether there are returned requests now: after switching on, their interrupt may not come. Any context but
 * NMI. */
bool virtio_queue_interrupt(struct virtio_queue *queue, bool on);

/* Return how many descriptors are free; how many the queue has; whether it is broken. Any context: may be out of date. */
unsigned int virtio_queue_free(const struct virtio_queue *queue);
unsigned int virtio_queue_size(const struct virtio_queue *queue);
bool virtio_queue_is_broken(const struct virtio_queue *queue);

#endif
