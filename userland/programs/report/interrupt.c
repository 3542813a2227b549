// SPDX-License-Identifier: BSD-2-Clause
/*
 * interrupt.c - the interrupt of an overflow: whether it comes, how often, and through which gates. The local
 * APIC's entry is open while the work runs only. precision.c has the place where it comes.
 */
#include "measure.h"

#include <inttypes.h>
#include <stddef.h>

#define PASSES	10000
#define PERIOD	8192
#define SDM_PMI "Intel SDM vol. 3B, 20.2 and vol. 3A, 11.5.1; AMD APM vol. 2, 13.2.3 and 16.4.3"

static struct list handler;

static struct use *add_counter(struct measurement *m, bool fixed, unsigned int i,
			       unsigned int rings)
{
	struct use *use = fixed ? use_fixed(m, i, rings) : use_instructions(m, i, rings);

	use->interrupt = true;
	use->start = shape_mask(fixed ? shape.fixed_width : shape.width) + 1 - PERIOD;
	m->deliver = true;
	m->expected_nmis = 1;
	return use;
}

/* Runs the kernel's loop with one overflow of counter I. False: it failed. */
static bool overflow(struct finding *finding, bool fixed, unsigned int i, struct measurement *m)
{
	*m = (struct measurement){ 0 };
	add_counter(m, fixed, i, RING_KERNEL);
	if (measure(m, &kernel_loop, PASSES))
		return true;
	find_broken(finding, "%s: %s", use_name(&m->uses[0]), m->message);
	return false;
}

static void general_deliver(struct finding *finding, unsigned int argument)
{
	struct measurement m;

	(void)argument;
	for (int i = (int)first_counter(); i >= 0; i = next_counter((unsigned int)i)) {
		if (overflow(finding, false, (unsigned int)i, &m) && m.nmis == 0)
			find_broken(
				finding,
				"expected an interrupt at the overflow of %s, got none: the interrupt "
				"of counter %d never comes",
				use_name(&m.uses[0]), i);
	}
}

static void fixed_deliver(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };

	(void)argument;
	if (overflow(finding, true, 0, &m) && m.nmis == 0)
		find_broken(
			finding,
			"expected an interrupt at the overflow of fixed counter 0, got none: it never "
			"comes");
}

static void comes_once(struct finding *finding, unsigned int argument)
{
	struct measurement m;

	(void)argument;
	if (overflow(finding, false, first_counter(), &m) && m.nmis != 1)
		find_broken(finding, "expected 1 interrupt at one overflow, got %" PRIu64, m.nmis);
}

static void comes_in_user_mode(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };

	(void)argument;
	add_counter(&m, false, first_counter(), RING_USER);
	if (!measure_user(&m, spin_loop, PASSES, NULL))
		find_broken(finding, "%s", m.message);
	else if (m.nmis == 0)
		find_broken(finding, "expected an interrupt of a counter with USR only, got none");
	else if (!measure_nmis[0].user)
		find_inexact(finding, "the interrupt of a counter with USR only came in ring 0");
}

/* Runs STEPS in the handler of one interrupt; the record is measure_nmis[0]. False: it failed. */
static bool handle(struct finding *finding, struct measurement *m)
{
	bool done;

	machine_set_handler(&handler);
	done = overflow(finding, false, first_counter(), m);
	machine_set_handler(NULL);
	if (done && m->nmis == 0)
		find_broken(finding, "expected an interrupt, got none");
	return done && m->nmis != 0;
}

static void entry_after_delivery(struct finding *finding, unsigned int masked)
{
	struct measurement m;

	list_clear(&handler);
	list_add(&handler, PMU_STEP_LVT, 0, 0);
	if (!handle(finding, &m))
		return;
	if (masked && !(handler_value(0) & PMU_LVT_MASKED))
		find_broken(finding,
			    "expected the entry to be masked by the delivery, got 0x%" PRIx64,
			    handler_value(0));
	if (!masked && handler_value(0) & PMU_LVT_MASKED)
		find_broken(finding, "expected the entry to stay open, got 0x%" PRIx64,
			    handler_value(0));
}

static void status_in_handler(struct finding *finding, unsigned int argument)
{
	struct measurement m;
	uint64_t bit = UINT64_C(1) << first_counter();

	(void)argument;
	list_clear(&handler);
	list_read(&handler, shape.global_status);
	if (handle(finding, &m) && !(handler_value(0) & bit))
		find_broken(finding,
			    "expected status bit %u in the interrupt's handler, got 0x%" PRIx64,
			    first_counter(), handler_value(0));
}

static void counter_in_handler(struct finding *finding, unsigned int argument)
{
	struct measurement m;

	(void)argument;
	list_clear(&handler);
	list_read(&handler, shape_counter_msr(first_counter()));
	if (handle(finding, &m) && handler_value(0) > shape_mask(shape.width) / 2)
		find_broken(
			finding,
			"expected a counter that has passed 0 in the interrupt's handler, got 0x%" PRIx64,
			handler_value(0));
}

static void masked_entry(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };

	(void)argument;
	add_counter(&m, false, first_counter(), RING_KERNEL);
	m.deliver = false;
	if (!measure(&m, &kernel_loop, PASSES))
		find_broken(finding, "%s", m.message);
	else if (m.nmis)
		find_broken(finding, "expected no interrupt through a masked entry, got %" PRIu64,
			    m.nmis);
}

static void none_without_enable(struct finding *finding, unsigned int fixed)
{
	struct measurement m = { 0 };

	add_counter(&m, fixed, fixed ? 0 : first_counter(), RING_KERNEL)->interrupt = false;
	m.expected_nmis = 0;
	if (!measure(&m, &kernel_loop, PASSES))
		find_broken(finding, "%s", m.message);
	else if (m.nmis)
		find_broken(finding,
			    "expected no interrupt of %s without its interrupt bit, got %" PRIu64,
			    use_name(&m.uses[0]), m.nmis);
}

/* The selection loses EN while the entry is open, as drivers stop one counter of several. */
static void none_without_overflow(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };
	unsigned int i = first_counter();
	struct use *use = add_counter(&m, false, i, RING_KERNEL);
	struct pmu_step steps[] = {
		{ .operation = PMU_STEP_WORK, .index = PMU_WORK_LOOP, .value = 1000 },
		{ .operation = PMU_STEP_WRMSR,
		  .index = shape_select_msr(i),
		  .value = use->selection | SELECT_KERNEL | SELECT_INTERRUPT },
		{ .operation = PMU_STEP_WORK, .index = PMU_WORK_LOOP, .value = 1000 },
	};

	(void)argument;
	use->start = 0;
	m.expected_nmis = 0;
	if (!measure_steps(&m, steps, 3))
		find_broken(finding, "%s", m.message);
	else if (m.nmis)
		find_broken(
			finding,
			"expected no interrupt of a counter that is stopped before it overflows, got %" PRIu64,
			m.nmis);
}

static void short_period(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };

	(void)argument;
	add_counter(&m, false, first_counter(), RING_KERNEL)->start =
		shape_mask(shape.width) + 1 - 40;
	if (!measure(&m, &kernel_loop, PASSES))
		find_broken(finding, "%s", m.message);
	else if (m.nmis == 0)
		find_broken(
			finding,
			"expected an interrupt 40 events after the counter was written, got none");
}

static void two_counters(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };
	int second = next_counter(first_counter());

	(void)argument;
	if (second < 0) {
		find_absent(finding, "one counter that counts");
		return;
	}
	add_counter(&m, false, first_counter(), RING_KERNEL);
	add_counter(&m, false, (unsigned int)second, RING_KERNEL);
	if (!measure(&m, &kernel_loop, PASSES))
		find_broken(finding, "%s", m.message);
	else if (m.nmis < 1 || m.nmis > 2)
		find_broken(
			finding,
			"expected 1 or 2 interrupts of two counters that overflow together, got %" PRIu64,
			m.nmis);
}

static void entry_keeps_mask(struct finding *finding, unsigned int argument)
{
	static struct list list;

	(void)argument;
	list_clear(&list);
	list_add(&list, PMU_STEP_SET_LVT, 0, PMU_LVT_MASKED);
	list_add(&list, PMU_STEP_LVT, 0, 0);
	list_add(&list, PMU_STEP_SET_LVT, 0, 0);
	list_add(&list, PMU_STEP_LVT, 0, 0);
	list_add(&list, PMU_STEP_SET_LVT, 0, PMU_LVT_MASKED);
	if (!machine_run(&list))
		return;
	if (!(list_value(&list, 1) & PMU_LVT_MASKED) || list_value(&list, 3) & PMU_LVT_MASKED)
		find_broken(finding,
			    "expected the mask bit as written, got 0x%" PRIx64 " and 0x%" PRIx64,
			    list_value(&list, 1), list_value(&list, 3));
}

#define DELIVER "interrupt.general_counters_deliver"

static const struct rule rules[] = {
	{ "entry_keeps_its_mask_bit", 0, NULL, entry_keeps_mask, 0, SDM_PMI,
	  "a driver cannot turn the interrupt on" },
	{ "general_counters_deliver", 0, NULL, general_deliver, 0, SDM_PMI,
	  "profilers get no samples, counts are lost when a counter wraps" },
	{ "fixed_counters_deliver", NEED_FIXED,
	  DELIVER " fixed.kernel_instructions contents.fixed_counters_keep_bits", fixed_deliver, 0,
	  SDM_PMI, "profilers that are given a fixed counter get no samples" },
	{ "comes_once", 0, DELIVER, comes_once, 0, SDM_PMI,
	  "Linux logs an unknown NMI, and may stop the machine" },
	{ "comes_in_user_mode", 0, DELIVER " counting.user_instructions", comes_in_user_mode, 0,
	  SDM_PMI, "programs cannot be sampled" },
	{ "entry_is_masked_by_delivery", NEED_INTEL, DELIVER, entry_after_delivery, true,
	  "Intel SDM vol. 3A, 11.5.1", "a second interrupt comes while the first is handled" },
	{ "entry_stays_open_after_delivery", NEED_AMD, DELIVER, entry_after_delivery, false,
	  "AMD APM vol. 2, 16.4.3", "a driver for AMD gets the first interrupt only" },
	{ "status_is_set_in_the_handler", NEED_GLOBAL,
	  DELIVER " overflow.general_counters_set_their_bit", status_in_handler, 0, SDM_PMI,
	  "a driver takes the interrupt for another device's" },
	{ "counter_has_wrapped_in_the_handler", 0, DELIVER, counter_in_handler, 0, SDM_PMI,
	  "a driver without a status takes the interrupt for another device's" },
	{ "masked_entry_delivers_nothing", 0, DELIVER " interrupt.comes_once", masked_entry, 0,
	  SDM_PMI, "interrupts come while a driver believes them off" },
	{ "none_without_the_interrupt_bit", 0, DELIVER, none_without_enable, false, SDM_PMI,
	  "counting alone makes interrupts that no driver expects" },
	{ "none_without_the_fixed_interrupt_bit", NEED_FIXED, "interrupt.fixed_counters_deliver",
	  none_without_enable, true, SDM_PMI,
	  "counting alone makes interrupts that no driver expects" },
	{ "none_without_overflow", 0, DELIVER, none_without_overflow, 0, SDM_PMI,
	  "Linux logs an unknown NMI, and may stop the machine" },
	{ "short_period_delivers", 0, DELIVER " global.ctrl_stops_general_counters", short_period,
	  0, SDM_PMI,
	  "the interrupt of a short period is lost: no sample comes until the counter wraps again" },
	{ "two_counters_deliver", NEED_TWO_COUNTERS, DELIVER, two_counters, 0, SDM_PMI,
	  "groups that are sampled lose interrupts" },
};

const struct group interrupt_group = { "interrupt", NEED_PMU | NEED_STEPS,
				       "counting.kernel_instructions width.general_counters_wrap "
				       "contents.counters_keep_bits contents.select_leaves_counter",
				       rules, sizeof(rules) / sizeof(rules[0]) };
