/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions that formats of events use besides those of printf: names for values and for bits.
 */
#include "print.h"

#include <string.h>

#include <kernel/base/log.h>

static char *room(struct trace_scratch *scratch, size_t *size)
{
	*size = sizeof(scratch->bytes) - scratch->used;
	return scratch->bytes + scratch->used;
}

/* Keeps the text written at TEXT; the last byte of the room stays a terminator for texts that do not fit. */
static const char *keep(struct trace_scratch *scratch, const char *text)
{
	size_t left = sizeof(scratch->bytes) - scratch->used, size = strlen(text) + 1;

	scratch->used += size < left ? size : left - 1;
	return text;
}

const char *trace_print_symbol(struct trace_scratch *scratch, unsigned long value,
			       const struct trace_symbol *symbols, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (symbols[i].value == value)
			return symbols[i].name;
	size_t size;
	char *text = room(scratch, &size);

	format_string(text, size, "0x%lx", value);
	return keep(scratch, text);
}

const char *trace_print_flags(struct trace_scratch *scratch, unsigned long flags,
			      const char *separator, const struct trace_symbol *symbols,
			      size_t count)
{
	size_t size;
	char *text = room(scratch, &size);

	text[0] = '\0';
	for (size_t i = 0; i < count && flags; i++) {
		size_t used = strlen(text);

		if ((flags & symbols[i].value) != symbols[i].value)
			continue;
		flags &= ~symbols[i].value;
		format_string(text + used, size - used, "%s%s", used ? separator : "",
			      symbols[i].name);
	}
	if (flags) {
		size_t used = strlen(text);

		format_string(text + used, size - used, "%s0x%lx", used ? separator : "", flags);
	}
	return keep(scratch, text);
}
