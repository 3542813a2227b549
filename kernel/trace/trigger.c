/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Triggers of events. See trigger.h.
 *
 * Triggers fire wherever a tracepoint is: they do not sleep, and the words that they switch are read without
 * a lock. Emitters read the list: a removed trigger is freed after all running emissions have finished. A
 * trigger that enables an event switches it as a program would; the rings are made when the trigger is added.
 */
#include "trigger.h"

#include <string.h>

#include <kernel/mm/kmalloc.h>
#include <kernel/mm/text.h>
#include <kernel/trace/emit.h>
#include <kernel/trace/filter.h>
#include <kernel/trace/match.h>
#include <uapi/linux/errno.h>

#include "choice.h"
#include "histogram.h"
#include "histogram_print.h"
#include "instance.h"
#include "number.h"

#define UNLIMITED INT64_MAX

enum kind { TRACE_ON, TRACE_OFF, ENABLE_EVENT, DISABLE_EVENT, HIST, KINDS };

static const char *const names[KINDS] = { "traceon", "traceoff", "enable_event", "disable_event",
					  "hist" };

struct trace_trigger {
	struct trace_trigger *_Atomic next; /* M; emitters read it */
	enum kind kind;
	unsigned int target;  /* of enable_event and disable_event */
	_Atomic int64_t left; /* how often it may still act */
	struct trace_filter *filter;
	char *filter_text; /* NULL: none */
	struct histogram *histogram;
}; /* M: instance->mutex */

static bool switches_event(enum kind kind)
{
	return kind == ENABLE_EVENT || kind == DISABLE_EVENT;
}

/* --- firing --- */

/* True if TRIGGER may act once more; counts it. */
static bool take_count(struct trace_trigger *trigger)
{
	int64_t left = atomic_load_explicit(&trigger->left, memory_order_relaxed);

	while (left > 0 && left != UNLIMITED)
		if (atomic_compare_exchange_weak(&trigger->left, &left, left - 1))
			return true;
	return left > 0;
}

static void switch_trace(struct trace_instance *instance, struct trace_trigger *trigger, bool on)
{
	if (instance->buffer.is_recording != on && take_count(trigger))
		instance->buffer.is_recording = on;
}

static void switch_event(struct trace_instance *instance, struct trace_trigger *trigger, bool on)
{
	if (trace_choice_is_on(instance, trigger->target) != on && take_count(trigger))
		trace_choice_switch(instance, trigger->target, on);
}

static void fire(struct trace_instance *instance, struct trace_trigger *trigger, const void *record)
{
	if (trigger->filter && !trace_filter_match(trigger->filter, record))
		return;
	if (trigger->kind == HIST)
		histogram_add(trigger->histogram, record);
	else if (switches_event(trigger->kind))
		switch_event(instance, trigger, trigger->kind == ENABLE_EVENT);
	else
		switch_trace(instance, trigger, trigger->kind == TRACE_ON);
}

/* As on Linux: if some trigger has a filter or is a histogram, the record is written before the trace is
 * switched. */
bool trace_triggers_fire(struct trace_instance *instance, unsigned int number, const void *record)
{
	struct trace_trigger *first =
		atomic_load_explicit(&instance->choices[number].triggers, memory_order_acquire);
	bool recorded = instance->buffer.is_recording, looked_at = false;

	for (struct trace_trigger *trigger = first; trigger;
	     trigger = atomic_load_explicit(&trigger->next, memory_order_acquire)) {
		looked_at |= trigger->filter || trigger->kind == HIST;
		fire(instance, trigger, record);
	}
	return looked_at ? recorded : instance->buffer.is_recording;
}

/* --- the list --- */

static void free_trigger(struct trace_trigger *trigger)
{
	if (!trigger)
		return;
	trace_filter_free(trigger->filter);
	kfree(trigger->filter_text);
	histogram_free(trigger->histogram);
	kfree(trigger);
}

static bool has_same_filter(const struct trace_trigger *a, const struct trace_trigger *b)
{
	if (!a->filter_text || !b->filter_text)
		return a->filter_text == b->filter_text;
	return !strcmp(a->filter_text, b->filter_text);
}

/* True if A and B exclude each other. */
static bool is_same(const struct trace_trigger *a, const struct trace_trigger *b)
{
	if (a->kind == HIST || b->kind == HIST)
		return a->kind == b->kind && histogram_equals(a->histogram, b->histogram) &&
		       has_same_filter(a, b);
	if (switches_event(a->kind) || switches_event(b->kind))
		return switches_event(a->kind) && switches_event(b->kind) && a->target == b->target;
	return true;
}

/* Returns the link to the trigger like TRIGGER; else the end of the list. instance->mutex held. */
static struct trace_trigger *_Atomic *find_link(struct trace_choice *choice,
						const struct trace_trigger *trigger)
{
	struct trace_trigger *_Atomic *link = &choice->triggers;

	while (*link && !is_same(*link, trigger))
		link = &(*link)->next;
	return link;
}

/* Inserts TRIGGER at the beginning of the list, a histogram at its end. instance->mutex held. */
static int add(struct trace_instance *instance, unsigned int number, struct trace_trigger *trigger,
	       const struct histogram_request *request)
{
	struct trace_choice *choice = &instance->choices[number];
	struct trace_trigger *_Atomic *link = find_link(choice, trigger);

	if (*link && (request->pause || request->resume || request->clear)) {
		int error = histogram_change((*link)->histogram, request);

		if (!error)
			free_trigger(trigger);
		return error;
	}
	if (*link)
		return -EEXIST;
	if (request->resume || request->clear)
		return -ENOENT;
	if (trace_ring_make(&instance->buffer))
		return -ENOMEM;
	if (trigger->kind == HIST) {
		*link = trigger;
	} else {
		trigger->next = choice->triggers;
		choice->triggers = trigger;
	}
	if (switches_event(trigger->kind))
		instance->choices[trigger->target].switched_by++;
	trace_listen(number, TRACE_TO_TRACE);
	return 0;
}

/* Removes the trigger at *LINK. instance->mutex held. */
static void take_out(struct trace_instance *instance, unsigned int number,
		     struct trace_trigger *_Atomic *link)
{
	struct trace_trigger *trigger = *link;

	*link = trigger->next;
	trace_unlisten(number, TRACE_TO_TRACE);
	if (switches_event(trigger->kind))
		instance->choices[trigger->target].switched_by--;
	trace_emit_sync();
	free_trigger(trigger);
}

void trace_triggers_clear(struct trace_instance *instance, unsigned int number,
			  bool histograms_only)
{
	struct trace_trigger *_Atomic *link = &instance->choices[number].triggers;

	mutex_lock(&instance->mutex);
	while (*link) {
		if (histograms_only && (*link)->kind != HIST)
			link = &(*link)->next;
		else
			take_out(instance, number, link);
	}
	mutex_unlock(&instance->mutex);
}

/* --- the language --- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static char *skip_spaces(char *text)
{
	while (is_blank(*text))
		text++;
	return text;
}

/* Returns the part of *TEXT before one of ENDS or its end, terminated; *TEXT moves past it, or becomes
 * NULL. */
static char *next_part(char **text, const char *ends)
{
	char *part = *text;
	size_t length = strcspn(part, ends);

	*text = part[length] ? part + length + 1 : NULL;
	part[length] = '\0';
	return part;
}

/* Makes TEXT, after "if", TRIGGER's filter. */
static int set_filter(struct trace_trigger *trigger, unsigned int number, char *text)
{
	struct trace_filter_error wrong;

	text = skip_spaces(text);
	int error = trace_filter_make(trace_event_get(number), text, &trigger->filter, &wrong);

	if (error)
		return error == -ENOMEM ? error : -EINVAL;
	trigger->filter_text = kcopy_text(text, strlen(text));
	return trigger->filter_text ? 0 : -ENOMEM;
}

/* Parses "if FILTER", or an empty TEXT. */
static int parse_condition(struct trace_trigger *trigger, unsigned int number, char *text)
{
	if (!*text)
		return 0;
	char *word = next_part(&text, " \t");

	if (strcmp(word, "if") != 0 || !text)
		return -EINVAL;
	return set_filter(trigger, number, text);
}

/* Parses "[COUNT] [if FILTER]"; NULL: no text. */
static int parse_rest(struct trace_trigger *trigger, unsigned int number, char *text)
{
	uint64_t count;

	if (!text || *text < '0' || *text > '9')
		return text ? parse_condition(trigger, number, text) : 0;
	char *word = next_part(&text, " \t");
	int error = trace_parse_number(next_part(&word, ":"), &count);

	if (error)
		return error;
	trigger->left = count < UNLIMITED ? (int64_t)count : UNLIMITED - 1;
	return text ? parse_condition(trigger, number, skip_spaces(text)) : 0;
}

/* Parses the first two words of "SYSTEM:EVENT[:COUNT] [if FILTER]"; *TEXT moves past them. */
static int parse_target(struct trace_trigger *trigger, char **text)
{
	char *rest = *text, *system, *event;
	size_t length;

	system = rest ? next_part(&rest, ":") : NULL;
	if (!rest)
		return -EINVAL;
	event = rest;
	length = strcspn(event, ": \t");
	*text = event[length] ? event + length + 1 : NULL;
	event[length] = '\0';
	for (unsigned int number = 0; number < trace_event_count(); number++) {
		if (!trace_choice_includes(number, system, event))
			continue;
		trigger->target = number;
		return 0;
	}
	return -EINVAL;
}

/* Cuts the filter off a histogram's TEXT and returns it; NULL: none. *WRONG: an "if" without a filter. */
static char *cut_condition(char *text, bool *wrong)
{
	size_t length = strlen(text);

	*wrong = !strncmp(text, "if", 2);
	for (char *at = text; (at = strstr(at, "if")); at++) {
		if (at == text || !is_blank(at[-1]))
			continue;
		if (at + 3 >= text + length) {
			*wrong = true;
			return NULL;
		}
		if (!is_blank(at[2]))
			continue;
		at[-1] = '\0';
		return at + 2;
	}
	return NULL;
}

/* Parses the text after "hist:". */
static int parse_histogram(struct trace_trigger *trigger, unsigned int number, char *text,
			   struct histogram_request *request)
{
	bool wrong;
	char *condition = cut_condition(text, &wrong);

	if (wrong)
		return -EINVAL;
	for (size_t end = strlen(text); end && is_blank(text[end - 1]); end--)
		text[end - 1] = '\0';
	int error = histogram_make(trace_event_get(number), text, &trigger->histogram, request);

	return !error && condition ? set_filter(trigger, number, condition) : error;
}

/* Parses TEXT, after the trigger's name, into TRIGGER. REMOVES: ignores filter and count. */
static int parse(struct trace_trigger *trigger, unsigned int number, char *text, bool removes,
		 struct histogram_request *request)
{
	if (trigger->kind == HIST)
		return text ? parse_histogram(trigger, number, text, request) : -EINVAL;
	int error = switches_event(trigger->kind) ? parse_target(trigger, &text) : 0;

	return error || removes ? error : parse_rest(trigger, number, text);
}

static int change(struct trace_instance *instance, unsigned int number, enum kind kind, char *text,
		  bool removes)
{
	struct trace_trigger *trigger = kzalloc(sizeof(*trigger));
	struct histogram_request request = { .pause = false };

	if (!trigger)
		return -ENOMEM;
	trigger->kind = kind;
	trigger->left = UNLIMITED;
	int error = parse(trigger, number, text, removes, &request);

	mutex_lock(&instance->mutex);
	/* The removal of an instance sets is_gone before it clears the triggers. */
	if (instance->is_gone)
		error = -ENODEV;
	if (!error && removes) {
		struct trace_trigger *_Atomic *link =
			find_link(&instance->choices[number], trigger);

		if (*link)
			take_out(instance, number, link);
	} else if (!error) {
		error = add(instance, number, trigger, &request);
	}
	mutex_unlock(&instance->mutex);
	if (error || removes)
		free_trigger(trigger);
	return error;
}

int trace_trigger_write(struct trace_instance *instance, unsigned int number, char *text)
{
	bool removes;

	text = skip_spaces(text);
	removes = *text == '!';
	char *name = next_part(&text, ": \t") + removes;

	for (enum kind kind = 0; kind < KINDS; kind++)
		if (!strcmp(name, names[kind]))
			return change(instance, number, kind, text, removes);
	return -EINVAL;
}

/* --- showing --- */

static void print_filter(const struct trace_trigger *trigger, struct text *text)
{
	if (trigger->filter_text)
		text_print(text, " if %s", trigger->filter_text);
}

static void print_histogram(const struct trace_trigger *trigger, struct text *text)
{
	text_print(text, "hist:");
	histogram_print_keys(trigger->histogram, text);
	print_filter(trigger, text);
	histogram_print_state(trigger->histogram, text);
	text_print(text, "\n");
}

static void print_trigger(const struct trace_trigger *trigger, struct text *text)
{
	text_print(text, "%s:", names[trigger->kind]);
	if (switches_event(trigger->kind))
		text_print(text, "%s:%s:", trace_event_get(trigger->target)->system,
			   trace_event_get(trigger->target)->name);
	if (trigger->left == UNLIMITED)
		text_print(text, "unlimited");
	else
		text_print(text, "count=%ld", (long)trigger->left);
	print_filter(trigger, text);
	text_print(text, "\n");
}

void trace_triggers_print(struct trace_instance *instance, unsigned int number, struct text *text)
{
	mutex_lock(&instance->mutex);
	const struct trace_trigger *trigger = instance->choices[number].triggers;

	if (!trigger) {
		text_print(text, "# Available triggers:\n#");
		for (enum kind kind = 0; kind < KINDS; kind++)
			text_print(text, " %s", names[kind]);
		text_print(text, "\n");
	}
	for (; trigger; trigger = trigger->next) {
		if (trigger->kind == HIST)
			print_histogram(trigger, text);
		else
			print_trigger(trigger, text);
	}
	mutex_unlock(&instance->mutex);
}

void trace_histograms_print(struct trace_instance *instance, unsigned int number, struct text *text)
{
	bool first = true;

	mutex_lock(&instance->mutex);
	for (const struct trace_trigger *trigger = instance->choices[number].triggers; trigger;
	     trigger = trigger->next) {
		if (trigger->kind != HIST)
			continue;
		text_print(text, "%s# event histogram\n#\n# trigger info: ", first ? "" : "\n\n");
		print_histogram(trigger, text);
		text_print(text, "#\n\n");
		histogram_print(trigger->histogram, text);
		first = false;
	}
	mutex_unlock(&instance->mutex);
}
