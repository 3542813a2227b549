// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the scheduler that need several CPUs: tasks spread by weight, affinity holds while tasks move, and
 * real-time ones leave the others something. scheduling_times.c has the rules that are about time.
 */
#include <sched.h>
#include <stdatomic.h>

#include "child.h"
#include "clock.h"

#define CHILDREN_MAX 64

enum { OTHER, FIFO };

/* One word for each child, in shared memory. */
struct board {
	_Atomic int cpu[CHILDREN_MAX]; /* 1 and the CPU it runs on; 0: has not run yet */
	_Atomic uint64_t rounds[CHILDREN_MAX];
};

static struct board *board;

static int current_cpu(void)
{
	unsigned int cpu = 0;

	syscall(__NR_getcpu, &cpu, NULL, NULL);
	return (int)cpu;
}

static void set_policy(int policy, int priority)
{
	EXPECT_EQ(syscall(__NR_sched_setscheduler, 0, policy, &priority), 0);
}

static void set_affinity(pid_t pid, uint64_t mask)
{
	EXPECT_EQ(syscall(__NR_sched_setaffinity, pid, sizeof(mask), &mask), 0);
}

/* Reports again and again where it is. */
static void spin_and_report(void *argument)
{
	long number = (long)argument;

	for (;;) {
		board->cpu[number] = 1 + current_cpu();
		board->rounds[number]++;
	}
}

/* The number of COUNT children that are on CPU number CPU; CHILDREN_MAX + 1: one of them has not run. */
static int count_on(int cpu, int count)
{
	int on = 0;

	for (int i = 0; i < count; i++) {
		if (!board->cpu[i])
			return CHILDREN_MAX + 1;
		on += board->cpu[i] == 1 + cpu;
	}
	return on;
}

static bool are_spread(int count)
{
	for (int cpu = 0; cpu < cpu_count(); cpu++)
		if (count_on(cpu, count) != count / cpu_count())
			return false;
	return true;
}

static uint64_t all_cpus(void)
{
	return ((uint64_t)1 << cpu_count()) - 1;
}

/* All begin on CPU 0 and may then move: each CPU gets as many as the others. */
static void check_spreading(void)
{
	int count = 4 * cpu_count();
	pid_t children[CHILDREN_MAX];

	board = share(sizeof(*board));
	set_policy(FIFO, 50);
	run_on(0);
	for (long i = 0; i < count; i++) {
		children[i] = child_start(spin_and_report, (void *)i);
		EXPECT_EQ(syscall(__NR_sched_setscheduler, children[i], OTHER, &(int){ 0 }), 0);
	}
	for (int i = 0; i < count; i++)
		set_affinity(children[i], all_cpus());
	/* The host decides the moment, too; if it never comes, the machine's time is up. spreading.c is
	 * about whether they stay. */
	while (!are_spread(count))
		pause_ms(10);
	for (int i = 0; i < count; i++)
		child_end(children[i]);
	set_policy(OTHER, 0);
	set_affinity(0, all_cpus());
}

/* Half of them may only be on the last CPU, and never are on another. */
static void check_affinity(void)
{
	int count = 2 * cpu_count(), last = cpu_count() - 1;
	pid_t children[CHILDREN_MAX];

	board = share(sizeof(*board));
	for (long i = 0; i < count; i++) {
		children[i] = child_start(spin_and_report, (void *)i);
		if (i % 2)
			set_affinity(children[i], (uint64_t)1 << last);
	}
	/* From here on the odd ones report nothing else. */
	for (int i = 1; i < count; i += 2) {
		uint64_t seen = board->rounds[i];

		while (board->rounds[i] < seen + 2)
			pause_ms(1);
	}
	for (int look = 0; look < 30; look++) {
		for (int i = 1; i < count; i += 2)
			EXPECT_EQ_AT(board->cpu[i], 1 + last, "child %d, look %d", i, look);
		pause_ms(1);
	}
	for (int i = 0; i < count; i++)
		child_end(children[i]);
}

static void sleep_and_end(void *argument)
{
	(void)argument;
	pause_ms(1);
}

/* A real-time task that never sleeps leaves the others something, or this would not end. */
static void spin_first(void *argument)
{
	(void)argument;
	set_policy(FIFO, 10);
	for (;;)
		board->rounds[0]++;
}

static void check_throttling(void)
{
	board = share(sizeof(*board));
	run_on(cpu_count() - 1);
	pid_t hog = child_start(spin_first, NULL);

	while (!board->rounds[0])
		pause_ms(1);
	/* Each of these needs the CPU that the hog has. */
	for (int i = 0; i < 3; i++) {
		pid_t child = child_start(sleep_and_end, NULL);

		EXPECT_EQ(child_wait(child), 0);
	}
	child_end(hog);
	set_affinity(0, all_cpus());
}

static const struct tap_rule rules[] = {
	{ "tasks that may go anywhere spread evenly", check_spreading },
	{ "tasks that may not move are not moved", check_affinity },
	{ "a real-time task that never sleeps does not stop the others for good",
	  check_throttling },
};

TAP_MAIN(rules)
