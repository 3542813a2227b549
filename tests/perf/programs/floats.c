/* SPDX-License-Identifier: BSD-2-Clause */
/* floats.c: SSE of one and of several numbers, at all places of a line, and the x87's numbers of 4, 8 and 10 bytes. */
#define NUMBERS 400

typedef float four __attribute__((vector_size(16), aligned(4)));

static float singles[NUMBERS + 4];
static double doubles[NUMBERS];
static long double extended[NUMBERS];
/* One number lies in two pages. */
static char packed[11 * NUMBERS] __attribute__((aligned(4096)));

static void work(void)
{
	for (int i = 0; i < NUMBERS; i++) {
		singles[i] = (float)i;
		doubles[i] = singles[i] * 0.5;
		extended[i] = (long double)doubles[i] + singles[i];
	}
	for (int i = 0; i < NUMBERS; i++) {
		four value = *(four *)(singles + i);

		*(four *)(singles + i) = value * value + value;
	}
	for (int i = 0; i < NUMBERS; i++) {
		char *place = packed + 11 * i;

		__asm__ volatile("fldt %1\n\tfldl %2\n\tfaddp\n\tfadds %3\n\tfstpt %0"
				 : "=m"(*(char(*)[10])place)
				 : "m"(extended[i]), "m"(doubles[i]), "m"(singles[i]));
	}
}

#include "alone.h"
