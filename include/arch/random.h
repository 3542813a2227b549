/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of every ISA: entropy. */
#ifndef ARCH_RANDOM_H
#define ARCH_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* Stores 64 bits from the CPU's source of entropy in *WORD; false: no source, or none just now. Any
 * context. */
bool arch_random_word(uint64_t *word);
/* Returns the finest clock of the machine: its low bits depend on the machine's whole history. Any
 * context. */
uint64_t arch_random_time(void);

#endif
