/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of small numbers in a word. */
#ifndef KERNEL_BITS_H
#define KERNEL_BITS_H

#include <stdint.h>

/* Returns how many bits of WORD are set. Not the compiler's builtin: without an instruction for it, the
 * builtin calls a library that is built with the red zone. Any context. */
static inline unsigned int bits_count(uint64_t word)
{
	unsigned int count = 0;

	for (; word; word &= word - 1)
		count++;
	return count;
}

#endif
