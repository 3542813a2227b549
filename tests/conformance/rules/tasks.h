/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks that rules need: on one CPU, children that wait until they are let go, a user without privileges.
 */
#ifndef TESTS_RULES_TASKS_H
#define TESTS_RULES_TASKS_H

#include "rules.h"

/* Runs on CPU alone. */
static inline void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	EXPECT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* Waits for CHILD; its exit status, or -1. */
static inline int status_of(pid_t child)
{
	int status = -1;

	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A child that waits. */
struct waiter {
	pid_t pid;
	int go; /* it continues at a byte from this pipe */
};

/* Its WORK(LOOPS) begins when it is let go; then it exits with 0. */
static inline struct waiter start_waiter(void (*work)(uint64_t), uint64_t loops)
{
	int ends[2];
	char byte;

	EXPECT_EQ(pipe(ends), 0);
	struct waiter waiter = { fork(), ends[1] };

	if (waiter.pid == 0) {
		read(ends[0], &byte, 1);
		work(loops);
		_exit(0);
	}
	close(ends[0]);
	return waiter;
}

static inline void let_go(const struct waiter *waiter)
{
	write(waiter->go, "", 1);
}

/* Lets it go and waits for it; its exit status, or -1. */
static inline int end_of(const struct waiter *waiter)
{
	let_go(waiter);
	return status_of(waiter->pid);
}

/* Work of such a child: this program again, which ends at once. */
static inline void exec_nothing(uint64_t unused)
{
	(void)unused;
	execl("/proc/self/exe", "rules", DO_NOTHING, NULL);
	_exit(1);
}

/* Becomes a user without privileges. */
static inline void drop_privileges(void)
{
	EXPECT_EQ(setresgid(1000, 1000, 1000), 0);
	EXPECT_EQ(setresuid(1000, 1000, 1000), 0);
	/* Changing the user makes a process one that others of that user may not look into. */
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

#endif
