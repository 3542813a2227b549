// SPDX-License-Identifier: BSD-2-Clause
/*
 * Prints its arguments, then its environment, one a line in brackets. If the first argument is a number N
 * its status is N modulo 256; if it is "crash" it reads address 0; if "copy" it copies its input.
 */
#include "system_call.h"

static void print_list(char **list)
{
	for (; *list; list++) {
		print("[");
		print(*list);
		print("]\n");
	}
}

static void copy_input(void)
{
	char buffer[256];
	long size;

	while ((size = system_call(CALL_READ, 0, (long)buffer, sizeof(buffer))) > 0)
		system_call(CALL_WRITE, 1, (long)buffer, size);
}

int program_main(int argc, char **argv, char **env)
{
	int status = 0;

	if (argc > 1 && argv[1][0] == 'c' && argv[1][1] == 'o') {
		copy_input();
		return 0;
	}
	print_list(argv);
	print_list(env);
	if (argc > 1 && argv[1][0] == 'c')
		return *(volatile char *)0;
	for (const char *digit = argc > 1 ? argv[1] : ""; *digit >= '0' && *digit <= '9'; digit++)
		status = status * 10 + (*digit - '0');
	return status & 0xff;
}
