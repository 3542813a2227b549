/* SPDX-License-Identifier: BSD-2-Clause */
/* What every ISA must provide that nobody can foretell. */
#ifndef ARCH_RANDOM_H
#define ARCH_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* 64 bits from the CPU's source of entropy into *WORD; false: it has none, or none just now. Any
 * context. */
bool arch_random_word(uint64_t *word);
/* The finest clock there is: what its low bits are depends on all that the machine has done. Any
 * context. */
uint64_t arch_random_time(void);

#endif
