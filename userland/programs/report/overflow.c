// SPDX-License-Identifier: BSD-2-Clause
/*
 * overflow.c - the status bit of an overflow: of the right counter, at the very event, and no other. No interrupt is
 * delivered here.
 */
#include "measure.h"

#include <inttypes.h>

#define PASSES	   1000
#define SDM_STATUS "Intel SDM vol. 3B, 20.2.2; AMD APM vol. 2, 13.2.1"

static uint64_t mask_of(bool fixed)
{
	return shape_mask(fixed ? shape.fixed_width : shape.width);
}

static uint64_t bit_of(bool fixed, unsigned int i)
{
	return fixed ? STATUS_FIXED(i) : UINT64_C(1) << i;
}

static void add_counter(struct measurement *m, bool fixed, unsigned int i, unsigned int rings)
{
	if (fixed)
		use_fixed(m, i, rings);
	else
		use_instructions(m, i, rings);
}

/* A measurement in which counter I overflows. False: it failed. */
static bool overflow(struct finding *finding, bool fixed, unsigned int i, struct measurement *m)
{
	*m = (struct measurement){ 0 };
	add_counter(m, fixed, i, RING_USER | RING_KERNEL);
	m->uses[0].start = mask_of(fixed) & ~UINT64_C(63);
	if (measure_user(m, spin_loop, PASSES, NULL))
		return true;
	find_broken(finding, "%s: %s", use_name(&m->uses[0]), m->message);
	return false;
}

static void check_bit(struct finding *finding, bool fixed, unsigned int i)
{
	struct measurement m;

	if (overflow(finding, fixed, i, &m) && !(m.status & bit_of(fixed, i)))
		find_broken(finding,
			    "expected status bit %u after an overflow of %s, got status 0x%" PRIx64,
			    fixed ? 32 + i : i, use_name(&m.uses[0]), m.status);
}

static void general_set_their_bit(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (int i = (int)first_counter(); i >= 0; i = next_counter((unsigned int)i))
		check_bit(finding, false, (unsigned int)i);
}

static void fixed_set_their_bit(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (unsigned int i = 0; i < 3; i++) {
		if (usable_fixed & 1u << i)
			check_bit(finding, true, i);
	}
}

static void no_other_bit(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (int i = (int)first_counter(); i >= 0; i = next_counter((unsigned int)i)) {
		struct measurement m;

		if (overflow(finding, false, (unsigned int)i, &m) &&
		    m.status & ~bit_of(false, (unsigned int)i))
			find_broken(finding,
				    "expected status 0x%" PRIx64
				    " after an overflow of %s, got 0x%" PRIx64,
				    bit_of(false, (unsigned int)i), use_name(&m.uses[0]), m.status);
	}
}

/* With WHOLE events counted from 0, a start of 2^w - WHOLE overflows at the last, and one less does not. */
static void at_the_very_event(struct finding *finding, unsigned int fixed)
{
	const unsigned int i = fixed ? 0 : first_counter();
	uint64_t whole;
	struct measurement m = { 0 };

	add_counter(&m, fixed, i, RING_KERNEL);
	if (!measure(&m, &kernel_loop, PASSES)) {
		find_broken(finding, "%s", m.message);
		return;
	}
	whole = m.uses[0].after;
	for (unsigned int late = 0; late < 4; late++) {
		uint64_t expected = late ? 0 : bit_of(fixed, i);

		m.uses[0].start = mask_of(fixed) + 1 - whole - late;
		if (!measure(&m, &kernel_loop, PASSES)) {
			find_broken(finding, "%s", m.message);
			return;
		}
		if ((m.status & bit_of(fixed, i)) != expected)
			find_broken(finding,
				    "expected status 0x%" PRIx64
				    " when %s ends at 2^%u - %u, got 0x%" PRIx64,
				    expected, use_name(&m.uses[0]),
				    fixed ? shape.fixed_width : shape.width, late, m.status);
	}
}

static void in_user_mode(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };

	(void)argument;
	add_counter(&m, false, first_counter(), RING_USER);
	m.uses[0].start = mask_of(false) + 1 - 2 * 5 * PASSES;
	if (!measure_user(&m, spin_loop, 5 * PASSES, NULL))
		find_broken(finding, "%s", m.message);
	else if (!(m.status & bit_of(false, first_counter())))
		find_broken(finding,
			    "expected a status bit after an overflow in ring 3, got 0x%" PRIx64,
			    m.status);
}

/* Two counters in one measurement: both bits. */
static void two_at_once(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };
	int second = next_counter(first_counter());
	uint64_t bits;

	(void)argument;
	if (second < 0) {
		find_absent(finding, "one counter that counts");
		return;
	}
	bits = bit_of(false, first_counter()) | bit_of(false, (unsigned int)second);
	add_counter(&m, false, first_counter(), RING_USER);
	add_counter(&m, false, (unsigned int)second, RING_USER);
	m.uses[0].start = m.uses[1].start = mask_of(false) & ~UINT64_C(63);
	if (!measure_user(&m, spin_loop, PASSES, NULL))
		find_broken(finding, "%s", m.message);
	else if ((m.status & shape_general_bits()) != bits)
		find_broken(finding,
			    "expected status 0x%" PRIx64
			    " after overflows of two counters, got 0x%" PRIx64,
			    bits, m.status);
}

#define GENERAL "overflow.general_counters_set_their_bit"

static const struct rule rules[] = {
	{ "general_counters_set_their_bit", 0, NULL, general_set_their_bit, 0, SDM_STATUS,
	  "a driver does not know which counter has overflowed, and drops the sample" },
	{ "fixed_counters_set_their_bit", NEED_FIXED,
	  "fixed.every_fixed_counter_counts contents.fixed_counters_keep_bits", fixed_set_their_bit,
	  0, SDM_STATUS, "a driver drops the samples of fixed counters" },
	{ "no_other_bit_is_set", 0, GENERAL, no_other_bit, 0, SDM_STATUS,
	  "a driver handles an overflow that has not happened" },
	{ "two_counters_set_two_bits", NEED_TWO_COUNTERS, GENERAL " counting.user_instructions",
	  two_at_once, 0, SDM_STATUS, "one of two samples is lost" },
	{ "comes_at_the_very_event", NEED_STEPS, GENERAL " global.ctrl_stops_general_counters",
	  at_the_very_event, false, SDM_STATUS, "each period is longer or shorter than asked for" },
	{ "fixed_comes_at_the_very_event", NEED_STEPS | NEED_FIXED,
	  "overflow.fixed_counters_set_their_bit global.ctrl_stops_general_counters",
	  at_the_very_event, true, SDM_STATUS, "each period is longer or shorter than asked for" },
	{ "comes_in_user_mode", 0, GENERAL " counting.user_instructions", in_user_mode, 0,
	  SDM_STATUS, "programs cannot be sampled" },
};

const struct group overflow_group = {
	"overflow", NEED_PMU | NEED_ACCESS | NEED_GLOBAL,
	"width.general_counters_wrap contents.counters_keep_bits "
	"contents.select_leaves_counter global.clear_clears_what_is_named",
	rules, sizeof(rules) / sizeof(rules[0])
};
