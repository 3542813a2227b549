// SPDX-License-Identifier: BSD-2-Clause
/*
 * counting.c - instructions and branches of known work, by ring and by counter. cycles.c has cycles and the
 * conditions EDGE, INV and CMASK.
 */
#include "measure.h"

#include <inttypes.h>
#include <string.h>

#define PASSES	   10000

#define SDM_EVENTS "Intel SDM vol. 3B, 20.2.1; AMD APM vol. 2, 13.2.1"

static void every_general_counter_counts(struct finding *finding, unsigned int argument)
{
	(void)argument;
	/* Without a global control a counter is stopped by its selection. */
	if (!shape.has_global &&
	    engine_finding("contents.select_leaves_counter")->outcome == OUTCOME_BROKEN) {
		find_blocked(finding, "contents.select_leaves_counter");
		return;
	}
	for (unsigned int i = 0; i < shape.counters; i++) {
		struct measurement m = { 0 };

		use_instructions(&m, i, RING_USER | RING_KERNEL);
		if (!measure_user(&m, spin_loop, PASSES, NULL)) {
			find_broken(finding, "%s: %s", use_name(&m.uses[0]), m.message);
			return;
		}
		if (m.uses[0].count)
			usable_general |= UINT64_C(1) << i;
		else
			find_broken(finding, "expected %s to count instructions, got 0",
				    use_name(&m.uses[0]));
	}
}

static void some_counter_counts(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (engine_finding("counting.every_general_counter_counts")->outcome == OUTCOME_BLOCKED)
		find_blocked(finding, "counting.every_general_counter_counts");
	else if (!usable_general)
		find_broken(finding, "expected a general counter that counts, got none");
}

static void every_fixed_counter_counts(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (unsigned int i = 0; i < 4; i++) {
		struct measurement m = { 0 };

		if (!(shape.fixed & 1u << i))
			continue;
		use_fixed(&m, i, RING_USER | RING_KERNEL);
		if (!measure_user(&m, spin_loop, PASSES, NULL)) {
			find_broken(finding, "%s: %s", use_name(&m.uses[0]), m.message);
			return;
		}
		if (m.uses[0].count)
			usable_fixed |= UINT64_C(1) << i;
		else
			find_broken(finding, "expected %s to count, got 0", use_name(&m.uses[0]));
	}
}

/* Adds the counter that a rule is about: a general one, or (ARGUMENT) the fixed one of instructions. */
static void add_counter(struct measurement *m, bool fixed, unsigned int rings)
{
	if (fixed)
		use_fixed(m, 0, rings);
	else
		use_instructions(m, first_counter(), rings);
}

/* One measurement of each ring's counter: user work, which the kernel's counter alone sees. */
static void rings_are_not_swapped(struct finding *finding, unsigned int fixed)
{
	struct measurement user = { 0 }, kernel = { 0 };
	int64_t by_user[USES_MAX], by_kernel[USES_MAX];

	add_counter(&user, fixed, RING_USER);
	add_counter(&kernel, fixed, RING_KERNEL);
	if (!measure_difference(&user, &user_loop, PASSES, by_user) ||
	    !measure_difference(&kernel, &user_loop, PASSES, by_kernel)) {
		find_broken(finding, "%s%s", user.message, kernel.message);
		return;
	}
	if (by_user[0] < PASSES && by_kernel[0] >= 2 * PASSES)
		find_broken(
			finding,
			"expected %d instructions of ring 3 by the counter with USR, got %" PRId64
			", and %" PRId64 " by that with OS: the two are swapped",
			2 * PASSES, by_user[0], by_kernel[0]);
}

static void user_counter_ignores_kernel(struct finding *finding, unsigned int fixed)
{
	struct measurement m = { 0 };

	add_counter(&m, fixed, RING_USER);
	expect_count(finding, &m, &kernel_loop, PASSES, 0, "instructions of ring 0");
}

/* Interrupts meanwhile are the kernel's own instructions, far fewer than the work's. */
static void kernel_counter_ignores_user(struct finding *finding, unsigned int fixed)
{
	struct measurement m = { 0 };
	int64_t differences[USES_MAX];
	const int64_t work = 2 * 20 * PASSES;

	add_counter(&m, fixed, RING_KERNEL);
	if (!measure_difference(&m, &user_loop, 20 * PASSES, differences))
		find_broken(finding, "%s", m.message);
	else if (differences[0] >= work)
		find_broken(finding,
			    "expected no instruction of ring 3 by %s with OS only, got %" PRId64
			    " more for %" PRId64,
			    use_name(&m.uses[0]), differences[0], work);
}

static void user_instructions(struct finding *finding, unsigned int fixed)
{
	struct measurement m = { 0 };

	add_counter(&m, fixed, RING_USER);
	expect_count(finding, &m, &user_loop, PASSES, 2 * PASSES, "instructions of ring 3");
}

static void kernel_instructions(struct finding *finding, unsigned int fixed)
{
	struct measurement m = { 0 };

	add_counter(&m, fixed, RING_KERNEL);
	expect_count(finding, &m, &kernel_loop, PASSES, 2 * PASSES, "instructions of ring 0");
}

static void both_rings(struct finding *finding, unsigned int fixed)
{
	struct measurement m = { 0 };

	add_counter(&m, fixed, RING_USER | RING_KERNEL);
	expect_count(finding, &m, &kernel_loop, PASSES, 2 * PASSES, "instructions with OS and USR");
}

static void expect_silence(struct finding *finding, struct measurement *m, const char *what)
{
	if (!measure_user(m, spin_loop, PASSES, NULL))
		find_broken(finding, "%s", m->message);
	else if (m->uses[0].count)
		find_broken(finding, "expected 0 by %s %s, got %" PRIu64, use_name(&m->uses[0]),
			    what, m->uses[0].count);
}

static void no_ring_counts_nothing(struct finding *finding, unsigned int fixed)
{
	struct measurement m = { 0 };

	add_counter(&m, fixed, 0);
	expect_silence(finding, &m, "without USR and OS");
}

static void nothing_without_enable(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };

	(void)argument;
	add_counter(&m, false, RING_USER | RING_KERNEL);
	m.uses[0].disabled = true;
	expect_silence(finding, &m, "without EN");
}

/* All general counters at once, of the same event. */
static void counters_agree(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };
	int64_t differences[USES_MAX];

	(void)argument;
	for (int i = (int)first_counter(); i >= 0 && m.count < USES_MAX;
	     i = next_counter((unsigned int)i))
		use_instructions(&m, (unsigned int)i, RING_USER);
	if (!measure_difference(&m, &user_loop, PASSES, differences)) {
		find_broken(finding, "%s", m.message);
		return;
	}
	for (unsigned int i = 1; i < m.count; i++) {
		if (differences[i] != differences[0])
			find_broken(finding,
				    "expected the same instructions by %s and %s, got %" PRId64
				    " and %" PRId64,
				    use_name(&m.uses[0]), use_name(&m.uses[i]), differences[0],
				    differences[i]);
	}
}

static void fixed_agrees_with_general(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };
	int64_t differences[USES_MAX];

	(void)argument;
	use_fixed(&m, 0, RING_USER);
	use_instructions(&m, first_counter(), RING_USER);
	if (!measure_difference(&m, &user_branches, PASSES, differences))
		find_broken(finding, "%s", m.message);
	else if (differences[0] != differences[1])
		find_broken(
			finding,
			"expected the same instructions by fixed and general counter, got %" PRId64
			" and %" PRId64,
			differences[0], differences[1]);
}

/* A second counter of another event does not change the first. */
static void counters_do_not_disturb(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };
	uint64_t selection;
	int next = next_counter(first_counter());

	(void)argument;
	if (next < 0 || !shape_event(EVENT_CYCLES, &selection)) {
		find_absent(finding, "one counter that counts");
		return;
	}
	use_instructions(&m, first_counter(), RING_USER);
	use_general(&m, (unsigned int)next, selection, RING_USER | RING_KERNEL);
	expect_count(finding, &m, &user_loop, PASSES, 2 * PASSES,
		     "instructions beside another counter");
}

static void more_user_instructions(struct finding *finding, unsigned int argument)
{
	static const struct work *const works[] = { &user_branches, &user_calls };
	struct measurement m = { 0 };

	use_instructions(&m, first_counter(), RING_USER);
	expect_count(finding, &m, works[argument], PASSES,
		     (int64_t)works[argument]->instructions * PASSES, works[argument]->name);
}

/* A REP STOSB of more bytes is still one instruction: the difference of two lengths is 0. */
static void string_is_one(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };
	struct pmu_step step = { .operation = PMU_STEP_WORK,
				 .index = PMU_WORK_STRING,
				 .value = 64 };
	uint64_t first;

	(void)argument;
	use_instructions(&m, first_counter(), RING_KERNEL);
	if (!measure_steps(&m, &step, 1)) {
		find_broken(finding, "%s", m.message);
		return;
	}
	first = m.uses[0].count;
	step.value = 1024;
	if (!measure_steps(&m, &step, 1))
		find_broken(finding, "%s", m.message);
	else if (m.uses[0].count != first)
		find_broken(
			finding,
			"expected as many instructions for a string of 1024 bytes as for one of 64, "
			"got %" PRId64 " more",
			(int64_t)(m.uses[0].count - first));
}

static bool branch_event(struct finding *finding, uint64_t *selection)
{
	if (shape_event(EVENT_BRANCHES, selection))
		return true;
	find_absent(finding, "the event of branches is not announced");
	return false;
}

static void branches_are_counted(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };
	uint64_t selection;

	(void)argument;
	if (!branch_event(finding, &selection))
		return;
	use_general(&m, first_counter(), selection, RING_USER | RING_KERNEL);
	if (!measure_user(&m, spin_loop, PASSES, NULL))
		find_broken(finding, "%s", m.message);
	else if (m.uses[0].count == 0)
		find_broken(
			finding,
			"expected %d branches or more, got 0: the event is announced and silent",
			PASSES);
}

static void branches(struct finding *finding, unsigned int argument)
{
	static const struct work *const works[] = { &user_loop, &user_calls, &kernel_loop,
						    &kernel_not_taken };
	struct measurement m = { 0 };
	uint64_t selection;

	if (!branch_event(finding, &selection))
		return;
	use_general(&m, first_counter(), selection, works[argument]->run ? RING_USER : RING_KERNEL);
	expect_count(finding, &m, works[argument], PASSES,
		     (int64_t)works[argument]->branches * PASSES, works[argument]->name);
}

/* The events of leaf 0xA that the work has for sure. */
static void absent_events_are_silent(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (unsigned int i = 0; i < EVENTS; i++) {
		struct measurement m = { 0 };
		uint64_t selection;

		if (shape_event((enum event)i, &selection))
			continue;
		use_general(&m, first_counter(), selection, RING_USER | RING_KERNEL);
		if (measure_user(&m, spin_branches, PASSES, NULL) && m.uses[0].count)
			find_broken(
				finding,
				"expected no count of %s, which leaf 0xA calls unavailable, got %" PRIu64,
				shape_event_name((enum event)i), m.uses[0].count);
	}
}

/* 0x1C0 is another event than 0xC0; no CPU counts instructions there. */
static void event_has_twelve_bits(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };
	int64_t differences[USES_MAX];

	(void)argument;
	use_general(&m, first_counter(), UINT64_C(1) << 32 | 0xc0, RING_USER);
	if (!measure_difference(&m, &user_loop, PASSES, differences))
		find_broken(finding, "%s", m.message);
	else if (differences[0] == 2 * PASSES)
		find_broken(
			finding,
			"expected event 0x1C0 to be another than 0xC0, got the instructions: %" PRId64,
			differences[0]);
}

static void stopped_counter_keeps_value(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };
	uint64_t value;

	(void)argument;
	use_instructions(&m, first_counter(), RING_USER);
	if (!measure_user(&m, spin_loop, PASSES, NULL)) {
		find_broken(finding, "%s", m.message);
		return;
	}
	spin_loop(PASSES, NULL);
	if (machine_read_msr(shape_counter_msr(first_counter()), &value) &&
	    value != m.uses[0].after)
		find_broken(finding,
			    "expected %" PRIu64 " in a counter that is stopped, got %" PRIu64,
			    m.uses[0].after, value);
}

#define ANY	"counting.some_counter_counts"
#define SWAPPED "counting.rings_are_not_swapped"
#define USER	"counting.user_instructions"
#define KERNEL	"counting.kernel_instructions"

static const struct rule rules[] = {
	{ "every_general_counter_counts", 0, NULL, every_general_counter_counts, 0, SDM_EVENTS,
	  "an event that a driver puts on that counter shows 0" },
	{ "some_counter_counts", 0, NULL, some_counter_counts, 0, SDM_EVENTS,
	  "no count is usable" },
	{ "rings_are_not_swapped", 0, ANY, rings_are_not_swapped, false, SDM_EVENTS ", USR and OS",
	  "counts of :u are those of the kernel" },
	{ "user_counter_ignores_kernel", NEED_STEPS, ANY " " SWAPPED, user_counter_ignores_kernel,
	  false, SDM_EVENTS ", USR",
	  "counts of :u include the kernel's instructions: they differ from run to run" },
	{ "kernel_counter_ignores_user", 0, ANY " " SWAPPED, kernel_counter_ignores_user, false,
	  SDM_EVENTS ", OS", "counts of :k include the program's instructions" },
	{ "user_instructions", 0, ANY " " SWAPPED " counting.user_counter_ignores_kernel",
	  user_instructions, false, SDM_EVENTS, "counts of programs are wrong" },
	{ "kernel_instructions", NEED_STEPS, ANY " " SWAPPED, kernel_instructions, false,
	  SDM_EVENTS, "counts of the kernel are wrong" },
	{ "both_rings", NEED_STEPS, USER " " KERNEL, both_rings, false, SDM_EVENTS,
	  "counts without a modifier are wrong" },
	{ "no_ring_counts_nothing", 0, ANY, no_ring_counts_nothing, false, SDM_EVENTS,
	  "a counter whose selection a driver has cleared goes on counting" },
	{ "nothing_without_enable", 0, ANY, nothing_without_enable, 0, SDM_EVENTS ", EN",
	  "an event that is disabled goes on counting" },
	{ "counters_agree", NEED_TWO_COUNTERS, USER, counters_agree, 0, SDM_EVENTS,
	  "a count depends on the counter that the driver has chosen" },
	{ "counters_do_not_disturb", NEED_TWO_COUNTERS, USER, counters_do_not_disturb, 0,
	  SDM_EVENTS, "events in one group spoil each other's counts" },
	{ "stopped_counter_keeps_value", 0, ANY " contents.select_leaves_counter",
	  stopped_counter_keeps_value, 0, SDM_EVENTS,
	  "a count changes between the stop and the reading" },
	{ "instructions_with_branches", 0, USER, more_user_instructions, 0, SDM_EVENTS,
	  "counts of programs with branches are wrong" },
	{ "instructions_with_calls", 0, USER, more_user_instructions, 1, SDM_EVENTS,
	  "counts of programs with calls are wrong" },
	{ "string_is_one_instruction", NEED_STEPS, KERNEL, string_is_one, 0,
	  "Intel SDM vol. 3B, 20.2.1, instructions retired",
	  "counts of programs that copy memory differ between CPUs" },
	{ "branches_are_counted", 0, ANY, branches_are_counted, 0, SDM_EVENTS,
	  "rr finds no event that it can count by, and refuses the machine" },
	{ "user_branches", 0, USER " counting.branches_are_counted", branches, 0, SDM_EVENTS,
	  "rr replays to the wrong place" },
	{ "user_calls", 0, USER " counting.branches_are_counted", branches, 1, SDM_EVENTS,
	  "rr replays to the wrong place" },
	{ "kernel_branches", NEED_STEPS, KERNEL " counting.branches_are_counted", branches, 2,
	  SDM_EVENTS, "counts of the kernel's branches are wrong" },
	{ "branches_not_taken", NEED_STEPS, KERNEL " counting.branches_are_counted", branches, 3,
	  SDM_EVENTS, "counts of branches depend on where they go" },
	{ "absent_events_are_silent", NEED_INTEL, ANY, absent_events_are_silent, 0,
	  "Intel SDM vol. 2, CPUID leaf 0AH, EBX", "drivers hide an event that the machine has" },
	{ "event_has_twelve_bits", NEED_AMD, ANY, event_has_twelve_bits, 0,
	  "AMD APM vol. 2, 13.2.1", "events from 0x100 on count something else" },
};

const struct group counting_group = { "counting", NEED_PMU | NEED_ACCESS,
				      "registers.first_counter_exists", rules,
				      sizeof(rules) / sizeof(rules[0]) };

#define CYCLES "cycles.are_counted"

static const struct rule fixed_rules[] = {
	{ "every_fixed_counter_counts", NEED_FIXED, CYCLES, every_fixed_counter_counts, 0,
	  "Intel SDM vol. 3B, 20.2.2", "an event that a driver puts on that counter shows 0" },
	{ "rings_are_not_swapped", NEED_FIXED, "counting.rings_are_not_swapped",
	  rings_are_not_swapped, true, "Intel SDM vol. 3B, 20.2.2",
	  "counts of :u are those of the kernel" },
	{ "user_counter_ignores_kernel", NEED_FIXED | NEED_STEPS,
	  "counting.user_counter_ignores_kernel", user_counter_ignores_kernel, true,
	  "Intel SDM vol. 3B, 20.2.2", "counts of :u include the kernel's instructions" },
	{ "kernel_counter_ignores_user", NEED_FIXED, "counting.kernel_counter_ignores_user",
	  kernel_counter_ignores_user, true, "Intel SDM vol. 3B, 20.2.2",
	  "counts of :k include the program's instructions" },
	{ "user_instructions", NEED_FIXED, "counting.user_instructions", user_instructions, true,
	  "Intel SDM vol. 3B, 20.2.2", "counts of programs are wrong" },
	{ "kernel_instructions", NEED_FIXED | NEED_STEPS, "counting.kernel_instructions",
	  kernel_instructions, true, "Intel SDM vol. 3B, 20.2.2",
	  "counts of the kernel are wrong" },
	{ "no_ring_counts_nothing", NEED_FIXED, NULL, no_ring_counts_nothing, true,
	  "Intel SDM vol. 3B, 20.2.2", "an event that is disabled goes on counting" },
	{ "agrees_with_general", NEED_FIXED, "counting.user_instructions fixed.user_instructions",
	  fixed_agrees_with_general, 0, "Intel SDM vol. 3B, 20.2.2",
	  "a count depends on the counter that the driver has chosen" },
};

const struct group fixed_group = { "fixed", NEED_PMU | NEED_ACCESS,
				   "counting.some_counter_counts registers.fixed_counters_exist "
				   "contents.fixed_control_keeps_bits",
				   fixed_rules, sizeof(fixed_rules) / sizeof(fixed_rules[0]) };
