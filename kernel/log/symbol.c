/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks functions up by address, in a table that the build puts into the image.
 *
 * boot/symbols.awk makes the table from the first of two links, which lacks it; the declarations here
 * are weak, so that the first link works. Entries are in order of address.
 */
#include <kernel/base/symbol.h>

#include <string.h>

extern const char __text_start[], __text_end[];

/* One place stands for this many names, which follow each other. As in boot/symbols.awk. */
#define NAMES_PER_PLACE 16

/* From __text_start. */
extern const uint32_t symbol_offsets[] __attribute__((weak));
/* The places of names in symbol_names. */
extern const uint32_t symbol_places[] __attribute__((weak));
extern const uint32_t symbol_count __attribute__((weak));
/* Each ends with a zero byte. */
extern const char symbol_names[] __attribute__((weak));

/* The name of function INDEX, after the letter of its kind. */
static const char *kind_and_name(size_t index)
{
	const char *name = symbol_names + symbol_places[index / NAMES_PER_PLACE];

	for (size_t i = 0; i < index % NAMES_PER_PLACE; i++)
		name += strlen(name) + 1;
	return name;
}

const char *symbol_find(uintptr_t address, size_t *offset)
{
	if (!&symbol_count || address < (uintptr_t)__text_start || address >= (uintptr_t)__text_end)
		return NULL;

	uint32_t sought = (uint32_t)(address - (uintptr_t)__text_start);
	size_t low = 0, high = symbol_count;

	/* Invariant: entries below low start at or before the offset, entries from high on after it. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbol_offsets[middle] <= sought)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	*offset = sought - symbol_offsets[low - 1];
	return kind_and_name(low - 1) + 1;
}

void symbol_get_range(uintptr_t *start, uintptr_t *end)
{
	*start = (uintptr_t)__text_start;
	*end = (uintptr_t)__text_end;
}

bool symbol_get(size_t index, struct symbol_entry *entry)
{
	if (!&symbol_count || index >= symbol_count)
		return false;
	const char *name = kind_and_name(index);

	*entry = (struct symbol_entry){
		.address = (uintptr_t)__text_start + symbol_offsets[index],
		.kind = name[0],
		.name = name + 1,
	};
	return true;
}
