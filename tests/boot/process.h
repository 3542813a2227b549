// SPDX-License-Identifier: BSD-2-Clause
/*
 * The common part of the tests of processes, handlers and mappings: children that run a function, and a
 * page through which they talk with their parent. Nothing here knows of events (child.h does).
 */
#ifndef TESTS_BOOT_PROCESS_H
#define TESTS_BOOT_PROCESS_H

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../unit/tap.h"
#include "clock.h"
#include "page.h"

#define OWN_FILE "/proc/self/exe"

/* The words that the children of one rule write for the parent; zero at the start of each. */
static volatile int *shared;

/* A child that runs BODY and exits with 0. */
static inline pid_t start(void (*body)(void))
{
	fflush(stdout);
	pid_t child = fork();

	if (child == 0) {
		body();
		_exit(0);
	}
	EXPECT(child > 0);
	return child;
}

static inline int status_of(pid_t child)
{
	int status = -1;

	EXPECT_EQ(waitpid(child, &status, 0), child);
	return status;
}

/* Waits until *WORD is VALUE. */
static inline void wait_for(volatile int *word, int value)
{
	while (*word != value)
		sched_yield();
}

static inline void do_nothing(void)
{
}

/* One private page of zeros at ADDRESS, or where there is room. */
static inline char *page_at(char *address, int protection, int flags)
{
	return mmap(address, PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

/* Maps the page, then checks every rule of the table; main's status. */
static inline int process_run_rules(const struct tap_rule *rules, size_t count)
{
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	return tap_run(rules, count);
}

#endif
