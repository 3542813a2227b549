/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers written to files of tracefs, in the syntax of Linux's kstrtoul. */
#ifndef KERNEL_TRACE_NUMBER_H
#define KERNEL_TRACE_NUMBER_H

#include <stdint.h>

/* Parses all of TEXT, decimal, 0x hexadecimal or 0 octal, into *NUMBER: 0, -EINVAL, -ERANGE. Any context. */
int trace_parse_number(const char *text, uint64_t *number);

#endif
