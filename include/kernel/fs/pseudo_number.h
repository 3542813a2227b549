/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that are written to files of /sys, in the forms that Linux's kstrto functions take (lib/kstrtox.c). */
#ifndef KERNEL_PSEUDO_NUMBER_H
#define KERNEL_PSEUDO_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Parse TEXT as a number of BASE, 10, or 0: decimal, octal after 0, or hexadecimal after 0x. A sign may come before (the
 * unsigned one: only "+") and one newline after it; nothing else. 0, or with *NUMBER as it was: -EINVAL: no number;
 * -ERANGE: greater than MOST, or less than LEAST. Any context.
 */
int pseudo_parse_unsigned(const char *text, unsigned int base, uint64_t most, uint64_t *number);
int pseudo_parse_signed(const char *text, unsigned int base, int64_t least, int64_t most,
			int64_t *number);

/* Parses Linux's boolean, by its first letters: y, Y, t, T, 1, on; n, N, f, F, 0, of. 0, or -EINVAL. Any context. */
int pseudo_parse_boolean(const char *text, bool *value);

#endif
