/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * isa.h - the instructions by which user space reads a counter and the time stamp.
 *
 * An ISA without them defines ISA_HAS_COUNTER_READ as 0 and libperf reads by system call.
 */
#ifndef LIBPERF_ISA_H
#define LIBPERF_ISA_H

#include <stdint.h>

#if defined(__x86_64__)

#define ISA_HAS_COUNTER_READ 1

/*
 * The counter with the RDPMC index @index (bit 30 selects the fixed ones), zero-extended from its
 * width. Raises SIGSEGV where the kernel has not allowed it. Intel SDM vol. 2, RDPMC: it clears the
 * upper halves of both registers.
 */
static inline uint64_t isa_read_counter(uint32_t index)
{
	uint64_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return high << 32 | low;
}

/* Cycles of the time stamp counter. Intel SDM vol. 2, RDTSC. */
static inline uint64_t isa_read_timestamp(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

#else

#define ISA_HAS_COUNTER_READ 0

static inline uint64_t isa_read_counter(uint32_t index)
{
	(void)index;
	return 0;
}

static inline uint64_t isa_read_timestamp(void)
{
	return 0;
}

#endif

#endif /* LIBPERF_ISA_H */
