// SPDX-License-Identifier: BSD-2-Clause
/*
 * The time stamp counter as it was when this program was started, in decimal: with --icount, the
 * instructions from the machine's reset to here, the firmware's included.
 */
#include "system_call.h"

int program_main(int argc, char **argv, char **env)
{
	unsigned long low, high;
	char text[24];
	size_t at = sizeof(text);

	(void)argc;
	(void)argv;
	(void)env;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	unsigned long ticks = high << 32 | low;

	text[--at] = '\0';
	text[--at] = '\n';
	do
		text[--at] = (char)('0' + ticks % 10);
	while (ticks /= 10);
	print(text + at);
	return 0;
}
