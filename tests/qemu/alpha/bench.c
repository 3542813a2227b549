// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench.c: known work of several kinds, for qemu/bench to measure on the host; alone, while it is
 * counted, sampled, counted by the model of memory, and profiled.
 */
#include "guest.h"

#define SAMPLE_PERIOD 100000
#define PROFILE_ME    4u /* SL0, beside SL1 in SELECT */
#define LOOP_ROUNDS   100000ul
#define MEMORY_ROUNDS 500
#define CALL_ROUNDS   50000ul

enum { ALONE, COUNTED, SAMPLED, MEMORY, PROFILED };

static void work_loop(void)
{
	run_loop((void *)LOOP_ROUNDS);
}

static void work_memory(void)
{
	for (int i = 0; i < MEMORY_ROUNDS; i++)
		touch_blocks(scratch);
}

static void work_calls(void)
{
	run_calls((void *)CALL_ROUNDS);
}

static void (*const kinds[])(void) = { work_loop, work_memory, work_calls };

/* The settings of the counters in each mode: SL0 and SL1, and whether they interrupt. */
static const struct {
	uint64_t select;
	bool interrupts;
} modes[] = {
	[COUNTED] = { INSNS_CYCLES, false },
	[SAMPLED] = { INSNS_CYCLES, true },
	[MEMORY] = { INSNS_MISSES, false },
	[PROFILED] = { PROFILE_ME, true },
};

static uint64_t number(const char **words, const char *name)
{
	const char *at = *words;
	uint64_t value = 0;

	while (*at == ' ')
		at++;
	while (*name && *at == *name) {
		at++;
		name++;
	}
	if (*name || *at < '0' || *at > '9')
		fatal("the bench needs mode, kind and rounds: %s", *words);
	for (; *at >= '0' && *at <= '9'; at++)
		value = value * 10 + (uint64_t)(*at - '0');
	*words = at;
	return value;
}

static void take_sample(void)
{
	wrperfmon(PM_WRITE, BOTH(-SAMPLE_PERIOD, 0) & ~2ull);
	wrperfmon(PM_ENABLE, 3);
}

void bench(const char *words)
{
	uint64_t mode = number(&words, "mode="), kind = number(&words, "kind="),
		 rounds = number(&words, "rounds=");

	if (mode >= ARRAY_SIZE(modes) || kind >= ARRAY_SIZE(kinds))
		fatal("there is no mode %u or no kind %u of work", mode, kind);
	if (mode != ALONE) {
		prepare(modes[mode].select, 0, 0);
		if (modes[mode].interrupts) {
			interrupt_work = take_sample;
			wrperfmon(PM_WRITE, BOTH(-SAMPLE_PERIOD, 0));
			swpipl(0);
		}
		wrperfmon(PM_ENABLE, 3);
	}
	for (uint64_t i = 0; i < rounds; i++)
		kinds[kind]();
	wrperfmon(PM_DISABLE, 3);
	swpipl(7);
	if (mode != ALONE && modes[mode].interrupts)
		tap_ok(seen()->interrupts > 0, "the work is done and was sampled %u times",
		       seen()->interrupts);
	else
		tap_ok(true, "the work is done");
}
