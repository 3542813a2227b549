// SPDX-License-Identifier: BSD-2-Clause
/*
 * Work whose misses have one place each: `scatter` loads from everywhere in an array that no cache holds, `guess` branches by
 * what nothing predicts. The argument: passes of each; with a second one, those of `guess`.
 */
#include <stdint.h>
#include <stdlib.h>

enum { WORDS = 1 << 22, PAGE_WORDS = 1024 };

static volatile uint32_t array[WORDS];

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state;
}

__attribute__((noinline)) static uint32_t scatter(uint32_t passes)
{
	uint32_t state = 1, sum = 0;

	for (uint32_t i = 0; i < passes; i++)
		sum += array[next_random(&state) >> 10];
	return sum;
}

__attribute__((noinline)) static uint32_t guess(uint32_t passes)
{
	uint32_t state = 2, odd = 0;

	for (uint32_t i = 0; i < passes; i++) {
		if (next_random(&state) >> 31)
			__asm__ volatile("addl $1, %0" : "+r"(odd));
	}
	return odd;
}

int main(int count, char **words)
{
	uint32_t passes = count > 1 ? (uint32_t)atoi(words[1]) : 0;
	uint32_t guesses = count > 2 ? (uint32_t)atoi(words[2]) : passes;

	/* An untouched page would be the page of zeros. */
	for (size_t i = 0; i < WORDS; i += PAGE_WORDS)
		array[i] = 1;
	return scatter(passes) + guess(guesses) == 1;
}
