/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that are no strings: bytes and their number, as the parts of a path are, without a zero byte.
 */
#ifndef KERNEL_NAME_H
#define KERNEL_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Returns whether the SIZE bytes at NAME are the string TEXT. Any context. */
static inline bool name_is(const char *text, const char *name, size_t size)
{
	return !strncmp(text, name, size) && !text[size];
}

#endif
