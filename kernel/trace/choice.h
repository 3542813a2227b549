/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events that a trace records: the files `enable`, `filter` and `set_event`.
 */
#ifndef KERNEL_TRACE_CHOICE_H
#define KERNEL_TRACE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

struct text;
struct trace_instance;

/* True if event NUMBER is one of SYSTEM (NULL: of any) with the name NAME (NULL: any). False for the
 * events of Linux's own tracers (ftrace:*), which cannot be enabled. */
bool trace_choice_includes(unsigned int number, const char *system, const char *name);

/* True if event NUMBER is recorded. Any context. */
bool trace_choice_is_on(const struct trace_instance *instance, unsigned int number);

/* Starts (ON) or stops recording event NUMBER; the rings exist already. Any context but NMI. */
void trace_choice_switch(struct trace_instance *instance, unsigned int number, bool on);

/* Starts (ON) or stops recording the events that trace_choice_includes selects: 0, -EINVAL (there are
 * none), -ENOMEM. Task context. */
int trace_choice_set(struct trace_instance *instance, const char *system, const char *name,
		     bool on);

/* Returns '1' when all of them are recorded, '0' when none is, else 'X'. Task context. */
char trace_choice_state(const struct trace_instance *instance, const char *system,
			const char *name);

/* Sets the filter of event NUMBER, or of all events of SYSTEM that have its fields, to TEXT ("0": none).
 * 0, -EINVAL (a fault in TEXT; not for a system), -ENOMEM. Task context. */
int trace_choice_filter(struct trace_instance *instance, unsigned int number, const char *text);
int trace_choice_filter_system(struct trace_instance *instance, const char *system,
			       const char *text);

/* Writes the filter of event NUMBER: its text, the error of the last text, or "none". Task context. */
void trace_choice_print_filter(struct trace_instance *instance, unsigned int number,
			       struct text *text);

/* Stops recording all events, and drops all filters and triggers, when INSTANCE is not used any more. Task
 * context. */
void trace_choice_clear(struct trace_instance *instance);

#endif
