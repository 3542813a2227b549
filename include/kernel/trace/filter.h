/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters: conditions on the records of an event, in Linux's language (Documentation/trace/events.rst, "Event
 * filtering"; kernel/trace/trace_events_filter.c):
 *
 *      expression   =  conjunction { || conjunction }
 *      conjunction  =  term { && term }
 *      term         =  ! term | ( expression ) | field operator value
 *      operator     =  == | != | < | <= | > | >= | &      for numbers
 *                      == | != | ~                        for strings; ~ has * ? [a-z]
 *                      == | != | &                        for a number and CPUS{list}
 *                      == | !=                            for a field with ".function", and a function
 *
 * A field is one of the event's, or one that every event has: cpu, comm, common_pid. A string is quoted.
 * ".ustring" after a field follows a pointer to a program's string. A list of CPUs has the syntax of
 * <kernel/base/cpu_list.h>. A function is a name, or an address in it.
 */
#ifndef KERNEL_TRACE_FILTER_H
#define KERNEL_TRACE_FILTER_H

#include <stddef.h>

#include <kernel/mm/page.h>

struct trace_event;
struct trace_filter;

/* Longest text of a filter, with its terminator: Linux's limit. */
#define TRACE_FILTER_SIZE PAGE_SIZE

/* The error in a filter's text: Linux's words for it, NULL: no error; and its place. */
struct trace_filter_error {
	const char *words;
	size_t offset;
};

/* Makes *FILTER from TEXT, for records of EVENT. 0, -ENOMEM, or with *WRONG filled in: -EINVAL, and, as on
 * Linux, -EPERM (not a comparison), -ENOENT (not closed), -ESRCH (a quote is missing). Task context. */
int trace_filter_make(const struct trace_event *event, const char *text,
		      struct trace_filter **filter, struct trace_filter_error *wrong);

/* Frees FILTER, which is not used any more; NULL: no effect. Any context. */
void trace_filter_free(struct trace_filter *filter);

#endif
