/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which events a trace takes down: what the files `enable`, `filter` and `set_event` are about.
 */
#ifndef KERNEL_TRACE_CHOICE_H
#define KERNEL_TRACE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

struct text;
struct trace_instance;

/* Events of the trace: those of SYSTEM (NULL: of all) whose name is NAME (NULL: all of it). Not those
 * of Linux's own tracers (ftrace:*), which nobody enables. */
bool trace_choice_includes(unsigned int number, const char *system, const char *name);

/* Whether event NUMBER is taken down. Any context. */
bool trace_choice_is_on(const struct trace_instance *instance, unsigned int number);

/* Takes down event NUMBER (ON), or no longer; the rings are made. Any context but NMI. */
void trace_choice_switch(struct trace_instance *instance, unsigned int number, bool on);

/* Takes down (ON), or no longer, the events that trace_choice_includes: 0, -EINVAL (there are none),
 * -ENOMEM. Task context. */
int trace_choice_set(struct trace_instance *instance, const char *system, const char *name,
		     bool on);

/* 'X' when some of them are and some are not, else '0' or '1'. Task context. */
char trace_choice_state(const struct trace_instance *instance, const char *system,
			const char *name);

/* Gives event NUMBER the filter TEXT ("0": none), or all events of SYSTEM that have its fields. 0,
 * -EINVAL (not understood; not of a system), -ENOMEM. Task context. */
int trace_choice_filter(struct trace_instance *instance, unsigned int number, const char *text);
int trace_choice_filter_system(struct trace_instance *instance, const char *system,
			       const char *text);

/* Writes the filter of event NUMBER: its text, what was wrong with the last one, or "none". Task context. */
void trace_choice_print_filter(struct trace_instance *instance, unsigned int number,
			       struct text *text);

/* Takes nothing down any more, and forgets all filters and triggers: INSTANCE is not used any more. Task context. */
void trace_choice_clear(struct trace_instance *instance);

#endif
