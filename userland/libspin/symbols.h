/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbols.h - a table, inside the program, of the functions written in assembly: name, address and
 * size, gathered by the linker.
 *
 * It lets a program name a sampled address without reading its own file. In assembly, "begin NAME"
 * and "end NAME" around a global function enter it.
 */
#ifndef SPIN_SYMBOLS_H
#define SPIN_SYMBOLS_H

#ifdef __ASSEMBLER__
/* clang-format off */

	.macro	begin name
	.globl	\name
	.type	\name, @function
	.balign	64
\name:
	.endm

	.macro	end name
.Lend_\name:
	.size	\name, .Lend_\name - \name
	.pushsection .rodata.str1.1, "aMS", @progbits, 1
.Lname_\name:
	.asciz	"\name"
	.popsection
	.pushsection symbols, "a", @progbits
	.quad	\name, .Lend_\name - \name, .Lname_\name
	.popsection
	.endm

/* clang-format on */
#else

#include <stddef.h>
#include <stdint.h>

struct symbol {
	uintptr_t address;
	size_t bytes;
	const char *name;
};

/* The linker's names for the ends of the section "symbols". */
extern const struct symbol __start_symbols[], __stop_symbols[];

/* The function of the table that @address lies in, or NULL. Any context. */
static inline const struct symbol *symbol_find(uintptr_t address)
{
	for (const struct symbol *s = __start_symbols; s != __stop_symbols; s++)
		if (address - s->address < s->bytes)
			return s;
	return NULL;
}

#endif /* __ASSEMBLER__ */

#endif /* SPIN_SYMBOLS_H */
