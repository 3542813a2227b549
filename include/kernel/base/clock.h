/* SPDX-License-Identifier: BSD-2-Clause */
/* The monotonic clock, which each ISA implements: it starts near 0 at boot and is the same on every CPU. */
#ifndef KERNEL_BASE_CLOCK_H
#define KERNEL_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define NSEC_PER_SEC  1000000000ull
#define NSEC_PER_MSEC 1000000ull
#define NSEC_PER_USEC 1000ull

/* Returns the nanoseconds since boot, monotonic. Any context, NMI included. */
uint64_t clock_ns(void);

/* The conversion for user space: ns = offset + ((cycles * mult) >> shift), as in perf_event_mmap_page's
 * time_mult, time_shift, time_offset (clock_ns() as a function of the time-stamp counter). False: not
 * possible. Any context. */
struct clock_conversion {
	uint32_t mult;
	uint16_t shift;
	uint64_t offset_ns;
};
bool clock_user_conversion(struct clock_conversion *conversion);

#endif
