// SPDX-License-Identifier: BSD-2-Clause
/* part.c: counts a part of itself by libperf: part TIMES OUTSIDE loops TIMES in it, and OUTSIDE before and after it. */
#include <perf_region.h>

#include <stdlib.h>

static void loop(unsigned long times)
{
	/* Two instructions each time. */
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(times));
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 1;
	unsigned long times = strtoul(argv[1], NULL, 10), outside = strtoul(argv[2], NULL, 10);

	loop(outside);
	if (perf_region_start() < 0)
		return 2;
	loop(times);
	if (perf_region_stop() < 0)
		return 3;
	loop(outside);
	return 0;
}
