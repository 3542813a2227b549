// SPDX-License-Identifier: BSD-2-Clause
/*
 * Permission to change how a task is scheduled, and which task runs first.
 */
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "sched_calls.h"
#include "child.h"

enum { USER = 1000, ANOTHER = 2000 };

/* --- who may --- */

static void see_user(void)
{
	struct rlimit limit = { 10, 10 };

	become(USER);
	show(outcome(set(0, FIFO, 1)), "a user: fifo");
	show(outcome(set(0, BATCH, 0)), "a user: batch");
	show(outcome(set(0, IDLE, 0)), "a user: idle");
	show(outcome(set(0, OTHER, 0)), "a user: other after idle");
	show(outcome(set(0, IDLE | RESET_ON_FORK, 0)), "a user: reset on fork");
	show(outcome(set(0, IDLE, 0)), "a user: no reset on fork any more");
	show(outcome(set(getppid(), OTHER, 0)), "a user: root's process");
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	show(outcome(sched_setaffinity(getppid(), sizeof(cpus), &cpus)), "a user: root's affinity");
	show(outcome(sched_setaffinity(0, sizeof(cpus), &cpus)), "a user: own affinity");
	show(outcome(setpriority(PRIO_USER, 0, 3)), "a user: all that is the user's");
	show(outcome(setpriority(PRIO_USER, 0, 2)), "a user: less nice");
	show(outcome(setrlimit(RLIMIT_NICE, &limit)), "a user: the limit on nice values");
}

static void see_limited(void)
{
	struct rlimit nice = { 25, 25 }, priority = { 10, 10 };

	setrlimit(RLIMIT_NICE, &nice);
	setrlimit(RLIMIT_RTPRIO, &priority);
	become(USER);
	show(outcome(setpriority(PRIO_PROCESS, 0, -5)), "limit: nice -5");
	show(outcome(setpriority(PRIO_PROCESS, 0, -6)), "limit: nice -6");
	show(outcome(set(0, FIFO, 11)), "limit: fifo 11");
	show(outcome(set(0, FIFO, 10)), "limit: fifo 10");
	show(outcome(set_priority(0, 11)), "limit: priority 11");
	show(outcome(set_priority(0, 4)), "limit: priority 4");
	show(outcome(set(0, RR, 9)), "limit: round robin 9");
	priority.rlim_cur = 0;
	setrlimit(RLIMIT_RTPRIO, &priority);
	show(outcome(set_priority(0, 3)), "limit 0: a lower priority");
	show(outcome(set_priority(0, 5)), "limit 0: a higher priority");
	show(outcome(set(0, FIFO, 2)), "limit 0: fifo 2");
	show(outcome(set(0, IDLE, 0)), "limit: idle");
	show(outcome(set(0, OTHER, 0)), "limit: other after idle");
}

static void see_nice(void)
{
	SEE(getpriority(PRIO_PROCESS, 0));
	SEE(setpriority(PRIO_PROCESS, 0, 100));
	show(outcome_value(syscall(SYS_getpriority, PRIO_PROCESS, 0)), "nice 100, raw");
	SEE(setpriority(PRIO_PROCESS, 0, -100));
	show(outcome_value(syscall(SYS_getpriority, PRIO_PROCESS, 0)), "nice -100, raw");
	SEE(setpriority(3, 0, 1));
	SEE(setpriority(-1, 0, 1));
	SEE(getpriority(3, 0));
	SEE(setpriority(PRIO_PROCESS, NO_PROCESS, 1));
	SEE(getpriority(PRIO_PROCESS, NO_PROCESS));
	SEE(getpriority(PRIO_PGRP, NO_PROCESS));
	SEE(setpriority(PRIO_USER, ANOTHER, 1));
	SEE(setpgid(0, 0));
	SEE(setpriority(PRIO_PGRP, 0, 6));
	SEE(getpriority(PRIO_PGRP, getpid()));
	SEE(nice(2));
	SEE(nice(-4));
}

static void see_affinity(void)
{
	unsigned long mask[16] = { 1 };

	SEE(syscall(SYS_sched_setaffinity, 0, 8, mask));
	SEE(syscall(SYS_sched_setaffinity, 0, 128, mask));
	SEE(syscall(SYS_sched_setaffinity, 0, 1, mask));
	SEE(syscall(SYS_sched_setaffinity, 0, 0, mask));
	mask[0] = 0;
	show(outcome(syscall(SYS_sched_setaffinity, 0, 8, mask)), "affinity: none");
	mask[1] = 1;
	show(outcome(syscall(SYS_sched_setaffinity, 0, 16, mask)), "affinity: one there is not");
	SEE(syscall(SYS_sched_setaffinity, 0, 8, 1L));
	SEE(syscall(SYS_sched_setaffinity, NO_PROCESS, 8, mask));
	SEE(syscall(SYS_sched_getaffinity, 0, 8, mask));
	SEE(syscall(SYS_sched_getaffinity, 0, 128, mask));
	SEE(syscall(SYS_sched_getaffinity, 0, 7, mask));
	SEE(syscall(SYS_sched_getaffinity, 0, 12, mask));
	SEE(syscall(SYS_sched_getaffinity, 0, 0, mask));
	SEE(syscall(SYS_sched_getaffinity, 0, 8, 1L));
	SEE(syscall(SYS_sched_getaffinity, NO_PROCESS, 8, mask));
	SEE(syscall(SYS_getcpu, NULL, NULL, NULL));
	SEE(syscall(SYS_getcpu, 1L, NULL, NULL));
	SEE(syscall(SYS_getcpu, NULL, 1L, NULL));
	SEE(syscall(SYS_getcpu, &mask[0], &mask[1], 1L));
}

static long io_set(int which, int who, int class, int level)
{
	return syscall(SYS_ioprio_set, which, who, class << 13 | level);
}

static void see_io(void)
{
	SEE(syscall(SYS_ioprio_get, 1, 0));
	SEE(io_set(1, 0, 2, 7));
	SEE(syscall(SYS_ioprio_get, 1, getpid()));
	SEE(io_set(1, 0, 3, 0));
	SEE(io_set(1, 0, 1, 4));
	show(outcome_value(syscall(SYS_ioprio_get, 1, 0)), "ioprio: real time reported");
	SEE(io_set(1, 0, 0, 0));
	SEE(io_set(1, 0, 0, 1));
	SEE(io_set(1, 0, 4, 0));
	SEE(io_set(1, 0, 7, 0));
	SEE(io_set(0, 0, 2, 0));
	SEE(io_set(4, 0, 2, 0));
	SEE(io_set(1, NO_PROCESS, 2, 0));
	SEE(syscall(SYS_ioprio_get, 0, 0));
	SEE(syscall(SYS_ioprio_get, 1, NO_PROCESS));
	SEE(syscall(SYS_ioprio_get, 2, NO_PROCESS));
	SEE(setpgid(0, 0));
	show(outcome_value(syscall(SYS_ioprio_get, 2, 0)), "ioprio: group, from nice 0");
	become(USER);
	show(outcome(io_set(1, 0, 1, 0)), "ioprio: real time by a user");
	show(outcome(io_set(1, 0, 2, 1)), "ioprio: best effort by a user");
	show(outcome(io_set(1, getppid(), 2, 1)), "ioprio: root's by a user");
}

/* --- who runs first --- */

static int *order;

/* Two children on one CPU: each writes its letter when it first runs. */
static void race(const char *name, int first_policy, int first_priority, int second_policy,
		 int second_priority)
{
	pid_t children[2];

	order[0] = 0;
	/* The parent keeps the CPU until both are ready to run. */
	set(0, FIFO, 90);
	for (int i = 0; i < 2; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			order[++order[0]] = 'a' + i;
			_exit(0);
		}
		set(children[i], i ? second_policy : first_policy,
		    i ? second_priority : first_priority);
	}
	for (int i = 0; i < 2; i++)
		waitpid(children[i], NULL, 0);
	char text[3] = { (char)order[1], (char)order[2], 0 };

	set(0, OTHER, 0);
	show(text, "first to run: %s", name);
}

static void see_order(void)
{
	cpu_set_t cpus;

	order = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	fflush(stdout);
	race("fifo 5, fifo 6", FIFO, 5, FIFO, 6);
	race("fifo 6, fifo 5", FIFO, 6, FIFO, 5);
	race("fifo 5, fifo 5", FIFO, 5, FIFO, 5);
	race("round robin 7, fifo 8", RR, 7, FIFO, 8);
	race("other, fifo 1", OTHER, 0, FIFO, 1);
	race("idle, round robin 1", IDLE, 0, RR, 1);
	race("batch, round robin 1", BATCH, 0, RR, 1);
}

int main(void)
{
	in_child(see_user);
	in_child(see_limited);
	in_child(see_nice);
	in_child(see_affinity);
	in_child(see_io);
	in_child(see_order);
	return 0;
}
