// SPDX-License-Identifier: BSD-2-Clause
/*
 * global.c - the global control and the global status, without overflows: overflow.c has those.
 */
#include "measure.h"
#include "registers.h"

#include <inttypes.h>

#define SDM_GLOBAL "Intel SDM vol. 3B, 20.2.2; AMD APM vol. 2, 13.2.1"
#define SDM_RESET  "Intel SDM vol. 3A, table 10-1; AMD APM vol. 2, 13.2.1"
#define PASSES	   1000

/* Intel: the general counters' bits, from version 2 on. AMD: all counters' bits. */
static void ctrl_at_start(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (start_values.global_ctrl != start_values.general_bits)
		find_broken(finding,
			    "expected 0x%" PRIx64 " in register 0x%" PRIx32 ", got 0x%" PRIx64,
			    start_values.general_bits, shape.global_ctrl, start_values.global_ctrl);
}

static void status_at_start(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (start_values.global_status)
		find_broken(finding, "expected 0 in register 0x%" PRIx32 ", got 0x%" PRIx64,
			    shape.global_status, start_values.global_status);
}

static void ctrl_keeps_bits(struct finding *finding, unsigned int argument)
{
	const uint64_t bits = shape_general_bits() | shape_fixed_bits();
	uint64_t wrong = 0;

	(void)argument;
	for (unsigned int bit = 0; bit < 64; bit++) {
		uint64_t one = UINT64_C(1) << bit, value;

		if (bits & one && (!machine_write_msr(shape.global_ctrl, one) ||
				   !machine_read_msr(shape.global_ctrl, &value) || value != one))
			wrong |= one;
	}
	machine_write_msr(shape.global_ctrl, 0);
	if (wrong)
		find_broken(finding,
			    "expected the bits 0x%" PRIx64 " to be kept, got 0x%" PRIx64 " lost",
			    bits, wrong);
}

/* The counter is enabled everywhere but in the global control. Another one's bit is set beside it. */
static void ctrl_stops(struct finding *finding, unsigned int fixed)
{
	struct measurement m = { 0 };

	for (int i = fixed ? 0 : (int)first_counter(); i >= 0;
	     i = fixed ? -1 : next_counter((unsigned int)i)) {
		m = (struct measurement){ 0 };
		if (fixed)
			use_fixed(&m, 0, RING_USER | RING_KERNEL);
		else
			use_instructions(&m, (unsigned int)i, RING_USER | RING_KERNEL);
		m.uses[0].out_of_global = true;
		if (!measure_user(&m, spin_loop, PASSES, NULL))
			find_broken(finding, "%s", m.message);
		else if (m.uses[0].count)
			find_broken(
				finding,
				"expected 0 by %s with its bit of the global control clear, got %" PRIu64,
				use_name(&m.uses[0]), m.uses[0].count);
	}
}

static void ctrl_starts(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (int i = (int)first_counter(); i >= 0; i = next_counter((unsigned int)i)) {
		struct measurement m = { 0 };

		use_instructions(&m, (unsigned int)i, RING_USER);
		if (!measure_user(&m, spin_loop, PASSES, NULL))
			find_broken(finding, "%s", m.message);
		else if (m.uses[0].count == 0)
			find_broken(
				finding,
				"expected %s to count with its bit of the global control alone, got 0",
				use_name(&m.uses[0]));
	}
}

static uint64_t read_status(void)
{
	uint64_t value = 0;

	machine_read_msr(shape.global_status, &value);
	return value;
}

static void status_is_zero_without_overflow(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };

	(void)argument;
	use_instructions(&m, first_counter(), RING_USER);
	if (!measure_user(&m, spin_loop, PASSES, NULL))
		find_broken(finding, "%s", m.message);
	else if (m.status)
		find_broken(finding, "expected status 0 without an overflow, got 0x%" PRIx64,
			    m.status);
}

/* Does not set the bit of the freeze: a machine that keeps it would count nothing more. */
static void set_sets(struct finding *finding, unsigned int argument)
{
	const uint64_t bits = UINT64_C(1) << first_counter();

	(void)argument;
	machine_write_msr(shape.global_set, bits);
	if (read_status() != bits)
		find_broken(finding,
			    "expected status 0x%" PRIx64 " after it was set, got 0x%" PRIx64, bits,
			    read_status());
	machine_write_msr(shape.global_clear, bits);
}

/* Sets the bits by overflow, which every version has. Clearing one bit leaves the others. */
static void clear_clears(struct finding *finding, unsigned int argument)
{
	int second = next_counter(first_counter());
	struct measurement m = { 0 };
	uint64_t all = UINT64_C(1) << first_counter(), status;

	(void)argument;
	use_instructions(&m, first_counter(), RING_USER);
	m.uses[0].start = shape_mask(shape.width) & ~UINT64_C(63);
	if (second >= 0) {
		use_instructions(&m, (unsigned int)second, RING_USER);
		m.uses[1].start = m.uses[0].start;
		all |= UINT64_C(1) << second;
	}
	if (!measure_user(&m, spin_loop, PASSES, NULL)) {
		find_broken(finding, "%s", m.message);
		return;
	}
	if (m.status == 0) {
		find_absent(
			finding,
			"an overflow sets no status bit: see overflow.general_counters_set_their_bit");
		return;
	}
	for (uint64_t rest = m.status & all; rest; rest &= rest - 1) {
		uint64_t one = rest & -rest;

		machine_write_msr(shape.global_clear, one);
		status = read_status();
		if ((status & all) != (rest & ~one))
			find_broken(finding,
				    "expected status 0x%" PRIx64 " after 0x%" PRIx64
				    " was cleared, got 0x%" PRIx64,
				    rest & ~one, one, status & all);
	}
	measure_clear();
	if (read_status())
		find_broken(finding,
			    "expected status 0 after all of it was cleared, got 0x%" PRIx64,
			    read_status());
}

static void clear_reads_zero(struct finding *finding, unsigned int argument)
{
	const uint32_t msr = argument ? shape.global_set : shape.global_clear;
	uint64_t value;

	if (!machine_read_msr(msr, &value)) {
		find_absent(finding, "register 0x%" PRIx32 " can only be written", msr);
		return;
	}
	if (value)
		find_broken(finding, "expected 0 in register 0x%" PRIx32 ", got 0x%" PRIx64, msr,
			    value);
}

/* Bits of fixed counters 8 to 13, which no CPU has. */
static void reserved_bits_fault(struct finding *finding, unsigned int is_set)
{
	const uint32_t msr = is_set ? shape.global_set : shape.global_clear;

	for (unsigned int bit = 40; bit < 46; bit++) {
		if (machine_write_msr(msr, UINT64_C(1) << bit))
			find_broken(finding,
				    "expected a fault of a write of bit %u of register 0x%" PRIx32
				    ", got none",
				    bit, msr);
	}
}

static void inuse_shows_selections(struct finding *finding, unsigned int argument)
{
	uint64_t value = 0;

	(void)argument;
	if (shape.version < 4) {
		find_absent(finding, "announced from version 4 on");
		return;
	}
	measure_clear();
	machine_write_msr(shape_select_msr(0), 0xc0);
	machine_read_msr(MSR_GLOBAL_INUSE, &value);
	if (!(value & 1))
		find_broken(finding,
			    "expected bit 0 for a counter with a selection, got 0x%" PRIx64, value);
	machine_write_msr(shape_select_msr(0), 0);
	machine_read_msr(MSR_GLOBAL_INUSE, &value);
	if (value & 1)
		find_broken(finding,
			    "expected no bit for a counter without a selection, got 0x%" PRIx64,
			    value);
}

#define CTRL   "registers.global_ctrl_exists"
#define STATUS "registers.global_status_exists registers.global_clear_exists"

static const struct rule rules[] = {
	{ "ctrl_has_its_value_at_start", NEED_UNTOUCHED,
	  CTRL " registers.absent_counters_fault "
	       "registers.every_announced_counter_exists",
	  ctrl_at_start, 0, SDM_RESET,
	  "software for version 1, which does not know the register, counts nothing" },
	{ "status_is_zero_at_start", NEED_UNTOUCHED, STATUS, status_at_start, 0, SDM_RESET,
	  "a driver takes its first interrupt for another counter's" },
	{ "ctrl_keeps_bits", 0, CTRL, ctrl_keeps_bits, 0, SDM_GLOBAL,
	  "a driver that saves and restores the control loses counters" },
	{ "ctrl_stops_general_counters", 0, CTRL, ctrl_stops, false, SDM_GLOBAL,
	  "drivers cannot stop all counters at once: groups do not count the same time" },
	{ "ctrl_stops_fixed_counters", NEED_FIXED,
	  CTRL " fixed.every_fixed_counter_counts global.ctrl_stops_general_counters", ctrl_stops,
	  true, SDM_GLOBAL, "drivers cannot stop all counters at once" },
	{ "ctrl_starts_each_counter_alone", 0, CTRL " counting.user_instructions", ctrl_starts, 0,
	  SDM_GLOBAL, "an event shows 0 unless another one counts beside it" },
	{ "clear_clears_what_is_named", 0,
	  STATUS " contents.select_leaves_counter width.general_counters_wrap", clear_clears, 0,
	  SDM_GLOBAL, "one overflow is handled again and again: a storm of interrupts" },
	{ "status_is_zero_without_overflow", 0, STATUS " global.clear_clears_what_is_named",
	  status_is_zero_without_overflow, 0, SDM_GLOBAL,
	  "a driver takes an interrupt for that of a counter that has not overflowed" },
	{ "set_sets_the_status", NEED_STATUS_SET,
	  STATUS " registers.status_set_exists global.clear_clears_what_is_named", set_sets, 0,
	  "Intel SDM vol. 3B, 20.2.4; AMD APM vol. 2, 13.2.1",
	  "a hypervisor that restores a guest's status loses its interrupt" },
	{ "clear_reads_zero", 0, STATUS, clear_reads_zero, 0, SDM_GLOBAL,
	  "software that reads, changes and writes the register clears too much" },
	{ "set_reads_zero", NEED_STATUS_SET, STATUS " registers.status_set_exists",
	  clear_reads_zero, 1, SDM_GLOBAL,
	  "software that reads, changes and writes the register sets too much" },
	{ "clear_faults_at_reserved_bits", NEED_INTEL,
	  "global.clear_clears_what_is_named contents.reserved_bits_fault", reserved_bits_fault,
	  false, SDM_GLOBAL, "software that tries for features believes in some that do nothing" },
	{ "set_faults_at_reserved_bits", NEED_INTEL | NEED_STATUS_SET,
	  "global.set_sets_the_status contents.reserved_bits_fault", reserved_bits_fault, true,
	  SDM_GLOBAL, "software that tries for features believes in some that do nothing" },
	{ "inuse_shows_selections", NEED_VERSION_2, "registers.inuse_exists",
	  inuse_shows_selections, 0, "Intel SDM vol. 3B, 20.2.4",
	  "software that asks which counters are free takes one that is in use" },
};

const struct group global_group = { "global", NEED_PMU | NEED_ACCESS | NEED_GLOBAL,
				    "counting.some_counter_counts", rules,
				    sizeof(rules) / sizeof(rules[0]) };
