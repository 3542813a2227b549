/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu_samples: samples of user mode on the EV67, each at the very instruction that its period says. The periods are such that
 * the counter overflows at each instruction of the ways between user mode and the kernel: what it does there must
 * neither make a sample nor move one.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "perf_ring.h"

#include "../../boot/child.h"
#include "proc.h"
#include "traps.h"

/* Longer than both ways together. */
#define PERIOD_MAX 260
/* Passes of the works; so many instructions do not fill the ring with samples of each. */
#define PASSES	   30
#define RING_PAGES 16
#define LENGTH_MAX 4096

struct sample {
	struct perf_event_header header;
	uint64_t ip;
};

/* --- what is executed, in order --- */

/* After an instruction: what has happened, and where the program goes on. */
struct boundary {
	uint64_t happened;
	uintptr_t ip;
};

static struct boundary path[LENGTH_MAX];

#define OPCODE_JUMP	  0x1a
#define OPCODE_BRANCH_MIN 0x30

static bool is_branch(uintptr_t address)
{
	uint32_t opcode = *(const uint32_t *)address >> 26;

	return opcode >= OPCODE_BRANCH_MIN || opcode == OPCODE_JUMP;
}

/* Fills in PATH for KIND: the window (window_addresses has those after its instructions), and WORK in it. */
static size_t follow(const struct kind *kind, const struct spin_work *work)
{
	const uint64_t *window = window_addresses;
	size_t inside = spin_path_length(work->path, PASSES), length = 0;
	uintptr_t at = window[0] - 4, next;
	uint64_t happened = 0;

	for (size_t i = 0; i < WINDOW_INSTRUCTIONS + inside; i++) {
		if (i < 3)
			next = window[i];
		else if (i < 3 + inside)
			next = spin_path_address(work->path, PASSES, i - 3);
		else if (i < WINDOW_INSTRUCTIONS + inside - 1)
			next = window[i - inside];
		else
			next = at + 4; /* the callsys */
		happened += derive(kind, 1, is_branch(at));
		path[length++] = (struct boundary){ happened, next };
		at = next;
	}
	EXPECT_EQ_AT(happened, derive_window(kind, work, PASSES), "%s, %s", kind->name, work->name);
	return length;
}

/* --- sampling it --- */

static struct perf_event_attr sampling_attr(const struct kind *kind, uint64_t period)
{
	struct perf_event_attr attr = user_attr(kind);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	return attr;
}

/* One sample for each multiple of PERIOD along the LENGTH boundaries, and no other. */
static void check_ring(struct perf_ring *ring, const char *name, uint64_t period, size_t length)
{
	struct sample sample;
	uint64_t due = period;

	for (size_t i = 0; i < length; i++) {
		if (path[i].happened < due)
			continue;
		/* A branch's two cycles may end two periods; that is one overflow. */
		due += (path[i].happened - due) / period * period + period;
		EXPECT_EQ_AT(perf_ring_next(ring, &sample, sizeof(sample)), sizeof(sample),
			     "%s, period %" PRIu64 ", instruction %zu", name, period, i);
		EXPECT_EQ_AT(sample.header.type, PERF_RECORD_SAMPLE, "%s, period %" PRIu64, name,
			     period);
		EXPECT_EQ_AT(sample.header.misc & PERF_RECORD_MISC_CPUMODE_MASK,
			     PERF_RECORD_MISC_USER, "%s, period %" PRIu64, name, period);
		EXPECT_EQ_AT(sample.ip, path[i].ip, "%s, period %" PRIu64 ", instruction %zu", name,
			     period, i);
	}
	EXPECT_EQ_AT(perf_ring_next(ring, &sample, sizeof(sample)), 0, "%s, period %" PRIu64, name,
		     period);
}

static void sample_work(const struct kind *kind, const struct spin_work *work, uint64_t period,
			size_t length)
{
	struct perf_event_attr attr = sampling_attr(kind, period);
	void *memory = map_memory(work, PASSES);
	struct perf_ring ring;
	uint64_t count = 0;

	EXPECT_EQ_AT(perf_ring_open(&ring, &attr, RING_PAGES), 0, "%s, period %" PRIu64, kind->name,
		     period);
	run_enabled(ring.fd, work, PASSES, memory);
	EXPECT_EQ(read(ring.fd, &count, sizeof(count)), sizeof(count));
	EXPECT_EQ_AT(count, path[length - 1].happened, "%s, period %" PRIu64, work->name, period);
	check_ring(&ring, work->name, period, length);
	perf_ring_close(&ring);
	unmap_memory(work, PASSES, memory);
}

/* All works but the longest. */
static void sample_all(const struct kind *kind)
{
	for (size_t i = 0; i < spin_works_count; i++) {
		if (spin_path_length(spin_works[i].path, PASSES) > LENGTH_MAX - WINDOW_INSTRUCTIONS)
			continue;
		size_t length = follow(kind, &spin_works[i]);

		for (uint64_t period = 1; period <= PERIOD_MAX; period++)
			sample_work(kind, &spin_works[i], period, length);
	}
}

static void check_instructions(void)
{
	sample_all(INSTRUCTIONS);
}

static void check_cycles(void)
{
	sample_all(GENERAL);
}

/* Both at once: the same instructions overflow both counters. */
static void sample_both(uint64_t period, const struct spin_work *work)
{
	struct perf_event_attr attr = sampling_attr(INSTRUCTIONS, period);
	struct perf_ring rings[2];

	EXPECT_EQ(perf_ring_open(&rings[0], &attr, RING_PAGES), 0);
	attr = sampling_attr(GENERAL, period);
	EXPECT_EQ(perf_ring_open(&rings[1], &attr, RING_PAGES), 0);
	run_all_enabled(work, PASSES, NULL);
	check_ring(&rings[0], "both: instructions", period, follow(INSTRUCTIONS, work));
	check_ring(&rings[1], "both: cycles", period, follow(GENERAL, work));
	perf_ring_close(&rings[0]);
	perf_ring_close(&rings[1]);
}

static void check_both(void)
{
	for (uint64_t period = 1; period <= PERIOD_MAX; period++)
		sample_both(period, spin_find_work("syscalls"));
}

static void sample_beside_others(int number)
{
	const struct spin_work *work = spin_find_work(number % 2 ? "yields" : "syscalls");
	size_t length = follow(INSTRUCTIONS, work);

	for (uint64_t period = 1; period <= PERIOD_MAX; period += 7)
		sample_work(INSTRUCTIONS, work, period, length);
}

static void check_beside_others(void)
{
	children_run(3 * cpu_count(), sample_beside_others);
}

/* Exceptions: one sample for each period; the handlers' places are not followed. */
static void sample_traps(const struct kind *kind, const struct spin_work *work, uint64_t period)
{
	struct perf_event_attr attr = sampling_attr(kind, period);
	uint64_t all = derive_window(kind, work, 8), count = 0, samples = 0;
	void *memory = map_memory(work, 8);
	struct perf_ring ring;
	struct sample sample;

	EXPECT_EQ(perf_ring_open(&ring, &attr, RING_PAGES), 0);
	run_enabled(ring.fd, work, 8, memory);
	EXPECT_EQ(read(ring.fd, &count, sizeof(count)), sizeof(count));
	EXPECT_EQ_AT(count, all, "%s, %s, period %" PRIu64, kind->name, work->name, period);
	while (perf_ring_next(&ring, &sample, sizeof(sample)) != 0)
		samples += sample.header.type == PERF_RECORD_SAMPLE;
	/* A branch's two cycles may end two periods, of 1. */
	if (kind == INSTRUCTIONS || period > 1)
		EXPECT_EQ_AT(samples, all / period, "%s, %s, period %" PRIu64, kind->name,
			     work->name, period);
	perf_ring_close(&ring);
	unmap_memory(work, 8, memory);
}

static void check_traps(void)
{
	catch_traps();
	for (int i = 0; i < TRAP_WORKS; i++) {
		for (uint64_t period = 1; period <= PERIOD_MAX; period++) {
			sample_traps(INSTRUCTIONS, &traps[i], period);
			sample_traps(GENERAL, &traps[i], period);
		}
	}
}

/* --- long periods --- */

/* The counter may wrap several times between two samples. */
static void check_long(void)
{
	static const uint64_t periods[] = { 524287,  524288,  524289, 1048575,
					    1048576, 1048577, 3000001 };
	const struct spin_work *work = spin_find_work("loop");
	const uint64_t passes = 5000000;

	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		struct perf_event_attr attr = sampling_attr(INSTRUCTIONS, periods[i]);
		uint64_t all = derive_window(INSTRUCTIONS, work, passes), count = 0;
		struct perf_ring ring;
		struct sample sample;

		EXPECT_EQ(perf_ring_open(&ring, &attr, 1), 0);
		run_enabled(ring.fd, work, passes, NULL);
		EXPECT_EQ(read(ring.fd, &count, sizeof(count)), sizeof(count));
		EXPECT_EQ(count, all);
		for (uint64_t due = periods[i]; due <= all; due += periods[i]) {
			/* After the three loads and the jump. */
			uint64_t index = due - 4;

			EXPECT_EQ_AT(perf_ring_next(&ring, &sample, sizeof(sample)), sizeof(sample),
				     "period %" PRIu64 ", %" PRIu64, periods[i], due);
			EXPECT_EQ_AT(sample.ip, spin_path_address(work->path, passes, index),
				     "period %" PRIu64 ", %" PRIu64, periods[i], due);
		}
		EXPECT_EQ_AT(perf_ring_next(&ring, &sample, sizeof(sample)), 0, "period %" PRIu64,
			     periods[i]);
		perf_ring_close(&ring);
	}
}

static const struct tap_rule rules[] = {
	{ "the limits on samples can be lifted", lift_sample_limits },
	{ "each sample is at the instruction that ends its period: instructions, periods of 1 and more",
	  check_instructions },
	{ "... cycles", check_cycles },
	{ "... both counters at once", check_both },
	{ "... beside others on the same CPU", check_beside_others },
	{ "... as many of every kind of exception as there are periods", check_traps },
	{ "... with periods about as long as the counter, and longer", check_long },
};

TAP_MAIN(rules)
