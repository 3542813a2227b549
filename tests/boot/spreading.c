// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fair tasks that are spread evenly stay where they are though a real-time task comes to one of their
 * CPUs again and again for a moment, and leave one that stays. The moments of its coming decide; so
 * tests/boot/icount.t runs this, where time is virtual, and no machine whose host has other things to
 * do.
 */
#include <sched.h>
#include <stdatomic.h>

#include "child.h"
#include "clock.h"

#define EACH	     4
#define CHILDREN_MAX (4 * EACH)
/* So long after their start all are where they belong, and have run there. */
#define SETTLE_MS    300
/* A slice: the moments at which the real-time task comes move but slowly against the slices' ends. */
#define AWAY_MS	     3
#define VISITS	     150
#define STAY_MS	     100
/* Two instructions each: a small part of a slice, and cheaper for an emulator than as many in calls. */
#define ROUNDS	     1000

/* In shared memory, for each child: 1 and the CPU where it ran last. */
static _Atomic int *places;

static void spin_and_report(void *argument)
{
	for (;;) {
		unsigned int cpu = 0;

		syscall(__NR_getcpu, &cpu, NULL, NULL);
		places[(long)argument] = 1 + (int)cpu;
		for (int round = 0; round < ROUNDS; round++)
			__asm__ volatile("");
	}
}

static int count_on(int cpu)
{
	int on = 0;

	for (int i = 0; i < CHILDREN_MAX; i++)
		on += places[i] == 1 + cpu;
	return on;
}

static void check_visits(void)
{
	/* On the only CPU no task can leave: one look tells that all run. */
	int visits = cpu_count() == 1 ? 1 : VISITS;

	for (int visit = 0; visit < visits; visit++) {
		pause_ms(AWAY_MS);
		for (int cpu = 0; cpu < cpu_count(); cpu++)
			EXPECT_EQ_AT(count_on(cpu), EACH, "CPU %d, visit %d", cpu, visit);
	}
}

static void check_stay(void)
{
	if (cpu_count() == 1) {
		printf("# skipped: there is no other CPU to go to\n");
		return;
	}
	for (uint64_t end_ns = now_ns() + STAY_MS * NS_PER_MS; now_ns() < end_ns;)
		;
	EXPECT_EQ(count_on(0), 0);
}

/* This task is the real-time task, on CPU 0, while the rules are tried. */
static void check_spreading(void)
{
	int count = EACH * cpu_count();
	uint64_t all = ((uint64_t)1 << cpu_count()) - 1;
	pid_t children[CHILDREN_MAX];

	places = share(CHILDREN_MAX * sizeof(*places));
	for (long i = 0; i < count; i++)
		children[i] = child_start(spin_and_report, (void *)i);
	EXPECT_EQ(syscall(__NR_sched_setscheduler, 0, SCHED_FIFO, &(int){ 50 }), 0);
	run_on(0);
	pause_ms(SETTLE_MS);
	check_visits();
	check_stay();
	EXPECT_EQ(syscall(__NR_sched_setscheduler, 0, SCHED_OTHER, &(int){ 0 }), 0);
	EXPECT_EQ(syscall(__NR_sched_setaffinity, 0, sizeof(all), &all), 0);
	for (int i = 0; i < count; i++)
		child_end(children[i]);
}

static const struct tap_rule rules[] = {
	{ "fair tasks leave a CPU to a real-time one that stays, not to one that comes for moments",
	  check_spreading },
};

TAP_MAIN(rules)
