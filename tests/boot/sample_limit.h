// SPDX-License-Identifier: BSD-2-Clause
/*
 * The share of a CPU's time that samples may take, for tests that expect every sample: time in which the host does not
 * run the CPU, in the middle of an interrupt, is the interrupt's.
 */
#ifndef TESTS_BOOT_SAMPLE_LIMIT_H
#define TESTS_BOOT_SAMPLE_LIMIT_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../unit/tap.h"

/* In percent; 0 is no limit. Returns the last limit, for the programs that follow on this machine. */
static inline int sample_limit_set(int percent)
{
	const char *path = "/proc/sys/kernel/perf_cpu_time_max_percent";
	char text[16] = "";
	int fd = open(path, O_RDONLY), last = -1;

	EXPECT(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	EXPECT_EQ(sscanf(text, "%d", &last), 1);
	snprintf(text, sizeof(text), "%d", percent);
	fd = open(path, O_WRONLY);
	EXPECT_EQ(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return last;
}

/* Checks every rule of the table without a limit; main's status. */
static inline int sample_limit_run_rules(const struct tap_rule *rules, size_t count)
{
	int last = sample_limit_set(0);
	int status = tap_run(rules, count);

	sample_limit_set(last);
	return status;
}

#endif
