/* SPDX-License-Identifier: BSD-2-Clause */
/* An event's description of itself. */
#ifndef KERNEL_TRACE_FORMAT_H
#define KERNEL_TRACE_FORMAT_H

struct text;

/* Writes the contents of the file `format` of event NUMBER. Task context. */
void trace_print_format(struct text *text, unsigned int number);

#endif
