/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the kernel's functions, for people who read backtraces.
 */
#ifndef KERNEL_SYMBOL_H
#define KERNEL_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The function that ADDRESS lies in, with *OFFSET from its start; NULL when it lies in none. Any
 * context. */
const char *symbol_find(uintptr_t address, size_t *offset);

struct symbol_entry {
	uintptr_t address;
	char kind; /* 'T': of the whole image, 't': of one file */
	const char *name;
};

/* Function number INDEX in order of address; false: there are fewer. Any context. */
bool symbol_get(size_t index, struct symbol_entry *entry);

/* Where the kernel's functions begin and end. Any context. */
void symbol_get_range(uintptr_t *start, uintptr_t *end);

#endif
