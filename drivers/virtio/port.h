/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ports of virtio consoles between the file of their bytes, port.c, and that of the device, console.c: what the host says of a
 * port (C) is console.c's, the rest port.c's.
 */
#ifndef VIRTIO_PORT_H
#define VIRTIO_PORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <kernel/sched/wait.h>
#include <kernel/virtio/port.h>
#include <kernel/virtio/virtio.h>

#define VIRTIO_PORT_NAME_SIZE 32

struct console;

struct virtio_port {
	struct console *console;
	unsigned int id;
	struct virtio_queue *receive, *transmit;
	struct wait_queue waiters;
	char name[VIRTIO_PORT_NAME_SIZE]; /* C: console->lock */
	bool present, host_open;	  /* C */
	bool opened;			  /* C: by the kernel */
	atomic_bool closed;		  /* after opened: the host has closed the port; final */

	struct mutex read_mutex;
	char *page;		    /* read_mutex: the page that is being read; NULL: none */
	uint32_t page_at, page_end; /* read_mutex */

	struct spinlock lock; /* L */
	bool owned;	      /* L: a writer is at work */
	bool in_flight;	      /* L: the device has the block */
	char *block;	      /* the owner's, while not in_flight; NULL before the first write */
};

/* Makes the queues of PORT, which is zeroed, from number QUEUE on; DEVICE may not have them. Task context, in the probe. */
void virtio_port_init(struct virtio_port *port, struct virtio_device *device, unsigned int queue);
/* Gives the device up to COUNT pages to write to. False: there is none. Task context. */
bool virtio_port_give_pages(struct virtio_port *port, unsigned int count);
/* Waits until the device has all written bytes, or is broken; no signal ends the wait. Task context. */
void virtio_port_drain(struct virtio_port *port);

#endif
