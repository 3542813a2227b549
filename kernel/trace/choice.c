/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events that a trace records. See choice.h.
 *
 * Lock: instance->mutex, around every change; of tracing's locks only histogram->lock is taken under it. A
 * replaced filter may still be in use on another CPU, with interrupts off: it is freed once every CPU has had
 * interrupts on.
 */
#include "choice.h"

#include <string.h>

#include <kernel/mm/kmalloc.h>
#include <kernel/mm/text.h>
#include <kernel/trace/emit.h>
#include <kernel/trace/filter.h>
#include <kernel/trace/ring.h>
#include <uapi/linux/errno.h>

#include "instance.h"
#include "trigger.h"

bool trace_choice_includes(unsigned int number, const char *system, const char *name)
{
	const struct trace_event *event = trace_event_get(number);

	if (number == TRACE_print)
		return false;
	return (!system || !strcmp(system, event->system)) && (!name || !strcmp(name, event->name));
}

bool trace_choice_is_on(const struct trace_instance *instance, unsigned int number)
{
	return instance->choices[number].is_on;
}

void trace_choice_switch(struct trace_instance *instance, unsigned int number, bool on)
{
	if (atomic_exchange(&instance->choices[number].is_on, on) == on)
		return;
	if (on)
		trace_listen(number, TRACE_TO_TRACE);
	else
		trace_unlisten(number, TRACE_TO_TRACE);
}

int trace_choice_set(struct trace_instance *instance, const char *system, const char *name, bool on)
{
	int error = -EINVAL;

	mutex_lock(&instance->mutex);
	if (on && trace_ring_make(&instance->buffer)) {
		mutex_unlock(&instance->mutex);
		return -ENOMEM;
	}
	for (unsigned int number = 0; number < trace_event_count(); number++) {
		if (!trace_choice_includes(number, system, name))
			continue;
		trace_choice_switch(instance, number, on);
		error = 0;
	}
	mutex_unlock(&instance->mutex);
	return error;
}

char trace_choice_state(const struct trace_instance *instance, const char *system, const char *name)
{
	unsigned int on = 0, all = 0;

	for (unsigned int number = 0; number < trace_event_count(); number++) {
		if (!trace_choice_includes(number, system, name))
			continue;
		all++;
		on += instance->choices[number].is_on;
	}
	return on == 0 ? '0' : on == all ? '1' : 'X';
}

/* --- filters --- */

/* True if TEXT means no filter; trailing spaces are gone already. */
static bool is_none(const char *text)
{
	while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
		text++;
	return !strcmp(text, "0");
}

/* OF_SYSTEM: TEXT is for all events of a system. instance->mutex held. */
static int set_filter(struct trace_instance *instance, unsigned int number, const char *text,
		      bool of_system)
{
	struct trace_choice *choice = &instance->choices[number];
	struct trace_filter_error wrong = { .words = NULL };
	struct trace_filter *filter = NULL;
	char *copy = NULL;
	int error = 0;

	if (!is_none(text)) {
		error = trace_filter_make(trace_event_get(number), text, &filter, &wrong);
		copy = error == -ENOMEM ? NULL : kcopy_text(text, strlen(text));
		if (!copy) {
			trace_filter_free(filter);
			return -ENOMEM;
		}
	}
	filter = atomic_exchange(&choice->filter, filter);
	if (filter)
		trace_emit_sync();
	trace_filter_free(filter);
	if (error && of_system)
		wrong = (struct trace_filter_error){
			.words = "Couldn't find or set field in one of a subsystem's events"
		};
	kfree(choice->text);
	choice->text = copy;
	choice->is_wrong = error;
	choice->error = wrong;
	return error;
}

int trace_choice_filter(struct trace_instance *instance, unsigned int number, const char *text)
{
	mutex_lock(&instance->mutex);
	int error = set_filter(instance, number, text, false);

	mutex_unlock(&instance->mutex);
	return error;
}

/* As on Linux, events without the fields get no filter, and their files show the error; the call succeeds. */
int trace_choice_filter_system(struct trace_instance *instance, const char *system,
			       const char *text)
{
	int error = 0;

	mutex_lock(&instance->mutex);
	for (unsigned int number = 0; number < trace_event_count() && error != -ENOMEM; number++)
		if (trace_choice_includes(number, system, NULL))
			error = set_filter(instance, number, text, true);
	mutex_unlock(&instance->mutex);
	return error == -ENOMEM ? error : 0;
}

void trace_choice_print_filter(struct trace_instance *instance, unsigned int number,
			       struct text *text)
{
	const struct trace_choice *choice = &instance->choices[number];

	mutex_lock(&instance->mutex);
	text_print(text, "%s\n", choice->text ? choice->text : "none");
	if (choice->text && choice->is_wrong && !choice->error.words) {
		text_print(text, "Error: (0)\n\n");
	} else if (choice->text && choice->is_wrong) {
		for (size_t i = 0; i < choice->error.offset; i++)
			text_append(text, " ", 1);
		text_print(text, "^\nparse_error: %s\n\n", choice->error.words);
	}
	mutex_unlock(&instance->mutex);
}

void trace_choice_clear(struct trace_instance *instance)
{
	/* Events that triggers switched on are switched off with them. */
	for (unsigned int number = 0; number < trace_event_count(); number++)
		if (instance->choices[number].triggers)
			trace_triggers_clear(instance, number, false);
	trace_choice_set(instance, NULL, NULL, false);
	for (unsigned int number = 0; number < trace_event_count(); number++) {
		struct trace_choice *choice = &instance->choices[number];

		trace_filter_free(atomic_exchange(&choice->filter, NULL));
		kfree(choice->text);
		choice->text = NULL;
	}
}
