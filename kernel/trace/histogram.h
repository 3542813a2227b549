/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms of events: how often each key occurred, and sums of values, in Linux's language
 * (Documentation/trace/histogram.rst):
 *
 *      keys=FIELD[.MODIFIER],… [:vals=FIELD[.hex],…] [:sort=FIELD[.descending],…] [:size=ENTRIES]
 *      [:pause] [:cont] [:clear]
 *
 * Up to three keys, two values and two fields to sort by; 128 to 131072 entries. A key's modifier is hex,
 * sym, sym-offset, log2, buckets=N, syscall, or for common_pid execname. Linux's variables, handlers, names,
 * stack traces, percentages and graphs do not exist here, and are errors like every unknown word.
 */
#ifndef KERNEL_TRACE_HISTOGRAM_H
#define KERNEL_TRACE_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>

struct histogram;
struct trace_event;

/* Further requests with a histogram. */
struct histogram_request {
	bool pause, resume, clear;
};

/* Makes *RESULT from TEXT, which is changed, for records of EVENT, empty and, if requested, paused. 0,
 * -EINVAL, -ERANGE (a size beyond a word), -ENOMEM. Task context. */
int histogram_make(const struct trace_event *event, char *text, struct histogram **result,
		   struct histogram_request *request);

/* Frees HISTOGRAM, which is not used any more; NULL: no effect. Task context. */
void histogram_free(struct histogram *histogram);

/* True if A and B, of one event, have the same keys, values and order. Any context. */
bool histogram_equals(const struct histogram *a, const struct histogram *b);

/* Pauses, continues or clears HISTOGRAM as REQUEST says: 0 or -ENOMEM. Task context; one call at a time. */
int histogram_change(struct histogram *histogram, const struct histogram_request *request);

/* Counts RECORD, unless HISTOGRAM is paused. Interrupts off; any lock may be held. */
void histogram_add(struct histogram *histogram, const void *record);

#endif
