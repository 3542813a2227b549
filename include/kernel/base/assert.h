/* SPDX-License-Identifier: BSD-2-Clause */
/* Assertions: conditions that hold whatever a user does. A failure is a bug in the kernel: panic. */
#ifndef KERNEL_ASSERT_H
#define KERNEL_ASSERT_H

#include <kernel/base/log.h>

#define ASSERT(condition)                                                                     \
	do {                                                                                  \
		if (__builtin_expect(!(condition), 0))                                        \
			panic("%s:%d: assertion failed: %s", __FILE__, __LINE__, #condition); \
	} while (0)

/* For hot paths: only the debug build tests the condition. */
#ifdef TALLY_DEBUG
#define ASSERT_DEBUG(condition) ASSERT(condition)
#else
#define ASSERT_DEBUG(condition) ((void)sizeof(condition))
#endif

#endif
