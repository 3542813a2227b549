// SPDX-License-Identifier: BSD-2-Clause
/* The machine's clock, for tests that wait or that work for a time. */
#ifndef TESTS_BOOT_CLOCK_H
#define TESTS_BOOT_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_MS UINT64_C(1000000)

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 * NS_PER_MS + (uint64_t)now.tv_nsec;
}

/* Whatever signals come meanwhile. */
static inline void pause_ms(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * (long)NS_PER_MS };

	while (nanosleep(&time, &time) < 0 && errno == EINTR)
		;
}

#endif
