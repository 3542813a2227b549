/* SPDX-License-Identifier: BSD-2-Clause */
/* Matching a record with a filter of <kernel/trace/filter.h>. */
#ifndef KERNEL_TRACE_MATCH_H
#define KERNEL_TRACE_MATCH_H

#include <stdbool.h>

struct trace_filter;

/* True if RECORD passes FILTER. Any context but NMI. */
bool trace_filter_match(const struct trace_filter *filter, const void *record);

#endif
