/* SPDX-License-Identifier: BSD-2-Clause */
/* xorshift.h: random numbers for a program that runs here and in the machine. One thread. */
#ifndef XORSHIFT_H
#define XORSHIFT_H

#include <stdint.h>

static uint64_t state = 1;

/* Returns the next of the same numbers in each run (Marsaglia, "Xorshift RNGs", J. Stat. Softw. 8, 2003). */
static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

#endif
