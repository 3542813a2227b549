/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock chip of a PC, which some other machines have too. */
#ifndef KERNEL_CLOCK_CHIP_H
#define KERNEL_CLOCK_CHIP_H

#include <stdint.h>

/*
 * Returns the seconds from 1970 to the chip's time, which is taken to be UTC; 0: no chip, or it has no
 * date. At the start, once.
 */
uint64_t clock_chip_read_s(void);

#endif
