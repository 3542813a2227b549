// SPDX-License-Identifier: BSD-2-Clause
/*
 * each - runs programs one after the other on one machine, as its first process.
 *
 *     each [-e] COMMAND...
 *
 * A COMMAND is the path of a program and its arguments, with single spaces between them. A line before its output names
 * it ("### PATH"), a line after it has its status ("### status N", 128 + S if signal S killed it). A program begins in
 * a session of its own, in /tmp, and nothing that it started is alive when the next one begins.
 *
 * With -e there are no such lines, and the first program whose status is not 0 is the last.
 *
 * Exit status: 0; 1 a system call failed; 2 wrong use. With -e: the last program's; 1 also if a system call failed.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum exit_status { EXIT_RAN, EXIT_FAILED, EXIT_USAGE, EXIT_NOT_RUN = 127 };

enum { WORDS = 16, OF_SIGNAL = 128 };

/* Whether the first process sleeps; true if that cannot be found out. */
static bool first_process_sleeps(void)
{
	char line[256];
	FILE *file = fopen("/proc/1/stat", "r");
	const char *end = file && fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;

	if (!end)
		perror("each: /proc/1/stat");
	if (file)
		fclose(file);
	return !end || strncmp(end, ") S", 3) == 0;
}

static void execute(char *command)
{
	char *words[WORDS + 1] = { NULL };
	char *rest = command;

	/* On the only CPU none of its instructions may be among the program's. */
	while (!first_process_sleeps())
		usleep(1000);
	for (int i = 0; i < WORDS && rest; i++)
		words[i] = strsep(&rest, " ");
	if (setsid() < 0 || chdir("/tmp") < 0)
		perror("each");
	else if (execv(words[0], words) < 0)
		perror(words[0]);
	_exit(EXIT_NOT_RUN);
}

/* The status of CHILD as a shell has it, or -1. Orphans are this process's children, too. */
static int wait_for_end(pid_t child)
{
	pid_t ended;
	int status = 0;

	do {
		ended = waitpid(-1, &status, 0);
	} while (ended != child && (ended > 0 || errno == EINTR));
	if (ended != child)
		return -1;
	return WIFSIGNALED(status) ? OF_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Ends what the last program left. The first process is in no danger of its own signal. */
static void end_others(void)
{
	if (kill(-1, SIGKILL) < 0)
		return;
	while (waitpid(-1, NULL, 0) > 0)
		continue;
}

int main(int argc, char **argv)
{
	bool ends_early = argc > 1 && strcmp(argv[1], "-e") == 0;

	if (argc < 2 + ends_early || getpid() != 1) {
		fprintf(stderr,
			"usage: each [-e] COMMAND...   as the first process of a machine\n");
		return EXIT_USAGE;
	}
	for (int i = 1 + ends_early; i < argc; i++) {
		if (!ends_early)
			printf("### %s\n", argv[i]);
		fflush(stdout);

		pid_t child = fork();

		if (child == 0)
			execute(argv[i]);
		int status = child < 0 ? -1 : wait_for_end(child);

		if (status < 0) {
			perror("each");
			return EXIT_FAILED;
		}
		end_others();
		if (ends_early && status != 0)
			return status;
		if (!ends_early)
			printf("### status %d\n", status);
		fflush(stdout);
	}
	return EXIT_RAN;
}
