/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in what is written to files of tracefs, as Linux's kstrtoul reads them. */
#ifndef KERNEL_TRACE_NUMBER_H
#define KERNEL_TRACE_NUMBER_H

#include <stdint.h>

/* All of TEXT, decimal, 0x hexadecimal or 0 octal, as *NUMBER: 0, -EINVAL, -ERANGE. Any context. */
int trace_parse_number(const char *text, uint64_t *number);

#endif
