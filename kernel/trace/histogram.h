/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms of events: how often each key was met, and sums of values, in Linux's language
 * (Documentation/trace/histogram.rst):
 *
 *      keys=FIELD[.MODIFIER],… [:vals=FIELD[.hex],…] [:sort=FIELD[.descending],…] [:size=ENTRIES]
 *      [:pause] [:cont] [:clear]
 *
 * Up to three keys, two values and two fields to sort by; 128 to 131072 entries. A key's modifier is hex, sym,
 * sym-offset, log2, buckets=N, syscall, or for common_pid execname. Linux's variables, handlers, names, stack
 * traces, percentages and graphs are not there, and wrong as what is not understood.
 */
#ifndef KERNEL_TRACE_HISTOGRAM_H
#define KERNEL_TRACE_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>

struct histogram;
struct text;
struct trace_event;

/* What else was asked for with a histogram. */
struct histogram_request {
	bool pause, resume, clear;
};

/* Makes *RESULT of TEXT, which is changed, for records of EVENT, empty and paused if that is asked for. 0,
 * -EINVAL, -ERANGE (a size beyond a word), -ENOMEM. Task context. */
int histogram_make(const struct trace_event *event, char *text, struct histogram **result,
		   struct histogram_request *request);

/* Frees HISTOGRAM; NULL: nothing. Nobody uses it any more. Task context. */
void histogram_free(struct histogram *histogram);

/* Whether A and B, of one event, are about the same. Any context. */
bool histogram_equals(const struct histogram *a, const struct histogram *b);

/* Pauses, goes on or forgets as REQUEST says: 0 or -ENOMEM. Task context; one at a time. */
int histogram_change(struct histogram *histogram, const struct histogram_request *request);

/* RECORD counts, unless HISTOGRAM is paused. Interrupts off; any lock may be held. */
void histogram_add(struct histogram *histogram, const void *record);

/* Writes what HISTOGRAM is: "keys=…:size=2048"; its state, " [active]"; its entries and totals. Task context. */
void histogram_print_keys(const struct histogram *histogram, struct text *text);
void histogram_print_state(const struct histogram *histogram, struct text *text);
void histogram_print(struct histogram *histogram, struct text *text);

#endif
