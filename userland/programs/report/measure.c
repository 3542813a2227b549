// SPDX-License-Identifier: BSD-2-Clause
/*
 * measure.c - makes the lists of steps of a measurement, and compares counts with those derived by hand.
 *
 * Order of a list: entry masked, all counters off, status cleared, values and selections written, values read,
 * entry opened, start; work; wait for interrupts, entry masked, stop, values and status read.
 */
#include "measure.h"

#include "work.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIXED_PMI     8
#define RANGE_INEXACT 100 /* an error of more than one in so many is a broken count */

const struct work kernel_loop = { "dec, jnz in ring 0", PMU_WORK_LOOP, NULL, 2, 1 };
const struct work kernel_exits = { "cpuid in ring 0", PMU_WORK_CPUID, NULL, 5, 1 };
const struct work kernel_not_taken = { "a branch not taken in ring 0", PMU_WORK_NOT_TAKEN, NULL, 3,
				       2 };
const struct work user_loop = { "sub, jnz in ring 3", 0, spin_loop, 2, 1 };
const struct work user_branches = { "branches in ring 3", 0, spin_branches, 6, 4 };
const struct work user_calls = { "call, ret in ring 3", 0, spin_calls, 4, 3 };
const struct work user_syscalls = { "system calls in ring 3", 0, spin_syscalls, 4, 2 };
const struct work user_exits = { "cpuid in ring 3", 0, work_exits, 4, 1 };

uint64_t usable_general, usable_fixed;

static struct list before, after;
struct pmu_nmi measure_nmis[NMIS_MAX];
/* Steps of `before` and `after` with results. */
static unsigned int first_values[USES_MAX], last_values[USES_MAX], status_step;

unsigned int first_counter(void)
{
	return usable_general ? (unsigned int)__builtin_ctzll(usable_general) : 0;
}

int next_counter(unsigned int i)
{
	uint64_t rest = i >= 63 ? 0 : usable_general >> (i + 1) << (i + 1);

	return rest ? __builtin_ctzll(rest) : -1;
}

struct use *use_general(struct measurement *m, unsigned int index, uint64_t selection,
			unsigned int rings)
{
	struct use *use = &m->uses[m->count++];

	*use = (struct use){ .index = index, .selection = selection, .rings = rings };
	return use;
}

struct use *use_fixed(struct measurement *m, unsigned int index, unsigned int rings)
{
	struct use *use = &m->uses[m->count++];

	*use = (struct use){ .fixed = true, .index = index, .rings = rings };
	return use;
}

struct use *use_instructions(struct measurement *m, unsigned int index, unsigned int rings)
{
	uint64_t selection;

	shape_event(EVENT_INSTRUCTIONS, &selection);
	return use_general(m, index, selection, rings);
}

const char *use_name(const struct use *use)
{
	static char names[4][32];
	static unsigned int turn;
	char *name = names[turn++ % 4];

	snprintf(name, sizeof(names[0]), "%s counter %u", use->fixed ? "fixed" : "general",
		 use->index);
	return name;
}

static uint32_t register_of(const struct use *use)
{
	return use->fixed ? MSR_FIXED_CTR + use->index : shape_counter_msr(use->index);
}

static uint64_t width_mask_of(const struct use *use)
{
	return shape_mask(use->fixed ? shape.fixed_width : shape.width);
}

static uint64_t select_value(const struct use *use)
{
	return use->selection | (use->rings & RING_USER ? SELECT_USER : 0) |
	       (use->rings & RING_KERNEL ? SELECT_KERNEL : 0) |
	       (use->interrupt ? SELECT_INTERRUPT : 0) | (use->disabled ? 0 : SELECT_ENABLE);
}

static uint64_t fixed_control(const struct measurement *m)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < m->count; i++) {
		const struct use *use = &m->uses[i];

		if (use->fixed && !use->disabled)
			value |= (uint64_t)(use->rings | (use->interrupt ? FIXED_PMI : 0))
				 << (4 * use->index);
	}
	return value;
}

static uint64_t global_value(const struct measurement *m)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < m->count; i++) {
		if (!m->uses[i].out_of_global)
			value |= m->uses[i].fixed ? STATUS_FIXED(m->uses[i].index) :
						    UINT64_C(1) << m->uses[i].index;
	}
	return value;
}

static void add_clear(struct list *list)
{
	if (machine.access == ACCESS_STEPS)
		list_add(list, PMU_STEP_SET_LVT, 0, PMU_LVT_MASKED);
	if (shape.has_global)
		list_write(list, shape.global_ctrl, 0);
	for (unsigned int i = 0; i < shape.counters; i++)
		list_write(list, shape_select_msr(i), 0);
	if (shape.fixed)
		list_write(list, MSR_FIXED_CTR_CTRL, 0);
	if (shape.has_global)
		list_write(list, shape.global_clear,
			   shape_general_bits() | shape_fixed_bits() | shape.frozen |
				   shape.branches_frozen | (shape.has_pebs ? STATUS_BUFFER : 0) |
				   (shape.vendor == VENDOR_INTEL ? STATUS_COND_CHANGED : 0));
}

static void add_start(struct list *list, const struct measurement *m)
{
	if (m->deliver)
		list_add(list, PMU_STEP_SET_LVT, 0, 0);
	if (shape.has_global) {
		list_write(list, shape.global_ctrl, global_value(m));
		return;
	}
	for (unsigned int i = 0; i < m->count; i++)
		list_write(list, shape_select_msr(m->uses[i].index), select_value(&m->uses[i]));
}

static void add_program(struct list *list, const struct measurement *m)
{
	add_clear(list);
	for (unsigned int i = 0; i < m->count; i++) {
		const struct use *use = &m->uses[i];

		/* Without a global control the start is the selection. */
		if (!use->fixed && shape.has_global)
			list_write(list, shape_select_msr(use->index), select_value(use));
	}
	if (shape.fixed)
		list_write(list, MSR_FIXED_CTR_CTRL, fixed_control(m));
	for (unsigned int i = 0; i < m->count; i++)
		list_write(list, register_of(&m->uses[i]), m->uses[i].start);
	if (m->debugctl)
		list_write(list, MSR_DEBUGCTL, m->debugctl);
	for (unsigned int i = 0; i < m->count; i++)
		first_values[i] = list_read(list, register_of(&m->uses[i]));
	add_start(list, m);
}

static void add_stop(struct list *list, const struct measurement *m)
{
	if (m->deliver && m->expected_nmis)
		list_add(list, PMU_STEP_WAIT, m->expected_nmis, WAIT_NS);
	if (machine.access == ACCESS_STEPS)
		list_add(list, PMU_STEP_SET_LVT, 0, PMU_LVT_MASKED);
	if (shape.has_global) {
		list_write(list, shape.global_ctrl, 0);
		status_step = list_read(list, shape.global_status);
	} else {
		for (unsigned int i = 0; i < m->count; i++)
			list_write(list, shape_select_msr(m->uses[i].index), 0);
	}
	for (unsigned int i = 0; i < m->count; i++)
		last_values[i] = list_read(list, register_of(&m->uses[i]));
	/* Nothing goes on if the global control stops nothing. */
	for (unsigned int i = 0; i < m->count; i++) {
		if (!m->uses[i].fixed)
			list_write(list, shape_select_msr(m->uses[i].index), 0);
	}
	if (shape.fixed)
		list_write(list, MSR_FIXED_CTR_CTRL, 0);
	if (m->debugctl)
		list_write(list, MSR_DEBUGCTL, 0);
}

static bool fail(struct measurement *m, const struct list *list)
{
	m->failed = true;
	snprintf(m->message, sizeof(m->message), "the kernel refuses the measurement");
	for (unsigned int i = 0; i < list->count; i++) {
		const struct pmu_step *step = &list->steps[i];

		if (!step->fault)
			continue;
		snprintf(m->message, sizeof(m->message),
			 "%s register 0x%" PRIx32 " (0x%" PRIx64 ") faults",
			 step->operation == PMU_STEP_WRMSR ? "writing" : "reading", step->index,
			 list_value(list, i));
		break;
	}
	return false;
}

static bool results(struct measurement *m, const struct list *list)
{
	const struct pmu_step *last = list->steps;

	if (list_has_fault(list))
		return fail(m, list);
	for (unsigned int i = 0; i < m->count; i++) {
		struct use *use = &m->uses[i];

		use->after = last[last_values[i]].value;
		use->count = (use->after - before.steps[first_values[i]].value) &
			     width_mask_of(use);
	}
	m->status = shape.has_global ? last[status_step].value : 0;
	return true;
}

/* Takes all records of NMIs into measure_nmis, which keeps the first ones; returns the number of all. */
static uint64_t take_nmis(void)
{
	static struct pmu_nmi rest[NMIS_MAX];
	uint64_t all, more;
	size_t taken;

	if (machine.access != ACCESS_STEPS)
		return 0;
	taken = machine_take_nmis(measure_nmis, NMIS_MAX, &more);
	all = more;
	while (taken == NMIS_MAX) {
		taken = machine_take_nmis(rest, NMIS_MAX, &more);
		/* The kernel reports those that were lost with the first request. */
		all += taken;
	}
	return all;
}

static bool measure_in_kernel(struct measurement *m, const struct pmu_step *steps,
			      unsigned int count)
{
	take_nmis();
	list_clear(&before);
	add_program(&before, m);
	for (unsigned int i = 0; i < count; i++)
		list_add(&before, steps[i].operation, steps[i].index, steps[i].value);
	add_stop(&before, m);
	if (!machine_run(&before))
		return fail(m, &before);
	m->nmis = take_nmis();
	return results(m, &before);
}

bool measure_steps(struct measurement *m, const struct pmu_step *steps, unsigned int count)
{
	return measure_in_kernel(m, steps, count);
}

bool measure_user(struct measurement *m, spin_function *run, uint64_t n, void *memory)
{
	bool ran;

	take_nmis();
	list_clear(&before);
	list_clear(&after);
	add_program(&before, m);
	add_stop(&after, m);
	/* Nothing but the work between the two system calls depends on n. */
	ran = machine_run(&before);
	run(n, memory);
	ran = machine_run(&after) && ran;
	m->nmis = take_nmis();
	if (!ran || list_has_fault(&before))
		return fail(m, &before);
	return results(m, &after);
}

bool measure(struct measurement *m, const struct work *work, uint64_t n)
{
	struct pmu_step step = { .operation = PMU_STEP_WORK, .index = work->kind, .value = n };

	return work->run ? measure_user(m, work->run, n, NULL) : measure_in_kernel(m, &step, 1);
}

bool measure_difference(struct measurement *m, const struct work *work, uint64_t n,
			int64_t differences[USES_MAX])
{
	uint64_t least[USES_MAX];

	if (!measure(m, work, 1))
		return false;
	for (unsigned int i = 0; i < m->count; i++)
		least[i] = m->uses[i].count;
	if (!measure(m, work, 1 + n))
		return false;
	for (unsigned int i = 0; i < m->count; i++)
		differences[i] = (int64_t)(m->uses[i].count - least[i]);
	return true;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void expect_count(struct finding *finding, struct measurement *m, const struct work *work,
		  uint64_t n, int64_t expected, const char *what)
{
	int64_t differences[USES_MAX] = { 0 }, counts[RUNS];
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < RUNS; i++) {
		if (!measure_difference(m, work, n, differences)) {
			find_broken(finding, "%s: %s", what, m->message);
			return;
		}
		counts[i] = differences[0];
		wrong += counts[i] != expected;
	}
	qsort(counts, RUNS, sizeof(counts[0]), compare);
	int64_t typical = counts[RUNS / 2];

	if (typical == expected)
		return;
	if (llabs(typical - expected) * RANGE_INEXACT > expected || expected == 0)
		find_broken(finding,
			    "expected %" PRId64 " %s by %s, got %" PRId64 " to %" PRId64
			    "; wrong in %u of %u runs",
			    expected, what, use_name(&m->uses[0]), counts[0], counts[RUNS - 1],
			    wrong, RUNS);
	else
		find_inexact(finding,
			     "%s by %s: expected %" PRId64 ", off by %" PRId64 " to %" PRId64
			     " in %u of %u runs",
			     what, use_name(&m->uses[0]), expected, counts[0] - expected,
			     counts[RUNS - 1] - expected, wrong, RUNS);
}

void measure_clear(void)
{
	list_clear(&before);
	add_clear(&before);
	for (unsigned int i = 0; i < shape.counters; i++)
		list_write(&before, shape_counter_msr(i), 0);
	for (unsigned int i = 0; i < 32; i++) {
		if (shape.fixed & 1u << i)
			list_write(&before, MSR_FIXED_CTR + i, 0);
	}
	machine_run(&before);
	take_nmis();
}
