/* SPDX-License-Identifier: BSD-2-Clause */
/* strings.c: REP string instructions of all lengths up to 300, at all places of a line, that end by count or by what they find. */
#define LENGTH 300

static char from[4096] __attribute__((aligned(4096))), to[4096];
static volatile unsigned long left;

static void copy(char *target, const char *source, unsigned long length)
{
	__asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(length) : : "memory");
}

static void fill(char *target, char byte, unsigned long length)
{
	__asm__ volatile("rep stosb" : "+D"(target), "+c"(length) : "a"(byte) : "memory");
}

static void fill_words(void *target, long word, unsigned long length)
{
	__asm__ volatile("rep stosq" : "+D"(target), "+c"(length) : "a"(word) : "memory");
}

static void find(const char *text, char byte, unsigned long length)
{
	__asm__ volatile("repne scasb" : "+D"(text), "+c"(length) : "a"(byte) : "cc", "memory");
	left += length;
}

static void compare(const char *one, const char *other, unsigned long length)
{
	__asm__ volatile("repe cmpsb" : "+S"(one), "+D"(other), "+c"(length) : : "cc", "memory");
	left += length;
}

static void work(void)
{
	for (unsigned long length = 0; length <= LENGTH; length++) {
		fill(from + length, (char)length, length);
		fill_words(to + length, -1, length / 8);
		copy(to + 3 * length, from + 5, length);
		find(to, (char)-1, length);
		find(from, 7, length);
		compare(from, to, length);
		compare(from + 5, to + 3 * length, length);
	}
}

#include "alone.h"
