/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clocks and times between them.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_CLOCKS_H
#define TESTS_CLOCKS_H

#include "timing.h"

static const clockid_t numbers[] = { 0,	 1,  2,	 3,  4,	 5,  6,	 7,  8,	 9,  10,
				     11, 12, 16, -1, -2, -3, -5, -6, -7, -9, 1000 };

#define EACH(i) for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)

static long ns_between(const struct timespec *a, const struct timespec *b)
{
	return (b->tv_sec - a->tv_sec) * 1000000000 + b->tv_nsec - a->tv_nsec;
}

#endif
