/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of kernel/log/format_string.c: the text of every conversion, padding, and what does not
 * fit. The source is included here.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#include "../../kernel/log/format_string.c"

/* FORMAT … becomes EXPECTED, and its length is returned. */
#define EXPECT_TEXT(expected, ...)                                           \
	do {                                                                 \
		char text[64];                                               \
		int length = format_string(text, sizeof(text), __VA_ARGS__); \
		EXPECT_STR(text, expected);                                  \
		EXPECT_EQ(length, strlen(expected));                         \
	} while (0)

static void check_numbers(void)
{
	EXPECT_TEXT("0 -1 2147483647 -2147483648", "%d %i %d %d", 0, -1, INT32_MAX, INT32_MIN);
	EXPECT_TEXT("-9223372036854775808 9223372036854775807", "%ld %lld", INT64_MIN,
		    (long long)INT64_MAX);
	EXPECT_TEXT("18446744073709551615 4294967295", "%zu %u", SIZE_MAX, UINT32_MAX);
	EXPECT_TEXT("0 deadbeef DEADBEEF ffffffffffffffff", "%x %x %X %lx", 0, 0xdeadbeef,
		    0xdeadbeef, UINT64_MAX);
	EXPECT_TEXT("0x0 0xffffffff80101000", "%p %p", NULL, (void *)0xffffffff80101000);
}

static void check_padding(void)
{
	EXPECT_TEXT("[   42][42   ][00042]", "[%5d][%-5d][%05d]", 42, 42, 42);
	EXPECT_TEXT("[  -42][-42  ][-0042]", "[%5d][%-5d][%05d]", -42, -42, -42);
	EXPECT_TEXT("[123456][0000000000000abc]", "[%3d][%016lx]", 123456, 0xabcul);
	EXPECT_TEXT("[   ab][ab   ][abc]", "[%5s][%-5s][%2s]", "ab", "ab", "abc");
	EXPECT_TEXT("[    a][abcd]", "[%5.1s][%.4s]", "abc", "abcdefgh");
	EXPECT_TEXT("[   ab][]7", "[%5.*s][%.*s]%d", 2, "abc", 0, "abc", 7);
}

static void check_texts(void)
{
	EXPECT_TEXT("x%y", "%c%%%c", 'x', 'y');
	EXPECT_TEXT("", "%s", "");
}

/* A precision keeps it from reading further: the four bytes have no end. */
static void check_unterminated(void)
{
	char *bytes = malloc(4);

	memcpy(bytes, "APIC", 4);
	EXPECT_TEXT("table APIC", "table %.4s", bytes);
	free(bytes);
}

/* Through a pointer, so that the compiler does not look at the formats. */
static int (*volatile format)(char *buffer, size_t size, const char *format, ...) = format_string;

static void check_unknown(void)
{
	char text[16];

	EXPECT_EQ(format(text, sizeof(text), "a%qb%", 1), 5);
	EXPECT_STR(text, "a%qb%");
	EXPECT_EQ(format(text, sizeof(text), "%s", NULL), 6);
	EXPECT_STR(text, "(null)");
	EXPECT_EQ(format(text, sizeof(text), "%-08l"), 5);
	EXPECT_STR(text, "%-08l");
}

static void check_size(void)
{
	char text[8];

	memset(text, 'z', sizeof(text));
	EXPECT_EQ(format_string(text, 4, "%d", 123456), 6);
	EXPECT_STR(text, "123");
	EXPECT_EQ(text[4], 'z');
	EXPECT_EQ(format_string(text, 4, "123"), 3);
	EXPECT_STR(text, "123");
	EXPECT_EQ(format_string(text, 1, "%s", "abc"), 3);
	EXPECT_STR(text, "");
	text[0] = 'z';
	EXPECT_EQ(format_string(text, 0, "%s", "abc"), 3);
	EXPECT_EQ(text[0], 'z');
}

static const struct tap_rule rules[] = {
	{ "numbers of every size and base have their digits", check_numbers },
	{ "padding goes where width and flags say", check_padding },
	{ "characters, texts and percent signs are copied", check_texts },
	{ "a text of given length needs no end", check_unterminated },
	{ "an unknown conversion is printed unchanged, a missing text as (null)", check_unknown },
	{ "a text that does not fit is cut off, terminated and counted", check_size },
};

TAP_MAIN(rules)
