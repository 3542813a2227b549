/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random bytes that nobody can foretell: AT_RANDOM, where things are placed, getrandom(2),
 * /dev/random. How good they are is up to the processor's source of entropy; without one there is only
 * timing.
 */
#ifndef KERNEL_RANDOM_H
#define KERNEL_RANDOM_H

#include <stddef.h>

/* Fills BUFFER. Any context but NMI, any lock held. */
void random_bytes(void *buffer, size_t size);

/* Mixes what somebody holds for random into what comes from now on; it is not trusted. Any context but
 * NMI. */
void random_add(const void *bytes, size_t size);
/* The same with the machine's own entropy. Any context but NMI. */
void random_reseed(void);

#endif
