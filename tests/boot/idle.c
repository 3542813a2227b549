// SPDX-License-Identifier: BSD-2-Clause
/*
 * The rule of tickless idle: a CPU with nothing to do, and no timer of its own, takes no timer
 * interrupt.
 *
 * /proc/interrupts counts them for each CPU. This program stays on CPU 0 and sleeps; no other task runs. How long a CPU
 * takes for its last work is the host's decision; so tests/boot/icount.t runs this program, in virtual time.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/tap.h"
#include "clock.h"

#define CPUS_MAX 256
#define SLEEP_MS 300

/* The local timer's interrupts on each of COUNT CPUs. */
static void read_timer_interrupts(uint64_t interrupts[CPUS_MAX], int count)
{
	char line[CPUS_MAX * 16];
	FILE *file = fopen("/proc/interrupts", "r");
	char *next = NULL;

	while (file && !next && fgets(line, sizeof(line), file)) {
		next = strstr(line, "LOC:");
		if (next)
			next += strlen("LOC:");
	}
	EXPECT(next != NULL);
	for (int cpu = 0; next && cpu < count; cpu++)
		interrupts[cpu] = strtoull(next, &next, 10);
	if (file)
		fclose(file);
}

static void check_idle_cpus(void)
{
	uint64_t before[CPUS_MAX] = { 0 }, after[CPUS_MAX] = { 0 };
	int count = (int)sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	EXPECT_EQ(sched_setaffinity(0, sizeof(first), &first), 0);
	/* Waits until the CPU's last work is done. */
	pause_ms(SLEEP_MS);
	read_timer_interrupts(before, count);
	pause_ms(SLEEP_MS);
	read_timer_interrupts(after, count);
	for (int cpu = 1; cpu < count; cpu++)
		EXPECT_EQ_AT(after[cpu], before[cpu], "timer interrupts of CPU %d", cpu);
	EXPECT(after[0] > before[0]);
}

static const struct tap_rule rules[] = {
	{ "a CPU with nothing to do takes no timer interrupt", check_idle_cpus },
};

int main(void)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("1..0 # SKIP the only CPU has this program to run\n");
		return 0;
	}
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
