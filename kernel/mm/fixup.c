/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The exception table: the pairs that an ISA's usercopy.S emits and the linker script collects. It is
 * small and constant; faults that need it are rare.
 */
#include <kernel/mm/fixup.h>

/* A fault at INSTRUCTION continues at CONTINUATION. */
struct fixup {
	uint64_t instruction, continuation;
};

extern const struct fixup __exception_table_start[], __exception_table_end[];

uintptr_t fixup_find(uintptr_t instruction)
{
	for (const struct fixup *f = __exception_table_start; f < __exception_table_end; f++)
		if (f->instruction == instruction)
			return f->continuation;
	return 0;
}
