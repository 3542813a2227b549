/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Triggers: actions of a trace when an event happens, whether its records are written or not; Linux's
 * language (Documentation/trace/events.rst, "Event triggers"):
 *
 *      traceon[:COUNT] [if FILTER]                        starts, or stops, writing records
 *      traceoff[:COUNT] [if FILTER]
 *      enable_event:SYSTEM:EVENT[:COUNT] [if FILTER]      starts, or stops, recording that event
 *      disable_event:SYSTEM:EVENT[:COUNT] [if FILTER]
 *      hist:…[if FILTER]                                  see histogram.h
 *
 * A COUNT limits how often the trigger acts. ! in front removes a trigger. An event has one trigger that
 * switches the trace, one for each event that it switches, and any number of histograms.
 *
 * Lock: instance->mutex, taken here, around every change.
 */
#ifndef KERNEL_TRACE_TRIGGER_H
#define KERNEL_TRACE_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>

struct text;
struct trace_instance;

/* Adds the trigger TEXT, which is changed, to event NUMBER of INSTANCE, or removes it: 0, -EINVAL,
 * -EEXIST, -ENOENT (no such histogram to continue), -ENODEV (INSTANCE is removed), -ERANGE, -ENOMEM. Task
 * context. */
int trace_trigger_write(struct trace_instance *instance, unsigned int number, char *text);

/* Removes histograms (HISTOGRAMS_ONLY) or all triggers of event NUMBER. Task context. */
void trace_triggers_clear(struct trace_instance *instance, unsigned int number,
			  bool histograms_only);

/* Write the files `trigger` and `hist`. Task context. */
void trace_triggers_print(struct trace_instance *instance, unsigned int number, struct text *text);
void trace_histograms_print(struct trace_instance *instance, unsigned int number,
			    struct text *text);

/* Fires the triggers of event NUMBER of INSTANCE, which has some. False: its record must not be written.
 * Interrupts off; any locks held. */
bool trace_triggers_fire(struct trace_instance *instance, unsigned int number, const void *record);

#endif
