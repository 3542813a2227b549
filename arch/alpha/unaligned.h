/* SPDX-License-Identifier: BSD-2-Clause */
/* Access to the registers of a frame by their numbers. */
#ifndef UNALIGNED_H
#define UNALIGNED_H

#include <stdint.h>

struct trap_frame;

/* Returns register NUMBER (0 … 31) of FRAME, NULL: $31, which is 0. Any context. */
uint64_t *frame_register(struct trap_frame *frame, uint64_t number);

#endif
