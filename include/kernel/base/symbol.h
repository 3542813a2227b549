/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the kernel's functions, for readers of backtraces.
 */
#ifndef KERNEL_SYMBOL_H
#define KERNEL_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the function that contains ADDRESS, with *OFFSET from its start; NULL: no function does. Any
 * context. */
const char *symbol_find(uintptr_t address, size_t *offset);

struct symbol_entry {
	uintptr_t address;
	char kind; /* 'T': of the whole image, 't': of one file */
	const char *name;
};

/* Stores function number INDEX in the order of addresses; false: there are fewer. Any context. */
bool symbol_get(size_t index, struct symbol_entry *entry);

/* Stores the bounds of the kernel's functions. Any context. */
void symbol_get_range(uintptr_t *start, uintptr_t *end);

#endif
