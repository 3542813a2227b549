/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of system calls.
 */
#ifndef KERNEL_TRACE_CALLS_H
#define KERNEL_TRACE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/trace/event.h>

/* Numbers the table. Once, at start. */
void trace_calls_init(void);

/* Return the number of calls with events, and event INDEX of them, twice as many. Any context. */
unsigned int trace_call_count(void);
const struct trace_event *trace_call_event(unsigned int index);

/* Returns Linux's name of call NUMBER, "openat", or NULL. Any context. */
const char *trace_call_name(uint64_t number);

/* Adds (ON) or removes a listener of an event of calls: while there is one, every call checks for events. */
void trace_calls_listen(bool on);

#endif
