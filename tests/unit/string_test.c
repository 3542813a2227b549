// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernel's memcpy, memmove and memset (arch/x86_64/string.S) on the build host, against loops of
 * single bytes: every size around the places where they change their ways, every alignment, every
 * overlap. The bytes before and after must stay.
 */
#include <stdbool.h>
#include <stddef.h>

#include "tap.h"

/* string.S, its names changed for this test. */
extern void *kernel_memcpy(void *destination, const void *source, size_t size);
extern void *kernel_memmove(void *destination, const void *source, size_t size);
extern void *kernel_memset(void *destination, int byte, size_t size);

#define SIZES	   140
#define ALIGNMENTS 9
#define ROOM	   (3 * SIZES + 2 * ALIGNMENTS)

static unsigned char got[ROOM], expected[ROOM];

static void fill(void)
{
	for (size_t i = 0; i < ROOM; i++)
		got[i] = expected[i] = (unsigned char)(i * 7 + 3);
}

static bool is_same(void)
{
	for (size_t i = 0; i < ROOM; i++)
		if (got[i] != expected[i])
			return false;
	return true;
}

/* As memmove is defined: as if by way of another array. */
static void move_bytes(size_t to, size_t from, size_t size)
{
	unsigned char copy[ROOM];

	for (size_t i = 0; i < size; i++)
		copy[i] = expected[from + i];
	for (size_t i = 0; i < size; i++)
		expected[to + i] = copy[i];
}

static void check_copy(void)
{
	for (size_t size = 0; size < SIZES; size++)
		for (size_t from = 0; from < ALIGNMENTS; from++)
			for (size_t to = 0; to < ALIGNMENTS; to++) {
				size_t target = SIZES + ALIGNMENTS + to;

				fill();
				move_bytes(target, from, size);
				EXPECT(kernel_memcpy(got + target, got + from, size) ==
				       got + target);
				EXPECT_AT(is_same(), "%zu bytes from %zu to %zu", size, from,
					  target);
			}
}

static void check_move(void)
{
	for (size_t size = 0; size < SIZES; size++)
		for (size_t to = 0; to < 2 * SIZES; to++) {
			fill();
			move_bytes(to, SIZES, size);
			EXPECT(kernel_memmove(got + to, got + SIZES, size) == got + to);
			EXPECT_AT(is_same(), "%zu bytes from %d to %zu", size, SIZES, to);
		}
}

static void check_set(void)
{
	for (size_t size = 0; size < SIZES; size++)
		for (size_t at = 0; at < ALIGNMENTS; at++) {
			fill();
			for (size_t i = 0; i < size; i++)
				expected[at + i] = 0xa5;
			/* Only the low byte counts. */
			EXPECT(kernel_memset(got + at, 0x12345a5, size) == got + at);
			EXPECT_AT(is_same(), "%zu bytes at %zu", size, at);
		}
}

static const struct tap_rule rules[] = {
	{ "memcpy copies every size from and to every alignment, and nothing else", check_copy },
	{ "memmove copies every size over every overlap, and nothing else", check_move },
	{ "memset sets every size at every alignment, and nothing else", check_set },
};

TAP_MAIN(rules)
