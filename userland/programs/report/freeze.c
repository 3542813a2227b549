// SPDX-License-Identifier: BSD-2-Clause
/*
 * freeze.c - DEBUGCTL's freeze on an interrupt. The last group: counters that stay frozen count for no other rule.
 *
 * From version 4 on, and on AMD where CPUID announces it, a status bit stops the counters; before, the global control is
 * cleared.
 */
#include "measure.h"

#include <inttypes.h>

#define PASSES	   10000
#define PERIOD	   8192
#define SDM_FREEZE "Intel SDM vol. 3B, 18.4.7 and 20.2.4; AMD APM vol. 2, 13.2.1"

static struct list handler;

/* Values of the handler, in its order. */
enum { FIRST_COUNT, STATUS, CTRL, SECOND_COUNT, RESTART, THIRD_COUNT, FOURTH_COUNT };

/* One interrupt with or without freeze. Its handler reads the counter, which counts ring 0, again and again. */
static bool sample(struct finding *finding, bool freeze, uint64_t values[PMU_HANDLER_STEPS_MAX])
{
	struct measurement m = { .deliver = true,
				 .expected_nmis = 1,
				 .debugctl = freeze ? DEBUGCTL_FREEZE : 0 };
	const unsigned int i = first_counter();
	struct use *use = use_instructions(&m, i, RING_KERNEL);
	bool done;

	use->interrupt = true;
	use->start = shape_mask(shape.width) + 1 - PERIOD;
	list_clear(&handler);
	list_read(&handler, shape_counter_msr(i));
	list_read(&handler, shape.global_status);
	list_read(&handler, shape.global_ctrl);
	list_read(&handler, shape_counter_msr(i));
	if (shape.frozen)
		list_write(&handler, shape.global_clear, shape.frozen | UINT64_C(1) << i);
	else
		list_write(&handler, shape.global_ctrl, UINT64_C(1) << i);
	list_read(&handler, shape_counter_msr(i));
	list_read(&handler, shape_counter_msr(i));
	machine_set_handler(&handler);
	done = measure(&m, &kernel_loop, PASSES);
	machine_set_handler(NULL);
	if (!done)
		find_broken(finding, "%s", m.message);
	else if (m.nmis == 0)
		find_broken(finding, "expected an interrupt, got none");
	for (unsigned int j = 0; j < PMU_HANDLER_STEPS_MAX; j++)
		values[j] = handler_value(j);
	return done && m.nmis;
}

static void debugctl_keeps_bit(struct finding *finding, unsigned int argument)
{
	uint64_t value = 0;

	(void)argument;
	if (!machine_write_msr(MSR_DEBUGCTL, DEBUGCTL_FREEZE) ||
	    !machine_read_msr(MSR_DEBUGCTL, &value) || !(value & DEBUGCTL_FREEZE))
		find_broken(finding, "expected bit 12 of DEBUGCTL to be kept, got 0x%" PRIx64,
			    value);
	machine_write_msr(MSR_DEBUGCTL, 0);
}

static void not_without_debugctl(struct finding *finding, unsigned int argument)
{
	uint64_t values[PMU_HANDLER_STEPS_MAX];

	(void)argument;
	if (sample(finding, false, values) && values[FIRST_COUNT] == values[SECOND_COUNT])
		find_broken(
			finding,
			"expected the counter to go on in the handler without bit 12 of DEBUGCTL, got %" PRIu64
			" twice",
			values[FIRST_COUNT]);
}

/* One sample serves three rules: counters that stay frozen give no second one. */
static uint64_t values[PMU_HANDLER_STEPS_MAX];

static void stops_counters(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (sample(finding, true, values) && values[FIRST_COUNT] != values[SECOND_COUNT])
		find_broken(finding,
			    "expected a counter that stands still in the handler, got %" PRIu64
			    " and then %" PRIu64,
			    values[FIRST_COUNT], values[SECOND_COUNT]);
}

static void shows_how(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (shape.frozen && !(values[STATUS] & shape.frozen))
		find_broken(finding, "expected status bit %d of the freeze, got 0x%" PRIx64,
			    __builtin_ctzll(shape.frozen), values[STATUS]);
	if (!shape.frozen && values[CTRL])
		find_broken(finding,
			    "expected the freeze to clear the global control, got 0x%" PRIx64,
			    values[CTRL]);
	if (shape.frozen && values[CTRL] != UINT64_C(1) << first_counter())
		find_broken(finding,
			    "expected the global control to stay 0x%" PRIx64 ", got 0x%" PRIx64,
			    UINT64_C(1) << first_counter(), values[CTRL]);
}

static void ends(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (values[THIRD_COUNT] == values[FOURTH_COUNT])
		find_broken(finding,
			    "expected the counter to go on after %s, got %" PRIu64 " twice",
			    shape.frozen ? "the status bit of the freeze was cleared" :
					   "the global control was written",
			    values[THIRD_COUNT]);
}

#define STOPS "freeze.debugctl_keeps_its_bit freeze.stops_the_counters"

static const struct rule rules[] = {
	{ "debugctl_keeps_its_bit", 0, "registers.debugctl_exists", debugctl_keeps_bit, 0,
	  SDM_FREEZE, "a driver that asks for the freeze does not get it" },
	{ "not_without_debugctl", 0, NULL, not_without_debugctl, 0, SDM_FREEZE,
	  "counters stand still after each interrupt of a driver that does not know the freeze" },
	{ "stops_the_counters", 0, "freeze.debugctl_keeps_its_bit freeze.not_without_debugctl",
	  stops_counters, 0, SDM_FREEZE, "counts of the kernel include the interrupt's handler" },
	{ "shows_in_its_register", 0, STOPS, shows_how, 0, SDM_FREEZE,
	  "a driver does not know how to start the counters again" },
	{ "ends_when_cleared", 0, STOPS, ends, 0, SDM_FREEZE,
	  "counters stand still after the first interrupt" },
};

const struct group freeze_group = { "freeze", NEED_PMU | NEED_STEPS | NEED_GLOBAL | NEED_FREEZE,
				    "interrupt.general_counters_deliver registers.status_set_exists "
				    "global.clear_clears_what_is_named",
				    rules, sizeof(rules) / sizeof(rules[0]) };
