/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Undefined behaviour, in the debug build: the functions that the compiler's checks
 * (-fsanitize=undefined) call on failure. Such a failure is a bug of the kernel: panic, with the kind
 * and the place.
 *
 * The names and the first member of each description (the place) are the interface of GCC's and clang's
 * libubsan. The rest of a description, and the operands, are not needed to find the mistake.
 */
#ifdef TALLY_DEBUG

#include <stdint.h>

#include <kernel/base/log.h>

struct source_location {
	const char *file;
	uint32_t line, column;
};

/* Defines the function that a failed check of one kind calls. */
#define HANDLER(name, meaning)                                                                    \
	_Noreturn void __ubsan_handle_##name##_abort(const struct source_location *at);           \
	_Noreturn void __ubsan_handle_##name##_abort(const struct source_location *at)            \
	{                                                                                         \
		panic("%s:%u:%u: undefined behaviour: " meaning, at->file, at->line, at->column); \
	}

HANDLER(add_overflow, "an addition overflows")
HANDLER(sub_overflow, "a subtraction overflows")
HANDLER(mul_overflow, "a multiplication overflows")
HANDLER(negate_overflow, "a negation overflows")
HANDLER(divrem_overflow, "a division by zero, or one that overflows")
HANDLER(shift_out_of_bounds, "a shift by too much, or of a negative number")
HANDLER(out_of_bounds, "an index outside of its array")
HANDLER(load_invalid_value, "a value that its type does not have")
HANDLER(type_mismatch_v1,
	"an access through a null or misaligned pointer, or to too small an object")
HANDLER(pointer_overflow, "a pointer that leaves its object")
HANDLER(vla_bound_not_positive, "an array of no or negative length")
HANDLER(nonnull_arg, "a null argument where there must be none")
HANDLER(invalid_builtin, "a bit count of zero")

#define HANDLER_ALWAYS(name, meaning)                                                             \
	_Noreturn void __ubsan_handle_##name(const struct source_location *at);                   \
	_Noreturn void __ubsan_handle_##name(const struct source_location *at)                    \
	{                                                                                         \
		panic("%s:%u:%u: undefined behaviour: " meaning, at->file, at->line, at->column); \
	}

HANDLER_ALWAYS(builtin_unreachable, "what cannot be reached was")
HANDLER_ALWAYS(missing_return, "a function ends without its result")

#endif
