/* SPDX-License-Identifier: BSD-2-Clause */
/* sorted.c: pseudo-random words are sorted by recursion, compared by a function that a pointer names, and searched. */
#define WORDS 6000

static unsigned words[WORDS];
static volatile unsigned found;

static int is_less(unsigned a, unsigned b)
{
	return a < b;
}

static int (*volatile less)(unsigned, unsigned) = is_less;

__attribute__((noinline)) static void sort(unsigned *first, unsigned *last)
{
	unsigned *low = first, *high = last, pivot;

	if (first >= last)
		return;
	pivot = first[(last - first) / 2];
	while (low <= high) {
		while (less(*low, pivot))
			low++;
		while (less(pivot, *high))
			high--;
		if (low <= high) {
			unsigned other = *low;

			*low++ = *high;
			*high-- = other;
		}
	}
	sort(first, high);
	sort(low, last);
}

static void work(void)
{
	unsigned random = 1;

	for (int i = 0; i < WORDS; i++)
		words[i] = random = random * 1664525 + 1013904223;
	sort(words, words + WORDS - 1);
	for (int i = 0; i < WORDS; i++) {
		int low = 0, high = WORDS;

		random = random * 1664525 + 1013904223;
		while (low < high) {
			int middle = (low + high) / 2;

			if (words[middle] < random)
				low = middle + 1;
			else
				high = middle;
		}
		found += (unsigned)low;
	}
}

#include "alone.h"
