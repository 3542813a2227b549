// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the scheduler about time: real-time tasks come first, and an idle CPU executes nothing at all.
 *
 * A host that has other things to do decides when a CPU gets to its last work before it is idle; and the time in which
 * it does not run a CPU is that of the real-time task there, which must leave fair tasks a part of each second. So
 * tests/boot/icount.t runs this program, in virtual time.
 */
#include <sched.h>
#include <stdatomic.h>

#include "child.h"
#include "clock.h"

#define SPINNERS 3

static _Atomic uint64_t *rounds; /* of each spinner, in shared memory */

static void spin(void *argument)
{
	for (;;)
		rounds[(long)argument]++;
}

static uint64_t all_rounds(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < SPINNERS; i++)
		sum += rounds[i];
	return sum;
}

/* A real-time task sleeps and wakes while fair ones spin on its CPU: when it runs, no other task does,
 * and they do not interrupt its work between two sleeps. */
static void be_first(void *unused)
{
	(void)unused;
	EXPECT_EQ(syscall(__NR_sched_setscheduler, 0, SCHED_FIFO, &(int){ 10 }), 0);
	for (int round = 0; round < 50; round++) {
		pause_ms(1);
		uint64_t before = all_rounds();

		/* Longer than a slice of a fair task. */
		for (volatile int work = 0; work < 200000; work++)
			;
		EXPECT_EQ_AT(all_rounds(), before, "round %d", round);
	}
	fflush(stdout);
	_exit(tap_failed);
}

static void check_real_time(void)
{
	pid_t spinners[SPINNERS];

	rounds = share(SPINNERS * sizeof(*rounds));
	run_on(cpu_count() - 1);
	for (long i = 0; i < SPINNERS; i++)
		spinners[i] = child_start(spin, (void *)i);
	EXPECT_EQ(child_wait(child_start(be_first, NULL)), 0);
	EXPECT(all_rounds() > 0);
	for (int i = 0; i < SPINNERS; i++)
		child_end(spinners[i]);
	pin(0, -1);
}

/* Instructions that a CPU has executed until now, those for the answer included. */
static uint64_t instructions_of(int fd)
{
	uint64_t count = 0;

	EXPECT_EQ(read(fd, &count, sizeof(count)), sizeof(count));
	return count;
}

/* A CPU without anything to do sleeps: not one instruction in a second, but for the question. */
static void check_idle(void)
{
	if (cpu_count() == 1) {
		printf("# skipped: the only CPU is never idle while this program reads\n");
		return;
	}
	run_on(0);
	for (int cpu = 1; cpu < cpu_count(); cpu++) {
		struct perf_event_attr attr = { .size = sizeof(attr),
						.type = PERF_TYPE_HARDWARE,
						.config = PERF_COUNT_HW_INSTRUCTIONS };
		int fd = open_event(&attr, -1, cpu, -1);

		EXPECT(fd >= 0);
		/* The CPU's last work is done, and the tick of CPU time has ended. */
		pause_ms(100);
		instructions_of(fd);
		pause_ms(100);
		uint64_t first = instructions_of(fd);

		pause_ms(10);
		uint64_t second = instructions_of(fd);

		pause_ms(1000);
		uint64_t third = instructions_of(fd);

		EXPECT_EQ_AT(third - second, second - first, "CPU %d", cpu);
		close(fd);
	}
	pin(0, -1);
}

static const struct tap_rule rules[] = {
	{ "a real-time task is not interrupted by fair ones", check_real_time },
	{ "an idle CPU executes nothing for a second", check_idle },
};

TAP_MAIN(rules)
