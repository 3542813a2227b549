// SPDX-License-Identifier: BSD-2-Clause
/* What nearly every program does with its C library; run.t links it with several of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 20 };

int main(int argc, char **argv)
{
	struct timespec millisecond = { .tv_nsec = 1000000 };
	char *block = malloc(BLOCK_BYTES);
	int status = -1;

	if (!block || argc < 2)
		return 1;
	memset(block, 1, BLOCK_BYTES);
	printf("start %d %s %s\n", argc, argv[1], getenv("HOME"));
	fflush(stdout);
	if (nanosleep(&millisecond, NULL))
		return 1;
	if (fork() == 0) {
		puts("child");
		exit(3);
	}
	if (wait(&status) < 0)
		return 1;
	printf("status %d\n%f\n", WEXITSTATUS(status), 1.5 * block[BLOCK_BYTES - 1]);
	free(block);
	return 4;
}
