/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assertions that speak TAP, the Test Anything Protocol.
 *
 * A test program is a table of rules, each a sentence and a function. The function checks the rule
 * with EXPECT macros; the first that fails prints what was expected, what came instead and where,
 * and the rule is "not ok". Later expectations of the same rule are still evaluated, but only the
 * first failure speaks: the rest follow from it more often than not.
 */
#ifndef TESTS_UNIT_TAP_H
#define TESTS_UNIT_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct tap_rule {
	const char *sentence;
	void (*check)(void);
};

/* Where a failed rule says so. On the build host that is standard error, which prove lets through; inside the
 * machine there is one output. */
#ifndef TAP_DIAGNOSTICS
#define TAP_DIAGNOSTICS stdout
#endif

static bool tap_failed;

/* Says once per rule that EXPRESSION at FILE:LINE was GOT and not EXPECTED; FORMAT adds the
 * circumstances. */
__attribute__((format(printf, 6, 7), unused)) static void
tap_fail(const char *file, int line, const char *expression, const char *expected, const char *got,
	 const char *format, ...)
{
	if (tap_failed)
		return;
	tap_failed = true;
	fprintf(TAP_DIAGNOSTICS, "# failed: %s:%d: %s\n#   expected: %s\n#   got:      %s\n", file,
		line, expression, expected, got);
	va_list args;
	va_start(args, format);
	if (format[0]) {
		fprintf(TAP_DIAGNOSTICS, "#   where:    ");
		vfprintf(TAP_DIAGNOSTICS, format, args);
		fprintf(TAP_DIAGNOSTICS, "\n");
	}
	va_end(args);
}

/* GOT equals EXPECTED, both integers; the rest is printf's and names the circumstances ("width %u",
 * w), or "" for none. */
#define EXPECT_EQ_AT(got_, expected_, ...)                                                       \
	do {                                                                                     \
		uint64_t tap_got = (uint64_t)(got_), tap_expected = (uint64_t)(expected_);       \
		if (tap_got != tap_expected) {                                                   \
			char tap_got_text[64], tap_expected_text[64];                            \
			snprintf(tap_got_text, sizeof(tap_got_text),                             \
				 "%" PRId64 " (0x%" PRIx64 ")", (int64_t)tap_got, tap_got);      \
			snprintf(tap_expected_text, sizeof(tap_expected_text),                   \
				 "%" PRId64 " (0x%" PRIx64 ")", (int64_t)tap_expected,           \
				 tap_expected);                                                  \
			tap_fail(__FILE__, __LINE__, #got_ " == " #expected_, tap_expected_text, \
				 tap_got_text, __VA_ARGS__);                                     \
		}                                                                                \
	} while (0)

#define EXPECT_EQ(got_, expected_) EXPECT_EQ_AT(got_, expected_, "%s", "")

/* CONDITION holds. */
#define EXPECT_AT(condition_, ...)                                                               \
	do {                                                                                     \
		if (!(condition_))                                                               \
			tap_fail(__FILE__, __LINE__, #condition_, "true", "false", __VA_ARGS__); \
	} while (0)

#define EXPECT(condition_) EXPECT_AT(condition_, "%s", "")

/* The two strings are the same. */
#define EXPECT_STR(got_, expected_)                                                           \
	do {                                                                                  \
		const char *tap_got = (got_), *tap_expected = (expected_);                    \
		if (strcmp(tap_got, tap_expected) != 0)                                       \
			tap_fail(__FILE__, __LINE__, #got_, tap_expected, tap_got, "%s", ""); \
	} while (0)

/* Checks every rule of the table; returns main's status: 0 if all hold. */
static inline int tap_run(const struct tap_rule *rules, size_t count)
{
	int status = 0;

	printf("1..%zu\n", count);
	for (size_t i = 0; i < count; i++) {
		tap_failed = false;
		rules[i].check();
		printf("%s %zu - %s\n", tap_failed ? "not ok" : "ok", i + 1, rules[i].sentence);
		fflush(stdout);
		if (tap_failed)
			status = 1;
	}
	return status;
}

#define TAP_MAIN(rules_)                                                      \
	int main(void)                                                        \
	{                                                                     \
		return tap_run(rules_, sizeof(rules_) / sizeof((rules_)[0])); \
	}

#endif
