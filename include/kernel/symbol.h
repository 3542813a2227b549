/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the kernel's functions, for people who read backtraces.
 */
#ifndef KERNEL_SYMBOL_H
#define KERNEL_SYMBOL_H

#include <stddef.h>
#include <stdint.h>

/* The function that ADDRESS lies in, with *OFFSET from its start; NULL when it lies in none. Any
 * context. */
const char *symbol_find(uintptr_t address, size_t *offset);

#endif
