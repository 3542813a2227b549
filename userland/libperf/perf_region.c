// SPDX-License-Identifier: BSD-2-Clause
/*
 * perf_region.c - counting a part of a program, by the commands of `perf stat --control`.
 *
 * The counting process has made two FIFOs, one for commands and one for their answers, which tools/tallylib/cli.py names.
 * They stay open from the first call on, so that later calls take the same number of instructions.
 */
#include "perf_region.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#define CONTROL_PATH "/.tally/control"
#define ANSWERS_PATH "/.tally/answers"

static int control = -1, answers = -1;

static int open_both(void)
{
	if (control < 0)
		control = open(CONTROL_PATH, O_WRONLY | O_CLOEXEC);
	if (control >= 0 && answers < 0)
		answers = open(ANSWERS_PATH, O_RDONLY | O_CLOEXEC);
	return answers < 0 ? -1 : 0;
}

/* Sends a command and waits for its answer. */
static int command(const char *text, size_t bytes)
{
	char answer[4];

	if (open_both() < 0 || write(control, text, bytes) < 0)
		return -1;
	if (read(answers, answer, sizeof(answer)) == (ssize_t)sizeof(answer))
		return 0;
	errno = EIO;
	return -1;
}

int perf_region_start(void)
{
	static const char enable[] = "enable\n";

	return command(enable, sizeof(enable) - 1);
}

int perf_region_stop(void)
{
	static const char disable[] = "disable\n";

	return command(disable, sizeof(disable) - 1);
}
