// SPDX-License-Identifier: BSD-2-Clause
/* How much memory is free, exactly, for the tests that want all of it back: leak.c, tidy.c. */
#ifndef TESTS_BOOT_TIDINESS_H
#define TESTS_BOOT_TIDINESS_H

#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../unit/tap.h"

#define TASKS_AT_ONCE 32

/* struct sysinfo's beginning: Linux's uapi/linux/sysinfo.h. */
struct system_info {
	int64_t uptime;
	uint64_t loads[3];
	uint64_t total_ram, free_ram;
	uint64_t rest[10];
};

static uint64_t free_memory(void)
{
	struct system_info info;

	EXPECT_EQ(syscall(__NR_sysinfo, &info), 0);
	return info.free_ram;
}

static void pause_ms(long ms)
{
	struct timespec time = { 0, ms * 1000000 };

	nanosleep(&time, NULL);
}

/* Kernel stacks are kept for the next task when one ends: as many are needed as tasks ever were
 * at once, those that have ended but are not freed yet included. So that the rules do not need
 * more: many at once, first. */
static void have_many_tasks(void)
{
	pid_t children[TASKS_AT_ONCE];

	for (int i = 0; i < TASKS_AT_ONCE; i++) {
		children[i] = fork();
		if (children[i] == 0)
			for (;;)
				pause();
	}
	for (int i = 0; i < TASKS_AT_ONCE; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
}

#endif
