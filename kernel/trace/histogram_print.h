/* SPDX-License-Identifier: BSD-2-Clause */
/* A histogram as text. */
#ifndef KERNEL_TRACE_HISTOGRAM_PRINT_H
#define KERNEL_TRACE_HISTOGRAM_PRINT_H

struct histogram;
struct text;

/* Write HISTOGRAM's description, "keys=…:size=2048"; its state, " [active]"; its entries and totals. Task
 * context. */
void histogram_print_keys(const struct histogram *histogram, struct text *text);
void histogram_print_state(const struct histogram *histogram, struct text *text);
void histogram_print(struct histogram *histogram, struct text *text);

#endif
