/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which events the trace takes down. See choice.h.
 *
 * Lock: choice_mutex, around everything that changes; nothing else of tracing is locked under it but
 * memory. A filter that is replaced may just be in use on another processor, with interrupts off: it
 * is freed once each has had them on.
 */
#include "choice.h"

#include <string.h>

#include <kernel/kmalloc.h>
#include <kernel/smp.h>
#include <kernel/text.h>
#include <kernel/trace/filter.h>
#include <kernel/trace/ring.h>
#include <kernel/wait.h>
#include <uapi/linux/errno.h>

#include "trace.h"

static struct mutex choice_mutex = MUTEX_INITIALIZER(choice_mutex);
static _Atomic bool is_on[TRACE_EVENTS_MAX];
/* C: as it was written, NULL: none; whether that was wrong, and what about it. */
static struct {
	char *text;
	bool is_wrong;
	struct trace_filter_error error;
} choices[TRACE_EVENTS_MAX];

bool trace_choice_includes(unsigned int number, const char *system, const char *name)
{
	const struct trace_event *event = trace_event_get(number);

	if (number == TRACE_print)
		return false;
	return (!system || !strcmp(system, event->system)) && (!name || !strcmp(name, event->name));
}

bool trace_choice_is_on(unsigned int number)
{
	return is_on[number];
}

static void set_one(unsigned int number, bool on)
{
	if (is_on[number] == on)
		return;
	is_on[number] = on;
	if (on)
		trace_listen(number, TRACE_TO_RING);
	else
		trace_unlisten(number, TRACE_TO_RING);
}

int trace_choice_set(const char *system, const char *name, bool on)
{
	int error = -EINVAL;

	mutex_lock(&choice_mutex);
	if (on && trace_ring_make()) {
		mutex_unlock(&choice_mutex);
		return -ENOMEM;
	}
	for (unsigned int number = 0; number < trace_event_count(); number++) {
		if (!trace_choice_includes(number, system, name))
			continue;
		set_one(number, on);
		error = 0;
	}
	mutex_unlock(&choice_mutex);
	return error;
}

char trace_choice_state(const char *system, const char *name)
{
	unsigned int on = 0, all = 0;

	for (unsigned int number = 0; number < trace_event_count(); number++) {
		if (!trace_choice_includes(number, system, name))
			continue;
		all++;
		on += is_on[number];
	}
	return on == 0 ? '0' : on == all ? '1' : 'X';
}

/* --- filters --- */

static void pass(void *unused)
{
}

static char *copy_text(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = kzalloc(size);

	if (copy)
		memcpy(copy, text, size);
	return copy;
}

/* What stands for no filter; behind it there are no spaces any more. */
static bool is_none(const char *text)
{
	while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
		text++;
	return !strcmp(text, "0");
}

/* OF_SYSTEM: the text is one for several events. C held. */
static int set_filter(unsigned int number, const char *text, bool of_system)
{
	struct trace_filter_error wrong = { .words = NULL };
	struct trace_filter *filter = NULL;
	char *copy = NULL;
	int error = 0;

	if (!is_none(text)) {
		error = trace_filter_make(trace_event_get(number), text, &filter, &wrong);
		copy = error == -ENOMEM ? NULL : copy_text(text);
		if (!copy) {
			trace_filter_free(filter);
			return -ENOMEM;
		}
	}
	filter = atomic_exchange(&trace_ring_filters[number], filter);
	if (filter)
		smp_call_mask(cpus_all(), pass, NULL);
	trace_filter_free(filter);
	if (error && of_system)
		wrong = (struct trace_filter_error){
			.words = "Couldn't find or set field in one of a subsystem's events"
		};
	kfree(choices[number].text);
	choices[number].text = copy;
	choices[number].is_wrong = error;
	choices[number].error = wrong;
	return error;
}

int trace_choice_filter(unsigned int number, const char *text)
{
	mutex_lock(&choice_mutex);
	int error = set_filter(number, text, false);

	mutex_unlock(&choice_mutex);
	return error;
}

/* Events that do not have the fields get no filter, and say so in their files: no error, as on Linux. */
int trace_choice_filter_system(const char *system, const char *text)
{
	int error = 0;

	mutex_lock(&choice_mutex);
	for (unsigned int number = 0; number < trace_event_count() && error != -ENOMEM; number++)
		if (trace_choice_includes(number, system, NULL))
			error = set_filter(number, text, true);
	mutex_unlock(&choice_mutex);
	return error == -ENOMEM ? error : 0;
}

void trace_choice_print_filter(unsigned int number, struct text *text)
{
	mutex_lock(&choice_mutex);
	const struct trace_filter_error *error = &choices[number].error;

	text_print(text, "%s\n", choices[number].text ? choices[number].text : "none");
	if (choices[number].text && choices[number].is_wrong && !error->words) {
		text_print(text, "Error: (0)\n\n");
	} else if (choices[number].text && choices[number].is_wrong) {
		for (size_t i = 0; i < error->offset; i++)
			text_append(text, " ", 1);
		text_print(text, "^\nparse_error: %s\n\n", error->words);
	}
	mutex_unlock(&choice_mutex);
}
