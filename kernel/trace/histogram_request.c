/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of histograms (histogram.h): from a text to the keys, values, order and size of a histogram.
 * Task context, no locks.
 */
#include "histogram_request.h"

#include <string.h>

#include <kernel/trace/event.h>
#include <uapi/linux/errno.h>

#include "histogram_map.h"
#include "number.h"

enum { BITS_MIN = 7, BITS_MAX = 17 };

/* Returns the part of *TEXT before END or its end, terminated; *TEXT moves past it. NULL: no part is left. */
static char *next_part(char **text, char end)
{
	char *part = *text, *at = part ? strchr(part, end) : NULL;

	if (at)
		*at = '\0';
	*text = at ? at + 1 : NULL;
	return part;
}

static bool find_field(struct field *field, const struct trace_event *event)
{
	struct trace_place place;

	if (!strcmp(field->name, "hitcount")) {
		field->is_hitcount = true;
		return true;
	}
	if (!strcmp(field->name, "common_cpu") || !strcmp(field->name, "cpu")) {
		field->is_cpu = true;
		return true;
	}
	for (unsigned int i = 0; trace_field_get(event, i, &place); i++) {
		if (strcmp(place.name, field->name) != 0)
			continue;
		field->offset = place.offset;
		field->size = place.size;
		field->is_signed = place.is_signed;
		field->is_elsewhere = !strcmp(place.type, "__data_loc char[]");
		field->is_string = field->is_elsewhere ||
				   (place.array[0] && !strcmp(place.type, "char"));
		/* Other arrays are no numbers, and a text after the record has no size. */
		return field->size && (field->is_string || !place.array[0]);
	}
	return false;
}

static int parse_modifier(struct field *field, const char *word)
{
	static const char *const words[] = {
		[HEX] = "hex",		 [SYM] = "sym",		[SYM_OFFSET] = "sym-offset",
		[EXECNAME] = "execname", [SYSCALL] = "syscall", [LOG2] = "log2"
	};

	for (enum modifier i = HEX; i <= LOG2; i++)
		if (!strcmp(word, words[i]))
			field->modifier = i;
	if (!strncmp(word, "buckets=", 8)) {
		if (trace_parse_number(word + 8, &field->bucket) || !field->bucket)
			return -EINVAL;
		field->modifier = BUCKETS;
	}
	if (field->modifier == PLAIN ||
	    (field->modifier == EXECNAME && strcmp(field->name, "common_pid") != 0))
		return -EINVAL;
	return 0;
}

/* Sets FIELD from TEXT, "name.modifier". */
static int parse_field(struct field *field, const struct trace_event *event, char *text)
{
	char *name = next_part(&text, '.');

	if (strlen(name) >= sizeof(field->name))
		return -EINVAL;
	strlcpy(field->name, name, sizeof(field->name));
	if (!find_field(field, event))
		return -EINVAL;
	return text ? parse_modifier(field, text) : 0;
}

static int parse_keys(struct histogram *histogram, const struct trace_event *event, char *text)
{
	char *word;

	while ((word = next_part(&text, ','))) {
		if (histogram->key_count == KEYS_MAX)
			return -EINVAL;
		struct field *key = &histogram->keys[histogram->key_count++];
		int error = parse_field(key, event, word);

		/* An entry's count cannot be part of its key. */
		if (error || key->is_hitcount)
			return -EINVAL;
		key->room = sizeof(uint64_t);
		if (key->is_string)
			key->room = key->is_elsewhere ? STRING_ROOM :
							(uint16_t)((key->size + 7) & ~7);
		key->at = (uint16_t)histogram->key_size;
		histogram->key_size += key->room;
	}
	return 0;
}

static int parse_values(struct histogram *histogram, const struct trace_event *event, char *text)
{
	char *word;

	while ((word = next_part(&text, ','))) {
		struct field value = { .modifier = PLAIN };
		int error = parse_field(&value, event, word);

		if (error || value.is_string || value.modifier > HEX ||
		    (value.is_hitcount && value.modifier))
			return -EINVAL;
		if (value.is_hitcount)
			continue;
		if (histogram->value_count == VALUES_MAX)
			return -EINVAL;
		histogram->values[histogram->value_count++] = value;
	}
	return 0;
}

/* Returns the index of the field NAME among COUNT FIELDS; COUNT: not found. */
static unsigned int index_of(const struct field *fields, unsigned int count, const char *name)
{
	unsigned int i = 0;

	while (i < count && strcmp(fields[i].name, name) != 0)
		i++;
	return i;
}

/* A name of both a value and a key means the value, as on Linux. */
static int parse_sort(struct histogram *histogram, char *text)
{
	char *name = next_part(&text, '.');

	if (histogram->sort_count == SORTS_MAX)
		return -EINVAL;
	if (text && strcmp(text, "ascending") != 0 && strcmp(text, "descending") != 0)
		return -EINVAL;
	struct sort *sort = &histogram->sorts[histogram->sort_count++];

	sort->descending = text && text[0] == 'd';
	sort->index = index_of(histogram->values, histogram->value_count, name);
	sort->by_key = sort->index == histogram->value_count;
	if (sort->by_key)
		sort->index = index_of(histogram->keys, histogram->key_count, name);
	return sort->by_key && sort->index == histogram->key_count ? -EINVAL : 0;
}

static int parse_sorts(struct histogram *histogram, char *text)
{
	char *word;
	int error = 0;

	while (!error && (word = next_part(&text, ',')))
		error = parse_sort(histogram, word);
	return error;
}

static int parse_size(struct histogram *histogram, const char *text)
{
	uint64_t size;
	int error = trace_parse_number(text, &size);

	if (error)
		return error;
	for (histogram->bits = 0; histogram->bits <= BITS_MAX; histogram->bits++)
		if (size <= entries_max(histogram))
			break;
	return histogram->bits < BITS_MIN || histogram->bits > BITS_MAX ? -EINVAL : 0;
}

/* The parts of a text, which are parsed in another order than they are written. */
struct parts {
	char *keys, *values, *sort, *size;
};

static int split(char *text, struct parts *parts, struct histogram_request *request)
{
	char *part;

	while ((part = next_part(&text, ':'))) {
		char *value = strchr(part, '=');

		if (value) {
			*value++ = '\0';
			if (!*value)
				return -EINVAL;
		}
		if (value && (!strcmp(part, "keys") || !strcmp(part, "key")))
			parts->keys = value;
		else if (value &&
			 (!strcmp(part, "vals") || !strcmp(part, "val") || !strcmp(part, "values")))
			parts->values = value;
		else if (value && !strcmp(part, "sort"))
			parts->sort = value;
		else if (value && !strcmp(part, "size"))
			parts->size = value;
		else if (!value && !strcmp(part, "pause"))
			request->pause = true;
		else if (!value && (!strcmp(part, "cont") || !strcmp(part, "continue")))
			request->resume = true;
		else if (!value && !strcmp(part, "clear"))
			request->clear = true;
		else
			return -EINVAL;
	}
	return parts->keys ? 0 : -EINVAL;
}

int histogram_parse(struct histogram *histogram, const struct trace_event *event, char *text,
		    struct histogram_request *request)
{
	struct parts parts = { .keys = NULL };
	int error = split(text, &parts, request);

	if (!error && parts.size)
		error = parse_size(histogram, parts.size);
	if (!error)
		error = parse_keys(histogram, event, parts.keys);
	if (!error)
		error = parse_values(histogram, event, parts.values);
	if (!error)
		error = parse_sorts(histogram, parts.sort);
	if (!error && !histogram->sort_count)
		histogram->sort_count = 1;
	return error;
}
