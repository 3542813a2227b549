/* SPDX-License-Identifier: BSD-2-Clause */
/* The language of a histogram. */
#ifndef KERNEL_TRACE_HISTOGRAM_REQUEST_H
#define KERNEL_TRACE_HISTOGRAM_REQUEST_H

struct histogram;
struct histogram_request;
struct trace_event;

/* Sets HISTOGRAM's fields, order and size, and REQUEST, from TEXT, which is changed, for records of EVENT. 0,
 * -EINVAL, -ERANGE (a size beyond a word). */
int histogram_parse(struct histogram *histogram, const struct trace_event *event, char *text,
		    struct histogram_request *request);

#endif
