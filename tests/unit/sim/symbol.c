/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated kernel's functions: two. */
#include <kernel/base/symbol.h>

#define START 0x1000
#define END   0x3000

static const struct symbol_entry functions[] = {
	{ .address = START, .kind = 'T', .name = "first_function" },
	{ .address = 0x2000, .kind = 't', .name = "second_function" },
};

bool symbol_get(size_t index, struct symbol_entry *entry)
{
	if (index >= sizeof(functions) / sizeof(functions[0]))
		return false;
	*entry = functions[index];
	return true;
}

void symbol_get_range(uintptr_t *start, uintptr_t *end)
{
	*start = START;
	*end = END;
}

const char *symbol_find(uintptr_t address, size_t *offset)
{
	if (address < START || address >= END)
		return NULL;
	const struct symbol_entry *entry = &functions[address >= functions[1].address];

	*offset = address - entry->address;
	return entry->name;
}
