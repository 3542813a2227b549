// SPDX-License-Identifier: BSD-2-Clause
/*
 * cycles.c - cycles, reference cycles, and the conditions on the events of a cycle: EDGE, INV, CMASK.
 *
 * Cycles of a real CPU cannot be derived. The emulator's can: one each instruction and one more each branch.
 * The first rule finds out which of the two this machine is, and later ones use it.
 */
#include "cycles.h"

#include <inttypes.h>

#define PASSES	       10000

#define SDM_CYCLES     "Intel SDM vol. 3B, 20.2.1.2; AMD APM vol. 2, 13.2.1"
#define SDM_CONDITIONS "Intel SDM vol. 3B, 20.2.1.1; AMD APM vol. 2, 13.2.1"

bool cycles_are_derived;

static const struct work *const works[] = { &user_loop, &user_branches, &user_calls };
#define WORKS (sizeof(works) / sizeof(works[0]))

/* The difference for PASSES of WORK in ring 3 by the first counter; -1 if it fails. */
static int64_t count_of(struct finding *finding, const struct work *work, uint64_t selection)
{
	struct measurement m = { 0 };
	int64_t differences[USES_MAX];

	use_general(&m, first_counter(), selection, work->run ? RING_USER : RING_KERNEL);
	if (measure_difference(&m, work, PASSES, differences))
		return differences[0];
	find_broken(finding, "%s", m.message);
	return -1;
}

static void are_counted(struct finding *finding, unsigned int argument)
{
	uint64_t selection;
	unsigned int derived = 0;

	(void)argument;
	if (!shape_event(EVENT_CYCLES, &selection)) {
		find_absent(finding, "the event of cycles is not announced");
		return;
	}
	for (unsigned int i = 0; i < WORKS; i++) {
		int64_t count = count_of(finding, works[i], selection);

		derived += count == (int64_t)PASSES * (works[i]->instructions + works[i]->branches);
		if (count == 0)
			find_broken(finding, "expected cycles of %d passes of %s, got 0", PASSES,
				    works[i]->name);
	}
	cycles_are_derived = derived == WORKS;
}

static void are_not_instructions(struct finding *finding, unsigned int argument)
{
	uint64_t selection;
	unsigned int same = 0;

	(void)argument;
	if (!shape_event(EVENT_CYCLES, &selection)) {
		find_absent(finding, "the event of cycles is not announced");
		return;
	}
	for (unsigned int i = 0; i < WORKS; i++)
		same += count_of(finding, works[i], selection) ==
			(int64_t)PASSES * works[i]->instructions;
	if (same == WORKS)
		find_broken(
			finding,
			"expected cycles to differ from instructions in one of %zu kinds of work, "
			"got the same numbers in all",
			WORKS);
}

static void grow_with_work(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };
	int64_t small[USES_MAX], large[USES_MAX];
	uint64_t selection;

	(void)argument;
	if (!shape_event(EVENT_CYCLES, &selection)) {
		find_absent(finding, "the event of cycles is not announced");
		return;
	}
	use_general(&m, first_counter(), selection, RING_USER);
	if (!measure_difference(&m, &user_loop, PASSES, small) ||
	    !measure_difference(&m, &user_loop, 16 * PASSES, large))
		find_broken(finding, "%s", m.message);
	else if (large[0] <= 4 * small[0])
		find_broken(
			finding,
			"expected 16 times the work to take more than 4 times the cycles, got %" PRId64
			" and %" PRId64,
			small[0], large[0]);
}

static void fixed_agrees(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };
	int64_t differences[USES_MAX];
	uint64_t selection;
	int fixed = shape_fixed_of((enum event)argument);

	if (fixed < 0 || !(usable_fixed & 1u << fixed) ||
	    !shape_event((enum event)argument, &selection)) {
		find_absent(finding, "not both of a fixed counter and the event");
		return;
	}
	use_fixed(&m, (unsigned int)fixed, RING_USER);
	use_general(&m, first_counter(), selection, RING_USER);
	if (!measure_difference(&m, &user_branches, PASSES, differences))
		find_broken(finding, "%s", m.message);
	else if (differences[0] != differences[1])
		find_inexact(finding, "%s by fixed and general counter: %" PRId64 " and %" PRId64,
			     shape_event_name((enum event)argument), differences[0],
			     differences[1]);
}

/* Against time stamps, which a reference cycle cannot outrun; against cycles, where those are derived. */
static void reference_rate(struct finding *finding, unsigned int argument)
{
	struct pmu_step steps[] = {
		{ .operation = PMU_STEP_TSC },
		{ .operation = PMU_STEP_WORK, .index = PMU_WORK_LOOP, .value = PASSES },
		{ .operation = PMU_STEP_TSC }
	};
	struct measurement m = { 0 };
	uint64_t selection, ticks;
	int64_t count;

	(void)argument;
	if (!shape_event(EVENT_REFERENCE, &selection)) {
		find_absent(finding, "the event of reference cycles is not announced");
		return;
	}
	if (cycles_are_derived) {
		count = count_of(finding, &user_loop, selection);
		if (count != 3 * PASSES)
			find_broken(finding,
				    "expected %d reference cycles, as cycles, got %" PRId64,
				    3 * PASSES, count);
		return;
	}
	if (machine.access != ACCESS_STEPS) {
		find_absent(finding, "%s", machine.reason);
		return;
	}
	use_general(&m, first_counter(), selection, RING_KERNEL);
	ticks = __builtin_ia32_rdtsc();
	if (!measure_steps(&m, steps, 3)) {
		find_broken(finding, "%s", m.message);
		return;
	}
	ticks = __builtin_ia32_rdtsc() - ticks;
	if (m.uses[0].count == 0 || m.uses[0].count > ticks)
		find_broken(finding,
			    "expected 1 to %" PRIu64
			    " reference cycles, the ticks of the time stamp, "
			    "got %" PRIu64,
			    ticks, m.uses[0].count);
}

/* No CPU retires 255 instructions in a cycle. */
static void cmask(struct finding *finding, unsigned int argument)
{
	int64_t count = count_of(finding, &user_loop, 0xc0 | SELECT_CMASK(255));

	(void)argument;
	if (count != 0)
		find_broken(finding,
			    "expected 0 cycles with 255 instructions or more, got %" PRId64, count);
}

static void inv(struct finding *finding, unsigned int argument)
{
	int64_t count = count_of(finding, &user_loop, 0xc0 | SELECT_CMASK(255) | SELECT_INVERT);

	(void)argument;
	if (count == 0)
		find_broken(finding,
			    "expected every cycle, each having fewer than 255 instructions, got 0");
}

static void edge(struct finding *finding, unsigned int argument)
{
	int64_t level = count_of(finding, &user_loop, 0xc0 | SELECT_CMASK(1));
	int64_t edges = count_of(finding, &user_loop, 0xc0 | SELECT_CMASK(1) | SELECT_EDGE);

	(void)argument;
	if (edges >= level)
		find_broken(finding,
			    "expected fewer beginnings of retirement than cycles with it (%" PRId64
			    "), got %" PRId64,
			    level, edges);
}

#define USER "counting.user_instructions"

static const struct rule rules[] = {
	{ "are_counted", 0, USER, are_counted, 0, SDM_CYCLES,
	  "perf record, whose default event is cycles, records nothing" },
	{ "are_not_instructions", 0, "cycles.are_counted", are_not_instructions, 0, SDM_CYCLES,
	  "instructions per cycle are 1 for every program" },
	{ "grow_with_work", 0, "cycles.are_counted", grow_with_work, 0, SDM_CYCLES,
	  "comparing programs by cycles shows nothing" },
	{ "reference_cycles_have_their_rate", 0,
	  "cycles.are_not_instructions counting.event_has_twelve_bits", reference_rate, 0,
	  SDM_CYCLES, "utilization and frequency, computed from reference cycles, are wrong" },
	{ "cmask_compares", 0, USER, cmask, 0, SDM_CONDITIONS,
	  "events of stalls, which are conditions on a count, are wrong" },
	{ "inv_inverts", 0, USER " cycles.cmask_compares", inv, 0, SDM_CONDITIONS,
	  "events of stalls, which are inverted conditions, are 0" },
	{ "edge_counts_beginnings", 0, USER, edge, 0, SDM_CONDITIONS,
	  "events that count how often a stall begins count how long it lasts" },
};

const struct group cycles_group = { "cycles", NEED_PMU | NEED_ACCESS,
				    "counting.some_counter_counts", rules,
				    sizeof(rules) / sizeof(rules[0]) };

static const struct rule fixed_rules[] = {
	{ "agree_with_general", NEED_FIXED,
	  "fixed.every_fixed_counter_counts cycles.are_not_instructions", fixed_agrees,
	  EVENT_CYCLES, "Intel SDM vol. 3B, 20.2.2",
	  "cycles depend on the counter that the driver has chosen" },
	{ "reference_agrees_with_general", NEED_FIXED,
	  "fixed.every_fixed_counter_counts cycles.reference_cycles_have_their_rate", fixed_agrees,
	  EVENT_REFERENCE, "Intel SDM vol. 3B, 20.2.2",
	  "reference cycles depend on the counter that the driver has chosen" },
};

const struct group fixed_cycles_group = { "fixed_cycles", NEED_PMU | NEED_ACCESS,
					  "counting.some_counter_counts", fixed_rules,
					  sizeof(fixed_rules) / sizeof(fixed_rules[0]) };
