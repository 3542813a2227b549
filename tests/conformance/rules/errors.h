/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How rules state that perf_event_open refuses an attribute.
 */
#ifndef TESTS_RULES_ERRORS_H
#define TESTS_RULES_ERRORS_H

#include "rules.h"

/* Refused with NUMBER when opened for this task on any CPU. */
static inline void refused(const attr_t *attr, int number)
{
	EXPECT_ERRNO(open_one(attr), number);
}

#define WRONG(sentence_, number_, start_, ...) \
	RULE(sentence_)                        \
	{                                      \
		attr_t a = start_;             \
		__VA_ARGS__;                   \
		refused(&a, number_);          \
	}

#endif
