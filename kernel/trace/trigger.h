/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Triggers: what a trace does when an event happens, whether its records are taken down or not; Linux's
 * language (Documentation/trace/events.rst, "Event triggers"):
 *
 *      traceon[:COUNT] [if FILTER]                        records are taken down from now on; or no longer
 *      traceoff[:COUNT] [if FILTER]
 *      enable_event:SYSTEM:EVENT[:COUNT] [if FILTER]      those of that event
 *      disable_event:SYSTEM:EVENT[:COUNT] [if FILTER]
 *      hist:…[if FILTER]                                  see histogram.h
 *
 * A COUNT is how often it may change something. With ! in front a trigger is removed. An event has one trigger that
 * switches the trace, one for each event that it switches, and any number of histograms.
 *
 * Lock: instance->mutex, taken here, around everything that changes.
 */
#ifndef KERNEL_TRACE_TRIGGER_H
#define KERNEL_TRACE_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>

struct text;
struct trace_instance;

/* Adds to event NUMBER of INSTANCE the trigger TEXT, which is changed, or removes it: 0, -EINVAL, -EEXIST,
 * -ENOENT (a histogram to go on with is not there), -ENODEV (INSTANCE is gone), -ERANGE, -ENOMEM. Task context. */
int trace_trigger_write(struct trace_instance *instance, unsigned int number, char *text);

/* Removes histograms (HISTOGRAMS_ONLY) or all triggers of event NUMBER. Task context. */
void trace_triggers_clear(struct trace_instance *instance, unsigned int number,
			  bool histograms_only);

/* The files `trigger` and `hist`. Task context. */
void trace_triggers_print(struct trace_instance *instance, unsigned int number, struct text *text);
void trace_histograms_print(struct trace_instance *instance, unsigned int number,
			    struct text *text);

/* Event NUMBER of INSTANCE, which has triggers, has happened. False: its record is not to be taken down.
 * Interrupts off; any locks held. */
bool trace_triggers_fire(struct trace_instance *instance, unsigned int number, const void *record);

#endif
