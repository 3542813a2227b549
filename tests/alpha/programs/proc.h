/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and setting files of /proc, for the PMU's tests. */
#ifndef TESTS_ALPHA_PROC_H
#define TESTS_ALPHA_PROC_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "../../boot/event.h"

/* Interrupts on all CPUs of the lines of /proc/interrupts that contain NAME. */
static inline uint64_t interrupts_of(const char *name)
{
	FILE *file = fopen("/proc/interrupts", "r");
	uint64_t sum = 0;
	char line[512];

	EXPECT(file);
	while (file && fgets(line, sizeof(line), file)) {
		char *at = strchr(line, ':');

		if (!at || !strstr(line, name))
			continue;
		for (int cpu = 0; cpu < cpu_count(); cpu++)
			sum += strtoul(at + 1, &at, 10);
	}
	if (file)
		fclose(file);
	return sum;
}

static inline void set_number(const char *path, const char *number)
{
	int fd = open(path, O_WRONLY);

	EXPECT_AT(fd >= 0 && write(fd, number, strlen(number)) == (ssize_t)strlen(number), "%s: %s",
		  path, strerror(errno));
	close(fd);
}

/* As many samples as there are. */
static inline void lift_sample_limits(void)
{
	/* In this order: without a limit on the time there is none on the rate to be set. */
	set_number("/proc/sys/kernel/perf_event_max_sample_rate", "250000000\n");
	set_number("/proc/sys/kernel/perf_cpu_time_max_percent", "100\n");
}

#endif
