/* SPDX-License-Identifier: BSD-2-Clause */
/* Points of a test, as lines of TAP, and what the programs about OSF/1's calls share. */
#ifndef TESTS_ALPHA_POINTS_H
#define TESTS_ALPHA_POINTS_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

static unsigned int points, failures;

static void point(bool good, const char *name)
{
	points++;
	failures += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", points, name);
}

/* Whether a call failed with NUMBER. */
static inline bool fails(long result, int number)
{
	return result == -1 && errno == number;
}

static int points_done(void)
{
	printf("1..%u\n", points);
	return failures > 0;
}

/* Where no program has anything. */
#define BAD ((void *)8)

#endif
