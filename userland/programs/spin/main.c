// SPDX-License-Identifier: BSD-2-Clause
/*
 * spin - does known work and nothing else, for others to measure.
 *
 *     spin [-w WORK] [N]        WORK: a name of libspin's table, default loop; N: default 1000000
 *     spin -l                   lists the works and what they retire
 *
 * Between main's call of the work and its return there is no other user instruction, so that
 * a counter of the process has the work's own counts plus a constant. The constant is the same for all
 * environments with the same number of variables, wherever their strings are: hence no getopt, which looks for one.
 *
 * Exit status: 0 done; 1 no memory for the work; 2 wrong use.
 */
#include <spin.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define N_MAX (UINT64_C(1) << 40)

static int refuse(const char *what, const char *word)
{
	fprintf(stderr, "spin: %s '%s'; usage: spin [-w WORK] [N], 1 <= N <= 2^40; spin -l lists\n",
		what, word);
	return 2;
}

static void list_works(void)
{
	printf("%-10s %-14s %-12s %s\n", "work", "instructions", "branches", "one pass");
	for (size_t i = 0; i < spin_works_count; i++) {
		const struct spin_work *work = &spin_works[i];
		char instructions[32], branches[32];

		snprintf(instructions, sizeof(instructions), "%un+%u", work->instructions.each,
			 work->instructions.fixed);
		snprintf(branches, sizeof(branches), "%un+%u", work->branches.each,
			 work->branches.fixed);
		printf("%-10s %-14s %-12s %s\n", work->name, instructions, branches, work->what);
	}
}

int main(int argc, char **argv)
{
	const struct spin_work *work = spin_find_work("loop");
	uint64_t n = 1000000;
	int next = 1;

	for (; next < argc && argv[next][0] == '-'; next++) {
		char option = argv[next][1];

		if (option == '\0' || argv[next][2] != '\0' || (option != 'l' && option != 'w'))
			return refuse("no such option:", argv[next]);
		if (option == 'l') {
			list_works();
			return 0;
		}
		if (++next == argc)
			return refuse("nothing follows", "-w");
		work = spin_find_work(argv[next]);
		if (work == NULL)
			return refuse("no work is called", argv[next]);
	}
	if (argc - next > 1)
		return refuse("unexpected", argv[next + 1]);
	if (next < argc) {
		char *end;

		errno = 0;
		n = strtoull(argv[next], &end, 0);
		if (errno != 0 || end == argv[next] || *end != '\0' || n == 0 || n > N_MAX)
			return refuse("not a count:", argv[next]);
	}

	size_t bytes = spin_memory_bytes(work, n);
	void *memory = NULL;
	if (bytes != 0) {
		memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
		if (memory == MAP_FAILED) {
			fprintf(stderr, "spin: no memory for %zu bytes: %s\n", bytes,
				strerror(errno));
			return 1;
		}
	}
	work->run(n, memory);
	return 0;
}
