/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters: which records of an event somebody wants, in Linux's language
 * (Documentation/trace/events.rst, "Event filtering"; kernel/trace/trace_events_filter.c):
 *
 *      expression   =  conjunction { || conjunction }
 *      conjunction  =  term { && term }
 *      term         =  ! term | ( expression ) | field operator value
 *      operator     =  == | != | < | <= | > | >= | &      for numbers
 *                      == | != | ~                        for strings; ~ has * ? [a-z]
 *                      == | != | &                        for a number and CPUS{list}
 *                      == | !=                            for a field with ".function", and a function
 *
 * A field is one of the event's, or what every event has: cpu, comm, common_pid. A string stands
 * between quotes. A pointer to a program's string is followed with ".ustring" behind its field. A list of
 * processors is one of <kernel/cpu_list.h>. A function is a name, or an address in it.
 */
#ifndef KERNEL_TRACE_FILTER_H
#define KERNEL_TRACE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include <kernel/page.h>

struct trace_event;
struct trace_filter;

/* Longest text of a filter, with its end: as Linux has it. */
#define TRACE_FILTER_SIZE PAGE_SIZE

/* What is wrong with a filter's text: Linux's words for it, NULL: it has none; and where. */
struct trace_filter_error {
	const char *words;
	size_t offset;
};

/* Makes *FILTER of TEXT, for records of EVENT. 0, -ENOMEM, or with *WRONG filled in: -EINVAL, and by
 * Linux's old habit -EPERM (not a comparison), -ENOENT (not closed), -ESRCH (a quote is missing). Task
 * context. */
int trace_filter_make(const struct trace_event *event, const char *text,
		      struct trace_filter **filter, struct trace_filter_error *wrong);

/* Frees FILTER; NULL: nothing. Nobody uses it any more. Any context. */
void trace_filter_free(struct trace_filter *filter);

/* Whether FILTER lets RECORD through. Any context but NMI. */
bool trace_filter_match(const struct trace_filter *filter, const void *record);

#endif
