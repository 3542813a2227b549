/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transports of the 9P protocol: devices that carry a request to a server of files and its reply back. A device's
 * driver adds one for each server that it finds; the file system (kernel/fs/9p/) asks for it by its tag.
 */
#ifndef KERNEL_P9_TRANSPORT_H
#define KERNEL_P9_TRANSPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest tag, without its terminator. */
#define P9_TAG_SIZE_MAX 63

struct p9_transport {
	char tag[P9_TAG_SIZE_MAX + 1];
	/* Sends the REQUEST_SIZE bytes at REQUEST and waits for the reply, of which it writes at most REPLY_MAX bytes
	 * to REPLY. Both are in the direct map, contiguous in physical memory. Returns how many bytes the server says
	 * that it wrote, which the caller checks; or -EIO: the device is broken; or -EINTR: a fatal signal is pending,
	 * and the server is late: both buffers stay the device's until a later call returns neither. With a REQUEST_SIZE
	 * of 0 it only waits for such a late reply. Task context; the caller makes one call at a time. */
	long (*call)(struct p9_transport *transport, const void *request, size_t request_size,
		     void *reply, size_t reply_max);
	_Atomic bool in_use;	   /* the file system's: one at a time */
	struct p9_transport *next; /* p9_transport_add's own */
};

/* Adds TRANSPORT, which stays. At start, before START_TREES. */
void p9_transport_add(struct p9_transport *transport);
/* Returns the transport with TAG, the first that was added, or NULL. Task context, after the start's steps. */
struct p9_transport *p9_transport_find(const char *tag);

#endif
