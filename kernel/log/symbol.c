/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks functions up by address, in a table that the build puts into the image.
 *
 * boot/symbols.awk makes the table from the first of two links, which lacks it; the declarations here
 * are weak, so that the first link works. Entries are in order of address.
 */
#include <kernel/base/symbol.h>

extern const char __text_start[], __text_end[];

/* Offset from __text_start, and the place of the name in symbol_names, which starts with its kind's
 * letter. */
struct symbol {
	uint32_t offset;
	uint32_t name;
};

extern const struct symbol symbol_table[] __attribute__((weak));
extern const uint32_t symbol_count __attribute__((weak));
extern const char symbol_names[] __attribute__((weak));

const char *symbol_find(uintptr_t address, size_t *offset)
{
	if (!&symbol_count || address < (uintptr_t)__text_start || address >= (uintptr_t)__text_end)
		return NULL;

	uint32_t sought = (uint32_t)(address - (uintptr_t)__text_start);
	size_t low = 0, high = symbol_count;

	/* Invariant: entries below low start at or before the offset, entries from high on after it. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbol_table[middle].offset <= sought)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	*offset = sought - symbol_table[low - 1].offset;
	return symbol_names + symbol_table[low - 1].name + 1;
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
	const char *name = symbol_names + symbol_table[index].name;

	*entry = (struct symbol_entry){
		.address = (uintptr_t)__text_start + symbol_table[index].offset,
		.kind = name[0],
		.name = name + 1,
	};
	return true;
}
