/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that a simulated virtio device shares with the kernel, written down anew beside the kernel's own layout (VIRTIO
 * 1.2, 2.7.5 and 2.7.8), and the status by which a driver gives up (2.1). */
#ifndef TESTS_UNIT_VIRTIO_RINGS_H
#define TESTS_UNIT_VIRTIO_RINGS_H

#include <stdint.h>

#define FAILED 0x80

struct descriptor {
	uint64_t address;
	uint32_t length;
	uint16_t flags, next;
};

struct used_entry {
	uint32_t id, length;
};

#endif
