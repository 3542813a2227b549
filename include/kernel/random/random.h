/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unpredictable random bytes: AT_RANDOM, address-space layout, getrandom(2), /dev/random. Their quality
 * depends on the CPU's source of entropy; without one there is only timing.
 */
#ifndef KERNEL_RANDOM_H
#define KERNEL_RANDOM_H

#include <stddef.h>

/* Fills BUFFER. Any context but NMI, any lock held. */
void random_bytes(void *buffer, size_t size);

/* Mixes BYTES, which a caller supplies as random, into later output; they are not trusted. Any context
 * but NMI. */
void random_add(const void *bytes, size_t size);
/* The same with the machine's own entropy. Any context but NMI. */
void random_reseed(void);

#endif
