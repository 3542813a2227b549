/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the formats of events use: print.c. */
#ifndef KERNEL_TRACE_PRINT_H
#define KERNEL_TRACE_PRINT_H

#include <stddef.h>

struct trace_symbol {
	unsigned long value;
	const char *name;
};

/* Room for the texts of one record. */
struct trace_scratch {
	char bytes[256];
	size_t used;
};

/* Return the name of VALUE among COUNT SYMBOLS, or the number in hexadecimal; the names of the bits of
 * FLAGS with SEPARATOR between them. As Linux's __print_symbolic and __print_flags. */
const char *trace_print_symbol(struct trace_scratch *scratch, unsigned long value,
			       const struct trace_symbol *symbols, size_t count);
const char *trace_print_flags(struct trace_scratch *scratch, unsigned long flags,
			      const char *separator, const struct trace_symbol *symbols,
			      size_t count);

#endif
