/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ports of virtio consoles: streams of bytes from and to the host, each with a name. drivers/virtio/port.c; console.c finds
 * and opens them.
 *
 * Bytes that the host has sent before it closes a port are read before the end. A write returns when the device has taken the bytes
 * to the host; so a stopped reader stops the writer.
 */
#ifndef KERNEL_VIRTIO_PORT_H
#define KERNEL_VIRTIO_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct virtio_port;
struct wait_queue;

/* Opens the port NAME, for which it waits until clock_ns() passes DEADLINE_NS, with up to PAGES pages for bytes that the host
 * sends, at least 1: a host notices the end of its input only while there is room. NULL: there is none, no console has it
 * open at the host, or no memory. Each port once. Task context. */
struct virtio_port *virtio_port_open(const char *name, unsigned int pages, uint64_t deadline_ns);

/* Reads up to SIZE bytes into the user memory at BUFFER; waits for the first unless NONBLOCK. Returns how many; 0: the end,
 * which is final; -EAGAIN, -EINTR, -EFAULT; -EIO: the device was given up. Task context. */
ssize_t virtio_port_read(struct virtio_port *port, void *buffer, size_t size, bool nonblock);

/* Writes SIZE bytes from SOURCE, user memory if USER, together: not mixed with those of other calls. Waits for the host
 * unless NONBLOCK. Returns how many the device has, or -EAGAIN, -EINTR, -EFAULT; -EPIPE: the host has closed the port;
 * -EIO as above; -ENOMEM. Task context. */
ssize_t virtio_port_write(struct virtio_port *port, const void *source, size_t size, bool user,
			  bool nonblock);

/* Return whether a read, or a write, would not wait; whether the host has closed the port. Task context. */
bool virtio_port_is_readable(struct virtio_port *port);
bool virtio_port_is_writable(struct virtio_port *port);
bool virtio_port_is_closed(const struct virtio_port *port);

/* The queue that is woken when one of them may have become true. */
struct wait_queue *virtio_port_waiters(struct virtio_port *port);

#endif
