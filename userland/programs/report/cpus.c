// SPDX-License-Identifier: BSD-2-Clause
/*
 * cpus.c - every CPU has the PMU that CPU 0 has, and no CPU counts another's work. Afterwards CPU 0 is in use again.
 */
#include "measure.h"
#include "registers.h"

#include <inttypes.h>
#include <string.h>

#define PASSES	 10000
#define PERIOD	 8192
#define SDM_CPUS "Intel SDM vol. 3B, 20.2; AMD APM vol. 2, 13.2"

static void announce_the_same(struct finding *finding, unsigned int argument)
{
	uint32_t first[24], other[24];

	(void)argument;
	shape_read_announcement(first);
	for (unsigned int cpu = 1; cpu < machine.cpus; cpu++) {
		if (!machine_move_to_cpu(cpu))
			continue;
		shape_read_announcement(other);
		if (memcmp(first, other, sizeof(first)) != 0) {
			find_broken(
				finding,
				"expected of CPU %u what CPU 0 announces, got other words of CPUID: "
				"%" PRIx32 " for %" PRIx32 ", %" PRIx32 " for %" PRIx32,
				cpu, other[0], first[0], other[5], first[5]);
			break;
		}
	}
	machine_move_to_cpu(0);
}

static void every_cpu_starts_alike(struct finding *finding, unsigned int argument)
{
	uint64_t value;

	(void)argument;
	for (unsigned int cpu = 1; cpu < machine.cpus; cpu++) {
		if (!machine_use_cpu(cpu))
			continue;
		if (machine_read_msr(shape_select_msr(0), &value) && value)
			find_broken(
				finding,
				"expected zero in the selection of counter 0 of CPU %u, got 0x%" PRIx64,
				cpu, value);
		if (shape.has_global && machine_read_msr(shape.global_ctrl, &value) &&
		    value != start_values.general_bits)
			find_broken(finding,
				    "expected a global control of 0x%" PRIx64
				    " of CPU %u, got 0x%" PRIx64,
				    start_values.general_bits, cpu, value);
	}
	machine_use_cpu(0);
}

static void every_cpu_counts(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (unsigned int cpu = 1; cpu < machine.cpus; cpu++) {
		struct measurement m = { 0 };
		int64_t differences[USES_MAX];

		if (!machine_use_cpu(cpu))
			continue;
		use_instructions(&m, first_counter(), RING_USER);
		if (!measure_difference(&m, &user_loop, PASSES, differences))
			find_broken(finding, "CPU %u: %s", cpu, m.message);
		else if (differences[0] == 0)
			find_broken(
				finding,
				"expected %d instructions on CPU %u, got 0: its counters are dead",
				2 * PASSES, cpu);
		else if (differences[0] != 2 * PASSES)
			find_inexact(finding, "%" PRId64 " instructions on CPU %u, not %d",
				     differences[0], cpu, 2 * PASSES);
	}
	machine_use_cpu(0);
}

static void every_cpu_delivers(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (unsigned int cpu = 0; cpu < machine.cpus; cpu++) {
		struct measurement m = { .deliver = true, .expected_nmis = 1 };
		struct use *use;

		if (!machine_use_cpu(cpu))
			continue;
		use = use_instructions(&m, first_counter(), RING_KERNEL);
		use->interrupt = true;
		use->start = shape_mask(shape.width) + 1 - PERIOD;
		if (!measure(&m, &kernel_loop, PASSES))
			find_broken(finding, "CPU %u: %s", cpu, m.message);
		else if (m.nmis == 0)
			find_broken(finding,
				    "expected the interrupt of CPU %u's counter there, got none",
				    cpu);
	}
	machine_use_cpu(0);
}

/* The counter of CPU 0 runs while this thread works on CPU 1. */
static bool count_elsewhere(struct finding *finding, uint64_t n, uint64_t *count)
{
	static struct list list;
	uint64_t selection;
	unsigned int i = first_counter();

	shape_event(EVENT_INSTRUCTIONS, &selection);
	measure_clear();
	list_clear(&list);
	if (shape.has_global)
		list_write(&list, shape.global_ctrl, UINT64_C(1) << i);
	list_write(&list, shape_select_msr(i), selection | SELECT_USER | SELECT_ENABLE);
	if (!machine_run(&list) || list_has_fault(&list) || !machine_move_to_cpu(1)) {
		find_absent(finding, "the counter of CPU 0 cannot be left running");
		return false;
	}
	spin_loop(n, NULL);
	machine_move_to_cpu(0);
	machine_read_msr(shape_counter_msr(i), count);
	measure_clear();
	return true;
}

static void others_do_not_count(struct finding *finding, unsigned int argument)
{
	uint64_t few, many;

	(void)argument;
	if (!count_elsewhere(finding, 1, &few) ||
	    !count_elsewhere(finding, 1 + 100 * PASSES, &many))
		return;
	if (many > few + 100 * PASSES)
		find_broken(finding,
			    "expected CPU 0 to count none of CPU 1's instructions, got %" PRIu64
			    " of %d more",
			    many - few, 200 * PASSES);
}

/* The same thread counts on one CPU, then on the other: each has its part. */
static void registers_are_separate(struct finding *finding, unsigned int argument)
{
	uint64_t first = 0, second = 0;

	(void)argument;
	machine_use_cpu(0);
	measure_clear();
	machine_write_msr(shape_counter_msr(0), 0x11100);
	if (!machine_move_to_cpu(1)) {
		find_absent(finding, "CPU 1 cannot be had");
		machine_use_cpu(0);
		return;
	}
	/* This list runs on CPU 0, too, wherever the thread is. */
	machine_read_msr(shape_counter_msr(0), &first);
	machine_use_cpu(1);
	machine_read_msr(shape_counter_msr(0), &second);
	machine_use_cpu(0);
	if (first != 0x11100)
		find_broken(finding, "expected 0x11100 in counter 0 of CPU 0, got 0x%" PRIx64,
			    first);
	if (second == 0x11100)
		find_broken(finding,
			    "expected CPU 1 to have a counter 0 of its own, got that of CPU 0");
}

/* The kernel sent INIT when it started the CPUs: no program could go on after one. */
static void init_leaves_counters(struct finding *finding, unsigned int argument)
{
	static struct list list;
	unsigned int tried = 0;

	(void)argument;
	for (unsigned int cpu = 1; cpu < machine.cpus; cpu++) {
		if (!machine_use_cpu(cpu))
			continue;
		list_clear(&list);
		list_add(&list, PMU_STEP_INIT, 0, 0);
		if (!machine_run(&list) || list.steps[0].value == PMU_INIT_NOT_TRIED)
			continue;
		tried++;
		if (list.steps[0].value == PMU_INIT_CHANGES)
			find_broken(finding,
				    "expected counter 0 of CPU %u to keep its value at INIT, got "
				    "another one",
				    cpu);
	}
	machine_use_cpu(0);
	if (!tried)
		find_absent(finding, "the kernel has not tried INIT: boot with init-check");
}

static const struct rule rules[] = {
	{ "announce_the_same", NEED_CPUS, NULL, announce_the_same, 0, SDM_CPUS,
	  "a driver believes of every CPU what it has read on one" },
	{ "start_alike", NEED_CPUS | NEED_UNTOUCHED | NEED_ACCESS,
	  "cpus.announce_the_same contents.selects_are_zero_at_start global.ctrl_has_its_value_at_start",
	  every_cpu_starts_alike, 0, "Intel SDM vol. 3A, table 10-1; AMD APM vol. 2, table 14-1",
	  "a driver that starts the CPUs finds counters that run" },
	{ "every_cpu_counts", NEED_CPUS | NEED_ACCESS,
	  "cpus.announce_the_same counting.user_instructions", every_cpu_counts, 0, SDM_CPUS,
	  "a program loses its counts when it moves to another CPU" },
	{ "every_cpu_delivers", NEED_CPUS | NEED_STEPS,
	  "interrupt.general_counters_deliver cpus.every_cpu_counts", every_cpu_delivers, 0,
	  SDM_CPUS, "programs on that CPU are not sampled" },
	{ "others_do_not_count", NEED_CPUS | NEED_STEPS, "counting.user_instructions",
	  others_do_not_count, 0, SDM_CPUS, "a program is charged for another CPU's work" },
	{ "registers_are_separate", NEED_CPUS | NEED_STEPS, "contents.counters_keep_bits",
	  registers_are_separate, 0, SDM_CPUS, "programs on two CPUs spoil each other's counts" },
	{ "init_leaves_the_counters", NEED_CPUS | NEED_STEPS, "contents.counters_keep_bits",
	  init_leaves_counters, 0, "Intel SDM vol. 3A, table 10-1; AMD APM vol. 2, table 14-1",
	  "a driver that finds its counters after a CPU has been off line finds others" },
};

const struct group cpus_group = { "cpus", NEED_PMU, NULL, rules, sizeof(rules) / sizeof(rules[0]) };
