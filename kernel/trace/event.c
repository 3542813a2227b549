/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of events, made from their declarations: fields, formats, and the functions that print.
 *
 * A record's layout follows from its fields as a C compiler lays out a structure: each field after the one
 * before, at its alignment. trace_field_get computes that for readers of records (`format` files, filters),
 * so it agrees with the compiler.
 */
#include <string.h>

#include <kernel/mm/text.h>
#include <kernel/trace/calls.h>

#include "print.h"

/* Linux uses lower numbers for records of its function tracers; Tally has one of those. */
#define FIRST_ID	  20
#define PRINT_ID	  5

/* --- the second meaning of the declarations: fields --- */

#define IS_SIGNED(type)	  ((type)-1 < (type)1)

#define TRACE_FIELDS(...) __VA_ARGS__
#define FIELD(type, name) { #type, #name, "", sizeof(type), _Alignof(type), IS_SIGNED(type) },
#define FIELD_AS(type, text, name) \
	{ text, #name, "", sizeof(type), _Alignof(type), IS_SIGNED(type) },
#define POINTER(name)	    { "void *", #name, "", sizeof(void *), _Alignof(void *), false },
#define CONST_POINTER(name) { "const void *", #name, "", sizeof(void *), _Alignof(void *), false },
#define CHARS(name, size)   { "char", #name, "[" #size "]", size, 1, false },
#define WORDS(name, count) \
	{ "unsigned long", #name, "[" #count "]", count * sizeof(long), _Alignof(long), false },
#define STRING_AT(name) \
	{ "__data_loc char[]", #name, "", sizeof(uint32_t), _Alignof(uint32_t), false },
#define TEXT_AT_END(name) { "char", #name, "[]", 0, 1, false },
#define TRACE_EVENT(system, event, fields, ...) \
	static const struct trace_field fields_of_##event[] = { fields };
#include <kernel/trace/events.h>
#undef TRACE_EVENT
#undef TRACE_FIELDS

/* --- the third: the text of the format --- */

#define TRACE_STATE_PREEMPTED                                                            \
	(((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | \
	   0x00000020 | 0x00000040) +                                                    \
	  1)                                                                             \
	 << 1)
#define TEXT_OF(...)	      TEXT_OF_EXPANDED(__VA_ARGS__)
#define TEXT_OF_EXPANDED(...) #__VA_ARGS__
#define TRACE_EVENT(system, event, fields, ...) \
	static const char format_of_##event[] = TEXT_OF(__VA_ARGS__);
#include <kernel/trace/events.h>
#undef TRACE_EVENT

_Static_assert(TRACE_STATE_PREEMPTED == TRACE_STATE_WAS_PREEMPTED, "the letters of states");

/* --- the fourth: the code that prints a record --- */

enum hrtimer_mode {
	HRTIMER_MODE_ABS = 0,
	HRTIMER_MODE_REL = 1,
	HRTIMER_MODE_ABS_PINNED = 2,
	HRTIMER_MODE_REL_PINNED = 3,
	HRTIMER_MODE_ABS_SOFT = 4,
	HRTIMER_MODE_REL_SOFT = 5,
	HRTIMER_MODE_ABS_PINNED_SOFT = 6,
	HRTIMER_MODE_REL_PINNED_SOFT = 7,
	HRTIMER_MODE_ABS_HARD = 8,
	HRTIMER_MODE_REL_HARD = 9,
	HRTIMER_MODE_ABS_PINNED_HARD = 10,
	HRTIMER_MODE_REL_PINNED_HARD = 11
};

/* Types and names in Linux's formats of memory events. A page's descriptor stands for its frame number. */
typedef unsigned int gfp_t;
struct page {
	unsigned char bytes[64];
};
static const uintptr_t vmemmap_base = 0;

#define SYMBOLS(...)                                  \
	(const struct trace_symbol[]){ __VA_ARGS__ }, \
		sizeof((const struct trace_symbol[]){ __VA_ARGS__ }) / sizeof(struct trace_symbol)
#define __print_symbolic(value, ...) \
	trace_print_symbol(&scratch, (unsigned long)(value), SYMBOLS(__VA_ARGS__))
#define __print_flags(flags, separator, ...) \
	trace_print_flags(&scratch, (unsigned long)(flags), separator, SYMBOLS(__VA_ARGS__))
#define __get_str(name) ((const char *)REC + (REC->name & 0xffff))
#define TRACE_EVENT(system, event, fields, ...)                                       \
	static void print_##event(struct text *text, const void *record)              \
	{                                                                             \
		const struct trace_##event *REC = record;                             \
		struct trace_scratch scratch __attribute__((unused)) = { .used = 0 }; \
                                                                                      \
		text_print(text, __VA_ARGS__);                                        \
	}
#include <kernel/trace/events.h>
#undef TRACE_EVENT

/* --- the fifth: the table --- */

#define TRACE_EVENT(of_system, event, field_list, ...)                                             \
	[TRACE_##event] = { .system = #of_system,                                                  \
			    .name = #event,                                                        \
			    .fields = fields_of_##event,                                           \
			    .field_count = sizeof(fields_of_##event) / sizeof(struct trace_field), \
			    .format = format_of_##event,                                           \
			    .print = print_##event },
static const struct trace_event events[] = {
#include <kernel/trace/events.h>
};
#undef TRACE_EVENT

/* --- numbers --- */

unsigned int trace_event_count(void)
{
	return TRACE_DECLARED + 2 * trace_call_count();
}

const struct trace_event *trace_event_get(unsigned int number)
{
	return number < TRACE_DECLARED ? &events[number] :
					 trace_call_event(number - TRACE_DECLARED);
}

unsigned int trace_event_id(unsigned int number)
{
	return number == TRACE_print ? PRINT_ID : FIRST_ID + number;
}

int trace_event_find(uint64_t id)
{
	if (id == PRINT_ID)
		return TRACE_print;
	if (id < FIRST_ID || id - FIRST_ID >= trace_event_count() || id - FIRST_ID == TRACE_print)
		return -1;
	return (int)(id - FIRST_ID);
}

bool trace_event_is_harmless(unsigned int number)
{
	return number >= TRACE_DECLARED || number == TRACE_sys_enter || number == TRACE_sys_exit;
}

/* --- the layout of records --- */

static const struct trace_field common_fields[TRACE_COMMON_FIELDS] = {
	{ "unsigned short", "common_type", "", 2, 2, false },
	{ "unsigned char", "common_flags", "", 1, 1, false },
	{ "unsigned char", "common_preempt_count", "", 1, 1, false },
	{ "int", "common_pid", "", 4, 4, true },
};

static const struct trace_field call_number = { "int", "__syscall_nr", "", 4, 4, true };

static void place_field(struct trace_place *place, const struct trace_field *field, size_t *end)
{
	size_t offset = (*end + field->alignment - 1) & ~(size_t)(field->alignment - 1u);

	strlcpy(place->type, field->type, sizeof(place->type));
	strlcpy(place->name, field->name, sizeof(place->name));
	place->array = field->array;
	place->offset = (uint16_t)offset;
	place->size = field->size;
	place->is_signed = field->is_signed;
	*end = offset + field->size;
}

/* Describes argument INDEX of ARGUMENTS, "type name, type name": each is an unsigned word. */
static bool place_argument(struct trace_place *place, const char *arguments, unsigned int index)
{
	const char *end, *name;

	for (; index > 0 && arguments; index--) {
		arguments = strchr(arguments, ',');
		if (arguments)
			arguments += strlen(", ");
	}
	if (!arguments || !*arguments)
		return false;
	end = strchr(arguments, ',');
	if (!end)
		end = arguments + strlen(arguments);
	for (name = end; name[-1] != ' '; name--)
		;
	*place = (struct trace_place){ .array = "", .size = sizeof(long) };
	memcpy(place->type, arguments, (size_t)(name - 1 - arguments));
	memcpy(place->name, name, (size_t)(end - name));
	return true;
}

bool trace_field_get(const struct trace_event *event, unsigned int index, struct trace_place *place)
{
	size_t end = 0;

	for (unsigned int i = 0; i < TRACE_COMMON_FIELDS; i++) {
		place_field(place, &common_fields[i], &end);
		if (i == index)
			return true;
	}
	index -= TRACE_COMMON_FIELDS;
	if (event->arguments) {
		place_field(place, &call_number, &end);
		if (index == 0)
			return true;
		if (!place_argument(place, event->arguments, --index))
			return false;
		place->offset = (uint16_t)(2 * sizeof(long) + index * sizeof(long));
		return true;
	}
	for (unsigned int i = 0; i < event->field_count; i++) {
		place_field(place, &event->fields[i], &end);
		if (i == index)
			return true;
	}
	return false;
}
