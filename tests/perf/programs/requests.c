// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program that is annotated for Callgrind: requests WAY TIMES. work() takes 2 instructions for each of TIMES.
 *
 *	instrumentation	counts the second of three calls of work()
 *	collection	the same, by CALLGRIND_TOGGLE_COLLECT
 *	both		the same, inside of a larger part that is instrumented
 *	zero		asks for what only Callgrind has
 *	asks		the status is RUNNING_ON_VALGRIND
 */
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

__attribute__((noinline, noclone)) void work(long times)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(times));
}

int main(int argc, char **argv)
{
	long times = argc == 3 ? atol(argv[2]) : 1;
	const char *way = argc > 1 ? argv[1] : "";

	if (strcmp(way, "asks") == 0)
		return RUNNING_ON_VALGRIND;
	work(1000000);
	if (strcmp(way, "instrumentation") == 0) {
		CALLGRIND_START_INSTRUMENTATION;
		work(times);
		CALLGRIND_STOP_INSTRUMENTATION;
	} else if (strcmp(way, "collection") == 0) {
		CALLGRIND_TOGGLE_COLLECT;
		work(times);
		CALLGRIND_TOGGLE_COLLECT;
	} else if (strcmp(way, "both") == 0) {
		CALLGRIND_TOGGLE_COLLECT;
		CALLGRIND_TOGGLE_COLLECT;
		CALLGRIND_START_INSTRUMENTATION;
		work(1000000);
		CALLGRIND_TOGGLE_COLLECT;
		work(times);
		CALLGRIND_TOGGLE_COLLECT;
		CALLGRIND_STOP_INSTRUMENTATION;
	} else if (strcmp(way, "zero") == 0) {
		CALLGRIND_ZERO_STATS;
		CALLGRIND_DUMP_STATS;
	}
	work(1000000);
	return 0;
}
