/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * <kernel/base/assert.h> for `make coverage`. The conditions are checked as ever, but in a function: the failing side,
 * which no test can take and go on, is a branch of this header and not of the file with the assertion.
 */
#ifndef KERNEL_ASSERT_H
#define KERNEL_ASSERT_H

#include <stdbool.h>

#include <kernel/base/log.h>

static inline void assert_holds(bool condition, const char *file, int line, const char *text)
{
	if (!condition)
		panic("%s:%d: assertion failed: %s", file, line, text);
}

#define ASSERT(condition)	assert_holds(condition, __FILE__, __LINE__, #condition)
#define ASSERT_DEBUG(condition) ASSERT(condition)

#endif
