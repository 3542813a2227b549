/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu_profileme: what the PMU "profileme" tells of the instructions of a known loop is what the emulator's model
 * dictates (qemu/README.md, ProfileMe): which instruction, its latency, its misses and replay traps, whether it was taken and
 * mispredicted; and the program goes on where the sample says.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "perf_ring.h"
#include "profileme.h"

#include "../../boot/child.h"
#include "proc.h"

#define PERIOD_FIRST 997
#define PERIODS	     7
#define PASSES	     4000
#define RING_PAGES   16
/* Windows that another interrupt comes into say nothing of distances: so many are tried for one without. */
#define WINDOWS_MAX  200
#define TYPE_FILE    "/sys/bus/event_source/devices/profileme/type"

/* --- the loop, and what its instructions are --- */

spin_function profiled;

__asm__("	.text\n"
	"	.set noat\n"
	"	.set nomacro\n"
	"	.align 4\n"
	"	.globl profiled\n"
	"	.ent profiled\n"
	"profiled:\n"
	"1:	stq $16, 0($17)\n"
	"	ldq $1, 0($17)\n"
	"	stl $16, 8($17)\n"
	"	ldq $2, 8($17)\n"
	"	addq $1, $2, $3\n"
	"	beq $31, 2f\n"
	"	bis $31, $31, $31\n" /* never executed */
	"2:	bne $31, 3f\n"
	"3:	mulq $3, $3, $4\n"
	"	br $31, 4f\n"
	"4:	subq $16, 1, $16\n"
	"	bne $16, 1b\n"
	"	ret $31, ($26), 1\n"
	"	.end profiled\n"
	"	.set at\n"
	"	.set macro\n");

/* An instruction takes 1 cycle; a branch 1 more, a load 2, a mispredicted branch 7, a replay trap 14. A branch that always
 * goes is mispredicted when the model sees it for the first time, one that never goes is not. */
#define CYCLES_BRANCH	  1
#define CYCLES_LOAD	  2
#define CYCLES_MISPREDICT 7
#define CYCLES_REPLAY	  14
#define CYCLES_MISS	  100
#define CYCLES_AFTER	  2 /* the window is longer than its instruction */

static const struct instruction {
	const char *what;
	uint8_t offset, next; /* in instructions, from the beginning */
	uint8_t cycles, replays;
	bool may_miss; /* the first of the line: all others find what it has brought */
	bool taken, may_mispredict, replayed;
} loop[] = {
	{ "a store", 0, 1, 1, 0, true, false, false, false },
	{ "a load of what was stored", 1, 2, 1 + CYCLES_LOAD, 0, false, false, false, false },
	{ "a store of half a quadword", 2, 3, 1, 0, false, false, false, false },
	{ "a load of it all", 3, 4, 1 + CYCLES_LOAD + CYCLES_REPLAY, 1, false, false, false, true },
	{ "an addition", 4, 5, 1, 0, false, false, false, false },
	{ "a taken branch ahead", 5, 7, 1 + CYCLES_BRANCH, 0, false, true, true, false },
	{ "a branch ahead that is not taken", 7, 8, 1 + CYCLES_BRANCH, 0, false, false, false,
	  false },
	{ "a multiplication", 8, 9, 1, 0, false, false, false, false },
	{ "a branch without condition", 9, 10, 1 + CYCLES_BRANCH, 0, false, false, false, false },
	{ "a subtraction", 10, 11, 1, 0, false, false, false, false },
	{ "a taken branch back", 11, 0, 1 + CYCLES_BRANCH, 0, false, true, true, false },
};
#define LOOP ((int)(sizeof(loop) / sizeof(loop[0])))

/* The place in the loop of the instruction at PC, or -1. */
static int find_place(uint64_t pc)
{
	for (int i = 0; i < LOOP; i++)
		if (pc == (uintptr_t)profiled + 4ul * loop[i].offset)
			return i;
	return -1;
}

/* --- samples --- */

struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t raw_size;
	struct profileme_raw raw;
};

static uint32_t pmu_type;

static void find_pmu(void)
{
	FILE *file = fopen(TYPE_FILE, "r");

	EXPECT(file && fscanf(file, "%u", &pmu_type) == 1);
	if (file)
		fclose(file);
	EXPECT(pmu_type >= PERF_TYPE_MAX);
}

static struct perf_event_attr profiling_attr(uint64_t select, uint64_t period)
{
	return (struct perf_event_attr){ .type = pmu_type,
					 .size = sizeof(struct perf_event_attr),
					 .config = select,
					 .sample_period = period,
					 .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW,
					 .disabled = 1 };
}

static bool is_mispredicted(const struct instruction *instruction, const struct profileme_raw *raw)
{
	return instruction->may_mispredict && (raw->i_stat & PROFILEME_STAT_MISPREDICT);
}

/* The values of both counters with SELECT, for MISSES of the cache. */
static void check_counters(const struct instruction *instruction, const struct profileme_raw *raw,
			   uint64_t misses)
{
	uint64_t cycles = instruction->cycles + misses * CYCLES_MISS +
			  is_mispredicted(instruction, raw) * CYCLES_MISPREDICT,
		 window = cycles + CYCLES_AFTER;
	const uint64_t expected[][2] = { [PROFILEME_RETIRED_CYCLES] = { 1, window },
					 [PROFILEME_CYCLES_DELAY] = { window, cycles },
					 [PROFILEME_RETIRED_MISSES] = { 1, misses },
					 [PROFILEME_CYCLES_REPLAYS] = { window,
									instruction->replays } };

	EXPECT_EQ_AT(PROFILEME_CTL_COUNTER0(raw->pctr_ctl), expected[raw->select][0],
		     "%s, selection %u", instruction->what, raw->select);
	EXPECT_EQ_AT(PROFILEME_CTL_COUNTER1(raw->pctr_ctl), expected[raw->select][1],
		     "%s, selection %u", instruction->what, raw->select);
}

/* Whether RAW, of a store, tells of a miss: the only thing that the loop alone does not say. */
static uint64_t misses_of(const struct profileme_raw *raw)
{
	switch (raw->select) {
	case PROFILEME_RETIRED_CYCLES:
		return PROFILEME_CTL_COUNTER1(raw->pctr_ctl) > CYCLES_MISS;
	case PROFILEME_RETIRED_MISSES:
		return PROFILEME_CTL_COUNTER1(raw->pctr_ctl) != 0;
	default:
		return PROFILEME_CTL_COUNTER0(raw->pctr_ctl) > CYCLES_MISS;
	}
}

static void check_sample(const struct instruction *instruction, const struct sample *sample)
{
	const struct profileme_raw *raw = &sample->raw;
	uint64_t traps = PROFILEME_STAT_TRAP | PROFILEME_STAT_MISPREDICT;

	check_counters(instruction, raw, instruction->may_miss ? misses_of(raw) : 0);
	EXPECT_AT(raw->pctr_ctl & PROFILEME_CTL_VALID, "%s", instruction->what);
	EXPECT_EQ_AT(!!(raw->pctr_ctl & PROFILEME_CTL_TAKEN), instruction->taken, "%s",
		     instruction->what);
	EXPECT_EQ_AT(raw->i_stat & traps,
		     is_mispredicted(instruction, raw) ? traps :
		     instruction->replayed	       ? PROFILEME_STAT_TRAP :
							 0,
		     "%s", instruction->what);
	EXPECT_EQ_AT(sample->ip, (uintptr_t)profiled + 4ul * instruction->next, "%s",
		     instruction->what);
}

/* --- the rules --- */

/* How often each instruction of the loop was profiled; and what was between two samples, but for the period: how many
 * instructions of the kernel, on its way back, are counted too, modulo the loop. */
static uint64_t profiled_times[LOOP], predicted_times[LOOP], pairs;
static int kernel_part;

/* PLACE after PREVIOUS, a period of PERIOD later. */
static void check_distance(int previous, int place, uint64_t period)
{
	int part = (int)((period + (uint64_t)(previous + LOOP - place)) % LOOP);

	if (pairs++ == 0)
		kernel_part = part;
	EXPECT_EQ_AT(part, kernel_part, "period %" PRIu64, period);
}

/* Takes all samples out of RING; UNDISTURBED: nothing but the counters has interrupted. */
static void check_samples(struct perf_ring *ring, uint64_t select, uint64_t period,
			  bool undisturbed)
{
	struct sample sample;
	int previous = -1;

	while (perf_ring_next(ring, &sample, sizeof(sample)) != 0) {
		int place = find_place(PROFILEME_PC(sample.raw.pmpc));

		EXPECT_EQ(sample.header.type, PERF_RECORD_SAMPLE);
		EXPECT(sample.raw_size >= sizeof(sample.raw));
		EXPECT_EQ(sample.raw.select, select);
		/* The loop's last branch goes on after it, and is another. */
		if (place == LOOP - 1 && sample.ip != (uintptr_t)profiled)
			place = -1;
		if (place >= 0) {
			check_sample(&loop[place], &sample);
			profiled_times[place]++;
			predicted_times[place] += !is_mispredicted(&loop[place], &sample.raw);
			if (undisturbed && previous >= 0)
				check_distance(previous, place, period);
		}
		previous = place;
	}
}

/* Interrupts of others than the counters. */
static uint64_t others(void)
{
	return interrupts_of("timer") + interrupts_of("IPI:");
}

static void profile(uint64_t select, uint64_t period)
{
	static uint64_t memory[64] __attribute__((aligned(64)));
	struct perf_event_attr attr = profiling_attr(select, period);
	struct spin_work work = { .run = profiled };
	bool undisturbed = false;

	for (int window = 0; window < WINDOWS_MAX && !undisturbed; window++) {
		uint64_t before = others();
		struct perf_ring ring;

		EXPECT_EQ(perf_ring_open(&ring, &attr, RING_PAGES), 0);
		run_enabled(ring.fd, &work, PASSES, memory);
		undisturbed = others() == before;
		check_samples(&ring, select, period, undisturbed);
		perf_ring_close(&ring);
	}
	EXPECT_AT(undisturbed, "%d windows", WINDOWS_MAX);
}

static void check_loop(void)
{
	lift_sample_limits();
	find_pmu();
	for (uint64_t select = PROFILEME_RETIRED_CYCLES; select <= PROFILEME_CYCLES_REPLAYS;
	     select++)
		for (uint64_t period = PERIOD_FIRST; period < PERIOD_FIRST + PERIODS; period++)
			profile(select, period);
}

static void check_every_instruction(void)
{
	for (int i = 0; i < LOOP; i++)
		EXPECT_AT(predicted_times[i] > 0, "%s", loop[i].what);
	/* Only the first sample of a window can be of a branch that the model has not seen. */
	for (int i = 0; i < LOOP; i++)
		EXPECT_AT(2 * predicted_times[i] > profiled_times[i], "%s", loop[i].what);
	EXPECT(pairs >= 4 * PERIODS * 40);
}

static void check_refused(void)
{
	struct perf_event_attr attr = profiling_attr(PROFILEME_CYCLES_DELAY, 1000);
	int leader = must_open(&attr, 0, -1, -1);

	EXPECT_EQ(open_event(&attr, 0, -1, leader), -1);
	EXPECT_EQ_AT(errno, EINVAL, "two in a group");
	close(leader);
	attr.config = PROFILEME_CYCLES_REPLAYS + 1;
	EXPECT_EQ(open_event(&attr, 0, -1, -1), -1);
	EXPECT_EQ_AT(errno, EINVAL, "a selection that there is not");
	attr = profiling_attr(PROFILEME_CYCLES_DELAY, 0);
	EXPECT_EQ(open_event(&attr, 0, -1, -1), -1);
	EXPECT_EQ_AT(errno, EINVAL, "nothing to sample");
	attr = profiling_attr(PROFILEME_CYCLES_DELAY, 1000);
	attr.exclude_kernel = 1;
	EXPECT_EQ(open_event(&attr, 0, -1, -1), -1);
	EXPECT_EQ_AT(errno, EINVAL, "user mode only");
}

/* An event that is counted and one that profiles want the same counters: turns. */
static void check_rotation(void)
{
	pid_t pid = child_gate(leg_run, 2001);
	struct perf_event_attr attr = timed_attr(INSTRUCTIONS);
	struct reading counting, profiling;
	int legs = 0;

	attr.disabled = 0;
	int counter = must_open(&attr, pid, -1, -1);
	attr = profiling_attr(PROFILEME_RETIRED_CYCLES, 100000);
	attr.read_format = FORMAT_TIMES;
	attr.disabled = 0;
	int profiler = must_open(&attr, pid, -1, -1);
	do {
		child_step(pid);
		child_settle(counter);
		counting = read_event(counter);
		profiling = read_event(profiler);
	} while ((!counting.running_ns || !profiling.running_ns) && legs++ < 2000);
	EXPECT(counting.running_ns && profiling.running_ns);
	EXPECT_EQ(counting.enabled_ns, profiling.enabled_ns);
	EXPECT_EQ(counting.running_ns + profiling.running_ns, counting.enabled_ns);
	close(counter);
	close(profiler);
	child_end(pid);
}

static const struct tap_rule rules[] = {
	{ "each sample of a loop has the latency, traps and address that the model dictates, at a constant distance",
	  check_loop },
	{ "... and every instruction of it has been profiled", check_every_instruction },
	{ "what ProfileMe cannot do is refused", check_refused },
	{ "a profiling and a counting event rotate", check_rotation },
};

TAP_MAIN(rules)
