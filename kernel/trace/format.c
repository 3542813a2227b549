/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file `format` of an event: its number, the fields of its records with their offsets, and the format of
 * a line. Programs (libtraceevent) parse it, so its layout is Linux's to the letter.
 */
#include "format.h"

#include <kernel/mm/text.h>
#include <kernel/trace/event.h>

static void print_field(struct text *text, const struct trace_place *place)
{
	text_print(text, "\tfield:%s %s%s;\toffset:%u;\tsize:%u;\tsigned:%u;\n", place->type,
		   place->name, place->array, place->offset, place->size, place->is_signed);
}

/* All arguments of a call are words. */
static void print_call_format(struct text *text, const struct trace_event *event)
{
	struct trace_place place;
	unsigned int first = TRACE_COMMON_FIELDS + 1;

	text_print(text, "\"");
	for (unsigned int i = first; trace_field_get(event, i, &place); i++)
		text_print(text, "%s%s: 0x%%08lx", i == first ? "" : ", ", place.name);
	text_print(text, "\"");
	for (unsigned int i = first; trace_field_get(event, i, &place); i++)
		text_print(text, ", ((unsigned long)(REC->%s))", place.name);
}

void trace_print_format(struct text *text, unsigned int number)
{
	const struct trace_event *event = trace_event_get(number);
	struct trace_place place;

	text_print(text, "name: %s\nID: %u\nformat:\n", event->name, trace_event_id(number));
	for (unsigned int i = 0; trace_field_get(event, i, &place); i++) {
		if (i == TRACE_COMMON_FIELDS)
			text_print(text, "\n");
		print_field(text, &place);
	}
	text_print(text, "\nprint fmt: ");
	if (event->arguments)
		print_call_format(text, event);
	else
		text_append(text, event->format, __builtin_strlen(event->format));
	text_print(text, "\n");
}
