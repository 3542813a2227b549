// SPDX-License-Identifier: BSD-2-Clause
/*
 * idle.c - counters while the CPU halts. Time in HLT is no work: nothing counts it, and nothing is lost.
 */
#include "cycles.h"
#include "measure.h"

#include <inttypes.h>

#define PASSES	 1000
#define HALT_NS	 2000000
#define SDM_HALT "Intel SDM vol. 3B, 20.2.1.2, unhalted cycles; AMD PPR, PMCx076"

/* Work, a halt, work. */
static void make_steps(struct pmu_step steps[3], uint64_t halt_ns)
{
	steps[0] = (struct pmu_step){ .operation = PMU_STEP_WORK,
				      .index = PMU_WORK_LOOP,
				      .value = PASSES };
	steps[1] = (struct pmu_step){ .operation = PMU_STEP_HALT, .value = halt_ns };
	steps[2] = steps[0];
}

static void counts_survive(struct finding *finding, unsigned int fixed)
{
	struct measurement m = { 0 };
	struct pmu_step steps[3];

	make_steps(steps, HALT_NS / 10);
	if (fixed)
		use_fixed(&m, 0, RING_KERNEL);
	else
		use_instructions(&m, first_counter(), RING_KERNEL);
	if (!measure_steps(&m, steps, 3))
		find_broken(finding, "%s", m.message);
	else if (m.uses[0].count < 4 * PASSES)
		find_broken(
			finding,
			"expected %d instructions at least, before and after a halt, got %" PRIu64,
			4 * PASSES, m.uses[0].count);
}

static void user_counter_stands_still(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };
	struct pmu_step steps[3];

	(void)argument;
	make_steps(steps, HALT_NS / 10);
	use_instructions(&m, first_counter(), RING_USER);
	if (!measure_steps(&m, steps, 3))
		find_broken(finding, "%s", m.message);
	else if (m.uses[0].count)
		find_broken(finding,
			    "expected 0 instructions of ring 3 in a halt of ring 0, got %" PRIu64,
			    m.uses[0].count);
}

/* Where cycles are instructions plus branches, they are so over a halt, too. Else against the time stamp. */
static void no_cycles(struct finding *finding, unsigned int event)
{
	struct measurement m = { 0 };
	struct pmu_step steps[3];
	uint64_t cycles, branches, ticks;
	int second = next_counter(first_counter()),
	    third = second < 0 ? -1 : next_counter((unsigned int)second);

	if (!shape_event((enum event)event, &cycles)) {
		find_absent(finding, "the event of %s is not announced",
			    shape_event_name((enum event)event));
		return;
	}
	make_steps(steps, HALT_NS);
	use_general(&m, first_counter(), cycles, RING_KERNEL);
	if (cycles_are_derived && third >= 0 && shape_event(EVENT_BRANCHES, &branches)) {
		use_instructions(&m, (unsigned int)second, RING_KERNEL);
		use_general(&m, (unsigned int)third, branches, RING_KERNEL);
	}
	ticks = __builtin_ia32_rdtsc();
	if (!measure_steps(&m, steps, 3)) {
		find_broken(finding, "%s", m.message);
		return;
	}
	ticks = __builtin_ia32_rdtsc() - ticks;
	if (m.uses[0].count > ticks / 2)
		find_broken(finding,
			    "expected few %s in a halt, got %" PRIu64 " in %" PRIu64
			    " ticks of the time stamp",
			    shape_event_name((enum event)event), m.uses[0].count, ticks);
	/* AMD's branches have the deliveries of interrupts among them, which take no cycle. */
	if (m.count == 3 && m.uses[0].count > m.uses[1].count + m.uses[2].count)
		find_broken(finding,
			    "expected %" PRIu64
			    " %s, instructions and branches, around a halt, got %" PRIu64,
			    m.uses[1].count + m.uses[2].count, shape_event_name((enum event)event),
			    m.uses[0].count);
}

#define KERNEL "counting.kernel_instructions"

static const struct rule rules[] = {
	{ "counts_survive_a_halt", 0, KERNEL, counts_survive, false, SDM_HALT,
	  "counts of a CPU that sleeps now and then are too small" },
	{ "fixed_counts_survive_a_halt", NEED_FIXED,
	  "fixed.kernel_instructions idle.counts_survive_a_halt", counts_survive, true, SDM_HALT,
	  "counts of a CPU that sleeps now and then are too small" },
	{ "user_counter_stands_still", 0, "counting.user_counter_ignores_kernel",
	  user_counter_stands_still, 0, SDM_HALT,
	  "programs are charged for the time in which the CPU sleeps" },
	{ "cycles_do_not_count", 0,
	  KERNEL
	  " counting.kernel_branches counting.branches_not_taken cycles.are_not_instructions "
	  "precision.kernel_interrupts_add_nothing idle.counts_survive_a_halt",
	  no_cycles, EVENT_CYCLES, SDM_HALT, "an idle machine seems busy" },
	{ "reference_cycles_do_not_count", 0,
	  KERNEL " cycles.reference_cycles_have_their_rate idle.counts_survive_a_halt "
		 "idle.cycles_do_not_count",
	  no_cycles, EVENT_REFERENCE, SDM_HALT, "an idle machine seems busy" },
};

const struct group idle_group = { "idle", NEED_PMU | NEED_STEPS, "counting.some_counter_counts",
				  rules, sizeof(rules) / sizeof(rules[0]) };
